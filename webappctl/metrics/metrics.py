"""What is counted and measured, and the text that Prometheus reads."""

from __future__ import annotations

import time
from collections import Counter as Tally
from collections.abc import Callable
from importlib.metadata import version
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)

from webappctl.core.plan import PENDING, Plan
from webappctl.core.report import Outcome, Report, Result
from webappctl.metrics.current import Current, MirrorState
from webappctl.metrics.now import UNKNOWN, after_pass, after_plan, cause_of, label

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
PASS_SECONDS: Final = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0)
REQUEST_SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
UNTOUCHED: Final = (Outcome.UNCHANGED, Outcome.NOT_TRIED, Outcome.WITHHELD)
"""Of a row without a change, or of a change that will be counted when its turn has come."""

# Else each counter has a second series, of the time of its birth.
disable_created_metrics()  # type: ignore[no-untyped-call]


class Metrics:
    """Of one process. Safe to be used by several threads, and never waits for a scrape.

    `now`: seconds since 1970, for the time of the last success. `process`: memory, CPU and files of the process, too.
    """

    def __init__(self, *, now: Callable[[], float] = time.time, process: bool = True) -> None:
        self._now = now
        self._succeeded = 0.0
        self._current = Current()
        registry = CollectorRegistry()
        self._registry = registry
        self._passes = Counter(
            "webappctl_passes",
            "Passes: success; partial, where something failed; aborted, where it ended early; error, where it did not "
            "get to the writing.",
            ("result", "source"),
            registry=registry,
        )
        self._errors = Counter("webappctl_pass_errors", "Passes that failed, by error.", ("error",), registry=registry)
        self._seconds = Histogram(
            "webappctl_pass_duration_seconds",
            "How long passes took; before one of source list, everything was listed beside others.",
            ("source",),
            registry=registry,
            buckets=PASS_SECONDS,
        )
        self._success = Gauge(
            "webappctl_last_success_timestamp_seconds",
            "When the last pass ended of which nothing failed, in seconds since 1970; 0 for never.",
            registry=registry,
        )
        self._changes = Counter(
            "webappctl_changes",
            "Changes that were tried, by what was planned, why, and what became of it.",
            ("action", "cause", "outcome"),
            registry=registry,
        )
        self._trips = Counter("webappctl_guard_trips", "Passes in which a guard tripped.", registry=registry)
        self._tripped = Gauge("webappctl_guard_tripped", "1 if a guard tripped in the last pass.", registry=registry)
        self._differences = Counter(
            "webappctl_mirror_differences",
            "What a list showed and the streams had not told.",
            registry=registry,
        )
        self._requests = Counter(
            "webappctl_api_requests",
            "Requests to the API server, each try; code none is one without an answer.",
            ("verb", "resource", "code"),
            registry=registry,
        )
        self._latency = Histogram(
            "webappctl_api_request_duration_seconds",
            "How long tries took, from connecting to the last byte; of a watch, to its first.",
            ("verb", "resource"),
            registry=registry,
            buckets=REQUEST_SECONDS,
        )
        Gauge("webappctl_build_info", "1; the version that runs.", ("version",), registry=registry).labels(
            version("webappctl")
        ).set(1)
        registry.register(self._current)
        if process:
            ProcessCollector(registry=registry)

    def finished(
        self, report: Report, *, seconds: float, source: str, guard: bool = False, complete: bool = True
    ) -> None:
        """A pass that carried out its plan; not `complete`: it ended early, with rows that were not reached.

        `source` is `list` or `mirror`. `guard`: one tripped.
        """
        self._current.set(after_pass(report))
        self._guarded(tripped=guard)
        for labels, count in Tally(_change_labels(result) for result in report.results if _was_tried(result)).items():
            self._changes.labels(*labels).inc(count)
        result = "partial" if report.failed else "success"
        self._ended(result if complete and not report.interruption else "aborted", seconds, source)

    def planned(self, plan: Plan, *, seconds: float, source: str, guard: bool = False) -> None:
        """A pass that only planned. `guard`: one would trip."""
        self.found(plan, guard=guard)
        self._ended("success", seconds, source)

    def found(self, plan: Plan, *, guard: bool = False) -> None:
        """How everything stands now, by the plan of a pass that has not come to its end."""
        self._current.set(after_plan(plan))
        self._guarded(tripped=guard)

    def failed(self, error_kind: str, *, seconds: float, source: str = UNKNOWN) -> None:
        """A pass that raised; `error_kind` is the name of the error's class. How things stand is as it was known."""
        self._errors.labels(error_kind).inc()
        self._ended("error", seconds, source)

    def request(self, verb: str, resource: str, code: str, seconds: float) -> None:
        """One try, in the words of RBAC. `code` is the HTTP status, empty without an answer."""
        self._requests.labels(verb, resource, code or "none").inc()
        self._latency.labels(verb, resource).observe(seconds)

    def watch_leader(self, leads: Callable[[], bool]) -> None:
        """From now on asked at each scrape. A follower does not say how things stand: its leader does."""
        self._current.leads = leads

    def watch_mirror(self, state: MirrorState) -> None:
        """From now on asked at each scrape: seconds since its quietest stream was heard, and whether all are up."""
        self._current.mirror = state

    def difference(self, count: int) -> None:
        """So many more were found."""
        self._differences.inc(count)

    def succeeded_before(self, timestamp: float) -> None:
        """An earlier process, at that time; it does not matter where this one succeeded, too."""
        if not self._succeeded:
            self._success.set(timestamp)

    def text(self) -> bytes:
        """In Prometheus' text format."""
        return generate_latest(self._registry)

    def _guarded(self, *, tripped: bool) -> None:
        self._trips.inc(tripped)
        self._tripped.set(tripped)

    def _ended(self, result: str, seconds: float, source: str) -> None:
        self._passes.labels(result, source).inc()
        self._seconds.labels(source).observe(seconds)
        if result == "success":
            self._succeeded = self._now()
            self._success.set(self._succeeded)


def _was_tried(result: Result) -> bool:
    return result.outcome not in UNTOUCHED and result.change.action in PENDING


def _change_labels(result: Result) -> tuple[str, str, str]:
    return result.change.action.value, cause_of(result.change), label(result.outcome)
