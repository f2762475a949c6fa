"""plan, apply, watch: the product."""

from __future__ import annotations

import logging
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from webappctl.cli.options import (
    DEFAULT_REQUEST_TIMEOUT,
    DEFAULT_TIMEOUT,
    DEFAULT_WORKERS,
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
from webappctl.cli.session import Interrupts, guarded, open_cluster, say
from webappctl.errors import NotFound, UsageError

if TYPE_CHECKING:
    from webappctl.core.objects import Scope
    from webappctl.core.plan import Plan
    from webappctl.core.report import Report
    from webappctl.render import Target


@guarded
def plan(
    names: Names = None,
    namespace: Namespaces = None,
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
    request_timeout: RequestTimeout = DEFAULT_REQUEST_TIMEOUT,  # type: ignore[assignment] # parsed
    timeout: Timeout = DEFAULT_TIMEOUT,  # type: ignore[assignment] # parsed
) -> int:
    """Show what apply would do, and why. Reads two lists, writes nothing."""
    from webappctl import reconcile
    from webappctl.cli import show
    from webappctl.core.report import plan_exit_code
    from webappctl.render import Target

    interrupts = Interrupts()
    with interrupts.handled():
        scope = scope_of(names, namespace, selector)
        cluster = open_cluster(
            interrupts,
            kubeconfig=kubeconfig,
            context=context,
            workers=DEFAULT_WORKERS,
            request_timeout=request_timeout,
            timeout=timeout,
        )
        made = reconcile.plan(cluster, scope)
        _check_names(scope, made)
        show.plan(made, Target(cluster.context, cluster.server, scope), output)
    return plan_exit_code(made) if exit_code else 0


@guarded
def apply(
    names: Names = None,
    namespace: Namespaces = None,
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
    request_timeout: RequestTimeout = DEFAULT_REQUEST_TIMEOUT,  # type: ignore[assignment] # parsed
    timeout: Timeout = DEFAULT_TIMEOUT,  # type: ignore[assignment] # parsed
) -> int:
    """Make every Deployment what its WebApp asks for, once."""
    from webappctl import reconcile
    from webappctl.apply import Orders
    from webappctl.cli import logs, show
    from webappctl.core.report import exit_code
    from webappctl.render import Target

    people = sys.stdin.isatty() and sys.stderr.isatty()
    if not yes and not people:
        raise UsageError("there is no terminal to ask on", remedy="add --yes")
    logs.set_up(level=logging.WARNING)
    interrupts = Interrupts()
    with interrupts.handled():
        scope = scope_of(names, namespace, selector)
        cluster = open_cluster(
            interrupts,
            kubeconfig=kubeconfig,
            context=context,
            workers=workers,
            request_timeout=request_timeout,
            timeout=timeout,
        )
        target = Target(cluster.context, cluster.server, scope)
        made = reconcile.plan(cluster, scope)
        _check_names(scope, made)
        _announce(made, target, output)
        if not yes and made.pending and not _agreed():
            say("webappctl: not applied, nothing was written")
            return 1
        with interrupts.writing(), show.progress(len(made.pending)) as on_result:
            orders = Orders(workers, replan=yes, stop=interrupts.stop, on_result=on_result)
            report = reconcile.carry_out(made, cluster, orders)
        report = _interrupted(report, interrupts, timeout)
        show.report(report, target, output)
    return interrupts.exit_code if interrupts.number else exit_code(report, blocked_ok=blocked_ok)


@guarded
def watch(
    names: Names = None,
    namespace: Namespaces = None,
    selector: Selector = "",
    interval: Annotated[
        float,
        typer.Option(
            "--interval",
            envvar="WEBAPPCTL_INTERVAL",
            metavar="DURATION",
            parser=duration,
            help="From the end of a pass to the start of the next, give or take a tenth.",
        ),
    ] = "30s",  # type: ignore[assignment] # parsed
    workers: Workers = DEFAULT_WORKERS,
    context: Context = None,
    kubeconfig: Kubeconfig = None,
    request_timeout: RequestTimeout = DEFAULT_REQUEST_TIMEOUT,  # type: ignore[assignment] # parsed
) -> int:
    """Do what apply --yes does again and again, until SIGTERM or Ctrl-C. Logs to stderr, as JSON off a terminal."""
    import random

    from webappctl import reconcile
    from webappctl import watch as watching
    from webappctl.apply import Orders
    from webappctl.cli import logs, show
    from webappctl.render import Target

    logs.set_up(level=logging.INFO)
    interrupts = Interrupts()
    with interrupts.handled(), interrupts.writing():
        scope = scope_of(names, namespace, selector)
        cluster = open_cluster(
            interrupts, kubeconfig=kubeconfig, context=context, workers=workers, request_timeout=request_timeout
        )
        orders = Orders(workers, stop=interrupts.stop)
        target = Target(cluster.context, cluster.server, scope)
        say(f"Watching {target}, every {in_words(interval)}")

        def show_what_is_pending(made: Plan) -> None:
            if made.pending and sys.stdout.isatty():
                show.plan_for_people(made, target, sys.stdout)

        watching.watch(
            lambda: reconcile.reconcile(cluster, scope, orders, show_what_is_pending),
            interval=interval,
            stop=interrupts.stop,
            chance=random.random,
        )
    return 0


def _check_names(scope: Scope, made: Plan) -> None:
    """A name that fits nothing is a typing error, and nothing is done before it is put right."""
    known = {change.key for change in made.changes}
    for key in scope.names:
        if not any(key in (found, ("", found.name)) for found in known):
            where = f"namespace {key.namespace}" if key.namespace else str(type(scope)(scope.namespaces))
            raise NotFound(f"there is no such WebApp in {where}", subject=key.name)


def _announce(made: Plan, target: Target, output: Output) -> None:
    """The plan, before anything is written. Where stdout is for a program, people find it on stderr."""
    from webappctl import render
    from webappctl.cli import show

    if output is Output.TABLE and sys.stdout.isatty():
        show.plan_for_people(made, target, sys.stdout)
    elif sys.stderr.isatty():
        show.plan_for_people(made, target, sys.stderr)
    else:
        say(f"Plan for {target}")
        say(render.plan_summary(made))
    for warning in render.plan_warnings(made):
        say(warning)


def _agreed() -> bool:
    """Only `y` and `yes` are a yes; the end of input is a no."""
    print("Apply these changes? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _interrupted(report: Report, interrupts: Interrupts, timeout: float) -> Report:
    from webappctl.core.report import Outcome

    if interrupts.number:
        return replace(report, interruption="interrupted by a signal")
    if any(result.outcome is Outcome.NOT_TRIED for result in report.results):
        reasons = {r.message for r in report.results if r.outcome in (Outcome.NOT_TRIED, Outcome.FAILED) and r.message}
        late = any("--timeout" in reason for reason in reasons)
        return replace(report, interruption=f"ended by --timeout {in_words(timeout)}" if late else "ended early")
    return report
