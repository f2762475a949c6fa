"""watch: apply --yes, again and again."""

from __future__ import annotations

import logging
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from webappctl.cli.options import (
    DEFAULT_INTERVAL,
    DEFAULT_REQUEST_TIMEOUT,
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
    Workers,
    duration,
    in_words,
    scope_of,
)
from webappctl.cli.passes import target_of, unknown_names
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
from webappctl.cli.session import Interrupts, Reach, guarded, write
from webappctl.errors import UsageError

if TYPE_CHECKING:
    from webappctl.core.objects import ObjectKey
    from webappctl.core.plan import Plan
    from webappctl.core.report import Report
    from webappctl.render import Target
    from webappctl.watch import Shape

log = logging.getLogger(__name__)


@guarded
def watch(
    names: Names = None,
    namespace: Namespaces = None,
    all_namespaces: AllNamespaces = False,
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
    ] = DEFAULT_INTERVAL,
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
) -> int:
    """Do apply --yes again and again, until a signal. Logs to stderr, as JSON lines off a terminal.

    Guards hold for each pass: where one trips, nothing is deleted, and the rest goes on within --max-changes.
    With -o json each pass is one line on stdout, with -o yaml one document.
    """
    from webappctl import reconcile
    from webappctl import watch as watching
    from webappctl.apply import Orders
    from webappctl.cli import logs
    from webappctl.core.report import Outcome

    scope = scope_of(names, namespace, selector, all_namespaces=all_namespaces)
    policy = policy_of(adopt, prune=prune, scope=scope)
    if output is Output.MARKDOWN:
        raise UsageError("watch has no end, so it has no -o markdown", remedy="use table, wide, json or yaml")
    logs.set_up(level=logging.INFO)
    interrupts = Interrupts(loop=True)
    with interrupts.handled():
        cluster = Reach(kubeconfig, context, request_timeout).open(interrupts, workers=workers)
        target = target_of(cluster, scope)
        orders = Orders(workers, policy=policy, stop=interrupts.stop)
        writing = _Writing(target, interrupts, output)

        def run_pass(_source: watching.Source, shaped: Shape) -> Report:
            report = reconcile.reconcile(cluster, scope, orders, writing, shaped)
            if interrupts.number and report.count(Outcome.NOT_TRIED):
                report = replace(report, interruption="interrupted by a signal")
            write(sys.stdout, _document(report, target, output))
            return report

        log.info("Watching", extra={"keys": {"target": str(target), "interval": in_words(interval)}})
        budget = budget_of(max_changes, max_deletes, allow_empty=allow_empty)
        schedule = watching.Schedule(interval, stop=interrupts.stop, chance=random.random)
        interrupts.woken = schedule.alarm.ring
        watching.watch(run_pass, schedule, budget=budget, observers=[watching.Journal()])
    return 0


def _document(report: Report, target: Target, output: Output) -> tuple[str, ...]:
    from webappctl import render

    if output is Output.JSON:
        return (render.report_json(report, target, compact=True),)
    if output is Output.YAML:
        return ("---", render.report_yaml(report, target))
    return ()


class _Writing:
    """Around the writes of each pass of `watch`: shows what is pending to people, and says once what is wrong."""

    def __init__(self, target: Target, interrupts: Interrupts, output: Output) -> None:
        self._target = target
        self._interrupts = interrupts
        self._output = output
        self._unknown: tuple[ObjectKey, ...] = ()
        self._warnings: tuple[str, ...] = ()

    @contextmanager
    def __call__(self, made: Plan) -> Iterator[None]:
        from webappctl.cli import show

        unknown = unknown_names(self._target.scope, made)
        if unknown and unknown != self._unknown:
            log.warning("No such WebApp", extra={"keys": {"names": ", ".join(str(key) for key in unknown)}})
        self._unknown = unknown
        for warning in made.warnings:
            if warning not in self._warnings:
                log.warning("Warning", extra={"keys": {"warning": warning}})
        self._warnings = made.warnings
        if made.pending and self._output.for_people and sys.stdout.isatty():
            show.plan_for_people(made, self._target, sys.stdout, self._output)
        with self._interrupts.writing():
            yield
