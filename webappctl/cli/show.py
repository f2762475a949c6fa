"""Printing: the result to stdout, everything else to stderr."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
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

NARROWEST_TABLE: Final = 50
"""Columns; on a terminal with fewer, plain lines are easier to read."""

LONG: Final = 20
"""From so many writes on, a progress bar is worth its line."""


def plan(plan: Plan, target: Target, output: Output) -> None:
    if output is Output.JSON:
        _print(render.plan_document(plan, target))
        return
    if sys.stdout.isatty():
        plan_for_people(plan, target, sys.stdout)
    else:
        _print_lines(render.plan_lines(plan), sys.stdout)
        say(render.plan_summary(plan))
    _say_all(render.plan_warnings(plan))


def plan_for_people(plan: Plan, target: Target, stream: TextIO) -> None:
    print(f"Plan for {target}", file=stream)
    console = _console(stream)
    if console.width < NARROWEST_TABLE:
        _print_lines(render.plan_lines(plan), stream)
    else:
        _print_table(console, render.plan_table(plan, console.width, datetime.now(UTC)))
    print(render.plan_summary(plan), file=stream, flush=True)


def report(report: Report, target: Target, output: Output) -> None:
    summary = render.report_summary(report)
    if output is Output.JSON:
        _print(render.report_document(report, target))
        say(summary)
    elif sys.stdout.isatty():
        _report_for_people(report)
        _print(f"Applied: {summary}")
    else:
        _print_lines(render.report_lines(report), sys.stdout)
        say(summary)
    _say_all(render.report_warnings(report))


def _report_for_people(report: Report) -> None:
    """What was done is what the plan said; only the rest is worth a table."""
    console = _console(sys.stdout)
    if console.width < NARROWEST_TABLE:
        _print_lines(render.report_lines(report), sys.stdout)
    else:
        _print_table(console, render.problem_table(report, console.width))


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


def _print_table(console: Console, table: Table | None) -> None:
    if table is not None:
        console.print()
        console.print(table)
        console.print()


def _print(text: str) -> None:
    print(text, flush=True)


def _print_lines(lines: Iterable[str], stream: TextIO) -> None:
    stream.writelines(f"{line}\n" for line in lines)
    stream.flush()


def _say_all(lines: Iterable[str]) -> None:
    for line in lines:
        say(line)
