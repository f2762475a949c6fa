"""What plan, apply and watch have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webappctl.errors import WebappctlError

if TYPE_CHECKING:
    from webappctl.cluster import Cluster
    from webappctl.core.objects import ObjectKey, Scope
    from webappctl.core.plan import Plan
    from webappctl.render import Target


def target_of(cluster: Cluster, scope: Scope) -> Target:
    from webappctl.render import Target

    return Target(cluster.context, cluster.server, scope)


def unknown_names(scope: Scope, made: Plan) -> tuple[ObjectKey, ...]:
    known = {change.key for change in made.changes} | set(made.terminating)
    return tuple(key for key in scope.names if not any(key in (found, ("", found.name)) for found in known))


def refuse_unknown_names(scope: Scope, made: Plan) -> None:
    """A name that fits nothing is a typing error, and nothing is done before it is put right."""
    for key in unknown_names(scope, made):
        where = f"namespace {key.namespace}" if key.namespace else scope.where
        labels = f" with the labels {scope.selector}" if scope.selector else ""
        raise WebappctlError(f"there is no such WebApp in {where}{labels}", subject=key.name)
