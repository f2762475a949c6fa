"""Plan and Report → plain lines for pipes."""

from __future__ import annotations

from tests.builders import deployment, snapshot, webapp
from tests.rendered import HOSTILE, hostile_plan, hostile_report, report_lines
from webappctl.core.plan import Action, Change, Obstacle, Plan, make_plan
from webappctl.core.report import Outcome, Report, Result
from webappctl.render import plan_lines


def test_a_line_has_seven_columns() -> None:
    """Whatever is in them: tabs and line breaks of the cluster are escaped."""
    for text in HOSTILE.values():
        lines = [*plan_lines(hostile_plan(text)), *report_lines(hostile_report(text))]
        assert {line.count("\t") for line in lines} == {6}


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
    refused = Result(create, Outcome.BLOCKED, obstacle=Obstacle.REFUSED, message="quota", remedy="ask")
    report = Report((Result(create, Outcome.CREATED), Result(same, Outcome.UNCHANGED), refused))
    lines = [line.split("\t") for line in report_lines(report)]
    assert [line[:2] for line in lines] == [["shop/a", "created"], ["shop/a", "blocked"]]
    assert lines[1][5:] == ["refused", "quota (ask)"]


def test_a_line_cuts_nothing() -> None:
    """A name of 253 characters and a message of 10,000."""
    change = Change(webapp("n" * 253), None, Action.BLOCKED, message="m" * 10_000)
    (line,) = plan_lines(Plan((change,)))
    assert line.split("\t")[0] == "shop/" + "n" * 253
    assert line.endswith("m" * 10_000)
