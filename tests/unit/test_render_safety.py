"""Whatever text the cluster holds: nothing that a terminal would obey, in no format."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.builders import webapp
from tests.rendered import (
    HOSTILE,
    NOW,
    column,
    hostile_plan,
    hostile_report,
    lines_of,
    obeyed,
    report_lines,
    report_wide_lines,
)
from webappctl.core.objects import Scope
from webappctl.core.plan import Action, Change, Plan
from webappctl.render import (
    Target,
    plan_json,
    plan_lines,
    plan_markdown,
    plan_summary,
    plan_table,
    plan_warnings,
    plan_wide_lines,
    plan_wide_table,
    plan_yaml,
    problem_table,
    report_json,
    report_markdown,
    report_summary,
    report_warnings,
    report_yaml,
    safe,
)

WIDTHS = (50, 80, 120, 200)


def _everything(text: str) -> Iterator[str]:
    """Each line that is shown to anybody."""
    plan, report, target = hostile_plan(text), hostile_report(text), Target(text, text, Scope((text,), text))
    yield from (str(target), plan_summary(plan), report_summary(report))
    yield from (*plan_warnings(plan), *report_warnings(report))
    for line in (*plan_lines(plan), *report_lines(report), *plan_wide_lines(plan), *report_wide_lines(report)):
        yield line.replace("\t", "")
    for width in WIDTHS:
        yield from lines_of(plan_table(plan, width, NOW), width)
        yield from lines_of(plan_wide_table(plan, width, NOW), width)
        yield from lines_of(problem_table(report, width), width)
    for plan_format in (plan_json, plan_yaml, plan_markdown):
        yield from plan_format(plan, target).split("\n")
    for report_format in (report_json, report_yaml, report_markdown):
        yield from report_format(report, target).split("\n")


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_output_holds_what_a_terminal_obeys(text: str) -> None:
    """In no format, wherever the text came from."""
    assert set().union(*map(obeyed, _everything(text))) == set()


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_coloured_table_has_no_escape_but_colours(text: str) -> None:
    """On a terminal."""
    plan = hostile_plan(text)
    lines = lines_of(plan_table(plan, 80, NOW), 80, terminal=True)
    lines += lines_of(plan_wide_table(plan, 160, NOW), 160, terminal=True)
    bare = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in lines]
    assert set().union(*map(obeyed, bare)) == set()


@pytest.mark.parametrize("text", ["img[red]:v1", "[/b]", "nginx:tada:v1", "a[link=x]b"])
def test_markup_is_shown_as_it_is(text: str) -> None:
    """Neither taken for a style nor for an emoji."""
    plan = Plan((Change(webapp(image=text), None, Action.CREATE),))
    assert text in column(lines_of(plan_table(plan, 200, NOW), 200), 2)
    assert text in column(lines_of(plan_wide_table(plan, 200, NOW), 200), 4)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("a\x1b[0m", "a\\x1b[0m"),
        ("\x9b\x7f", "\\x9b\\x7f"),
        ("\u202e", "\\u202e"),
        ("\U000e0041", "\\U000e0041"),
        ("\u00a0", "\\xa0"),
        ("caf\u00e9 \u6f22 \N{PARTY POPPER}", "caf\u00e9 \u6f22 \N{PARTY POPPER}"),
        ("a\tb\nc", "a\\tb\\nc"),
    ],
)
def test_what_cannot_be_seen_is_shown_escaped(text: str, shown: str) -> None:
    """And everything else as it is."""
    assert safe(text) == shown
