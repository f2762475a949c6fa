"""apply --wait: until what was written is ready."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from webappctl.cli.options import in_words
from webappctl.cli.session import Interrupts, say

if TYPE_CHECKING:
    from webappctl.apply import Orders
    from webappctl.cluster import Cluster
    from webappctl.core.objects import Scope
    from webappctl.core.report import Report

AFTERWARDS: Final = 30.0
"""Seconds to ask pods and write statuses in, when the wait is over."""
SHOWN: Final = 20
FEW: Final = 3


def wait_until_ready(
    report: Report, cluster: Cluster, scope: Scope, orders: Orders, interrupts: Interrupts, *, timeout: float
) -> Report:
    """The report of the pass, with the readiness of each row that was written.

    `timeout` is in seconds and for the wait alone. A pass that was interrupted, or wrote nothing, is not waited for.
    A signal ends the wait, and leaves the report with what is known by then.
    """
    from webappctl import wait

    for line in _left_aside(report):
        say(line)
    awaited = wait.awaited(report)
    if report.interruption or not awaited:
        return report
    with interrupts.writing():
        ends = cluster.transport.until = time.monotonic() + timeout
        patience = wait.Patience(ends, time.monotonic, orders.stop.wait, orders.stop, say)
        standings = wait.wait_for(awaited, cluster, scope, orders.policy, patience)
        cluster.transport.until = time.monotonic() + AFTERWARDS
        waited = wait.concluded(report, standings, cluster, orders)
    for line in _lines(waited, len(awaited), timeout):
        say(line)
    return replace(waited, interruption="interrupted by a signal") if interrupts.number else waited


def _left_aside(report: Report) -> Iterator[str]:
    """Only what was changed is waited for, but that others are not ready must not pass in silence."""
    from webappctl.core.progress import progress_of
    from webappctl.core.report import Outcome

    unchanged = [(r.key, progress_of(r)) for r in report.results if r.outcome is Outcome.UNCHANGED]
    rest = [f"{key} ({progress.reason}: {progress.message})" for key, progress in unchanged if not progress.ready]
    if rest:
        more = f", and {len(rest) - FEW:,} more" if len(rest) > FEW else ""
        yield f"not waited for, because unchanged, and not ready: {', '.join(rest[:FEW])}{more}"


def _lines(report: Report, awaited: int, timeout: float) -> Iterator[str]:
    """`5 of 5 ready`, or one line more for each that is not."""
    from webappctl.wait import TIMED_OUT

    not_ready = [(result.key, result.readiness) for result in report.not_ready if result.readiness]
    late = any(readiness.reason == TIMED_OUT for _, readiness in not_ready)
    ended = f" when --wait-timeout {in_words(timeout)} was over" if late else ""
    yield f"{awaited - len(not_ready):,} of {awaited:,} ready{ended}"
    for key, readiness in not_ready[:SHOWN]:
        yield f"{key}: not ready: {readiness.text}"
    if len(not_ready) > SHOWN:
        yield f"and {len(not_ready) - SHOWN:,} more that are not ready (-o json shows all)"
