"""apply: make every Deployment what its WebApp asks for, once."""

from __future__ import annotations

import logging
import sys
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Final

import typer

from webappctl.cli.options import (
    DEFAULT_REQUEST_TIMEOUT,
    DEFAULT_TIMEOUT,
    DEFAULT_WORKERS,
    AllNamespaces,
    Context,
    Kubeconfig,
    Names,
    Namespaces,
    Output,
    OutputFormat,
    RequestTimeout,
    Selector,
    Timeout,
    Workers,
    duration,
    in_words,
    scope_of,
)
from webappctl.cli.passes import refuse_unknown_names, target_of
from webappctl.cli.safety import (
    AdoptChoice,
    AdoptOption,
    AllowEmpty,
    MaxChanges,
    MaxDeletes,
    Prune,
    budget_of,
    policy_of,
)
from webappctl.cli.session import Interrupts, Reach, guarded, say
from webappctl.cli.waiting import wait_until_ready
from webappctl.errors import Refused, UsageError

if TYPE_CHECKING:
    from webappctl.apply import Orders
    from webappctl.cluster import Cluster
    from webappctl.core.objects import Scope
    from webappctl.core.plan import Budget, Plan, Policy
    from webappctl.core.report import Report
    from webappctl.planfile import SavedPlan


IN_THE_FILE: Final = ("names", "namespace", "selector", "adopt", "prune")
"""Parameters that a saved plan has of its own."""


@guarded
def apply(
    ctx: typer.Context,
    names: Names = None,
    namespace: Namespaces = None,
    all_namespaces: AllNamespaces = False,
    selector: Selector = "",
    yes: Annotated[bool, typer.Option("--yes", "-y", envvar="WEBAPPCTL_YES", help="Do not ask.")] = False,
    plan_file: Annotated[
        str | None,
        typer.Option(
            "--plan",
            envvar="WEBAPPCTL_PLAN",
            metavar="FILE",
            help="Carry out this saved plan and nothing else, if all of it is still as it was. Does not ask.",
            show_default=False,
        ),
    ] = None,
    wait: Annotated[
        bool,
        typer.Option("--wait", envvar="WEBAPPCTL_WAIT", help="Wait until every WebApp that this changed is ready."),
    ] = False,
    wait_timeout: Annotated[
        float,
        typer.Option(
            "--wait-timeout",
            envvar="WEBAPPCTL_WAIT_TIMEOUT",
            metavar="DURATION",
            parser=duration,
            help="The longest that --wait waits, after the writes.",
        ),
    ] = DEFAULT_TIMEOUT,
    blocked_ok: Annotated[
        bool,
        typer.Option(
            "--blocked-ok",
            envvar="WEBAPPCTL_BLOCKED_OK",
            help="Exit 0, not 5, when all that is left is blocked, waiting or stale.",
        ),
    ] = False,
    adopt: AdoptOption = AdoptChoice.NEVER,
    prune: Prune = False,
    max_changes: MaxChanges = None,
    max_deletes: MaxDeletes = None,
    allow_empty: AllowEmpty = False,
    output: OutputFormat = Output.TABLE,
    workers: Workers = DEFAULT_WORKERS,
    context: Context = None,
    kubeconfig: Kubeconfig = None,
    request_timeout: RequestTimeout = DEFAULT_REQUEST_TIMEOUT,
    timeout: Timeout = DEFAULT_TIMEOUT,
) -> int:
    """Make every Deployment what its WebApp asks for, once."""
    from webappctl.cli import logs

    scope = scope_of(names, namespace, selector, all_namespaces=all_namespaces)
    policy = policy_of(adopt, prune=prune, scope=scope)
    if plan_file is not None and any(_given(ctx, name) for name in IN_THE_FILE):
        raise UsageError("--plan takes no names, --namespace, --selector, --adopt or --prune: the file has its own")
    loaded = None if plan_file is None else _load(plan_file)
    ask = not (yes or loaded)
    if ask and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError("there is no terminal to ask on", remedy="add --yes")
    logs.set_up(level=logging.WARNING)
    interrupts = Interrupts()
    with interrupts.handled():
        cluster = Reach(kubeconfig, context, request_timeout, timeout).open(interrupts, workers=workers)
        application = _Application(cluster, interrupts, output, timeout, workers, wait_timeout if wait else None)
        budget = budget_of(max_changes, max_deletes, allow_empty=allow_empty)
        if loaded:
            return application.run_saved(loaded, budget, blocked_ok=blocked_ok)
        return application.run(scope, policy, budget, ask=ask, blocked_ok=blocked_ok)


def _given(ctx: typer.Context, name: str) -> bool:
    """On the command line; an environment variable that stands for all commands is no contradiction."""
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _load(plan_file: str) -> SavedPlan:
    from webappctl.cli import saved

    return saved.load(plan_file)


@dataclass(frozen=True, slots=True)
class _Application:
    """One `apply`: plan, question, writes, report. Times are in seconds; `wait` is None for not at all."""

    cluster: Cluster
    interrupts: Interrupts
    output: Output
    timeout: float
    workers: int
    wait: float | None

    def run(self, scope: Scope, policy: Policy, budget: Budget, *, ask: bool, blocked_ok: bool) -> int:
        from webappctl import reconcile

        made = reconcile.plan(self.cluster, scope, policy)
        refuse_unknown_names(scope, made)
        self._announce(made, scope)
        self._check(made, budget)
        if ask and made.pending and not self._agreed():
            say("webappctl: not applied, nothing was written")
            return 1
        return self._finish(made, scope, policy, replan=not ask, blocked_ok=blocked_ok)

    def run_saved(self, loaded: SavedPlan, budget: Budget, *, blocked_ok: bool) -> int:
        from webappctl import planfile, reconcile

        if not loaded.plan.pending:
            say(f"Nothing to do: the saved plan of {loaded.server} has nothing pending")
            return 0
        fresh = reconcile.plan(self.cluster, loaded.scope, loaded.policy)
        reasons = planfile.stale(loaded, fresh, datetime.now(UTC))
        if reasons:
            raise Refused("\n  ".join((self._stale(loaded), *reasons)))
        made = planfile.to_carry_out(loaded, fresh)
        self._announce(made, loaded.scope)
        self._check(planfile.as_part_of(fresh, made), budget)
        return self._finish(made, loaded.scope, loaded.policy, replan=False, blocked_ok=blocked_ok)

    def _stale(self, loaded: SavedPlan) -> str:
        other = "" if loaded.server == self.cluster.server else f" (it was made for {loaded.server})"
        return f"the saved plan is stale{other}, nothing was written; make a new one:"

    def _announce(self, made: Plan, scope: Scope) -> None:
        from webappctl.cli import show

        show.announcement(made, target_of(self.cluster, scope), self.output)

    def _check(self, made: Plan, budget: Budget) -> None:
        from webappctl.core.plan import refusals

        reasons = refusals(made, budget)
        if reasons:
            raise Refused("refused, nothing was written: " + "; ".join(reasons))

    def _agreed(self) -> bool:
        """Only `y` and `yes` are a yes; the end of input is a no. Thinking is not counted by --timeout."""
        print("Apply these changes? [y/N] ", end="", file=sys.stderr, flush=True)
        agreed = sys.stdin.readline().strip().lower() in ("y", "yes")
        self.cluster.transport.until = time.monotonic() + self.timeout
        return agreed

    def _finish(self, made: Plan, scope: Scope, policy: Policy, *, replan: bool, blocked_ok: bool) -> int:
        from webappctl.apply import Orders
        from webappctl.cli import show
        from webappctl.core.report import exit_code

        with show.results(len(made.pending), self.output) as on_result:
            orders = Orders(self.workers, replan, policy, self.interrupts.stop, on_result)
            report = self._carry_out(made, orders)
        if self.wait is not None and not self.interrupts.number:
            report = wait_until_ready(report, self.cluster, scope, orders, self.interrupts, timeout=self.wait)
        show.report(report, target_of(self.cluster, scope), self.output)
        if self.interrupts.number:
            return self.interrupts.exit_code
        return exit_code(report, blocked_ok=blocked_ok)

    def _carry_out(self, made: Plan, orders: Orders) -> Report:
        from webappctl import reconcile

        with self.interrupts.writing():
            report = reconcile.carry_out(made, self.cluster, orders)
        if self.interrupts.number:
            return replace(report, interruption="interrupted by a signal")
        if report.failed and time.monotonic() >= self.cluster.transport.until:
            return replace(report, interruption=f"ended by --timeout {in_words(self.timeout)}")
        return report
