"""What is measured of a one-shot, for a file that the node exporter of Prometheus reads; and where watch is asked."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Final

import typer

from webappctl.cli.session import say
from webappctl.errors import Stopped, WebappctlError

if TYPE_CHECKING:
    from webappctl.cluster import Request, Transport
    from webappctl.core.plan import Plan
    from webappctl.core.report import Report
    from webappctl.metrics import Metrics

MetricsFile = Annotated[
    str | None,
    typer.Option(
        "--metrics-file",
        envvar="WEBAPPCTL_METRICS_FILE",
        metavar="FILE",
        help="At the end, write metrics of this run there: a .prom file for the node exporter of Prometheus.",
        show_default=False,
    ),
]
Listen = Annotated[
    str | None,
    typer.Option(
        "--listen",
        envvar="WEBAPPCTL_LISTEN",
        metavar="HOST:PORT",
        help="Serve /metrics, /healthz and /readyz there, by HTTP; :PORT is all interfaces. Default: nowhere.",
        show_default=False,
    ),
]

LIST: Final = "list"
"""The source of every one-shot."""


class Measured:
    """One run, as far as it has come. Without metrics nothing is measured."""

    def __init__(self, metrics: Metrics | None) -> None:
        self._metrics = metrics
        self._began = time.monotonic()
        self._plan: Plan | None = None
        self._report: Report | None = None
        self._guard = False
        self._failure = ""

    def hear(self, transport: Transport) -> None:
        """Of every request that it will send."""
        if self._metrics is not None:
            transport.heard = self._heard

    def planned(self, plan: Plan) -> None:
        self._plan = plan

    def refused(self, reasons: Sequence[str]) -> None:
        """By guards; or it would be."""
        self._guard = bool(reasons)

    def finished(self, report: Report) -> None:
        self._report = report

    def declined(self) -> None:
        """The answer was no: that is no success of what was asked for."""
        self._failure = "Declined"

    def ended(self, error: BaseException | None = None) -> None:
        if error is not None:
            # Typer's Exit is what is made of the first when it was a signal that stopped us.
            self._failure = Stopped.__name__ if isinstance(error, typer.Exit) else type(error).__name__
        if self._metrics is not None:
            self._tell(self._metrics, time.monotonic() - self._began)

    def _tell(self, metrics: Metrics, seconds: float) -> None:
        if self._report is not None:
            complete = not self._report.interruption
            metrics.finished(self._report, seconds=seconds, source=LIST, guard=self._guard, complete=complete)
        elif self._failure:
            if self._plan is not None:
                metrics.found(self._plan, guard=self._guard)
            metrics.failed(self._failure, seconds=seconds, source=LIST)
        elif self._plan is not None:
            metrics.planned(self._plan, seconds=seconds, source=LIST, guard=self._guard)

    def _heard(self, request: Request, status: str, seconds: float) -> None:
        if self._metrics is not None:
            self._metrics.request(request.purpose.verb, request.purpose.resource, status, seconds)


@contextmanager
def measured(path: str | None) -> Iterator[Measured]:
    """Whatever ends the run, its metrics are in that file then; but not where a signal ends it at once.

    Raises UsageError before anything is done where no such file can be.
    """
    if path is None:
        yield Measured(None)
        return
    from webappctl.metrics import Metrics, check_place, write_file

    check_place(path)
    # Without those of the process: the node exporter has its own of the same names.
    metrics = Metrics(process=False)
    run = Measured(metrics)
    try:
        yield run
    except BaseException as error:
        run.ended(error)
        _write_all_the_same(path, metrics)
        raise
    run.ended()
    write_file(path, metrics)


def _write_all_the_same(path: str, metrics: Metrics) -> None:
    """After a failure, which is what the exit code is of."""
    from webappctl.metrics import write_file

    try:
        write_file(path, metrics)
    except WebappctlError as unwritten:
        say(f"webappctl: {unwritten}")
