"""Passes on an interval and on wake-ups, until told to stop. One that fails is said once, and the next begins anew."""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from webappctl.core.plan import Budget, Plan
from webappctl.core.report import Report
from webappctl.errors import ClusterError, ConfigError, LeaseLost, Stopped, WebappctlError
from webappctl.watch.restraint import Restraint
from webappctl.watch.schedule import Schedule, Source

log = logging.getLogger(__name__)

Shape = Callable[[Plan], Plan]
Pass = Callable[[Source, Shape], Report | None]
"""It reads what the Source says, and carries out its plan as the given function leaves it. None: it only planned."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A pass that came to its end. `plan` is what was left of it to be carried out; `guard` why one tripped, if any."""

    plan: Plan
    report: Report | None
    source: Source
    seconds: float
    guard: tuple[str, ...] = ()


class Observer(Protocol):
    """Hears of every pass, from the thread that runs them."""

    def began(self, pass_id: str) -> None: ...
    def finished(self, finished: Finished) -> None: ...
    def failed(self, error: WebappctlError, seconds: float) -> None: ...


def watch(run_pass: Pass, schedule: Schedule, *, budget: Budget, observers: Sequence[Observer]) -> None:
    """Run passes as they are due, each within the budget, until the schedule ends.

    Raises nothing of a pass: its observers are told.
    """
    restraint = Restraint(budget)
    while source := schedule.next():
        pass_id, began = uuid.uuid4().hex[:8], time.monotonic()
        for observer in observers:
            observer.began(pass_id)
        try:
            report = run_pass(source, restraint.shape)
        except (ClusterError, ConfigError, LeaseLost) as error:
            for observer in observers:
                observer.failed(error, time.monotonic() - began)
        except Stopped:
            break
        else:
            if report is not None:
                restraint.learn(report)
            finished = Finished(restraint.plan, report, source, time.monotonic() - began, restraint.reasons)
            for observer in observers:
                observer.finished(finished)
        schedule.ended(source, time.monotonic() - began)
        schedule.wake_at(restraint.due())
    log.info("Stopped")
