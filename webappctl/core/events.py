"""Result → the Event that `kubectl describe webapp` shows: for what changed or failed, never for "unchanged"."""

from __future__ import annotations

import hashlib
from typing import Final

from webappctl.core.objects import API_VERSION, FIELD_MANAGER, KIND, Deployment, Json
from webappctl.core.plan import BLOCKED, STALLED
from webappctl.core.report import WRITTEN, Outcome, Result, cut

RECONCILED: Final = "Reconciled"
FAILED: Final = "Failed"


def event_of(result: Result, now: str) -> Json | None:
    """A core/v1 Event, or None. Its name is the same for the same event, so that a repetition is counted."""
    kind, reason, message = _what(result)
    if not reason or result.change.webapp is None:
        return None
    webapp = result.change.webapp.metadata
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


def _what(result: Result) -> tuple[str, str, str]:
    """Type, reason and message; all empty for no event."""
    if result.outcome in WRITTEN:
        return "Normal", RECONCILED, f"Deployment {result.change.deployment_key.name} updated to {_replicas(result)}"
    if result.outcome is Outcome.BLOCKED and (result.tried or _newly_blocked(result)):
        return "Warning", BLOCKED, result.text
    if result.outcome is Outcome.FAILED:
        return "Warning", FAILED, result.text
    return "", "", ""


def _replicas(result: Result) -> str:
    deployment = result.deployment
    replicas = deployment.spec.replicas if isinstance(deployment, Deployment) else None
    return "1 replica" if replicas == 1 else f"{replicas} replicas"


def _newly_blocked(result: Result) -> bool:
    """One that was not even tried makes an event when its condition changes, not at every pass."""
    status = result.change.webapp.status if result.change.webapp else None
    stalled = status.condition(STALLED) if status else None
    return stalled is None or stalled.reason != BLOCKED or stalled.message != cut(result.text)
