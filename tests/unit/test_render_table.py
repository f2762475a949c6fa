"""Plan and Report → a table that cuts nothing."""

from __future__ import annotations

import pytest

from tests.builders import EARLIER, applied_entry, deployment, entry, managed, snapshot, webapp
from tests.rendered import NOW, column, lines_of, squeezed
from webappctl.core.diff import Cause, FieldChange
from webappctl.core.plan import Action, Change, Plan, make_plan
from webappctl.core.report import Outcome, Report, Result
from webappctl.render import plan_table, problem_table

WIDTHS = (50, 80, 120, 200)


@pytest.mark.parametrize("width", WIDTHS)
def test_a_table_cuts_nothing(width: int) -> None:
    """Every name and every value is there when the folds are joined, and no line is wider than the terminal."""
    name, image = "a-rather-long-name-for-a-web-application-of-somebody", "registry.example/" + "path/" * 20 + "app:1"
    plan = make_plan(snapshot(webapp(name, "a-namespace-with-a-name", image=image)))
    lines = lines_of(plan_table(plan, width, NOW), width)
    assert max(map(len, lines)) <= width
    assert column(lines, 1) == f"a-namespace-with-a-name/{name}"
    assert column(lines, 2) == squeezed(f"create, 3 replicas of {image}, port 80")
    assert (column(lines, 3), column(lines, 4)) == ("missing", "starts3pods")


@pytest.mark.parametrize("width", WIDTHS)
def test_a_table_of_problems_cuts_nothing(width: int) -> None:
    """Message and remedy are there as a whole."""
    message, remedy = "forbidden: " + "very " * 60 + "long", "grant " + "that-" * 30 + "right"
    change = Change(webapp("n" * 52), None, Action.CREATE)
    report = Report((Result(change, Outcome.BLOCKED, message=message, remedy=remedy),))
    lines = lines_of(problem_table(report, width), width)
    assert max(map(len, lines)) <= width
    found = [column(lines, number) for number in (1, 2, 3, 4)]
    assert found == ["shop/" + "n" * 52, squeezed(message), "blocked", squeezed(remedy)]


def test_an_update_has_a_row_for_each_field() -> None:
    """With who did it, and how long ago."""
    theirs = entry("kubectl-edit", {"f:spec": {"f:replicas": {}}}, time=EARLIER)
    live = deployment(replicas=2, image="old", managed_fields=managed(applied_entry(without=("replicas",)), theirs))
    lines = lines_of(plan_table(make_plan(snapshot(webapp(), live)), 120, NOW), 120)
    assert column(lines, 1) == "shop/web"
    assert column(lines, 2) == "imageold→nginx:1.25replicas2→3"
    assert column(lines, 3) == "specchangedkubectl-edit,3minago"


def test_unchanged_rows_are_not_in_the_table() -> None:
    """A plan without anything else has none."""
    assert plan_table(make_plan(snapshot(webapp(), deployment())), 80, NOW) is None


def test_a_table_ends_somewhere_and_says_so() -> None:
    """200 rows, and how many more."""
    plan = make_plan(snapshot(*(webapp(f"w{n:04}") for n in range(1234))))
    lines = lines_of(plan_table(plan, 120, NOW), 120)
    assert "and 1,034 more rows" in lines[-1]


@pytest.mark.parametrize(
    ("time", "shown"),
    [
        (None, "time unknown"),
        ("2026-01-01T11:03:00Z", "just now"),
        ("2026-01-01T11:02:30Z", "30 s ago"),
        ("2026-01-01T11:00:00Z", "3 min ago"),
        ("2026-01-01T09:00:00Z", "2 h ago"),
        ("2025-12-25T11:00:00Z", "7 d ago"),
        ("2027-01-01T00:00:00Z", "just now"),
        ("yesterday", "yesterday"),
    ],
)
def test_the_time_of_a_drift_is_said_as_an_age(time: str | None, shown: str) -> None:
    """A clock that is ahead of ours, and what is no time, are no reason to fail."""
    change = FieldChange("image", "a", "b", Cause.LIVE_DRIFT, "x", time)
    plan = Plan((Change(webapp(), deployment(), Action.UPDATE, fields=(change,)),))
    assert column(lines_of(plan_table(plan, 120, NOW), 120), 3) == squeezed(f"x, {shown}")
