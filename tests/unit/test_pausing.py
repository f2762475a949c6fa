"""Passes over WebApps that are paused, on the double."""

from __future__ import annotations

import pytest

from tests.builders import NOW, deployment, paused, snapshot, webapp
from tests.double import World, key
from tests.double.fields import Obj
from webappctl.cluster.requests import DEPLOYMENTS, WEBAPPS
from webappctl.core.objects import deployment_key
from webappctl.core.plan import PAUSED_ANNOTATION, UNTIL_ANNOTATION, Action, Pause, Plan, Policy, make_plan
from webappctl.core.report import ExitCode, Outcome, exit_code

WEB = key("web")
READY = ("True", "DeploymentReady", "All replicas are updated and available")


def _annotate(world: World, **values: str | None) -> None:
    annotations = {PAUSED_ANNOTATION: values.get("paused", "moving"), UNTIL_ANNOTATION: values.get("until")}
    world.others.patch(WEBAPPS, WEB, {"metadata": {"annotations": annotations}}, manager="kubectl-annotate")


def _conditions(world: World) -> dict[str, tuple[str, str, str]]:
    conditions: list[Obj] = world.others.webapp(WEB).get("status", {}).get("conditions", [])
    return {c["type"]: (c["status"], c["reason"], c["message"]) for c in conditions}


@pytest.fixture
def drifted(world: World) -> World:
    """`web` is there and paused, and somebody has scaled it."""
    world.declare("web")
    world.settle()
    _annotate(world)
    world.others.scale(WEB, 5)
    return world


def test_drift_of_a_paused_one_stays(drifted: World) -> None:
    (result,) = drifted.reconcile().results
    assert (result.outcome, drifted.sent["patch deployments"]) == (Outcome.PAUSED, 0)
    assert drifted.others.deployment(WEB)["spec"]["replicas"] == 5


def test_the_status_of_a_paused_one_that_differs_is_not_ready_and_not_stalled(drifted: World) -> None:
    drifted.others.roll_out()
    drifted.reconcile()
    found = _conditions(drifted)
    assert found["Paused"] == ("True", "PausedByAnnotation", "paused: moving")
    assert (found["Available"][0], found["Ready"][:2]) == ("True", ("False", "Paused"))
    assert found.keys() == {"Available", "Ready", "Paused"}


def test_a_paused_one_that_is_in_order_is_ready(world: World) -> None:
    world.declare("web")
    world.settle()
    _annotate(world)
    world.reconcile()
    assert _conditions(world)["Ready"] == READY
    assert "Paused" in _conditions(world)


def test_a_second_pass_over_a_paused_one_writes_nothing(drifted: World) -> None:
    drifted.reconcile()
    assert exit_code(drifted.reconcile()) is ExitCode.OK
    assert drifted.writes == []


def test_a_paused_one_that_is_new_gets_no_deployment(world: World) -> None:
    world.declare("web")
    _annotate(world)
    assert exit_code(world.reconcile()) is ExitCode.OK
    assert world.others.deployments() == []
    assert _conditions(world)["Ready"][:2] == ("False", "Paused")


def test_a_deployment_of_a_paused_one_is_not_created_again(drifted: World) -> None:
    drifted.others.delete(DEPLOYMENTS, deployment_key(WEB))
    drifted.reconcile()
    assert drifted.others.deployments() == []


def test_one_that_is_not_paused_any_more_is_put_right(drifted: World) -> None:
    """And its condition goes."""
    drifted.reconcile()
    _annotate(drifted, paused=None)
    assert drifted.reconcile().count(Outcome.CONFIGURED) == 1
    drifted.others.roll_out()
    drifted.reconcile()
    assert _conditions(drifted).keys() == {"Available", "Ready"}


@pytest.mark.parametrize(
    ("until", "outcome"), [("2026-01-01T12:00:01Z", Outcome.PAUSED), ("2026-01-01T12:00:00Z", Outcome.CONFIGURED)]
)
def test_a_pause_ends_by_itself(drifted: World, until: str, outcome: Outcome) -> None:
    _annotate(drifted, until=until)
    assert drifted.reconcile().results[0].outcome is outcome


def test_a_pause_and_its_end_are_told_once_each(drifted: World) -> None:
    for _ in range(3):
        drifted.reconcile()
    _annotate(drifted, paused=None)
    for _ in range(3):
        drifted.reconcile()
    told = {event["reason"]: event["count"] for event in drifted.others.events("shop")}
    assert (told["Paused"], told["Resumed"]) == (1, 1)


def _planned_before_it_was_paused(drifted: World, **values: str | None) -> Plan:
    """And somebody wrote to the Deployment meanwhile."""
    _annotate(drifted, paused=None)
    plan = drifted.plan()
    _annotate(drifted, **values)
    drifted.others.edit(WEB, lambda live: live["metadata"]["labels"].update(team="a"))
    return plan


def test_one_that_is_paused_by_the_time_it_is_planned_again_is_left_alone(drifted: World) -> None:
    (result,) = drifted.carry_out(_planned_before_it_was_paused(drifted)).results
    assert (result.outcome, result.change.action) == (Outcome.PAUSED, Action.PAUSED)


def test_a_pause_that_is_over_by_then_is_none(drifted: World) -> None:
    plan = _planned_before_it_was_paused(drifted, until="2026-01-01T11:00:00Z")
    assert drifted.carry_out(plan).results[0].outcome is Outcome.CONFIGURED


def test_one_that_a_person_agreed_to_and_that_is_paused_now_is_stale(drifted: World) -> None:
    """It was not done, so exit 0 would be a lie."""
    (result,) = drifted.carry_out(_planned_before_it_was_paused(drifted), replan=False).results
    assert result.outcome is Outcome.STALE


def test_one_that_vanished_and_is_paused_by_now_is_not_created(drifted: World) -> None:
    """Its WebApp is looked at anyway before it is."""
    _annotate(drifted, paused=None)
    drifted.others.delete(DEPLOYMENTS, deployment_key(WEB))
    plan = drifted.plan()
    _annotate(drifted)
    assert drifted.carry_out(plan).results[0].outcome is Outcome.PAUSED
    assert drifted.others.deployments() == []


def test_pruning_goes_on_beside_a_paused_one(drifted: World) -> None:
    drifted.declare("lost")
    drifted.settle()
    drifted.others.replace(
        DEPLOYMENTS, deployment_key(key("lost")), lambda live: live["metadata"].pop("ownerReferences")
    )
    drifted.others.delete(WEBAPPS, key("lost"))
    drifted.policy = Policy(prune=True)
    assert drifted.reconcile().count(Outcome.DELETED) == 1


def test_a_paused_one_that_is_blocked_is_stalled_and_says_that_it_is_paused(world: World) -> None:
    world.declare("web", port=70000)
    _annotate(world)
    assert exit_code(world.reconcile()) is ExitCode.UNFINISHED
    found = _conditions(world)
    assert (found["Stalled"][:2], found["Paused"][0]) == (("True", "Blocked"), "True")


def test_a_pause_that_only_a_file_has_shows_in_its_plan() -> None:
    """`plan -f`: as if it were applied."""
    declared = webapp(image="nginx:2", annotations=paused("moving"))
    (change,) = make_plan(snapshot(webapp(), deployment()).with_declared([declared]), now=NOW).changes
    assert (change.action, change.pause) == (Action.PAUSED, Pause("moving"))


def test_a_file_without_the_annotation_does_not_end_a_pause() -> None:
    """Nor does applying it: whoever annotated the WebApp is another."""
    stored, declared = webapp(annotations=paused("moving")), webapp(image="nginx:2")
    (change,) = make_plan(snapshot(stored, deployment()).with_declared([declared]), now=NOW).changes
    assert change.action is Action.PAUSED
