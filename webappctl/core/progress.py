"""Result → how far its rollout is: the one notion of Ready, of statuses and of `--wait`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from webappctl.core.desired import desired_fields, problem_of
from webappctl.core.objects import Deployment, WebApp
from webappctl.core.plan import BLOCKED, PAUSE
from webappctl.core.report import Outcome, Result

DEPLOYMENT_READY: Final = "DeploymentReady"
ROLLOUT_IN_PROGRESS: Final = "RolloutInProgress"
MINIMUM_UNAVAILABLE: Final = "MinimumReplicasUnavailable"
DEADLINE_EXCEEDED: Final = "ProgressDeadlineExceeded"
REPLICA_FAILURE: Final = "ReplicaFailure"
PAUSED: Final = "DeploymentPaused"
STALLING: Final = frozenset({BLOCKED, DEADLINE_EXCEEDED, REPLICA_FAILURE})


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the rollout is: the reason and message of whatever is not True."""

    available: bool
    ready: bool
    reason: str
    message: str


def own_deployment(result: Result) -> Deployment | None:
    """The Deployment, when it can be read and is this WebApp's: a foreign one says nothing about it."""
    deployment, webapp = result.deployment, result.change.webapp
    if not isinstance(deployment, Deployment) or webapp is None:
        return None
    uid = webapp.metadata.uid
    return deployment if any(o.uid == uid for o in deployment.metadata.owner_references or ()) else None


def progress_of(result: Result) -> Progress:
    deployment = own_deployment(result)
    desired = _desired_replicas(result, deployment)
    available = deployment is not None and deployment.status.available_replicas >= desired
    if result.outcome is Outcome.BLOCKED:
        return Progress(available, ready=False, reason=BLOCKED, message=result.text)
    if result.change.withheld:
        return Progress(available, ready=False, reason=PAUSE, message=result.change.text)
    if deployment is None or result.outcome is Outcome.WAITING:
        return Progress(available, ready=False, reason=ROLLOUT_IN_PROGRESS, message=result.text)
    reason, message = _rollout(deployment, desired)
    return Progress(available, reason == DEPLOYMENT_READY, reason, message)


def _desired_replicas(result: Result, deployment: Deployment | None) -> int:
    """What the WebApp asks for; where it asks for nothing, or for nonsense, or an autoscaler has it, what is there."""
    webapp = result.change.webapp
    if isinstance(webapp, WebApp) and not result.change.held and not problem_of(webapp):
        wanted = desired_fields(webapp).replicas
        if wanted is not None:
            return wanted
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
