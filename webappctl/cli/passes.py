"""plan and apply."""

from __future__ import annotations

import logging
import sys
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

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
    in_words,
    scope_of,
)
from webappctl.cli.session import Interrupts, Reach, guarded, say
from webappctl.errors import UsageError, WebappctlError

if TYPE_CHECKING:
    from webappctl.apply import Orders
    from webappctl.cluster import Cluster
    from webappctl.core.objects import ObjectKey, Scope
    from webappctl.core.plan import Plan
    from webappctl.core.report import Report
    from webappctl.render import Target


@guarded
def plan(
    names: Names = None,
    namespace: Namespaces = None,
    all_namespaces: AllNamespaces = False,
    selector: Selector = "",
    output: OutputFormat = Output.TABLE,
    exit_code: Annotated[
        bool,
        typer.Option(
            "--exit-code",
            envvar="WEBAPPCTL_EXIT_CODE",
            help="Exit 3 when changes are pending, 5 when only blocked or waiting ones are left.",
        ),
    ] = False,
    context: Context = None,
    kubeconfig: Kubeconfig = None,
    request_timeout: RequestTimeout = DEFAULT_REQUEST_TIMEOUT,
    timeout: Timeout = DEFAULT_TIMEOUT,
) -> int:
    """Show what apply would do, and why. Reads two lists, writes nothing."""
    from webappctl import reconcile
    from webappctl.cli import show
    from webappctl.core.report import plan_exit_code

    scope = scope_of(names, namespace, selector, all_namespaces=all_namespaces)
    interrupts = Interrupts()
    with interrupts.handled():
        cluster = Reach(kubeconfig, context, request_timeout, timeout).open(interrupts, workers=DEFAULT_WORKERS)
        made = reconcile.plan(cluster, scope)
        _refuse_unknown_names(scope, made)
        show.plan(made, target_of(cluster, scope), output)
    return plan_exit_code(made) if exit_code else 0


@guarded
def apply(
    names: Names = None,
    namespace: Namespaces = None,
    all_namespaces: AllNamespaces = False,
    selector: Selector = "",
    yes: Annotated[bool, typer.Option("--yes", "-y", envvar="WEBAPPCTL_YES", help="Do not ask.")] = False,
    blocked_ok: Annotated[
        bool,
        typer.Option(
            "--blocked-ok",
            envvar="WEBAPPCTL_BLOCKED_OK",
            help="Exit 0, not 5, when all that is left is blocked, waiting or stale.",
        ),
    ] = False,
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
    if not yes and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError("there is no terminal to ask on", remedy="add --yes")
    logs.set_up(level=logging.WARNING)
    interrupts = Interrupts()
    with interrupts.handled():
        cluster = Reach(kubeconfig, context, request_timeout, timeout).open(interrupts, workers=workers)
        application = _Application(cluster, scope, interrupts, output, timeout)
        return application.run(ask=not yes, workers=workers, blocked_ok=blocked_ok)


@dataclass(frozen=True, slots=True)
class _Application:
    """One `apply`: plan, question, writes, report."""

    cluster: Cluster
    scope: Scope
    interrupts: Interrupts
    output: Output
    timeout: float

    def run(self, *, ask: bool, workers: int, blocked_ok: bool) -> int:
        from webappctl import reconcile
        from webappctl.apply import Orders
        from webappctl.cli import show
        from webappctl.core.report import exit_code

        target = target_of(self.cluster, self.scope)
        made = reconcile.plan(self.cluster, self.scope)
        _refuse_unknown_names(self.scope, made)
        show.announcement(made, target, self.output)
        if ask and made.pending and not self._agreed():
            say("webappctl: not applied, nothing was written")
            return 1
        with show.results(len(made.pending), self.output) as on_result:
            report = self._carry_out(made, Orders(workers, not ask, self.interrupts.stop, on_result))
        show.report(report, target, self.output)
        if self.interrupts.number:
            return self.interrupts.exit_code
        return exit_code(report, blocked_ok=blocked_ok)

    def _agreed(self) -> bool:
        """Only `y` and `yes` are a yes; the end of input is a no. Thinking is not counted by --timeout."""
        print("Apply these changes? [y/N] ", end="", file=sys.stderr, flush=True)
        agreed = sys.stdin.readline().strip().lower() in ("y", "yes")
        self.cluster.transport.until = time.monotonic() + self.timeout
        return agreed

    def _carry_out(self, made: Plan, orders: Orders) -> Report:
        from webappctl import reconcile

        with self.interrupts.writing():
            report = reconcile.carry_out(made, self.cluster, orders)
        if self.interrupts.number:
            return replace(report, interruption="interrupted by a signal")
        if report.failed and time.monotonic() >= self.cluster.transport.until:
            return replace(report, interruption=f"ended by --timeout {in_words(self.timeout)}")
        return report


def target_of(cluster: Cluster, scope: Scope) -> Target:
    from webappctl.render import Target

    return Target(cluster.context, cluster.server, scope)


def unknown_names(scope: Scope, made: Plan) -> tuple[ObjectKey, ...]:
    known = {change.key for change in made.changes} | set(made.terminating)
    return tuple(key for key in scope.names if not any(key in (found, ("", found.name)) for found in known))


def _refuse_unknown_names(scope: Scope, made: Plan) -> None:
    """A name that fits nothing is a typing error, and nothing is done before it is put right."""
    for key in unknown_names(scope, made):
        where = f"namespace {key.namespace}" if key.namespace else scope.where
        labels = f" with the labels {scope.selector}" if scope.selector else ""
        raise WebappctlError(f"there is no such WebApp in {where}{labels}", subject=key.name)
