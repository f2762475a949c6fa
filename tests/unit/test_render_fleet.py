"""Plan and Report → what the live view has of them."""

from __future__ import annotations

import pytest

from tests.builders import EARLIER, condition, deployment, rolled_out, webapp
from tests.rendered import NOW
from webappctl.core.diff import Cause, FieldChange
from webappctl.core.objects import Deployment
from webappctl.core.plan import Action, Change, Effect, Hold, Obstacle, Plan
from webappctl.core.report import Outcome, Report, Result
from webappctl.render.fleet import Fleet, done_counts, happened, planned_fleet, reported_fleet

WEB, LIVE = webapp(), deployment()
PAUSED = Change(WEB, LIVE, Action.PAUSED, message="its rollout is paused", remedy="kubectl rollout resume")
DRIFT = FieldChange("image", "old", "new", Cause.LIVE_DRIFT, "kubectl-edit", EARLIER)
SPEC = FieldChange("replicas", 2, 3, Cause.SPEC_CHANGED)


def counted(fleet: Fleet) -> dict[str, int]:
    return {count.state: count.number for count in fleet.counts}


def unchanged(live: Deployment = LIVE, action: Action = Action.NONE) -> Result:
    return Result(Change(WEB, live, action), Outcome.UNCHANGED, live)


def test_a_fleet_is_counted_by_what_became_of_it() -> None:
    """One that is as it should be is ready or is not; what has gone counts no more."""
    blocked, gone = Change(WEB, None, Action.BLOCKED), Change(None, LIVE, Action.DELETE)
    rolling = unchanged(deployment(status=rolled_out(2)))
    report = Report((unchanged(), rolling, Result(blocked, Outcome.BLOCKED), Result(gone, Outcome.DELETED)))
    assert counted(reported_fleet(report)) == {"ready": 1, "not ready": 1, "blocked": 1}


def test_held_and_paused_are_counted_beside_it() -> None:
    """Their Deployment is as it should be, ready or not."""
    report = Report((unchanged(action=Action.HELD), Result(PAUSED, Outcome.UNCHANGED, deployment(paused=True))))
    assert counted(reported_fleet(report)) == {"ready": 1, "not ready": 1, "paused": 1, "held": 1}


def test_a_paused_webapp_is_counted_once() -> None:
    """Whether its Deployment is as it should be is not for anybody to know."""
    assert counted(reported_fleet(Report((Result(PAUSED, Outcome.PAUSED, LIVE),)))) == {"paused": 1}


def test_a_planned_fleet_is_counted_by_what_is_to_be_done() -> None:
    """Of rollouts nothing is known."""
    actions = (Action.NONE, Action.NONE, Action.HELD, Action.CREATE, Action.UPDATE, Action.BLOCKED)
    plan = Plan(tuple(Change(WEB, LIVE, action, held=Hold(7, 3)) for action in actions))
    counts = {"in order": 3, "to create": 1, "to update": 1, "blocked": 1, "held": 1}
    assert counted(planned_fleet(plan, NOW)) == counts


@pytest.mark.parametrize("outcome", [found for found in Outcome if found not in (Outcome.DELETED, Outcome.GONE)])
def test_nobody_is_left_out_of_the_counts(outcome: Outcome) -> None:
    """Whatever became of it; what has gone is no longer of the fleet."""
    report = Report((Result(Change(WEB, LIVE, Action.NONE), outcome, LIVE),))
    assert sum(counted(reported_fleet(report)).values()) == 1


@pytest.mark.parametrize("action", [found for found in Action if found is not Action.HELD])
def test_nobody_is_left_out_of_the_counts_of_a_plan(action: Action) -> None:
    """Whatever is to be done; what is held is also in order."""
    assert sum(counted(planned_fleet(Plan((Change(WEB, LIVE, action),)), NOW)).values()) == 1


def test_what_is_ready_has_no_row() -> None:
    """Nor has what was just brought there, or is held."""
    update = Result(Change(WEB, LIVE, Action.UPDATE, fields=(DRIFT,)), Outcome.CONFIGURED, LIVE, tried=True)
    assert reported_fleet(Report((unchanged(), unchanged(action=Action.HELD), update))).rows == ()


@pytest.mark.parametrize("outcome", [Outcome.BLOCKED, Outcome.FAILED, Outcome.WITHHELD, Outcome.WAITING, Outcome.STALE])
def test_what_is_not_in_order_has_a_row(outcome: Outcome) -> None:
    """With the reason, and what to do about it."""
    result = Result(Change(WEB, LIVE, Action.UPDATE), outcome, message="it is so", remedy="do that")
    (row,) = reported_fleet(Report((result,))).rows
    assert (row.name, row.cells) == ("shop/web", ("it is so", outcome.value, "do that"))


def test_a_rollout_has_a_row_until_it_is_done() -> None:
    """It says how far it is."""
    (row,) = reported_fleet(Report((unchanged(deployment(status=rolled_out(2))),))).rows
    assert (row.action, row.cells) == (Action.WAITING, ("2 of 3 replicas are updated", "not ready", ""))


def test_a_rollout_that_stalls_says_that_it_does() -> None:
    """It is as urgent as what is blocked."""
    failure = condition("ReplicaFailure", message="exceeded quota")
    live = deployment(status=rolled_out(2, conditions=(failure,)))
    (row,) = reported_fleet(Report((unchanged(live),))).rows
    assert (row.action, row.cells[0]) == (Action.BLOCKED, "ReplicaFailure: exceeded quota")


def test_what_is_paused_says_what_would_end_that() -> None:
    """It is in order, so it is the last."""
    paused = Result(PAUSED, Outcome.UNCHANGED, deployment(paused=True), message=PAUSED.message, remedy=PAUSED.remedy)
    (row,) = reported_fleet(Report((paused,))).rows
    assert (row.action, row.cells) == (Action.PAUSED, ("its rollout is paused", "paused", "kubectl rollout resume"))


def test_what_is_planned_is_one_row_for_each_webapp() -> None:
    """All its fields in it."""
    change = Change(WEB, LIVE, Action.UPDATE, fields=(DRIFT, SPEC), effect=Effect(restarts=3, template=True))
    (row,) = planned_fleet(Plan((change,)), NOW).rows
    whys = "kubectl-edit, 3 min ago; spec changed"
    assert row.cells == ("image  old → new; replicas  2 → 3", whys, "restarts 3 pods")


def test_rows_have_an_end() -> None:
    """The rest is counted, and what is for nothing is left out first."""
    orphans = [Result(Change(None, LIVE, Action.ORPHAN), Outcome.ORPHAN) for _ in range(150)]
    blocked = [Result(Change(WEB, None, Action.BLOCKED, obstacle=Obstacle.UNOWNED), Outcome.BLOCKED)] * 150
    fleet = reported_fleet(Report((*orphans, *blocked)))
    assert [row.action for row in fleet.rows] == [Action.BLOCKED] * 150 + [Action.ORPHAN] * 50
    assert fleet.more == 100


@pytest.mark.parametrize(
    ("change", "outcome", "cells"),
    [
        (Change(WEB, None, Action.CREATE), Outcome.CREATED, ("3 replicas of nginx:1.25, port 80", "missing")),
        (Change(None, LIVE, Action.DELETE, effect=Effect(stops=3)), Outcome.DELETED, ("stops 3 pods", "orphan")),
        (
            Change(WEB, LIVE, Action.UPDATE, fields=(DRIFT, SPEC)),
            Outcome.CONFIGURED,
            ("image  old → new; replicas  2 → 3", "kubectl-edit; spec changed"),
        ),
    ],
)
def test_a_change_says_what_was_written_and_why(change: Change, outcome: Outcome, cells: tuple[str, str]) -> None:
    """Not how long ago somebody did what it was about: that is not true for long."""
    (done,) = happened(Report((Result(change, outcome, tried=True),)), NOW)
    assert (done.time, done.row.cells) == (NOW, (outcome.value, *cells))


def test_a_pass_that_did_nothing_is_no_change() -> None:
    """Whatever is wrong."""
    report = Report(
        (
            unchanged(),
            *(Result(Change(WEB, None, Action.BLOCKED), outcome) for outcome in (Outcome.BLOCKED, Outcome.FAILED)),
        )
    )
    assert happened(report, NOW) == ()


def test_what_was_tried_is_counted() -> None:
    """The other rows are counted with the fleet."""
    outcomes = (Outcome.UNCHANGED, Outcome.CREATED, Outcome.CREATED, Outcome.FAILED, Outcome.BLOCKED)
    results = tuple(Result(Change(WEB, LIVE, Action.UPDATE), outcome) for outcome in outcomes)
    assert done_counts(Report(results)) == "2 created, 1 failed"
    assert done_counts(Report(results[:1])) == "nothing to do"
