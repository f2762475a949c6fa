"""Plan and Report → GitHub-flavoured Markdown, for a pull request or the summary of a job.

Whatever is not a word of ours is made safe, and set as a code span: in it nothing is markup, HTML, a link, a mention or
an emoji. Times are given as they are, and not as `3 min ago`: a pull request is read later.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Final

from webappctl.core.plan import Plan
from webappctl.core.report import Outcome, Report, Result
from webappctl.core.text import safe
from webappctl.render.rows import SIGNS, Row, change_rows, is_quiet, result_row
from webappctl.render.summary import Target, plan_summary, plan_warnings, report_counts, report_warnings
from webappctl.render.text import capped, shown, words

MAX_ROWS: Final = 500
"""Of a table; more than that nobody reads in a browser."""


def plan_markdown(plan: Plan, target: Target) -> str:
    changes, more = shown(plan.changes, MAX_ROWS)
    rows = chain.from_iterable(change_rows(change, None, code) for change in changes)
    lines = [f"### Plan for {code(str(target))}", "", plan_summary(plan)]
    lines += _table(("WebApp", "Change", "Why", "Effect"), ((row, row.action.value) for row in rows))
    return "\n".join([*lines, *_end(more, plan_warnings(plan))])


def report_markdown(report: Report, target: Target) -> str:
    """What was done, and what did not go as planned."""
    changed = [result for result in report.results if result.outcome is not Outcome.UNCHANGED]
    results, more = capped(changed, MAX_ROWS, is_quiet)
    interruption = f"; {code(report.interruption)}" if report.interruption else ""
    lines = [f"### Applied to {code(str(target))}", "", report_counts(report) + interruption]
    lines += _table(("WebApp", "Change", "Why", "Effect"), chain.from_iterable(map(_result_rows, results)))
    return "\n".join([*lines, *_end(more, report_warnings(report))])


def code(text: str) -> str:
    """A code span of it, whatever is in it.

    A row of a table ends a cell at a pipe even inside a code span, and parsers do not agree on how it is escaped
    there: pipes are set between the spans.
    """
    return "&#124;".join(_span(part) for part in safe(text).split("|"))


def _span(text: str) -> str:
    """Between more backticks than there are in it in a row. One space at each end is not part of a span."""
    if not text:
        return ""
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    ends = text[0] + text[-1]
    space = " " if "`" in ends or (ends == "  " and text.strip(" ")) else ""
    return f"{fence}{space}{text}{space}{fence}"


def _result_rows(result: Result) -> Iterator[tuple[Row, str]]:
    """Of a row that did not go as planned its message and its remedy; of the others what was done."""
    verb = result.outcome.value
    if is_quiet(result) or not result.message:
        yield from ((row, verb) for row in change_rows(result.change, None, code, done=True))
        return
    row = result_row(result, code)
    message, _, remedy = row.cells
    because = words(result.obstacle.value) if result.obstacle else ""
    yield replace(row, cells=(message, because, remedy)), verb


def _table(headers: tuple[str, ...], rows: Iterable[tuple[Row, str]]) -> Iterator[str]:
    lines = [_line(f"`{SIGNS[row.action]}` {verb}" if row.name else "", row.name, *row.cells) for row, verb in rows]
    if lines:
        yield from ("", _line("", *headers), _line(*["---"] * (len(headers) + 1)), *lines)


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _end(more: int, warnings: Iterable[str]) -> Iterator[str]:
    if more:
        yield from ("", f"and {more:,} more rows")
    listed = [f"* {code(warning)}" for warning in warnings]
    yield from ("", *listed) if listed else ()
