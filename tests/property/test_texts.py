"""Whatever text the cluster holds, it is shown, and never obeyed."""

from __future__ import annotations

import io
import json
import re
import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from tests.builders import webapp
from webappctl.core.diff import Cause, FieldChange
from webappctl.core.objects import Scope
from webappctl.core.plan import Action, Change, Obstacle, Plan
from webappctl.core.report import Outcome, Report, Result, cut
from webappctl.render import (
    Target,
    plan_document,
    plan_lines,
    plan_table,
    plan_warnings,
    problem_table,
    report_document,
    report_summary,
    report_warnings,
    result_lines,
    safe,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
MOVERS = "\x1b\x9b\x07\x00\r\n\t\x7f\x85\u202e\u2066\u200b\u2028\ufeff\U000e0041[]/\\:\u6f22\N{PARTY POPPER}"
TEXTS = st.text(max_size=40) | st.text(alphabet=MOVERS, max_size=20)
HIDDEN = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


def _plan(text: str) -> Plan:
    field = FieldChange(text, text, text, Cause.LIVE_DRIFT, text, text, text)
    wanted = webapp(text, text, image=text)
    blocked = Change(wanted, None, Action.BLOCKED, obstacle=Obstacle.UNOWNED, message=text, remedy=text)
    update = Change(wanted, None, Action.UPDATE, fields=(field,), warning=text)
    return Plan((Change(wanted, None, Action.CREATE), update, blocked))


def _report(text: str) -> Report:
    results = tuple(Result(c, o, message=text, remedy=text) for c in _plan(text).changes for o in Outcome)
    return Report(results, (text,) * 5, (text,), text)


def _tables(text: str, width: int) -> Iterator[str]:
    for table in (plan_table(_plan(text), width, NOW), problem_table(_report(text), width)):
        stream = io.StringIO()
        console = Console(file=stream, width=width, force_terminal=True, markup=False, emoji=False, highlight=False)
        console.print(table)
        yield re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())


def _report_lines(report: Report) -> list[str]:
    return [line for result in report.results for line in result_lines(result)]


def _obeyed(text: str) -> set[str]:
    return {char for char in text if char != "\n" and unicodedata.category(char) in HIDDEN}


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_safe_text_is_seen_as_a_whole(text: str) -> None:
    """One line, nothing hidden in it, and what was plain is unchanged."""
    shown = safe(text)
    assert _obeyed(shown) == set()
    assert "\n" not in shown
    assert safe(shown) == shown


@settings(max_examples=40, deadline=None)
@given(TEXTS, st.sampled_from([50, 80, 120]))
def test_no_table_holds_what_a_terminal_obeys(text: str, width: int) -> None:
    """But its own colours."""
    assert set().union(*map(_obeyed, _tables(text, width))) == set()


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_no_line_holds_what_a_terminal_obeys(text: str) -> None:
    """And each of a plan's and a report's has its seven columns."""
    lines = [*plan_lines(_plan(text)), *_report_lines(_report(text))]
    assert {line.count("\t") for line in lines} == {6}
    talk = [*plan_warnings(_plan(text)), *report_warnings(_report(text)), report_summary(_report(text))]
    shown = [line.replace("\t", "") for line in lines] + talk
    assert all("\n" not in line and not _obeyed(line) for line in shown)


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_json_is_ascii_and_loses_nothing(text: str) -> None:
    """What was written is read back."""
    target = Target(text, text, Scope((text,), text))
    for document in (plan_document(_plan(text), target), report_document(_report(text), target)):
        assert document.isascii()
        assert _obeyed(document) == set()
        assert json.loads(document)["context"] == text
    assert json.loads(plan_document(_plan(text), target))["changes"][2]["message"] == text


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=3), st.integers(0, 3000), st.text(max_size=3))
def test_a_cut_message_is_the_beginning_of_it(head: str, length: int, tail: str) -> None:
    """At most 1 KiB of UTF-8, and whole characters."""
    message = head + "\u00e4" * length + tail
    shown = cut(message)
    assert len(shown.encode()) <= 1024
    assert message.startswith(shown.removesuffix("…"))
