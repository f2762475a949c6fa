"""ONE pass: snapshot → plan → apply → status → events → Report. Start reading here.

It remembers nothing between passes: whatever a pass missed, the next one finds.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final, Protocol

from webappctl.apply import Orders, Writer, apply
from webappctl.core.events import events_of
from webappctl.core.objects import Json, ObjectKey, Scope, Snapshot, Unreadable, WebApp, WebAppOfOddStatus, WebAppStatus
from webappctl.core.plan import CAUTIOUS, Memory, Plan, Policy, make_plan
from webappctl.core.report import Outcome, Report, Result
from webappctl.core.status import status_change, status_manifest, with_foreign_conditions
from webappctl.errors import (
    ClusterError,
    Conflict,
    Forbidden,
    NotFound,
    Stopped,
    Unauthorized,
    UnknownField,
    Unreachable,
)

MAX_STATUS_TRIES: Final = 5
"""Of a WebApp that moves each time between reading and writing it."""


class Lister(Protocol):
    """What a plan needs of the cluster. Every method raises the errors of errors.py."""

    def snapshot(self, scope: Scope) -> Snapshot: ...


class Scout(Lister, Protocol):
    """What a plan from files needs of it."""

    def has_namespace(self, name: str) -> bool: ...


class Cluster(Lister, Writer, Protocol):
    """What a pass needs of the cluster."""

    def apply_status(self, manifest: Json) -> WebApp | Unreadable: ...
    def merge_status(self, manifest: Json) -> WebApp | Unreadable: ...
    def record_event(self, event: Json) -> None: ...


Clock = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)


def in_seconds(clock: Clock) -> str:
    """RFC 3339 in whole seconds, as conditions have it."""
    return f"{clock().astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def plan(
    cluster: Lister,
    scope: Scope,
    policy: Policy = CAUTIOUS,
    clock: Clock = utc_now,
    memory: Memory | None = None,
) -> Plan:
    """What would be done now. Sends lists and nothing else. `memory`: of passes under the same policy."""
    known = memory.quiet if memory else {}
    return make_plan(cluster.snapshot(scope), policy, now=in_seconds(clock), known=known)


def preview(cluster: Scout, scope: Scope, policy: Policy, declared: Sequence[WebApp], clock: Clock = utc_now) -> Plan:
    """The plan as if these WebApps were applied. Looks up the namespaces that only they name."""
    declared = tuple(webapp for webapp in declared if scope.covers(webapp.key))
    snapshot = cluster.snapshot(scope)
    made = make_plan(snapshot.with_declared(declared), policy, now=in_seconds(clock))
    known = {key.namespace for key in (*(webapp.key for webapp in snapshot.webapps), *snapshot.deployments)}
    only_declared = sorted({webapp.metadata.namespace for webapp in declared} - known)
    notes = {namespace: _note(cluster, namespace) for namespace in only_declared}
    return replace(made, changes=tuple(replace(c, note=notes.get(c.key.namespace, "")) for c in made.changes))


def _note(cluster: Scout, namespace: str) -> str:
    try:
        return "" if cluster.has_namespace(namespace) else "namespace missing"
    except Forbidden:
        return "namespace not checked"


def carry_out(
    plan: Plan, cluster: Cluster, orders: Orders, clock: Clock = utc_now, memory: Memory | None = None
) -> Report:
    """Do what the plan says, and tell the WebApps and their readers."""
    teller = _Teller(cluster, orders, clock, memory)
    results = apply(plan, cluster, orders, teller.tell, teller.now)
    teller.tell_the_rest(results)
    return teller.report(results)


def tell_again(results: Sequence[Result], cluster: Cluster, orders: Orders, clock: Clock = utc_now) -> Report:
    """Bring the statuses of these to what their newest objects say. The Report has what came of that, no more."""
    teller = _Teller(cluster, orders, clock)
    teller.tell_statuses(results)
    return teller.report(())


def reconcile(
    cluster: Cluster,
    scope: Scope,
    orders: Orders,
    writing: Callable[[Plan], AbstractContextManager[object]],
    shaped: Callable[[Plan], Plan] = lambda made: made,
    memory: Memory | None = None,
) -> Report:
    """The whole pass. `shaped` takes out of the plan what is not to be done now; `writing` is given what is left, and
    entered around everything that writes."""
    made = shaped(plan(cluster, scope, orders.policy, memory=memory))
    with writing(made):
        return carry_out(made, cluster, orders, memory=memory)


class _Teller:
    """Statuses and events of one pass. They are reports: none of their failures undoes or hides a result."""

    def __init__(self, cluster: Cluster, orders: Orders, clock: Clock, memory: Memory | None = None) -> None:
        self._memory = memory or Memory()
        self._cluster = cluster
        self._orders = orders
        self.now = in_seconds(clock)
        self._old_schema = threading.Event()
        self._no_use = threading.Event()
        self._status_failures: dict[ObjectKey, str] = {}
        self._lost_events: dict[ObjectKey, str] = {}
        self._warnings: dict[str, None] = {}

    def tell(self, result: Result) -> None:
        """Safe to be called from several threads."""
        self._write_status(result)
        self._record_events(result)

    def tell_the_rest(self, results: tuple[Result, ...]) -> None:
        """Those that nothing was tried for. After a signal they are left to the next pass, which finds them again."""
        if self._orders.stop.is_set():
            return
        if any(result.outcome is Outcome.NOT_TRIED for result in results):
            self._no_use.set()
        rest = self._remembered(result for result in results if not result.tried)
        with ThreadPoolExecutor(self._orders.workers, thread_name_prefix="tell") as pool:
            list(pool.map(self.tell, rest))

    def _remembered(self, results: Iterable[Result]) -> list[Result]:
        """Those that there is something to tell of; the others are for the memory."""
        known, quiet, loud = self._memory.quiet, {}, []
        for result in results:
            key = result.key
            if known.get(key) is not result.change and self._has_news(result):
                loud.append(result)
            else:
                quiet[key] = result.change
        self._memory.quiet = quiet
        return loud

    def tell_statuses(self, results: Sequence[Result]) -> None:
        """Of what has been told before, and has got on since: no event says it twice."""
        if self._orders.stop.is_set():
            return
        with ThreadPoolExecutor(self._orders.workers, thread_name_prefix="tell") as pool:
            list(pool.map(self._write_status, results))

    def report(self, results: tuple[Result, ...]) -> Report:
        if self._lost_events:
            key = min(self._lost_events)
            first = f"{key}: {self._lost_events[key]}"
            self._warn(f"{len(self._lost_events)} events could not be recorded, the first one of {first}")
        failures = tuple(f"{key}: {failure}" for key, failure in sorted(self._status_failures.items()))
        return Report(results, failures, tuple(self._warnings))

    def _has_news(self, result: Result) -> bool:
        webapp = result.change.webapp
        return webapp is not None and bool(status_change(result, webapp, self.now) or events_of(result, self.now))

    def _write_status(self, result: Result) -> None:
        webapp = result.change.webapp
        if webapp is None or self._old_schema.is_set():
            return
        try:
            self._write_status_until_settled(result, webapp)
        except NotFound:
            return  # the WebApp is gone
        except UnknownField:
            self._old_schema.set()
            self._warn(
                "the CRD in the cluster is older than this program, no status is written (run webappctl crd --install)"
            )
        except (ClusterError, Stopped) as error:
            self._status_failures[result.key] = self._note(error)

    def _write_status_until_settled(self, result: Result, planned: WebApp | Unreadable) -> None:
        webapp = planned
        for _ in range(MAX_STATUS_TRIES):
            status = status_change(result, webapp, self.now)
            if status is None or webapp.metadata.uid != planned.metadata.uid:
                return
            self._check_that_it_is_of_use()
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

    def _record_events(self, result: Result) -> None:
        try:
            for event in events_of(result, self.now):
                self._check_that_it_is_of_use()
                self._cluster.record_event(event)
        except (ClusterError, Stopped) as error:
            self._lost_events[result.key] = self._note(error)

    def _check_that_it_is_of_use(self) -> None:
        if self._no_use.is_set():
            raise Stopped("not tried, the pass ended early")

    def _note(self, error: ClusterError | Stopped) -> str:
        if isinstance(error, Unreachable | Unauthorized):
            # Every other object would wait for the same time-outs, or log in again in vain.
            self._no_use.set()
        return error.message

    def _warn(self, warning: str) -> None:
        self._warnings[warning] = None
