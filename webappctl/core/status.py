"""Result → the status of its WebApp: a pure function of the objects, written only when it differs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from webappctl.core.desired import MAX_LABEL, problem_of, selector_of
from webappctl.core.objects import (
    API_VERSION,
    KIND,
    Condition,
    Deployment,
    Json,
    ManagedFields,
    Unreadable,
    WebApp,
    WebAppStatus,
)
from webappctl.core.plan import BLOCKED, STALLED
from webappctl.core.report import SETTLED, Outcome, Result, cut

AVAILABLE: Final = "Available"
READY: Final = "Ready"
RECONCILING: Final = "Reconciling"
OUR_CONDITIONS: Final = frozenset({AVAILABLE, READY, RECONCILING, STALLED})

DEPLOYMENT_READY: Final = "DeploymentReady"
ROLLOUT_IN_PROGRESS: Final = "RolloutInProgress"
MINIMUM_UNAVAILABLE: Final = "MinimumReplicasUnavailable"
DEADLINE_EXCEEDED: Final = "ProgressDeadlineExceeded"
REPLICA_FAILURE: Final = "ReplicaFailure"
PAUSED: Final = "DeploymentPaused"
_STALLING: Final = frozenset({BLOCKED, DEADLINE_EXCEEDED, REPLICA_FAILURE})


@dataclass(frozen=True, slots=True)
class _Progress:
    """How far the rollout is: the reason and message of whatever is not True."""

    available: bool
    ready: bool
    reason: str
    message: str


def status_change(result: Result, webapp: WebApp | Unreadable, now: str) -> WebAppStatus | None:
    """The status to write on `webapp`, or None where it is right already, or nothing is known that could be said.

    `webapp` may be newer than the one that was planned; `now` is RFC 3339 in whole seconds.
    """
    if result.outcome not in SETTLED | {Outcome.BLOCKED, Outcome.WAITING} or webapp.metadata.terminating:
        return None
    if _is_newer(webapp.status, result.change.webapp.metadata.generation):
        return None
    status = _status(result, webapp, now)
    return None if status == _ours(webapp.status) else status


def status_manifest(webapp: WebApp | Unreadable, status: WebAppStatus) -> Json:
    """The body that writes the status; 409 when the WebApp moved since it was read."""
    meta = webapp.metadata
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": {
            "name": meta.name,
            "namespace": meta.namespace,
            "uid": meta.uid,
            "resourceVersion": meta.resource_version,
        },
        "status": _without_nulls(msgspec.to_builtins(status)),
    }


def with_foreign_conditions(status: WebAppStatus, live: WebAppStatus | None) -> WebAppStatus:
    """For a merge patch, which replaces the whole list of conditions."""
    foreign = tuple(c for c in (live and live.conditions) or () if c.type not in OUR_CONDITIONS)
    return msgspec.structs.replace(status, conditions=(*(status.conditions or ()), *foreign))


def _is_newer(status: WebAppStatus | None, generation: int) -> bool:
    """Another pass has reported on a newer spec already."""
    return status is not None and (status.observed_generation or 0) > generation


def _status(result: Result, webapp: WebApp | Unreadable, now: str) -> WebAppStatus:
    live = webapp.status or WebAppStatus()
    planned = result.change.webapp.metadata
    ours = _own_deployment(result)
    progress = _progress(result, ours)
    conditions = tuple(
        _condition(kind, status, progress, planned.generation, live.condition(kind), now)
        for kind, status in (*_truths(progress), *_lingering(progress, webapp))
    )
    return WebAppStatus(
        observed_generation=planned.generation,
        replicas=ours.status.replicas if ours else 0,
        ready_replicas=ours.status.ready_replicas if ours else 0,
        selector=selector_of(planned.name) if len(planned.name) <= MAX_LABEL else None,
        conditions=conditions,
    )


def _truths(progress: _Progress) -> tuple[tuple[str, str], ...]:
    """Type and status. Stalled and Reconciling are there only while they are True."""
    truths = ((AVAILABLE, str(progress.available)), (READY, str(progress.ready)))
    if progress.ready:
        return truths
    return (*truths, (STALLED if progress.reason in _STALLING else RECONCILING, "True"))


def _lingering(progress: _Progress, webapp: WebApp | Unreadable) -> Iterator[tuple[str, str]]:
    """Conditions that are to go, but that others own too: leaving them out would not take them away, so say False."""
    wanted = {kind for kind, _ in _truths(progress)}
    for kind in (STALLED, RECONCILING):
        live = webapp.status.condition(kind) if webapp.status else None
        if live is not None and live.status == "True" and kind not in wanted:
            path = ("f:status", "f:conditions", f'k:{{"type":"{kind}"}}')
            if not all(owner.ours for owner in ManagedFields.read(webapp.metadata.managed_fields).owners(path)):
                yield kind, "False"


def _condition(
    kind: str, status: str, progress: _Progress, generation: int, live: Condition | None, now: str
) -> Condition:
    reason, message = progress.reason, progress.message
    if status == "True" and kind in (AVAILABLE, READY):
        reason = DEPLOYMENT_READY
        message = "All replicas are available" if kind == AVAILABLE else "All replicas are updated and available"
    flipped = live is None or live.status != status or not live.last_transition_time
    since = now if flipped or live is None else live.last_transition_time
    return Condition(kind, status, reason, cut(message), since, generation)


def _own_deployment(result: Result) -> Deployment | None:
    """The Deployment, when it can be read and is this WebApp's: a foreign one says nothing about it."""
    deployment = result.deployment
    if not isinstance(deployment, Deployment):
        return None
    uid = result.change.webapp.metadata.uid
    return deployment if any(o.uid == uid for o in deployment.metadata.owner_references or ()) else None


def _progress(result: Result, deployment: Deployment | None) -> _Progress:
    desired = _desired_replicas(result, deployment)
    available = deployment is not None and deployment.status.available_replicas >= desired
    if result.outcome is Outcome.BLOCKED:
        return _Progress(available, ready=False, reason=BLOCKED, message=result.text)
    if deployment is None or result.outcome is Outcome.WAITING:
        return _Progress(available, ready=False, reason=ROLLOUT_IN_PROGRESS, message=result.text)
    reason, message = _rollout(deployment, desired)
    return _Progress(available, reason == DEPLOYMENT_READY, reason, message)


def _desired_replicas(result: Result, deployment: Deployment | None) -> int:
    """What the WebApp asks for; where it asks for nothing, or for nonsense, what its Deployment has."""
    webapp = result.change.webapp
    if isinstance(webapp, WebApp) and webapp.spec and webapp.spec.replicas and not problem_of(webapp):
        return webapp.spec.replicas
    live = deployment.spec.replicas if deployment else None
    return 1 if live is None else live


def _rollout(deployment: Deployment, desired: int) -> tuple[str, str]:
    """Reason and message. A Deployment that has not seen its newest spec yet says nothing about it."""
    status = deployment.status
    if status.observed_generation < deployment.metadata.generation:
        return ROLLOUT_IN_PROGRESS, "The rollout has not begun yet"
    failure = status.condition("ReplicaFailure")
    if failure is not None and failure.status == "True":
        return REPLICA_FAILURE, failure.message
    progressing = status.condition("Progressing")
    if progressing is not None and progressing.reason == DEADLINE_EXCEEDED:
        return DEADLINE_EXCEEDED, progressing.message
    if deployment.spec.paused:
        return PAUSED, "The Deployment is paused (spec.paused)"
    if status.updated_replicas < desired:
        return ROLLOUT_IN_PROGRESS, f"{status.updated_replicas} of {desired} replicas are updated"
    if status.available_replicas < desired:
        return MINIMUM_UNAVAILABLE, f"{status.available_replicas} of {desired} replicas are available"
    if status.replicas > desired:
        return ROLLOUT_IN_PROGRESS, f"{status.replicas} replicas are still there, {desired} are wanted"
    return DEPLOYMENT_READY, ""


def _ours(status: WebAppStatus | None) -> WebAppStatus:
    """The status without the conditions of others, ours in the order in which we write them.

    Stalled and Reconciling say as much when they are False as when they are not there.
    """
    status = status or WebAppStatus()
    conditions = [
        condition
        for kind in (AVAILABLE, READY, STALLED, RECONCILING)
        if (condition := status.condition(kind)) and (kind in (AVAILABLE, READY) or condition.status != "False")
    ]
    return msgspec.structs.replace(status, conditions=tuple(conditions))


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list | tuple) else value
