"""Passes on an interval, until told to stop. One that fails is said once, and the next one begins anew."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Final

from webappctl.core.plan import Budget, Plan, refusals, within
from webappctl.core.report import Report
from webappctl.errors import ClusterError, ConfigError, Stopped
from webappctl.watch.backoff import Backoff
from webappctl.watch.journal import Journal

log = logging.getLogger(__name__)

JITTER: Final = 0.1
"""Of the interval, either way, so that many watchers do not list in step."""

Shape = Callable[[Plan], Plan]
Pass = Callable[[Shape], Report]
"""It carries out its plan as the given function leaves it."""


def watch(
    run_pass: Pass, *, budget: Budget, interval: float, stop: threading.Event, chance: Callable[[], float]
) -> None:
    """Run passes until `stop` is set, each within the budget.

    `interval` is in seconds, from the end of one pass to the start of the next; `chance` returns a number from 0 to 1.
    Raises nothing of a pass: errors are logged, when they begin and when they end.
    """
    restraint, journal = _Restraint(budget), Journal()
    while not stop.is_set():
        began = time.monotonic()
        try:
            report = run_pass(restraint.shape)
        except Stopped:
            break
        except (ClusterError, ConfigError) as error:
            journal.failed(error)
        else:
            restraint.learn(report)
            journal.finished(report, restraint.reasons, time.monotonic() - began)
        stop.wait(interval * (1 + JITTER * (2 * chance() - 1)))
    log.info("Stopped")


class _Restraint:
    """What passes leave out of their plans. `reasons`: why the guard tripped over the last one; empty if it did not."""

    def __init__(self, budget: Budget) -> None:
        self.reasons: tuple[str, ...] = ()
        self._budget = budget
        self._backoff = Backoff()

    def shape(self, made: Plan) -> Plan:
        """What is not to be tried anyway takes nothing from the budget."""
        due = self._backoff.hold_back(made, time.monotonic())
        self.reasons = refusals(due, self._budget)
        return within(due, self._budget)

    def learn(self, report: Report) -> None:
        self._backoff.learn(report, time.monotonic())
