"""A field that others set again as often as it is put back is put back less and less often: passes on the double."""

from __future__ import annotations

import pytest

from tests.double import World, key
from tests.double.fields import Obj
from webappctl.cluster.requests import WEBAPPS
from webappctl.core.plan import PAUSED_ANNOTATION, Action, Budget, Limit, Obstacle, within
from webappctl.core.report import Outcome, Report, Result
from webappctl.watch.fights import Fights

WEB = key("web")
WORDS = "replicas was put back 3 times in 5 min, kubectl sets it again"


class Fight:
    """Passes at moments in seconds, before each of which somebody may set what we put back."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.fights = Fights()

    def at(self, now: float) -> Report:
        report = self.world.carry_out(self.fights.hold_back(self.world.plan(), now))
        self.fights.learn(report, now)
        return report

    def web(self, now: float) -> Result:
        return next(result for result in self.at(now).results if result.key == WEB)

    def scaled(self, now: float, manager: str = "kubectl") -> Result:
        """A pass after a write of that manager."""
        self.world.others.scale(WEB, 7, manager)
        return self.web(now)

    def contested(self, first: float = 0.0) -> Fight:
        """Three times at that moment, and seconds after it."""
        for now in (first, first + 1, first + 2):
            assert self.scaled(now).outcome is Outcome.CONFIGURED
        return self

    def times(self, start: int, end: int, step: int = 10) -> list[int]:
        """When passes put it back, with somebody who sets it again before each."""
        return [now for now in range(start, end, step) if self.scaled(now).outcome is Outcome.CONFIGURED]

    def condition(self, kind: str = "Contested") -> Obj | None:
        conditions: list[Obj] = self.world.others.webapp(WEB)["status"]["conditions"]
        return next((condition for condition in conditions if condition["type"] == kind), None)


@pytest.fixture
def fight(world: World) -> Fight:
    world.declare("web")
    world.settle()
    return Fight(world)


def test_what_was_put_back_three_times_waits_longer_each_time(fight: Fight) -> None:
    """30 s, 1 min, 2 min, 4 min, 5 min, 5 min; on from the last of the three."""
    assert fight.times(0, 1400) == [0, 10, 20, 50, 110, 230, 470, 770, 1070, 1370]


def test_three_times_in_more_than_five_minutes_are_no_fight(fight: Fight) -> None:
    assert fight.times(0, 1510, 151) == list(range(0, 1510, 151))


def test_three_times_in_five_minutes_are_one(fight: Fight) -> None:
    assert [fight.scaled(now).outcome for now in (0, 150, 300)] == [Outcome.CONFIGURED] * 3
    assert fight.scaled(301).outcome is Outcome.BLOCKED


def test_while_it_waits_the_row_is_blocked_and_says_who_it_is(fight: Fight) -> None:
    result = fight.contested().scaled(3)
    assert (result.obstacle, result.tried, result.message) == (Obstacle.CONTESTED, False, WORDS)
    assert "annotate webapp web apps.example.com/paused=REASON" in result.remedy
    assert fight.world.others.deployment(WEB)["spec"]["replicas"] == 7


def test_the_other_is_named_by_the_last_write(fight: Fight) -> None:
    assert "keda sets it again" in fight.contested().scaled(3, "keda").message


def test_a_writer_that_nobody_knows_is_called_that(fight: Fight) -> None:
    said = ""
    for now in range(4):
        fight.world.others.edit(WEB, lambda live: live["metadata"]["labels"].pop("app"))
        said = fight.web(now).message
    assert said == "labels.app was put back 3 times in 5 min, an unknown writer sets it again"


def test_every_field_that_is_fought_over_is_named(fight: Fight) -> None:
    said = ""
    for now in range(4):
        fight.world.others.edit(WEB, lambda live: live["metadata"]["labels"].update(app="x"))
        said = fight.scaled(now).message
    assert [part.partition(" ")[0] for part in said.split("; ")] == ["labels.app", "replicas"]


def test_the_pass_after_the_third_time_says_it_already(fight: Fight) -> None:
    """Though all is in order just then."""
    fight.contested()
    assert fight.condition() is None
    assert fight.web(3).outcome is Outcome.UNCHANGED
    found = fight.condition() or {}
    assert (found["status"], found["reason"], found["message"]) == ("True", "FieldContested", WORDS)
    assert fight.condition("Stalled") is None


def test_it_is_told_once(fight: Fight) -> None:
    """However long it goes on."""
    fight.times(0, 400)
    events = [event for event in fight.world.others.events("shop") if event["type"] == "Warning"]
    assert [(event["reason"], event["message"], event["count"]) for event in events] == [("Contested", WORDS, 1)]


def test_it_stays_contested_while_it_is_put_back(fight: Fight) -> None:
    fight.contested().scaled(3)
    before = fight.condition()
    assert fight.scaled(40).outcome is Outcome.CONFIGURED
    assert fight.condition() == before


def test_a_pass_that_waits_writes_nothing_when_all_is_told(fight: Fight) -> None:
    fight.contested().scaled(3)
    fight.world.others.roll_out()
    fight.at(4)
    fight.at(5)
    assert fight.world.writes == []


def test_five_minutes_of_peace_end_it(fight: Fight) -> None:
    """Since it was put back, or found changed, last."""
    fight.contested().scaled(20)
    fight.world.others.scale(WEB, 3)
    fight.at(319)
    assert fight.condition() is not None
    fight.at(320)
    assert fight.condition() is None
    assert fight.times(330, 400) == [330, 340, 350, 380]


def test_another_spec_is_written_at_once_and_the_fight_is_not_forgotten(fight: Fight) -> None:
    fight.contested().scaled(3)
    fight.world.others.respecify(WEB, replicas=4)
    assert fight.web(4).outcome is Outcome.CONFIGURED
    assert fight.world.others.deployment(WEB)["spec"]["replicas"] == 4
    assert fight.scaled(5).obstacle is Obstacle.CONTESTED


def test_another_field_is_put_back_at_once(fight: Fight) -> None:
    """As long as the contested one is as it should be."""
    fight.contested()
    fight.world.others.edit(WEB, lambda live: live["metadata"]["labels"].update(app="x"))
    assert fight.web(3).outcome is Outcome.CONFIGURED


def test_other_rows_do_not_wait(fight: Fight) -> None:
    fight.contested()
    fight.world.declare("late")
    fight.world.others.scale(WEB, 7)
    outcomes = {result.key.name: result.outcome for result in fight.at(3).results}
    assert outcomes == {"web": Outcome.BLOCKED, "late": Outcome.CREATED}


def test_a_change_of_the_webapp_is_no_fight(fight: Fight) -> None:
    """However often its developers change their minds."""
    for replicas in range(4, 10):
        fight.world.others.respecify(WEB, replicas=replicas)
        assert fight.web(replicas).outcome is Outcome.CONFIGURED


def test_a_write_that_failed_has_put_nothing_back(fight: Fight) -> None:
    fight.world.double.denied = {("patch", "deployments.apps")}
    for now in range(5):
        fight.scaled(now)
    fight.world.double.denied = set()
    assert fight.times(10, 40, 1)[:3] == [10, 11, 12]


def test_a_webapp_that_was_created_again_begins_anew(fight: Fight) -> None:
    fight.contested()
    fight.world.others.delete(WEBAPPS, WEB)
    fight.world.others.collect_garbage()
    fight.world.declare("web")
    fight.at(3)
    assert fight.scaled(4).outcome is Outcome.CONFIGURED


def test_a_pause_is_a_way_out(fight: Fight) -> None:
    """The other has what he wants, so there is peace after five minutes."""
    fight.contested()
    annotations = {"metadata": {"annotations": {PAUSED_ANNOTATION: "let it be"}}}
    fight.world.others.patch(WEBAPPS, WEB, annotations, manager="kubectl-annotate")
    assert fight.scaled(3).outcome is Outcome.PAUSED
    assert fight.condition() is not None
    fight.scaled(302)
    assert fight.condition() is None


def test_what_moves_between_the_plan_and_the_write_is_still_contested(fight: Fight) -> None:
    """Its row is planned again then."""
    fight.contested().scaled(3)
    plan = fight.fights.hold_back(fight.world.plan(), 40)
    fight.world.others.edit(WEB, lambda live: live["metadata"]["labels"].update(team="a"))
    (result,) = fight.world.carry_out(plan).results
    assert (result.outcome, result.change.contested) == (Outcome.CONFIGURED, WORDS)


def test_the_plan_is_untouched_where_nobody_fights(fight: Fight) -> None:
    fight.scaled(0)
    fight.world.others.scale(WEB, 7)
    plan = fight.world.plan()
    assert fight.fights.hold_back(plan, 1) is plan


def test_a_row_that_waits_is_not_pending(fight: Fight) -> None:
    """So it counts for no budget."""
    fight.contested()
    fight.world.others.scale(WEB, 7)
    (change,) = fight.fights.hold_back(fight.world.plan(), 3).changes
    assert (change.action, change.fields) == (Action.BLOCKED, ())


def test_what_a_guard_withholds_is_still_contested(fight: Fight) -> None:
    fight.contested()
    fight.world.others.edit(WEB, lambda live: live["metadata"]["labels"].update(app="x"))
    due = fight.fights.hold_back(fight.world.plan(), 3)
    (change,) = within(due, Budget(changes=Limit(0))).changes
    assert (change.obstacle, change.contested) == (Obstacle.CHANGE_BUDGET, WORDS)
