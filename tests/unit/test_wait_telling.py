"""What a wait says and writes, on the double: lines, reasons of pods, statuses."""

from __future__ import annotations

import re

import pytest

from tests.double import World, answers, key
from tests.double.kinds import POD
from tests.patience import Awaiting, condition, reported, rolled_out
from webappctl.cluster.wire import Answer
from webappctl.core.report import Report
from webappctl.errors import Unreachable

WEB = key("web")
NO_PROGRESS = condition("Progressing", "False", reason="ProgressDeadlineExceeded", message="has timed out")
STUCK = reported(replicas=1, conditions=NO_PROGRESS)


def _conditions(world: World) -> dict[str, tuple[str, str]]:
    conditions = world.others.webapp(WEB)["status"]["conditions"]
    return {condition["type"]: (condition["status"], condition["reason"]) for condition in conditions}


def _text(report: Report) -> str:
    (result,) = report.not_ready
    assert result.readiness is not None
    return result.readiness.text


def _cannot_pull(world: World, *pods: str) -> None:
    """`pods`: their names."""
    waiting = {"reason": "ImagePullBackOff", "message": 'Back-off pulling image "x"'}
    container = {"name": "app", "ready": False, "restartCount": 0, "state": {"waiting": waiting}}
    for pod in pods:
        world.others.start_pod(WEB, pod, phase="Pending", containerStatuses=[container])


def _stuck_with_pods(world: World) -> None:
    STUCK(world)
    _cannot_pull(world, "web-1", "web-2")


def _lost(_: object) -> Answer:
    raise Unreachable("no answer from https://double.test within 5 s")


def test_the_status_is_current_when_it_ends(world: World) -> None:
    """Written once, after the last look."""
    world.declare("web")
    Awaiting(world, None, reported(updatedReplicas=1), rolled_out).apply()
    assert _conditions(world) == {"Available": ("True", "DeploymentReady"), "Ready": ("True", "DeploymentReady")}
    assert world.writes == ["patch webapps/status web"]


def test_no_event_says_it_twice(world: World) -> None:
    """The write has been told already."""
    world.declare("web")
    Awaiting(world, rolled_out).apply()
    (event,) = world.others.events("shop")
    assert event["count"] == 1


def test_a_failed_rollout_is_stalled_in_the_status(world: World) -> None:
    """In the words of the controller."""
    world.declare("web")
    Awaiting(world, STUCK).apply()
    assert _conditions(world)["Stalled"] == ("True", "ProgressDeadlineExceeded")


def test_the_status_of_a_newer_spec_is_left_to_the_pass_that_reconciles_it(world: World) -> None:
    """What this one did says nothing about it."""
    world.declare("web")
    Awaiting(world, lambda w: w.others.respecify(WEB, image="nginx:2"), rolled_out).apply()
    assert world.writes == []
    assert world.others.webapp(WEB)["status"]["observedGeneration"] == 1


def test_a_status_that_could_not_be_written_before_is_no_failure_when_it_is_now(world: World) -> None:
    """The Report is of how it is in the end."""
    world.declare("web")
    world.double.on("patch webapps/status", lambda _: Answer(500, {}, b"{}"), times=20)

    def mended(world: World) -> None:
        world.double.forget()
        world.others.roll_out()

    assert Awaiting(world, mended).apply().status_failures == ()


def test_it_says_how_far_it_is_when_that_changes_and_not_often(world: World) -> None:
    """The first line at once, and then at most one in five seconds."""
    world.declare("web")
    steps = [reported(updatedReplicas=nth % 3) for nth in range(20)]
    waiting = Awaiting(world, *steps, seconds=50)
    waiting.apply()
    assert waiting.said[0] == "waiting for 1 of 1: shop/web (The rollout has not begun yet)"
    assert re.fullmatch(r"waiting for 1 of 1: shop/web \([012] of 3 replicas are updated\)", waiting.said[1])
    assert 5 < len(waiting.said) <= 10


def test_what_does_not_change_is_said_once(world: World) -> None:
    """Nobody reads it again."""
    world.declare("web")
    waiting = Awaiting(world, seconds=60)
    waiting.apply()
    assert len(waiting.said) == 1


def test_many_are_counted_and_a_few_named(world: World) -> None:
    """A line stays a line."""
    world.declare(*"abcde")
    waiting = Awaiting(world, rolled_out)
    waiting.apply()
    assert waiting.said[0].startswith("waiting for 5 of 5: shop/a (")
    assert waiting.said[0].endswith(", and 2 more")


def test_a_look_that_fails_is_no_end_and_is_said_once(world: World) -> None:
    """The server was away for a while."""
    world.declare("web")
    waiting = Awaiting(world, lambda w: w.double.on("list", _lost, times=20), None, None, rolled_out)
    report = waiting.apply()
    assert report.not_ready == ()
    said = [line for line in waiting.said if "cannot see" in line]
    assert len(said) == 1
    assert "no answer from https://double.test within 5 s" in said[0]


def test_a_server_that_stays_away_ends_with_the_time_limit(world: World) -> None:
    """And the last that is known of each row is said."""
    world.declare("web")
    waiting = Awaiting(world, lambda w: w.double.on("", _lost, times=10_000), seconds=30)
    assert _text(waiting.apply()).startswith("TimedOut: The rollout has not begun yet; reason unknown: no answer")


def test_the_pods_say_why(world: World) -> None:
    """One of those that have the same trouble, behind the reason of the Deployment, and then what to do."""
    world.declare("web")
    assert _text(Awaiting(world, _stuck_with_pods).apply()) == (
        "ProgressDeadlineExceeded: has timed out; "
        'pod web-1 and 1 more: ImagePullBackOff: Back-off pulling image "x" '
        "(see kubectl -n shop describe pods -l app=web,managed-by=webapp-operator)"
    )


def test_pods_are_asked_once_and_only_of_those_that_are_not_ready(world: World) -> None:
    """Not in each look."""
    world.declare("other", "web")
    waiting = Awaiting(world, _stuck_with_pods, None, None, reported("other"))
    waiting.apply()
    assert waiting.looks > 3
    assert world.sent["list pods"] == 1


@pytest.mark.parametrize("reason", ["Superseded", "DeploymentPaused"])
def test_pods_are_not_asked_what_they_cannot_know(world: World, reason: str) -> None:
    """A pause, or a newer spec."""

    def act(world: World) -> None:
        if reason == "Superseded":
            world.others.respecify(WEB, image="nginx:2")
        else:
            world.others.edit(WEB, lambda live: live["spec"].update(paused=True))
            world.others.roll_out()

    world.declare("web")
    assert reason in _text(Awaiting(world, act).apply())
    assert world.sent["list pods"] == 0


def test_without_the_right_to_list_pods_the_reason_is_unknown(world: World) -> None:
    """And that is said."""
    world.declare("web")
    world.double.denied.add(("list", "pods"))
    assert "reason unknown: pods may not be listed" in _text(Awaiting(world, _stuck_with_pods).apply())


def test_pods_that_cannot_be_listed_are_no_failure_of_the_wait(world: World) -> None:
    """The reason is unknown, the rest is told."""
    world.declare("web")
    world.double.on("list pods", lambda _: answers.invalid(POD, "", []).answer)
    assert "reason unknown: " in _text(Awaiting(world, _stuck_with_pods).apply())


def test_who_has_changed_the_deployment_is_named(world: World) -> None:
    """As the plan would."""
    world.declare("web")
    waiting = Awaiting(world, lambda w: w.others.scale(WEB, 9))
    assert (
        _text(waiting.apply())
        == "DeploymentChanged: others have changed its Deployment: replicas by kubectl (apply again)"
    )
