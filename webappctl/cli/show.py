"""Printing: the result to stdout, everything else to stderr."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TextIO

from webappctl import render
from webappctl.cli.options import Output
from webappctl.cli.session import say

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from webappctl.core.plan import Plan
    from webappctl.core.report import Report, Result
    from webappctl.render import Target

LONG: Final = 20
"""From so many writes on, a progress bar is worth its line."""


def plan(plan: Plan, target: Target, output: Output) -> None:
    if output is Output.JSON:
        _print(render.plan_document(plan, target))
        return
    if sys.stdout.isatty():
        plan_for_people(plan, target, sys.stdout)
    else:
        _print_lines(render.plan_lines(plan))
        say(render.plan_summary(plan))
    _say_all(render.plan_warnings(plan))


def plan_for_people(plan: Plan, target: Target, stream: TextIO) -> None:
    print(f"Plan for {target}", file=stream)
    _print_table(render.plan_table(plan), stream)
    print(render.plan_summary(plan), file=stream, flush=True)


def report(report: Report, target: Target, output: Output) -> None:
    if output is Output.JSON:
        _print(render.report_document(report, target))
    elif sys.stdout.isatty():
        _print_table(render.problem_table(report), sys.stdout)
        _print(f"Applied: {render.report_summary(report)}")
    else:
        _print_lines(render.report_lines(report))
    if output is Output.JSON or not sys.stdout.isatty():
        say(render.report_summary(report))
    _say_all(render.report_warnings(report))


@contextmanager
def progress(writes: int) -> Iterator[Callable[[Result], None]]:
    """Hears of each result, and moves a bar on stderr when there are many and someone looks."""
    if writes < LONG or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("Applying"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=_console(sys.stderr), transient=True) as bar:
        task, lock = bar.add_task("apply", total=writes), threading.Lock()

        def advance(_: Result) -> None:
            with lock:
                bar.advance(task)

        yield advance


def _console(stream: TextIO) -> Console:
    from rich.console import Console

    return Console(file=stream, markup=False, emoji=False, highlight=False)


def _print_table(table: Table | None, stream: TextIO) -> None:
    if table is not None:
        _console(stream).print(table)


def _print(text: str) -> None:
    print(text, flush=True)


def _print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _say_all(lines: Iterable[str]) -> None:
    for line in lines:
        say(line)
