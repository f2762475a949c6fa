"""Deployments whose WebApp is gone: the garbage collector's, or orphans."""

from __future__ import annotations

from collections.abc import Iterator

from webappctl.core.objects import (
    MANAGED_BY,
    Deployment,
    ManagedFields,
    ObjectKey,
    Snapshot,
    deployment_key,
    webapp_key,
)
from webappctl.core.plan.change import Action, Change, Effect, Obstacle
from webappctl.core.plan.ownership import is_webapp, owner_or_tool_of, waiting
from webappctl.core.plan.policy import Policy


def leftovers(snapshot: Snapshot, policy: Policy) -> Iterator[Change]:
    """None of them where the scope left WebApps out: then nobody knows which Deployment has lost its own."""
    if not snapshot.every_webapp:
        return
    uids = {webapp.key: webapp.metadata.uid for webapp in snapshot.webapps}
    for key in snapshot.deployments.keys() - {deployment_key(webapp) for webapp in uids}:  # the others have a row
        deployment = snapshot.deployments[key]
        if not isinstance(deployment, Deployment) or deployment.metadata.terminating:
            continue
        change = _dangling(deployment, uids) or _orphan(deployment, policy)
        if change is not None:
            yield change


def _dangling(deployment: Deployment, uids: dict[ObjectKey, str]) -> Change | None:
    """The garbage collector deletes it, whoever made it: its owner is no more."""
    owner = deployment.metadata.controller
    if owner is None or not is_webapp(owner):
        return None
    if uids.get(ObjectKey(deployment.metadata.namespace, owner.name)) == owner.uid:
        return None
    message = f"its WebApp {owner.name} was deleted; the garbage collector removes it"
    return waiting(None, deployment, Obstacle.GARBAGE_COLLECTION, message)


def _orphan(deployment: Deployment, policy: Policy) -> Change | None:
    """Ours by name, label and field manager, and nobody else's: left by `kubectl delete --cascade=orphan`."""
    meta = deployment.metadata
    if owner_or_tool_of(deployment) or (meta.labels or {}).get("managed-by") != MANAGED_BY:
        return None
    if webapp_key(deployment.key) is None or not ManagedFields.read(meta.managed_fields).applied_by_us:
        return None
    message = "its WebApp was deleted with --cascade=orphan"
    if not policy.prune:
        return Change(None, deployment, Action.ORPHAN, message=message, remedy="deleted by --prune")
    live = 1 if deployment.spec.replicas is None else deployment.spec.replicas
    return Change(None, deployment, Action.DELETE, effect=Effect(stops=live), message=message)
