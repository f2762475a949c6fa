"""Whatever text the cluster holds, it is shown, and never obeyed."""

from __future__ import annotations

import json
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rendered import NOW, hostile_plan, hostile_report, lines_of, obeyed, report_lines
from webappctl.core.objects import Scope
from webappctl.core.report import cut
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
    safe,
)

MOVERS = "\x1b\x9b\x07\x00\r\n\t\x7f\x85\u202e\u2066\u200b\u2028\ufeff\U000e0041[]/\\:\u6f22\N{PARTY POPPER}"
TEXTS = st.text(max_size=40) | st.text(alphabet=MOVERS, max_size=20)


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_safe_text_is_seen_as_a_whole(text: str) -> None:
    """One line, nothing hidden in it, and what was plain is unchanged."""
    shown = safe(text)
    assert obeyed(shown) == set()
    assert safe(shown) == shown


@settings(max_examples=40, deadline=None)
@given(TEXTS, st.sampled_from([50, 80, 120]))
def test_no_table_holds_what_a_terminal_obeys(text: str, width: int) -> None:
    """But its own colours."""
    for table in (plan_table(hostile_plan(text), width, NOW), problem_table(hostile_report(text), width)):
        bare = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in lines_of(table, width, terminal=True)]
        assert set().union(*map(obeyed, bare)) == set()


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_no_line_holds_what_a_terminal_obeys(text: str) -> None:
    """And each of a plan's and a report's has its seven columns."""
    plan, report = hostile_plan(text), hostile_report(text)
    lines = [*plan_lines(plan), *report_lines(report)]
    assert {line.count("\t") for line in lines} == {6}
    talk = [*plan_warnings(plan), *report_warnings(report), report_summary(report)]
    shown = [line.replace("\t", "") for line in lines] + talk
    assert set().union(*map(obeyed, shown)) == set()


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_json_is_ascii_and_loses_nothing(text: str) -> None:
    """What was written is read back."""
    target = Target(text, text, Scope((text,), text))
    for document in (plan_document(hostile_plan(text), target), report_document(hostile_report(text), target)):
        assert document.isascii()
        assert obeyed(document.replace("\n", "")) == set()
        assert json.loads(document)["context"] == text
    assert json.loads(plan_document(hostile_plan(text), target))["changes"][2]["message"] == text


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=3), st.integers(0, 3000), st.text(max_size=3))
def test_a_cut_message_is_the_beginning_of_it(head: str, length: int, tail: str) -> None:
    """At most 1 KiB of UTF-8, and whole characters."""
    message = head + "\u00e4" * length + tail
    shown = cut(message)
    assert len(shown.encode()) <= 1024
    assert message.startswith(shown.removesuffix("…"))
