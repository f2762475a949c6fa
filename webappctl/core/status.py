"""Result → the status of its WebApp: a pure function of the objects, written only when it differs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from webappctl.core.desired import MAX_LABEL, selector_of
from webappctl.core.objects import (
    API_VERSION,
    KIND,
    Condition,
    Json,
    ManagedFields,
    Unreadable,
    WebApp,
    WebAppStatus,
)
from webappctl.core.plan import STALLED
from webappctl.core.progress import DEPLOYMENT_READY, STALLING, Progress, own_deployment, progress_of
from webappctl.core.report import SETTLED, Outcome, Result, cut

AVAILABLE: Final = "Available"
READY: Final = "Ready"
RECONCILING: Final = "Reconciling"
OUR_CONDITIONS: Final = frozenset({AVAILABLE, READY, RECONCILING, STALLED})


def status_change(result: Result, webapp: WebApp | Unreadable, now: str) -> WebAppStatus | None:
    """The status to write on `webapp`, or None where it is right already, or nothing is known that could be said.

    `webapp` may be newer than the one that was planned; `now` is RFC 3339 in whole seconds.
    """
    planned = result.change.webapp
    if planned is None or webapp.metadata.terminating:
        return None
    if result.outcome not in SETTLED | {Outcome.BLOCKED, Outcome.WAITING}:
        return None
    if _is_newer(webapp.status, planned.metadata.generation):
        return None
    status = _status(result, planned, webapp, now)
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


def _status(result: Result, planned_webapp: WebApp | Unreadable, webapp: WebApp | Unreadable, now: str) -> WebAppStatus:
    live = webapp.status or WebAppStatus()
    planned = planned_webapp.metadata
    ours = own_deployment(result)
    progress = progress_of(result)
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


def _truths(progress: Progress) -> tuple[tuple[str, str], ...]:
    """Type and status. Stalled and Reconciling are there only while they are True."""
    truths = ((AVAILABLE, str(progress.available)), (READY, str(progress.ready)))
    if progress.ready:
        return truths
    return (*truths, (STALLED if progress.reason in STALLING else RECONCILING, "True"))


def _lingering(progress: Progress, webapp: WebApp | Unreadable) -> Iterator[tuple[str, str]]:
    """Conditions that are to go, but that others own too: leaving them out would not take them away, so say False."""
    wanted = {kind for kind, _ in _truths(progress)}
    for kind in (STALLED, RECONCILING):
        live = webapp.status.condition(kind) if webapp.status else None
        if live is not None and live.status == "True" and kind not in wanted:
            path = ("f:status", "f:conditions", f'k:{{"type":"{kind}"}}')
            if not all(owner.ours for owner in ManagedFields.read(webapp.metadata.managed_fields).owners(path)):
                yield kind, "False"


def _condition(
    kind: str, status: str, progress: Progress, generation: int, live: Condition | None, now: str
) -> Condition:
    reason, message = progress.reason, progress.message
    if status == "True" and kind in (AVAILABLE, READY):
        reason = DEPLOYMENT_READY
        message = "All replicas are available" if kind == AVAILABLE else "All replicas are updated and available"
    flipped = live is None or live.status != status or not live.last_transition_time
    since = now if flipped or live is None else live.last_transition_time
    return Condition(kind, status, reason, cut(message), since, generation)


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
