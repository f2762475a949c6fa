"""Snapshot → Plan: what to do about each Deployment, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from webappctl.core.desired import MAX_LABEL, MAX_NAME, desired_fields, problem_of
from webappctl.core.diff import Cause, FieldChange, diff
from webappctl.core.objects import (
    NO_AUTOSCALERS,
    REPLICAS_PATH,
    Autoscalers,
    Deployment,
    ManagedFields,
    ObjectKey,
    OwnedFields,
    Snapshot,
    Unreadable,
    WebApp,
    deployment_key,
)
from webappctl.core.plan.change import Action, Change, Effect, Hold, Obstacle, Plan
from webappctl.core.plan.leftovers import leftovers
from webappctl.core.plan.ownership import not_ours, was_ours
from webappctl.core.plan.pause import Pause, pause_of, way_on
from webappctl.core.plan.policy import CAUTIOUS, Policy
from webappctl.core.plan.recall import Known, recalled
from webappctl.core.takeover import Takeover, takeover

AUTOSCALING_CONTROLLER: Final = "kube-controller-manager"
"""It writes through `scale` for every HorizontalPodAutoscaler, and for nothing else."""
NOTHING: Final[Known] = {}
PAUSED_PATH: Final = ("f:spec", "f:paused")


def make_plan(snapshot: Snapshot, policy: Policy = CAUTIOUS, *, now: str = "", known: Known = NOTHING) -> Plan:
    """`now` is RFC 3339, for pauses that have an end; without it, none is over.

    `known` spares work, and changes nothing.
    """
    terminating = tuple(webapp.key for webapp in snapshot.webapps if webapp.metadata.terminating)
    changes, left = list(_rows(snapshot, policy, now, known)), list(leftovers(snapshot, policy))
    if left:  # WebApps are in order
        changes = sorted((*changes, *left), key=lambda change: change.key)
    return Plan(tuple(changes), terminating, tuple(_blind_spots(snapshot)))


def _rows(snapshot: Snapshot, policy: Policy, now: str, known: Known) -> Iterator[Change]:
    for webapp in snapshot.webapps:
        deployment = snapshot.deployments.get(deployment_key(webapp.key))
        change = recalled(known, webapp, deployment, snapshot.autoscalers)
        change = change or plan_one(webapp, deployment, snapshot.autoscalers, policy, now=now)
        if change is not None:
            yield change


def _blind_spots(snapshot: Snapshot) -> Iterator[str]:
    if snapshot.autoscalers.unknown:
        where = ", ".join(sorted(filter(None, snapshot.autoscalers.unknown)))
        yield (
            "HorizontalPodAutoscalers may not be listed"
            + (f" in namespace {where}" if where else "")
            + ": replicas count as held where the autoscaling controller wrote them last"
        )


def plan_one(
    webapp: WebApp | Unreadable,
    deployment: Deployment | Unreadable | None,
    autoscalers: Autoscalers = NO_AUTOSCALERS,
    policy: Policy = CAUTIOUS,
    *,
    now: str = "",
) -> Change | None:
    """None for a WebApp that is being deleted: the garbage collector has the rest. `now` is that of `make_plan`."""
    if webapp.metadata.terminating:
        return None
    pause, oddity = pause_of(webapp.metadata, now)
    change = _plan_live(webapp, deployment, autoscalers, policy)
    warnings = (_name_warning(webapp.metadata.name), _rivalry(change.deployment_key, autoscalers), oddity)
    warned = replace(change, warning="; ".join(filter(None, warnings)))
    return warned if pause is None else _put_off(warned, pause)


def _put_off(change: Change, pause: Pause) -> Change:
    """What it would be still shows. What is blocked or waits stays so: a pause takes nothing of it away."""
    if change.action in (Action.BLOCKED, Action.WAITING):
        return replace(change, pause=pause)
    told = replace(change, pause=pause, message=pause.text, remedy=way_on(change.key))
    return replace(told, action=Action.PAUSED, effect=Effect(), takeover=None)


def _plan_live(
    webapp: WebApp | Unreadable, deployment: Deployment | Unreadable | None, autoscalers: Autoscalers, policy: Policy
) -> Change:
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
    if deployment is None:
        replicas = desired_fields(webapp).replicas
        return Change(webapp, None, Action.CREATE, effect=Effect(starts=replicas or 1))
    return not_ours(webapp, deployment, policy) or _compare(webapp, deployment, _hold(webapp, deployment, autoscalers))


def _hold(webapp: WebApp, deployment: Deployment, autoscalers: Autoscalers) -> Hold | None:
    """Who else has the replicas? None when the WebApp asks for none: then they are not ours anyway."""
    wanted = webapp.spec.replicas if webapp.spec else None
    if wanted is None:
        return None
    live = _live_replicas(deployment)
    found = autoscalers.by_target.get(deployment.key)
    if found is not None:
        return Hold(live, wanted, found.metadata.name, found.spec.min_replicas, found.spec.max_replicas)
    if not autoscalers.unknown_in(deployment.metadata.namespace):
        return None
    owners = ManagedFields.read(deployment.metadata.managed_fields).owners(REPLICAS_PATH)
    scaled = any((owner.manager, owner.subresource) == (AUTOSCALING_CONTROLLER, "scale") for owner in owners)
    return Hold(live, wanted) if scaled else None


def _live_replicas(deployment: Deployment) -> int:
    return 1 if deployment.spec.replicas is None else deployment.spec.replicas


def _compare(webapp: WebApp, deployment: Deployment, held: Hold | None) -> Change:
    desired = desired_fields(webapp, held=held is not None)
    fields = diff(deployment, desired)
    if was_ours(webapp, deployment):
        if not fields:
            return _in_order(webapp, deployment, held)
        action = Action.UPDATE
    else:
        action, fields = Action.ADOPT, tuple(replace(field, cause=Cause.ADOPT) for field in fields)
    taken = takeover(deployment, desired)
    effect = _effect(deployment, desired, fields, taken)
    return Change(webapp, deployment, action, fields=fields, effect=effect, held=held, takeover=taken)


def _in_order(webapp: WebApp, deployment: Deployment, held: Hold | None) -> Change:
    if deployment.spec.paused:
        return _rollout_paused(webapp, deployment, held)
    differs = held is not None and held.live != held.wanted
    return Change(webapp, deployment, Action.HELD if differs else Action.NONE, held=held)


def _rollout_paused(webapp: WebApp, deployment: Deployment, held: Hold | None) -> Change:
    owners = ManagedFields.read(deployment.metadata.managed_fields).owners(PAUSED_PATH)
    by = f" by {owners[-1].manager}" if owners else ""
    name, namespace = deployment.metadata.name, deployment.metadata.namespace
    message, remedy = f"its rollout is paused{by}", f"kubectl -n {namespace} rollout resume deployment/{name}"
    return Change(webapp, deployment, Action.PAUSED, held=held, message=message, remedy=remedy)


def _effect(
    deployment: Deployment, desired: OwnedFields, fields: tuple[FieldChange, ...], taken: Takeover | None
) -> Effect:
    live = _live_replicas(deployment)
    wanted = desired.replicas if any(change.path == "replicas" for change in fields) else None
    template = any(change.in_pod_template for change in fields) or bool(taken and taken.falls_away)
    return Effect(
        restarts=live if template else 0,
        scales=None if wanted is None else (live, wanted),
        template=template,
        deferred=template and deployment.spec.paused,
    )


def _name_warning(name: str) -> str:
    if len(name) > MAX_LABEL:
        return ""
    if len(name) > MAX_NAME:
        return f"its name has {len(name)} characters; service meshes need at most {MAX_NAME}"
    if "." in name:
        return "its name has a dot in it, so no Service can have it"
    return ""


def _rivalry(deployment: ObjectKey, autoscalers: Autoscalers) -> str:
    names = autoscalers.rivals.get(deployment, ())
    return f"several HorizontalPodAutoscalers scale its Deployment: {', '.join(names)}" if names else ""


def _blocked(
    webapp: WebApp | Unreadable,
    deployment: Deployment | Unreadable | None,
    obstacle: Obstacle,
    message: str,
    remedy: str,
) -> Change:
    return Change(webapp, deployment, Action.BLOCKED, obstacle=obstacle, message=message, remedy=remedy)
