"""Plan and Report → a table that cuts nothing."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from tests.builders import EARLIER, applied_entry, deployment, entry, managed, snapshot, webapp
from tests.rendered import NOW, column, lines_of, squeezed
from webappctl.core.diff import Cause, FieldChange
from webappctl.core.plan import Action, Answer, Change, Effect, Hold, Obstacle, Plan, Verdict, make_plan
from webappctl.core.report import Outcome, Report, Result
from webappctl.core.takeover import Takeover
from webappctl.render import plan_table, problem_table

WIDTHS = (50, 80, 120, 200)
IMAGE = FieldChange("image", "old", "new", Cause.SPEC_CHANGED)
DASH = "\N{EN DASH}"


def shown(*changes: Change, width: int = 200) -> list[list[str]]:
    """The cells of each line of the table, at a width where nothing folds."""
    lines = lines_of(plan_table(Plan(changes), width, NOW), width)
    starts = [lines[0].index(header) for header in ("WebApp", "Change", "Why", "Effect")]
    return [[line[a:b].strip() for a, b in pairwise([0, *starts, width])] for line in lines[2:]]


def update(**facts: Any) -> Change:
    return Change(webapp(), deployment(), Action.UPDATE, fields=(IMAGE,), **facts)


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


def test_who_scaled_by_hand_is_said_so() -> None:
    """The API server keeps no time of it."""
    field = FieldChange("replicas", 2, 3, Cause.LIVE_DRIFT, "kubectl")
    (row,) = shown(Change(webapp(), deployment(), Action.UPDATE, fields=(field,), effect=Effect(scales=(2, 3))))
    assert row[2:] == ["replicas  2 → 3", "scaled by kubectl, time unknown", "scales 2 → 3"]


@pytest.mark.parametrize(
    ("hold", "holder"),
    [(Hold(7, 3, "search", 2, 9), f"HPA search holds 2{DASH}9"), (Hold(7, 3), "held by an autoscaler")],
)
def test_held_replicas_are_shown_with_who_holds_them(hold: Hold, holder: str) -> None:
    """And what the WebApp would have them be."""
    (row,) = shown(Change(webapp(), deployment(), Action.HELD, held=hold))
    assert row == ["=", "shop/web", "replicas  7 (spec: 3)", holder, "none"]


def test_an_update_of_held_replicas_ends_with_them() -> None:
    """They are not changed by it."""
    assert shown(update(held=Hold(7, 3)))[1] == ["", "", "replicas  7 (spec: 3)", "held by an autoscaler", "none"]
    assert len(shown(update(held=Hold(3, 3)))) == 1


def test_a_paused_rollout_is_shown_with_the_way_out() -> None:
    """As the plan says it."""
    change = Change(webapp(), deployment(), Action.PAUSED, message="paused by x", remedy="kubectl rollout resume")
    assert shown(change) == [["‖", "shop/web", "paused by x", "paused", "kubectl rollout resume"]]


def test_a_deletion_and_an_orphan_are_under_their_own_names() -> None:
    """There is no WebApp any more."""
    delete = Change(None, deployment(), Action.DELETE, effect=Effect(stops=3))
    orphan = Change(None, deployment(), Action.ORPHAN, message="gone", remedy="deleted by --prune")
    assert shown(delete, orphan) == [
        ["-", "shop/web-deployment", "delete, 3 pods of it", "orphan", "stops 3 pods"],
        ["?", "shop/web-deployment", "orphan, left alone", "gone", "deleted by --prune"],
    ]


def test_an_adoption_shows_what_is_taken_over() -> None:
    """From whom, and what falls away by it."""
    field = FieldChange("image", "old", "new", Cause.ADOPT, "kubectl-create", EARLIER)
    takeover = Takeover(("helm", "kubectl-create"), ("port 9090",))
    adopt = Change(webapp(), deployment(), Action.ADOPT, fields=(field,), takeover=takeover)
    assert [row[:4] for row in shown(adopt)] == [
        [">", "shop/web", "image  old → new", "adopt"],
        ["", "", "taken over from helm, kubectl-create; port 9090 falls away", ""],
    ]


@pytest.mark.parametrize(
    ("effect", "said"),
    [
        (Effect(), "metadata only"),
        (Effect(restarts=3, template=True), "restarts 3 pods"),
        (Effect(restarts=3, template=True, deferred=True), "restarts 3 pods once resumed"),
        (Effect(template=True), "no pod to restart"),
        (Effect(template=True, scales=(0, 3)), "no pod to restart, scales 0 → 3"),
        (Effect(restarts=1, scales=(1, 3), template=True), "restarts 1 pod, scales 1 → 3"),
    ],
)
def test_an_effect_is_what_happens_to_pods(effect: Effect, said: str) -> None:
    """None of them, where only metadata change."""
    assert shown(update(effect=effect))[0][4] == said


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        (Verdict(Answer.ACCEPTED), []),
        (Verdict(Answer.ALTERED, "would change image to x"), ["dry run: would change image to x"]),
        (Verdict(Answer.DENIED, "quota"), ["dry run denied: quota"]),
        (Verdict(Answer.NOT_CHECKED, "forbidden"), ["not checked: forbidden"]),
    ],
)
def test_the_verdict_of_a_dry_run_is_under_its_row(verdict: Verdict, said: list[str]) -> None:
    """But for the one that is expected."""
    assert [row[2] for row in shown(update(verdict=verdict))[1:]] == said


def test_rows_that_count_for_nothing_push_out_none_that_do() -> None:
    """They are left out first, and the others stay in their order."""
    held = [Change(webapp(f"a{n:03}"), deployment(), Action.HELD, held=Hold(7, 3)) for n in range(150)]
    blocked = [Change(webapp(f"b{n:03}"), None, Action.BLOCKED, obstacle=Obstacle.UNOWNED) for n in range(100)]
    rows = shown(*held, *blocked)
    names = [row[1] for row in rows[:-1]]
    assert names == [f"shop/a{n:03}" for n in range(100)] + [f"shop/b{n:03}" for n in range(100)]
    assert rows[-1][2].startswith("and 50 more rows")


@pytest.mark.parametrize("outcome", [Outcome.DELETED, Outcome.ORPHAN, Outcome.ADOPTED, Outcome.UNCHANGED])
def test_what_went_as_planned_is_no_problem(outcome: Outcome) -> None:
    """Even where it has a message."""
    report = Report((Result(Change(None, deployment(), Action.ORPHAN), outcome, message="as planned"),))
    assert problem_table(report, 80) is None


@pytest.mark.parametrize("width", [80, 100, 120])
def test_the_change_has_most_of_a_table_that_folds(width: int) -> None:
    """It has images and messages in it."""
    name, text = "a-name-of-25-characters--", "word " * 60
    change = Change(webapp(name), None, Action.BLOCKED, obstacle=Obstacle.UNOWNED, message=text, remedy=text)
    header = lines_of(plan_table(Plan((change,)), width, NOW), width)[0]
    starts = [header.index(title) for title in ("WebApp", "Change", "Why", "Effect")]
    assert starts[2] - starts[1] > (width - starts[1]) * 0.39
