"""ONE pass: snapshot → plan → apply → status → events → Report. Start reading here.

It remembers nothing between passes: whatever a pass missed, the next one finds.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Final, Protocol

from webappctl.apply import Orders, Writer, apply
from webappctl.core.events import event_of
from webappctl.core.objects import Json, ObjectKey, Scope, Snapshot, Unreadable, WebApp, WebAppOfOddStatus, WebAppStatus
from webappctl.core.plan import Plan, make_plan
from webappctl.core.report import Outcome, Report, Result
from webappctl.core.status import status_change, status_manifest, with_foreign_conditions
from webappctl.errors import ClusterError, Conflict, NotFound, Stopped, UnknownField, Unreachable

MAX_STATUS_TRIES: Final = 5
"""Of a WebApp that moves each time between reading and writing it."""


class Cluster(Writer, Protocol):
    """What a pass needs of the cluster. Every method raises the errors of errors.py."""

    def snapshot(self, scope: Scope) -> Snapshot: ...
    def apply_status(self, manifest: Json) -> WebApp | Unreadable: ...
    def merge_status(self, manifest: Json) -> WebApp | Unreadable: ...
    def record_event(self, event: Json) -> None: ...


Clock = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)


def plan(cluster: Cluster, scope: Scope) -> Plan:
    """What would be done now. Sends lists and nothing else."""
    return make_plan(cluster.snapshot(scope))


def carry_out(plan: Plan, cluster: Cluster, orders: Orders, clock: Clock = utc_now) -> Report:
    """Do what the plan says, then tell the WebApps and their readers."""
    results = apply(plan, cluster, orders)
    return _Reporter(cluster, orders, clock).report(results)


def reconcile(
    cluster: Cluster,
    scope: Scope,
    orders: Orders,
    writing: Callable[[Plan], AbstractContextManager[object]],
    clock: Clock = utc_now,
) -> Report:
    """The whole pass. `writing` is given the plan, and entered around everything that writes."""
    made = plan(cluster, scope)
    with writing(made):
        return carry_out(made, cluster, orders, clock)


class _Reporter:
    """Statuses and events of one pass. They are reports: none of their failures undoes or hides a result."""

    def __init__(self, cluster: Cluster, orders: Orders, clock: Clock) -> None:
        self._cluster = cluster
        self._orders = orders
        self._now = f"{clock().astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
        self._old_schema = threading.Event()
        self._ended = threading.Event()
        self._warnings: dict[str, None] = {}

    def report(self, results: tuple[Result, ...]) -> Report:
        if any(result.outcome is Outcome.NOT_TRIED for result in results):
            self._ended.set()
        changed = [result for result in results if status_change(result, result.change.webapp, self._now)]
        events = [event for result in results if (event := event_of(result, self._now))]
        with ThreadPoolExecutor(self._orders.workers, thread_name_prefix="report") as pool:
            # Both queues at once: the first list waits for its own, and the second fills the workers that are left.
            statuses, recorded = pool.map(self._write_status, changed), pool.map(self._record_event, events)
            failures = [failure for failure in statuses if failure]
            lost = [failure for failure in recorded if failure]
        if lost:
            self._warn(f"{len(lost)} of {len(events)} events could not be recorded, the first one: {lost[0]}")
        return Report(results, tuple(failures), tuple(self._warnings))

    def _write_status(self, result: Result) -> str:
        """Empty, or why the status could not be written."""
        if self._old_schema.is_set():
            return ""
        try:
            self._check_that_it_goes_on()
            self._write_status_until_settled(result)
        except NotFound:
            return ""  # the WebApp is gone
        except UnknownField:
            self._old_schema.set()
            self._warn(
                "the CRD in the cluster is older than this program, no status is written (run webappctl crd --install)"
            )
            return ""
        except (ClusterError, Stopped) as error:
            return self._note(error, result.key)
        return ""

    def _write_status_until_settled(self, result: Result) -> None:
        webapp = result.change.webapp
        for _ in range(MAX_STATUS_TRIES):
            status = status_change(result, webapp, self._now)
            if status is None or webapp.metadata.uid != result.change.webapp.metadata.uid:
                return
            try:
                self._send_status(webapp, status)
            except Conflict:
                webapp = self._cluster.get_webapp(result.key)
            else:
                return
        self._warn(f"{result.key}: status not written, the WebApp changed at each of {MAX_STATUS_TRIES} tries")

    def _send_status(self, webapp: WebApp | Unreadable, status: WebAppStatus) -> None:
        if isinstance(webapp, Unreadable | WebAppOfOddStatus):
            # Server-side apply fails (500) on what does not fit the schema; a merge patch does not look at it.
            self._cluster.merge_status(status_manifest(webapp, with_foreign_conditions(status, webapp.status)))
            return
        self._cluster.apply_status(status_manifest(webapp, status))

    def _record_event(self, event: Json) -> str:
        """Empty, or why the event is lost."""
        try:
            self._check_that_it_goes_on()
            self._cluster.record_event(event)
        except (ClusterError, Stopped) as error:
            return self._note(error, ObjectKey(event["metadata"]["namespace"], event["involvedObject"]["name"]))
        return ""

    def _check_that_it_goes_on(self) -> None:
        if self._ended.is_set() or self._orders.stop.is_set():
            raise Stopped("not tried, the pass ended early")

    def _note(self, error: ClusterError | Stopped, key: ObjectKey) -> str:
        if isinstance(error, Unreachable):
            # Every other object would wait for the same time-outs.
            self._ended.set()
        return f"{key}: {error.message}"

    def _warn(self, warning: str) -> None:
        self._warnings[warning] = None
