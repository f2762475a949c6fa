"""Result → the Events that `kubectl describe webapp` shows: for what changed or failed, never for "unchanged"."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Final

from webappctl.core.objects import API_VERSION, FIELD_MANAGER, KIND, Deployment, Json, ObjectMeta, Unreadable, WebApp
from webappctl.core.plan import BLOCKED, CONTESTED, PAUSE, STALLED, Obstacle
from webappctl.core.report import TELLING, WRITTEN, Outcome, Result, cut

RECONCILED: Final = "Reconciled"
FAILED: Final = "Failed"
RESUMED: Final = "Resumed"

_Told = tuple[str, str, str]
"""Type, reason and message."""


def events_of(result: Result, now: str) -> tuple[Json, ...]:
    """Each a core/v1 Event. The name of one is the same for the same event, so that a repetition is counted."""
    webapp = result.change.webapp
    if webapp is None:
        return ()
    return tuple(_event(webapp.metadata, told, now) for told in (*_what_happened(result), *_what_began(result, webapp)))


def _event(webapp: ObjectMeta, told: _Told, now: str) -> Json:
    kind, reason, message = told
    message = cut(message)
    digest = hashlib.sha256("\0".join((webapp.uid, reason, message)).encode()).hexdigest()[:16]
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{webapp.name[:200].rstrip('-.')}.{digest}", "namespace": webapp.namespace},
        "involvedObject": {
            "apiVersion": API_VERSION,
            "kind": KIND,
            "namespace": webapp.namespace,
            "name": webapp.name,
            "uid": webapp.uid,
            "resourceVersion": webapp.resource_version,
        },
        "type": kind,
        "reason": reason,
        "message": message,
        "source": {"component": FIELD_MANAGER},
        "reportingComponent": FIELD_MANAGER,
        "firstTimestamp": now,
        "lastTimestamp": now,
        "count": 1,
    }


def _what_happened(result: Result) -> Iterator[_Told]:
    if result.outcome in WRITTEN:
        yield "Normal", RECONCILED, f"Deployment {result.change.deployment_key.name} updated to {_replicas(result)}"
    elif result.outcome is Outcome.FAILED:
        yield "Warning", FAILED, result.text
    elif result.outcome is Outcome.BLOCKED and (result.tried or _newly_blocked(result)):
        yield "Warning", BLOCKED, result.text


def _what_began(result: Result, webapp: WebApp | Unreadable) -> Iterator[_Told]:
    """Told by the pass that puts it into the status, and by no other."""
    if result.outcome not in TELLING:
        return
    change = result.change
    if change.contested and not _says(webapp, CONTESTED):
        yield "Warning", CONTESTED, change.contested
    if change.pause is not None and not _says(webapp, PAUSE):
        yield "Normal", PAUSE, change.pause.text
    if change.pause is None and _says(webapp, PAUSE):
        yield "Normal", RESUMED, "not paused any more"


def _says(webapp: WebApp | Unreadable, kind: str) -> bool:
    condition = webapp.status.condition(kind) if webapp.status else None
    return condition is not None and condition.status == "True"


def _replicas(result: Result) -> str:
    deployment = result.deployment
    replicas = deployment.spec.replicas if isinstance(deployment, Deployment) else None
    return "1 replica" if replicas == 1 else f"{replicas} replicas"


def _newly_blocked(result: Result) -> bool:
    """One that was not even tried makes an event when its condition changes, not at every pass."""
    if result.obstacle is Obstacle.CONTESTED:
        return False  # it has one of its own
    status = result.change.webapp.status if result.change.webapp else None
    stalled = status.condition(STALLED) if status else None
    return stalled is None or stalled.reason != BLOCKED or stalled.message != cut(result.text)
