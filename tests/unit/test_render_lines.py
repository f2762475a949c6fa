"""Plan and Report → plain lines for pipes."""

from __future__ import annotations

import pytest

from tests.builders import EARLIER, deployment, snapshot, webapp
from tests.rendered import HOSTILE, hostile_plan, hostile_report, report_lines, report_wide_lines
from webappctl.core.diff import Cause, FieldChange
from webappctl.core.plan import Action, Answer, Change, Effect, Hold, Obstacle, Plan, Verdict, make_plan
from webappctl.core.report import Outcome, Report, Result
from webappctl.core.takeover import Takeover
from webappctl.render import plan_lines, plan_wide_lines

HOLD = Hold(7, 3, "web", 2, 9)
IMAGE = FieldChange("image", "old", "new", Cause.LIVE_DRIFT, "kubectl", EARLIER)


def cells(change: Change, *, wide: bool = False) -> list[list[str]]:
    lines = plan_wide_lines if wide else plan_lines
    return [line.split("\t") for line in lines(Plan((change,)))]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_line_has_seven_columns_and_a_wide_one_eleven(text: str) -> None:
    """Whatever is in them: tabs and line breaks of the cluster are escaped."""
    plan, report = hostile_plan(text), hostile_report(text)
    lines, wide = [*plan_lines(plan), *report_lines(report)], [*plan_wide_lines(plan), *report_wide_lines(report)]
    assert ({line.count("\t") for line in lines}, {line.count("\t") for line in wide}) == ({6}, {10})


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_wide_line_begins_with_the_seven_columns_of_the_other(text: str) -> None:
    """So that what reads the one can read the other."""
    plan, report = hostile_plan(text), hostile_report(text)
    wide = [*plan_wide_lines(plan), *report_wide_lines(report)]
    assert ["\t".join(line.split("\t")[:7]) for line in wide] == [*plan_lines(plan), *report_lines(report)]


def test_the_lines_of_a_plan() -> None:
    """WebApp, action, field, actual, desired, cause, effect."""
    world = snapshot(webapp("a"), webapp("b"), deployment(webapp("b"), image="old", replicas=1), webapp("c", port=0))
    assert [line.split("\t") for line in plan_lines(make_plan(world))] == [
        ["shop/a", "create", "", "", "3 replicas of nginx:1.25, port 80", "missing", "starts 3 pods"],
        ["shop/b", "update", "image", "old", "nginx:1.25", "spec-changed", "restarts 1 pod, scales 1 → 3"],
        ["shop/b", "update", "replicas", "1", "3", "spec-changed", "restarts 1 pod, scales 1 → 3"],
        [
            "shop/c",
            "blocked",
            "",
            "",
            "",
            "invalid-spec",
            "spec.port is 0, it must be from 1 to 65535 (correct the WebApp)",
        ],
    ]


def test_the_lines_of_a_report_say_what_happened() -> None:
    """Unchanged is not said."""
    create, same = Change(webapp("a"), None, Action.CREATE), Change(webapp("b"), deployment(), Action.NONE)
    refused = Result(create, Outcome.BLOCKED, obstacle=Obstacle.DENIED, message="quota", remedy="ask")
    report = Report((Result(create, Outcome.CREATED), Result(same, Outcome.UNCHANGED), refused))
    lines = [line.split("\t") for line in report_lines(report)]
    assert [line[:2] for line in lines] == [["shop/a", "created"], ["shop/a", "blocked"]]
    assert lines[1][5:] == ["denied", "quota (ask)"]


def test_a_line_cuts_nothing() -> None:
    """A name of 253 characters and a message of 10,000."""
    change = Change(webapp("n" * 253), None, Action.BLOCKED, message="m" * 10_000)
    (line,) = plan_lines(Plan((change,)))
    assert line.split("\t")[0] == "shop/" + "n" * 253
    assert line.endswith("m" * 10_000)


def test_held_replicas_are_a_line_that_does_nothing() -> None:
    """With what is there, what the WebApp says, and who has them."""
    held = Change(webapp(), deployment(), Action.HELD, held=HOLD)
    assert cells(held) == [
        ["shop/web", "held", "replicas", "7", "3", "autoscaler", "none, HPA web holds 2\N{EN DASH}9"]
    ]


def test_an_update_of_held_replicas_has_a_line_for_them() -> None:
    """Which is not called an update: they are not touched."""
    change = Change(webapp(), deployment(), Action.UPDATE, fields=(IMAGE,), held=HOLD)
    assert [line[1:3] for line in cells(change)] == [["update", "image"], ["held", "replicas"]]


def test_an_autoscaler_that_agrees_with_the_webapp_is_no_line() -> None:
    """There is nothing to wonder about."""
    change = Change(webapp(), deployment(), Action.UPDATE, fields=(IMAGE,), held=Hold(3, 3, "web", 2, 9))
    assert [line[1:3] for line in cells(change)] == [["update", "image"]]


def test_a_deletion_says_what_there_is() -> None:
    """Under the Deployment's own name: it has no WebApp."""
    change = Change(None, deployment(), Action.DELETE, effect=Effect(stops=3))
    expected = ["shop/web-deployment", "delete", "", "3 replicas of nginx:1.25", "", "orphan", "stops 3 pods"]
    assert cells(change) == [expected]


@pytest.mark.parametrize("action", [Action.PAUSED, Action.ORPHAN])
def test_a_row_that_does_nothing_has_a_text(action: Action) -> None:
    """Message and remedy, where others have their effect."""
    change = Change(None, deployment(), action, message="left alone", remedy="mend it")
    expected = ["shop/web-deployment", action.value, "", "", "", action.value, "left alone (mend it)"]
    assert cells(change) == [expected]


def test_what_falls_away_and_what_a_dry_run_said_follow_the_effect() -> None:
    """In each line of the row, so that each can stand alone."""
    change = Change(
        webapp(),
        deployment(),
        Action.ADOPT,
        fields=(IMAGE, IMAGE),
        effect=Effect(restarts=3),
        takeover=Takeover(("helm",), ("port 9090", "port 53/UDP")),
        verdict=Verdict(Answer.DENIED, "quota"),
    )
    said = "restarts 3 pods; taken over from helm; port 9090, port 53/UDP fall away; dry run denied: quota"
    assert [line[6] for line in cells(change)] == [said, said]


def test_a_wide_line_has_manager_time_holder_and_note() -> None:
    """After the seven columns; the note has what stays and what is beside the change."""
    field = FieldChange("port", None, 80, Cause.LIVE_DRIFT, "kubectl", EARLIER, "81 of kubectl")
    change = Change(webapp(), deployment(), Action.UPDATE, fields=(field,), held=HOLD, takeover=Takeover(("x",), ()))
    (first, _) = cells(change, wide=True)
    assert first[7:] == ["kubectl", EARLIER, "HPA web holds 2\N{EN DASH}9", "81 of kubectl stays; taken over from x"]


def test_a_wide_line_of_a_blocked_row_has_its_remedy_for_a_note() -> None:
    """By itself, for a column that can be read on."""
    change = Change(webapp(), None, Action.BLOCKED, obstacle=Obstacle.UNOWNED, message="m", remedy="r")
    assert cells(change, wide=True)[0][6:] == ["m (r)", "", "", "", "r"]


def test_what_was_done_forgets_what_was_said_before_it() -> None:
    """The verdict of a dry run, and that replicas are held."""
    verdict = Verdict(Answer.DENIED, "quota")
    change = Change(webapp(), deployment(), Action.UPDATE, fields=(IMAGE,), held=HOLD, verdict=verdict)
    (line,) = report_lines(Report((Result(change, Outcome.CONFIGURED),)))
    assert line.split("\t")[1:] == ["configured", "image", "old", "new", "live-drift", "metadata only"]
