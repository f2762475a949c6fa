"""What a pass leaves out of its plan: what was refused a moment ago, what others fight over, and what guards forbid."""

from __future__ import annotations

import time
from typing import Protocol

from webappctl.core.plan import Budget, Plan, refusals, within
from webappctl.core.report import Report
from webappctl.watch.backoff import Backoff
from webappctl.watch.fights import Fights


class _Memory(Protocol):
    """Of what came of earlier passes. Times are monotonic, in seconds."""

    def hold_back(self, plan: Plan, now: float) -> Plan: ...
    def learn(self, report: Report, now: float) -> None: ...


class Restraint:
    """`reasons`: why the guard tripped over the last plan; empty if it did not. `plan`: what it left of that one."""

    def __init__(self, budget: Budget) -> None:
        self.reasons: tuple[str, ...] = ()
        self.plan = Plan(())
        self._budget = budget
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
        for memory in self._memories:
            memory.learn(report, now)
