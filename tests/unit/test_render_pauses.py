"""A paused WebApp in every form of output: why, what would change, and that nothing is done."""

from __future__ import annotations

from tests.builders import deployment, paused, row, webapp
from tests.rendered import NOW, lines_of, report_lines
from tests.unit.test_render_lines import cells
from tests.unit.test_render_table import shown
from webappctl.core.objects import Scope
from webappctl.core.plan import Plan
from webappctl.core.report import Outcome, Report, Result
from webappctl.render import Target, plan_markdown, plan_wide_table

REMEDY = "kubectl -n shop annotate webapp web apps.example.com/paused-"
BY = "paused by annotation"
DRIFTED = row(webapp(annotations=paused()), deployment(replicas=5))
MISSING = row(webapp(annotations=paused()))
BLOCKED = row(webapp(annotations=paused(), port=0))
CREATION = "3 replicas of nginx:1.25, port 80"


def test_the_table_says_why_and_what_would_change() -> None:
    (first, field) = shown(DRIFTED)
    assert first == ["‖", "shop/web", "paused: moving", BY, REMEDY]
    assert field == ["", "", "replicas  5 → 3", "spec changed", "none"]


def test_the_table_says_that_a_creation_is_withheld() -> None:
    assert shown(MISSING)[1] == ["", "", f"create withheld, {CREATION}", "missing", "none"]


def test_lines_say_why_and_have_one_for_each_field() -> None:
    assert [line[1:] for line in cells(DRIFTED)] == [
        ["paused", "", "", "", "paused-by-annotation", f"paused: moving ({REMEDY})"],
        ["paused", "replicas", "5", "3", "spec-changed", "none"],
    ]


def test_lines_say_what_would_be_created() -> None:
    assert cells(MISSING)[1][1:] == ["paused", "", "", CREATION, "missing", "none"]


def test_a_blocked_row_says_that_it_is_paused_too() -> None:
    """It stays paused when it is not blocked any more."""
    assert shown(BLOCKED)[1][2] == "paused: moving"
    assert cells(BLOCKED)[0][6].endswith("; paused: moving")


def test_the_wide_table_and_markdown_say_both() -> None:
    wide = "\n".join(lines_of(plan_wide_table(Plan((DRIFTED,)), 300, NOW), 300))
    markdown = plan_markdown(Plan((DRIFTED,)), Target("c", "s", Scope()))
    for text in (wide, markdown):
        assert all(said in text for said in ("paused: moving", "replicas", BY))


def test_a_report_has_the_same_lines_as_its_plan() -> None:
    result = Result(DRIFTED, Outcome.PAUSED, DRIFTED.deployment, message=DRIFTED.message, remedy=DRIFTED.remedy)
    assert report_lines(Report((result,))) == ["\t".join(line) for line in cells(DRIFTED)]
