"""The steps of one `apply`, in the order in which a user sees them."""

from __future__ import annotations

import sys
import time
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from webappctl.cli.locking import Hold, Lock
from webappctl.cli.measuring import Measured
from webappctl.cli.options import Output, in_words
from webappctl.cli.passes import refuse_unknown_names, target_of
from webappctl.cli.session import Interrupts, say
from webappctl.cli.waiting import wait_until_ready
from webappctl.errors import Refused

if TYPE_CHECKING:
    from webappctl.apply import Orders
    from webappctl.cluster import Cluster
    from webappctl.core.objects import Scope
    from webappctl.core.plan import Budget, Plan, Policy
    from webappctl.core.report import Report
    from webappctl.planfile import SavedPlan


@dataclass(frozen=True, slots=True)
class Application:
    """One `apply`: plan, question, Lease, writes, report; where nobody is asked, the Lease comes first.

    Times are in seconds; `wait` is None for not at all.
    """

    cluster: Cluster
    lock: Lock
    interrupts: Interrupts
    output: Output
    timeout: float
    workers: int
    wait: float | None
    measured: Measured

    def run(self, scope: Scope, policy: Policy, budget: Budget, *, ask: bool, blocked_ok: bool) -> int:
        if not ask:
            with self._held() as hold:
                made = self._planned(scope, policy, budget)
                return self._finish(made, scope, policy, hold, replan=True, blocked_ok=blocked_ok)
        made = self._planned(scope, policy, budget)
        if made.pending and not self._agreed():
            self.measured.declined()
            say("webappctl: not applied, nothing was written")
            return 1
        with self._held() as hold:
            return self._finish(made, scope, policy, hold, replan=False, blocked_ok=blocked_ok)

    def run_saved(self, loaded: SavedPlan, budget: Budget, *, blocked_ok: bool) -> int:
        if not loaded.plan.pending:
            say(f"Nothing to do: the saved plan of {loaded.server} has nothing pending")
            return 0
        with self._held() as hold:
            made = self._still_to_do(loaded, budget)
            return self._finish(made, loaded.scope, loaded.policy, hold, replan=False, blocked_ok=blocked_ok)

    def _held(self) -> AbstractContextManager[Hold]:
        return self.lock.held(self.cluster, self.interrupts)

    def _planned(self, scope: Scope, policy: Policy, budget: Budget) -> Plan:
        from webappctl import reconcile

        made = reconcile.plan(self.cluster, scope, policy)
        refuse_unknown_names(scope, made)
        self._announce(made, scope)
        self._check(made, budget)
        return made

    def _still_to_do(self, loaded: SavedPlan, budget: Budget) -> Plan:
        from webappctl import planfile, reconcile

        fresh = reconcile.plan(self.cluster, loaded.scope, loaded.policy)
        reasons = planfile.stale(loaded, fresh, datetime.now(UTC))
        if reasons:
            raise Refused("\n  ".join((self._stale(loaded), *reasons)))
        made = planfile.to_carry_out(loaded, fresh)
        self._announce(made, loaded.scope)
        self._check(planfile.as_part_of(fresh, made), budget)
        return made

    def _stale(self, loaded: SavedPlan) -> str:
        other = "" if loaded.server == self.cluster.server else f" (it was made for {loaded.server})"
        return f"the saved plan is stale{other}, nothing was written; make a new one:"

    def _announce(self, made: Plan, scope: Scope) -> None:
        from webappctl.cli import show

        self.measured.planned(made)
        show.announcement(made, target_of(self.cluster, scope), self.output)

    def _check(self, made: Plan, budget: Budget) -> None:
        from webappctl.core.plan import refusals

        reasons = refusals(made, budget)
        self.measured.refused(reasons)
        if reasons:
            raise Refused("refused, nothing was written: " + "; ".join(reasons))

    def _agreed(self) -> bool:
        """Only `y` and `yes` are a yes; the end of input is a no. Thinking is not counted by --timeout."""
        print("Apply these changes? [y/N] ", end="", file=sys.stderr, flush=True)
        agreed = sys.stdin.readline().strip().lower() in ("y", "yes")
        self.cluster.transport.until = time.monotonic() + self.timeout
        return agreed

    def _finish(self, made: Plan, scope: Scope, policy: Policy, hold: Hold, *, replan: bool, blocked_ok: bool) -> int:
        from webappctl.apply import Orders
        from webappctl.cli import show
        from webappctl.core.report import ExitCode, exit_code

        with show.results(len(made.pending), self.output) as on_result:
            orders = Orders(self.workers, replan, policy, self.interrupts.stop, on_result)
            report = self._carry_out(made, orders, hold)
        if self.wait is not None and not self.interrupts.number:
            report = wait_until_ready(report, self.cluster, scope, orders, self.interrupts, timeout=self.wait)
            report = _unless_lost(report, hold)
        self.measured.finished(report)
        show.report(report, target_of(self.cluster, scope), self.output)
        if self.interrupts.number:
            return self.interrupts.exit_code
        if hold.lost:
            return ExitCode.REFUSED
        return exit_code(report, blocked_ok=blocked_ok)

    def _carry_out(self, made: Plan, orders: Orders, hold: Hold) -> Report:
        from webappctl import reconcile

        with self.interrupts.writing():
            report = reconcile.carry_out(made, self.cluster, orders)
        if self.interrupts.number:
            return replace(report, interruption="interrupted by a signal")
        if report.failed and time.monotonic() >= self.cluster.transport.until:
            return replace(report, interruption=f"ended by --timeout {in_words(self.timeout)}")
        return _unless_lost(report, hold)


def _unless_lost(report: Report, hold: Hold) -> Report:
    """Without the Lease nothing was written any more."""
    return replace(report, interruption=hold.why) if hold.lost and not report.interruption else report
