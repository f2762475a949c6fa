"""Printing: the result to stdout, everything else to stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, TextIO

from webappctl import render
from webappctl.cli.options import Output
from webappctl.cli.session import say, write
from webappctl.core.plan import PENDING

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


PLAN_DOCUMENTS: Final = {
    Output.JSON: render.plan_json,
    Output.YAML: render.plan_yaml,
    Output.MARKDOWN: render.plan_markdown,
}
REPORT_DOCUMENTS: Final = {
    Output.JSON: render.report_json,
    Output.YAML: render.report_yaml,
    Output.MARKDOWN: render.report_markdown,
}


def plan(plan: Plan, target: Target, output: Output) -> None:
    if output in PLAN_DOCUMENTS:
        _print(PLAN_DOCUMENTS[output](plan, target).rstrip("\n"))
    elif sys.stdout.isatty():
        plan_for_people(plan, target, sys.stdout, output)
    else:
        say(f"Plan for {target}")
        write(sys.stdout, _plain(plan, output))
        say(render.plan_summary(plan))
    _say_all(render.plan_warnings(plan))


def announcement(plan: Plan, target: Target, output: Output) -> None:
    """The plan, before anything is written. Where stdout is for a program, people find it on stderr."""
    if output.for_people and sys.stdout.isatty():
        plan_for_people(plan, target, sys.stdout, output)
    elif sys.stderr.isatty():
        plan_for_people(plan, target, sys.stderr, output)
    else:
        say(f"Plan for {target}")
        say(render.plan_summary(plan))
    _say_all(render.plan_warnings(plan))


def plan_for_people(plan: Plan, target: Target, stream: TextIO, output: Output = Output.TABLE) -> None:
    write(stream, [f"Plan for {target}"])
    console = _console(stream)
    if console.width < NARROWEST_TABLE:
        write(stream, _plain(plan, output))
    else:
        table = render.plan_wide_table if output is Output.WIDE else render.plan_table
        _print_table(console, table(plan, console.width, datetime.now(UTC)))
    write(stream, [render.plan_summary(plan)])


def _plain(plan: Plan, output: Output) -> Iterator[str]:
    return render.plan_wide_lines(plan) if output is Output.WIDE else render.plan_lines(plan)


@contextmanager
def results(writes: int, output: Output) -> Iterator[Callable[[Result], None]]:
    """Hears of each result: prints its lines off a terminal, and moves a bar on one when there are many."""
    if output.for_people and not sys.stdout.isatty():
        lines = render.result_wide_lines if output is Output.WIDE else render.result_lines
        yield lambda result: write(sys.stdout, lines(result))
    elif writes >= LONG and sys.stderr.isatty():
        with _bar(writes) as on_result:
            yield on_result
    else:
        yield lambda _: None


def report(report: Report, target: Target, output: Output) -> None:
    """What is left to be said at the end."""
    summary = render.report_summary(report)
    if output.for_people and sys.stdout.isatty():
        _print_problems(report)
        _print(f"Applied: {summary}")
    else:
        say(summary)
    _say_all(render.report_warnings(report))
    if output in REPORT_DOCUMENTS:
        _print(REPORT_DOCUMENTS[output](report, target).rstrip("\n"))


def _print_problems(report: Report) -> None:
    """What was done is what the plan said; only the rest is worth a table."""
    console = _console(sys.stdout)
    if console.width < NARROWEST_TABLE:
        write(sys.stdout, (line for result in report.results for line in render.result_lines(result)))
    else:
        _print_table(console, render.problem_table(report, console.width))


@contextmanager
def _bar(writes: int) -> Iterator[Callable[[Result], None]]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("Applying"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=_console(sys.stderr), transient=True) as bar:
        task = bar.add_task("apply", total=writes)

        def advance(result: Result) -> None:
            if result.change.action in PENDING:
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
    write(sys.stdout, [text])


def _say_all(lines: Iterable[str]) -> None:
    for line in lines:
        say(line)
