"""Which changes a pass is worth: those of what it looks at."""

from __future__ import annotations

from collections.abc import Container
from typing import Any, assert_never

import msgspec

from webappctl.core.objects import (
    Autoscaler,
    Deployment,
    Kind,
    ObjectKey,
    Unreadable,
    WebApp,
    labelled,
    webapp_key,
    without_history,
)
from webappctl.mirror.shelf import Move


def worth_a_pass(kind: Kind, move: Move, webapps: Container[ObjectKey]) -> bool:
    """`webapps`: the keys of those that are known."""
    match kind:
        case Kind.WEBAPPS:
            return _differ(move, _of_webapp)
        case Kind.DEPLOYMENTS:
            return _is_somebodys(move, webapps) and _differ(move, _of_deployment)
        case Kind.AUTOSCALERS:
            return _differ(move, _of_autoscaler)
        case _:
            assert_never(kind)


def _differ(move: Move, essence: Any) -> bool:
    return move.old is None or move.new is None or bool(essence(move.old) != essence(move.new))


def _is_somebodys(move: Move, webapps: Container[ObjectKey]) -> bool:
    """One that only has a name like ours is looked at when there is a WebApp to it."""
    found = [each for each in move if isinstance(each, Deployment | Unreadable)]
    return any(labelled(each) or webapp_key(each.key) in webapps for each in found)


def _of_webapp(webapp: WebApp | Unreadable) -> object:
    """Annotations are part of it: one of them pauses."""
    return type(webapp), msgspec.structs.replace(webapp, metadata=without_history(webapp.metadata))


def _of_deployment(deployment: Deployment | Unreadable) -> object:
    """Others write annotations and their own fields all the time."""
    meta = deployment.metadata
    identity = meta.uid, meta.deletion_timestamp, meta.labels, meta.owner_references
    if isinstance(deployment, Unreadable):
        return identity, deployment.problem
    return identity, deployment.spec, deployment.status


def _of_autoscaler(autoscaler: Autoscaler) -> object:
    """Its status is written every 15 seconds."""
    return autoscaler.metadata.uid, autoscaler.spec
