"""What a pass leaves out of its plan: what was refused a moment ago, what others fight over, and what guards forbid."""

from __future__ import annotations

import math
import time
from typing import Final, Protocol

from webappctl.core.plan import Budget, Plan, refusals, seconds_left, within
from webappctl.core.report import Outcome, Report
from webappctl.reconcile import in_seconds, utc_now
from webappctl.watch.backoff import Backoff
from webappctl.watch.fights import Fights

AGAIN: Final = 5.0
"""Seconds until the rows are tried that a pass did not come to."""


class _Memory(Protocol):
    """Of what came of earlier passes. Times are monotonic, in seconds."""

    def hold_back(self, plan: Plan, now: float) -> Plan: ...
    def learn(self, report: Report, now: float) -> None: ...
    def due(self, now: float) -> float: ...


class Restraint:
    """`reasons`: why the guard tripped over the last plan; empty if it did not. `plan`: what it left of that one."""

    def __init__(self, budget: Budget) -> None:
        self.reasons: tuple[str, ...] = ()
        self.plan = Plan(())
        self._budget = budget
        self._again = math.inf
        self._memories: tuple[_Memory, ...] = (Backoff(), Fights())

    def shape(self, made: Plan) -> Plan:
        """What is not to be tried anyway takes nothing from the budget."""
        due, now = made, time.monotonic()
        for memory in self._memories:
            due = memory.hold_back(due, now)
        self.reasons = refusals(due, self._budget)
        self.plan = within(due, self._budget)
        return self.plan

    def learn(self, report: Report) -> None:
        now = time.monotonic()
        self._again = now + AGAIN if report.count(Outcome.NOT_TRIED) else math.inf
        for memory in self._memories:
            memory.learn(report, now)

    def due(self) -> float:
        """The instant from which a pass would do more than the last one, though nothing changes."""
        now = time.monotonic()
        text = in_seconds(utc_now)
        pauses = (seconds_left(change.pause, text) for change in self.plan.changes if change.pause)
        # The times of pauses are whole seconds, and so is the one that they are compared with.
        ended = now + 1 + min(pauses, default=math.inf)
        return min(*(memory.due(now) for memory in self._memories), self._again, ended)
