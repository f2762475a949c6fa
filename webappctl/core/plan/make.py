"""Snapshot → Plan: what to do about each Deployment, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from webappctl.core.desired import MAX_LABEL, MAX_NAME, desired_fields, labels_of, problem_of
from webappctl.core.diff import FieldChange, diff
from webappctl.core.objects import (
    GROUP,
    KIND,
    Deployment,
    ManagedFields,
    OwnedFields,
    OwnerReference,
    Snapshot,
    Unreadable,
    WebApp,
    deployment_key,
)
from webappctl.core.plan.change import Action, Change, Effect, Obstacle, Plan


def make_plan(snapshot: Snapshot) -> Plan:
    terminating = tuple(webapp.key for webapp in snapshot.webapps if webapp.metadata.terminating)
    return Plan(tuple(_rows(snapshot)), terminating)


def _rows(snapshot: Snapshot) -> Iterator[Change]:
    for webapp in snapshot.webapps:
        change = plan_one(webapp, snapshot.deployments.get(deployment_key(webapp.key)))
        if change is not None:
            yield change


def plan_one(webapp: WebApp | Unreadable, deployment: Deployment | Unreadable | None) -> Change | None:
    """None for a WebApp that is being deleted: the garbage collector has the rest."""
    if webapp.metadata.terminating:
        return None
    change = _plan_live(webapp, deployment)
    return replace(change, warning=_name_warning(webapp.metadata.name))


def _plan_live(webapp: WebApp | Unreadable, deployment: Deployment | Unreadable | None) -> Change:
    name = webapp.metadata.name
    if len(name) > MAX_LABEL:
        message = f"its name has {len(name)} characters, and a label's value ends at {MAX_LABEL}"
        return _blocked(webapp, deployment, Obstacle.NAME_TOO_LONG, message, "create it again under a shorter name")
    if isinstance(webapp, Unreadable):
        return _blocked(webapp, deployment, Obstacle.UNREADABLE, webapp.problem, "correct the WebApp")
    problem = problem_of(webapp)
    if problem:
        return _blocked(webapp, deployment, Obstacle.INVALID_SPEC, problem, "correct the WebApp")
    if isinstance(deployment, Unreadable):
        message = f"Deployment {deployment.metadata.name} cannot be read: {deployment.problem}"
        return _blocked(webapp, deployment, Obstacle.UNREADABLE, message, "correct the Deployment")
    desired = desired_fields(webapp)
    if deployment is None:
        return Change(webapp, None, Action.CREATE, effect=Effect(starts=desired.replicas or 1))
    return _not_ours(webapp, deployment) or _compare(webapp, deployment, desired)


def _not_ours(webapp: WebApp, deployment: Deployment) -> Change | None:
    """Whose Deployment is it? None: ours, or ours to have back."""
    name = deployment.metadata.name
    if deployment.metadata.terminating:
        message = f"Deployment {name} is being deleted"
        return _waiting(webapp, deployment, Obstacle.TERMINATING, message, "it is created again when it is gone")
    owner = deployment.metadata.controller
    if owner is not None and owner.uid != webapp.metadata.uid:
        return _of_another(webapp, deployment, owner)
    if owner is None and not _was_ours(webapp, deployment):
        message = f"Deployment {name} has no owner, and webappctl did not make it"
        return _blocked(webapp, deployment, Obstacle.UNOWNED, message, "delete it, or rename the WebApp")
    return _other_selector(webapp, deployment)


def _of_another(webapp: WebApp, deployment: Deployment, owner: OwnerReference) -> Change:
    name = deployment.metadata.name
    if owner.api_version.startswith(f"{GROUP}/") and (owner.kind, owner.name) == (KIND, webapp.metadata.name):
        message = f"Deployment {name} is of a WebApp of this name that was deleted; the garbage collector removes it"
        return _waiting(webapp, deployment, Obstacle.GARBAGE_COLLECTION, message, "it is created again when it is gone")
    message = f"Deployment {name} is owned by {owner.kind} {owner.name}"
    return _blocked(webapp, deployment, Obstacle.FOREIGN_OWNER, message, "delete it there, or rename the WebApp")


def _was_ours(webapp: WebApp, deployment: Deployment) -> bool:
    """A Deployment that lost its owner reference, or the mark of the controller in it."""
    if any(owner.uid == webapp.metadata.uid for owner in deployment.metadata.owner_references or ()):
        return True
    return ManagedFields.read(deployment.metadata.managed_fields).applied_by_us


def _other_selector(webapp: WebApp, deployment: Deployment) -> Change | None:
    """Selectors are immutable, so no write could ever mend this one."""
    selector = deployment.spec.selector
    wanted = labels_of(webapp.metadata.name)
    if dict(selector.match_labels or {}) == wanted and not selector.match_expressions:
        return None
    found = ",".join(f"{key}={value}" for key, value in sorted((selector.match_labels or {}).items()))
    more = " and expressions" if selector.match_expressions else ""
    ours = ",".join(f"{key}={value}" for key, value in wanted.items())
    message = (
        f"Deployment {deployment.metadata.name} selects {found}{more} instead of {ours}, and selectors are immutable"
    )
    return _blocked(
        webapp, deployment, Obstacle.IMMUTABLE_SELECTOR, message, "delete the Deployment, it is created again"
    )


def _compare(webapp: WebApp, deployment: Deployment, desired: OwnedFields) -> Change:
    fields = diff(deployment, desired)
    if not fields:
        return Change(webapp, deployment, Action.NONE)
    return Change(webapp, deployment, Action.UPDATE, fields=fields, effect=_effect(deployment, fields))


def _effect(deployment: Deployment, fields: tuple[FieldChange, ...]) -> Effect:
    live = deployment.spec.replicas if deployment.spec.replicas is not None else 1
    wanted = next((change.desired for change in fields if change.path == "replicas"), None)
    scales = (live, wanted) if isinstance(wanted, int) else None
    restarts = live if any(change.in_pod_template for change in fields) else 0
    return Effect(restarts=restarts, scales=scales)


def _name_warning(name: str) -> str:
    if len(name) > MAX_LABEL:
        return ""
    if len(name) > MAX_NAME:
        return f"its name has {len(name)} characters; service meshes need at most {MAX_NAME}"
    if "." in name:
        return "its name has a dot in it, so no Service can have it"
    return ""


def _blocked(
    webapp: WebApp | Unreadable,
    deployment: Deployment | Unreadable | None,
    obstacle: Obstacle,
    message: str,
    remedy: str,
) -> Change:
    return Change(webapp, deployment, Action.BLOCKED, obstacle=obstacle, message=message, remedy=remedy)


def _waiting(webapp: WebApp, deployment: Deployment, obstacle: Obstacle, message: str, remedy: str) -> Change:
    return Change(webapp, deployment, Action.WAITING, obstacle=obstacle, message=message, remedy=remedy)
