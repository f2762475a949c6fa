"""Whatever text the cluster holds, it is shown, and never obeyed."""

from __future__ import annotations

import json
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rendered import (
    NOW,
    hostile_plan,
    hostile_report,
    lines_of,
    markdown_parts,
    obeyed,
    report_lines,
    report_wide_lines,
)
from webappctl.core.objects import Scope
from webappctl.core.report import cut
from webappctl.render import (
    Target,
    plan_json,
    plan_lines,
    plan_markdown,
    plan_table,
    plan_warnings,
    plan_wide_lines,
    plan_wide_table,
    problem_table,
    report_json,
    report_markdown,
    report_summary,
    report_warnings,
    safe,
)

MOVERS = "\x1b\x9b\x07\x00\r\n\t\x7f\x85\u202e\u2066\u200b\u2028\ufeff\U000e0041[]/\\:\u6f22\N{PARTY POPPER}"
MARKS = "|`\\*_~<>&;#@!()[]:- \n"
TEXTS = st.text(max_size=40) | st.text(alphabet=MOVERS, max_size=20) | st.text(alphabet=MARKS, max_size=20)


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
    plan, report = hostile_plan(text), hostile_report(text)
    for table in (plan_table(plan, width, NOW), plan_wide_table(plan, width, NOW), problem_table(report, width)):
        bare = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in lines_of(table, width, terminal=True)]
        assert set().union(*map(obeyed, bare)) == set()


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_no_line_holds_what_a_terminal_obeys(text: str) -> None:
    """And each of a plan's and a report's has its seven columns; a wide one has eleven."""
    plan, report = hostile_plan(text), hostile_report(text)
    lines, wide = [*plan_lines(plan), *report_lines(report)], [*plan_wide_lines(plan), *report_wide_lines(report)]
    assert ({line.count("\t") for line in lines}, {line.count("\t") for line in wide}) == ({6}, {10})
    talk = [*plan_warnings(plan), *report_warnings(report), report_summary(report)]
    shown = [line.replace("\t", "") for line in (*lines, *wide)] + talk
    assert set().union(*map(obeyed, shown)) == set()


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_markdown_is_words_of_ours_and_code_spans(text: str) -> None:
    """Five cells to a row, whatever is in them, and the whole text between backticks."""
    target = Target(text, text, Scope((text,), text))
    for document in (plan_markdown(hostile_plan(text), target), report_markdown(hostile_report(text), target)):
        texts, rows = markdown_parts(document)
        assert {kind for parts in texts for kind, _ in parts} <= {"text", "code_inline"}
        assert set(rows) == {5}
        assert set().union(*map(obeyed, document.split("\n"))) == set()
        assert safe(f"warning: {text}") in ["".join(content for _, content in parts) for parts in texts]


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_json_is_ascii_and_loses_nothing(text: str) -> None:
    """What was written is read back."""
    target = Target(text, text, Scope((text,), text))
    for document in (plan_json(hostile_plan(text), target), report_json(hostile_report(text), target)):
        assert document.isascii()
        assert obeyed(document.replace("\n", "")) == set()
        assert json.loads(document)["context"] == text
    assert json.loads(plan_json(hostile_plan(text), target))["changes"][2]["message"] == text


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=3), st.integers(0, 3000), st.text(max_size=3))
def test_a_cut_message_is_the_beginning_of_it(head: str, length: int, tail: str) -> None:
    """At most 1 KiB of UTF-8, and whole characters."""
    message = head + "\u00e4" * length + tail
    shown = cut(message)
    assert len(shown.encode()) <= 1024
    assert message.startswith(shown.removesuffix("…"))
