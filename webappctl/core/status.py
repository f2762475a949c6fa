"""Result → the status of its WebApp: a pure function of the objects, written only when it differs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
from webappctl.core.plan import CONTESTED, PAUSE, STALLED, Change
from webappctl.core.progress import DEPLOYMENT_READY, STALLING, Progress, own_deployment, progress_of
from webappctl.core.report import TELLING, Result, cut

AVAILABLE: Final = "Available"
READY: Final = "Ready"
RECONCILING: Final = "Reconciling"
ALWAYS: Final = (AVAILABLE, READY)
WHILE_TRUE: Final = (STALLED, RECONCILING, PAUSE, CONTESTED)
"""They say as much when they are False as when they are not there."""
OUR_CONDITIONS: Final = frozenset({*ALWAYS, *WHILE_TRUE})
PAUSED_BY_ANNOTATION: Final = "PausedByAnnotation"
FIELD_CONTESTED: Final = "FieldContested"


def status_change(result: Result, webapp: WebApp | Unreadable, now: str) -> WebAppStatus | None:
    """The status to write on `webapp`, or None where it is right already, or nothing is known that could be said.

    `webapp` may be newer than the one that was planned; `now` is RFC 3339 in whole seconds.
    """
    planned = result.change.webapp
    if planned is None or webapp.metadata.terminating:
        return None
    if result.outcome not in TELLING:
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
    wanted = tuple(_wanted(result.change, progress))
    conditions = tuple(
        _dated(condition, live.condition(condition.type), planned.generation, now)
        for condition in (*wanted, *_lingering(wanted, webapp, progress))
    )
    return WebAppStatus(
        observed_generation=planned.generation,
        replicas=ours.status.replicas if ours else 0,
        ready_replicas=ours.status.ready_replicas if ours else 0,
        selector=selector_of(planned.name) if len(planned.name) <= MAX_LABEL else None,
        conditions=conditions,
    )


def _wanted(change: Change, progress: Progress) -> Iterator[Condition]:
    """Without their times; those of WHILE_TRUE only while they are True."""
    why = ("False", progress.reason, progress.message)
    available = ("True", DEPLOYMENT_READY, "All replicas are available")
    ready = ("True", DEPLOYMENT_READY, "All replicas are updated and available")
    yield Condition(AVAILABLE, *(available if progress.available else why))
    yield Condition(READY, *(ready if progress.ready else why))
    if not progress.ready and progress.reason != PAUSE:
        kind = STALLED if progress.reason in STALLING else RECONCILING
        yield Condition(kind, "True", progress.reason, progress.message)
    if change.pause is not None:
        yield Condition(PAUSE, "True", PAUSED_BY_ANNOTATION, change.pause.text)
    if change.contested:
        yield Condition(CONTESTED, "True", FIELD_CONTESTED, change.contested)


def _lingering(wanted: Iterable[Condition], webapp: WebApp | Unreadable, progress: Progress) -> Iterator[Condition]:
    """Conditions that are to go, but that others own too: leaving them out would not take them away, so say False."""
    kinds = {condition.type for condition in wanted}
    for kind in WHILE_TRUE:
        live = webapp.status.condition(kind) if webapp.status else None
        if live is not None and live.status == "True" and kind not in kinds:
            path = ("f:status", "f:conditions", f'k:{{"type":"{kind}"}}')
            if not all(owner.ours for owner in ManagedFields.read(webapp.metadata.managed_fields).owners(path)):
                yield Condition(kind, "False", progress.reason, progress.message)


def _dated(wanted: Condition, live: Condition | None, generation: int, now: str) -> Condition:
    flipped = live is None or live.status != wanted.status or not live.last_transition_time
    since = now if flipped or live is None else live.last_transition_time
    return Condition(wanted.type, wanted.status, wanted.reason, cut(wanted.message), since, generation)


def _ours(status: WebAppStatus | None) -> WebAppStatus:
    """The status without the conditions of others, ours in the order in which we write them."""
    status = status or WebAppStatus()
    conditions = [
        condition
        for kind in (*ALWAYS, *WHILE_TRUE)
        if (condition := status.condition(kind)) and (kind in ALWAYS or condition.status != "False")
    ]
    return msgspec.structs.replace(status, conditions=tuple(conditions))


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list | tuple) else value
