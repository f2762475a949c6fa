"""Rows of an earlier plan that need not be made again, because nothing that they were made of is another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from webappctl.core.objects import Autoscalers, Deployment, ObjectKey, Unreadable, WebApp
from webappctl.core.plan.change import Action, Change

Known = Mapping[ObjectKey, Change]
"""Rows of earlier plans under the same policy, by the WebApp's key."""


@dataclass(slots=True)
class Memory:
    """Of what is in order, and whose WebApp has been told so: it need not be looked into again while its objects are
    the very same ones. It spares most of the work of a pass over a mirror, and changes nothing of what it does.
    """

    quiet: Known = field(default_factory=dict)


def recalled(
    known: Known,
    webapp: WebApp | Unreadable,
    deployment: Deployment | Unreadable | None,
    autoscalers: Autoscalers,
) -> Change | None:
    """The row that says of these very objects (not of equal ones) that nothing is to be done; None: it has to be made.

    Only the simplest are recalled: what an autoscaler, a pause or a warning has part in depends on more than these two.
    """
    row = known.get(webapp.metadata.key)
    if row is None or row.webapp is not webapp or row.deployment is not deployment or deployment is None:
        return None
    simple = row.action is Action.NONE and not (row.held or row.pause or row.warning or row.contested)
    scaled = deployment.metadata.key in autoscalers.by_target or autoscalers.unknown_in(deployment.metadata.namespace)
    return row if simple and not scaled else None
