"""What a pass leaves out of its plan: what was refused a moment ago, what others fight over, and what guards forbid."""

from __future__ import annotations

import time

from webappctl.core.plan import Budget, Plan, refusals, within
from webappctl.core.report import Report
from webappctl.watch.backoff import Backoff


class Restraint:
    """`reasons`: why the guard tripped over the last plan; empty if it did not. `plan`: what it left of that one."""

    def __init__(self, budget: Budget) -> None:
        self.reasons: tuple[str, ...] = ()
        self.plan = Plan(())
        self._budget = budget
        self._backoff = Backoff()

    def shape(self, made: Plan) -> Plan:
        """What is not to be tried anyway takes nothing from the budget."""
        due = self._backoff.hold_back(made, time.monotonic())
        self.reasons = refusals(due, self._budget)
        self.plan = within(due, self._budget)
        return self.plan

    def learn(self, report: Report) -> None:
        self._backoff.learn(report, time.monotonic())
