"""Waiting until what a pass wrote is ready, on the double: when it ends, and with what."""

from __future__ import annotations

import threading

import pytest

from tests.double import World, key
from tests.double.fields import Obj
from tests.double.world import ALL
from tests.patience import Act, Awaiting, condition, reported, rolled_out
from webappctl.cluster.requests import DEPLOYMENTS, WEBAPPS
from webappctl.core.objects import Scope, Snapshot, deployment_key
from webappctl.core.plan import CAUTIOUS, PAUSED_ANNOTATION
from webappctl.core.report import ExitCode, Readiness, Report, exit_code
from webappctl.wait import Patience, awaited, wait_for

WEB = key("web")
LIVE = deployment_key(WEB)
NO_PROGRESS = condition("Progressing", "False", reason="ProgressDeadlineExceeded", message="has timed out")
NO_ROOM = condition("ReplicaFailure", "True", reason="FailedCreate", message="exceeded quota")


def _readiness(report: Report, name: str = "web") -> Readiness:
    found = next(result.readiness for result in report.results if result.key == key(name))
    assert found is not None
    return found


def _paused(world: World) -> None:
    world.others.edit(WEB, lambda live: live["spec"].update(paused=True))
    world.others.roll_out()


def _paused_by_annotation(world: World) -> None:
    """And somebody scales it."""
    annotations = {"metadata": {"annotations": {PAUSED_ANNOTATION: "moving"}}}
    world.others.patch(WEBAPPS, WEB, annotations, manager="kubectl-annotate")
    world.others.scale(WEB, 9)


def _taken(live: Obj) -> None:
    owner = {"apiVersion": "v1", "kind": "Helm", "name": "x", "uid": "another", "controller": True}
    live["metadata"].update(ownerReferences=[owner])


def _made_anew(world: World) -> None:
    world.others.delete(DEPLOYMENTS, LIVE)
    world.reconcile()


def _created_again(world: World) -> None:
    world.others.delete(WEBAPPS, WEB)
    world.declare("web")


def test_it_ends_when_the_rollouts_have_ended(world: World) -> None:
    """And not before."""
    world.declare("a", "b")
    waiting = Awaiting(world, None, reported("a"), rolled_out)
    report = waiting.apply()
    assert (_readiness(report, "a"), _readiness(report, "b")) == (Readiness(ready=True), Readiness(ready=True))
    assert waiting.looks == 3
    assert exit_code(report) is ExitCode.OK


def test_a_rollout_of_an_older_spec_is_not_the_awaited_one(world: World) -> None:
    """All pods are there, but of the image before."""
    world.declare("web")
    world.settle()
    world.others.respecify(WEB, image="nginx:1.26")
    waiting = Awaiting(world, None, rolled_out)
    assert _readiness(waiting.apply()).ready
    assert waiting.looks == 2


def test_only_what_was_written_is_waited_for(world: World) -> None:
    """An unchanged one has no readiness, though its pods are not there yet."""
    world.declare("old")
    world.reconcile()
    world.declare("web")
    report = Awaiting(world, reported("web")).apply()
    assert [result.readiness for result in report.results] == [None, Readiness(ready=True)]


def test_nothing_written_is_nothing_to_wait_for(world: World) -> None:
    """Not even a list is sent."""
    world.declare("web")
    world.settle()
    waiting = Awaiting(world)
    waiting.apply()
    assert (waiting.looks, waiting.said) == (0, [])


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (reported(replicas=1, conditions=NO_PROGRESS), "ProgressDeadlineExceeded"),
        (reported(replicas=1, conditions=NO_ROOM), "ReplicaFailure"),
        (_paused, "DeploymentPaused"),
        (_paused_by_annotation, "Paused"),
        (lambda world: world.others.delete(WEBAPPS, WEB), "WebAppDeleted"),
        (_created_again, "Superseded"),
        (lambda world: world.others.respecify(WEB, image="nginx:2"), "Superseded"),
        (lambda world: world.others.delete(DEPLOYMENTS, LIVE), "DeploymentDeleted"),
        (_made_anew, "DeploymentReplaced"),
        (lambda world: world.others.scale(WEB, 9), "DeploymentChanged"),
        (lambda world: world.others.edit(WEB, _taken), "Blocked"),
    ],
)
def test_it_ends_early_when_it_cannot_get_ready(world: World, act: Act, reason: str) -> None:
    """With exit code 5, which --blocked-ok does not forgive, and long before the time is up."""
    world.declare("web")
    waiting = Awaiting(world, act)
    report = waiting.apply()
    found = _readiness(report)
    assert (found.ready, found.final, found.reason) == (False, True, reason)
    assert len(waiting.pauses) == 2
    assert exit_code(report, blocked_ok=True) is ExitCode.UNFINISHED


def test_one_that_cannot_get_ready_does_not_end_the_wait_for_the_others(world: World) -> None:
    """It goes on until those are done."""
    world.declare("other", "web")
    report = Awaiting(world, reported(conditions=NO_ROOM), None, None, None, reported("other")).apply()
    assert _readiness(report, "other").ready
    assert _readiness(report).reason == "ReplicaFailure"


def test_a_failure_that_is_over_at_the_next_look_was_none(world: World) -> None:
    """Controllers write one condition after the other."""
    world.declare("web")
    assert _readiness(Awaiting(world, reported(replicas=1, conditions=NO_PROGRESS), _recovered).apply()).ready


def _recovered(world: World) -> None:
    reported(conditions=[])(world)


def test_the_time_limit_ends_it_with_5(world: World) -> None:
    """And it says how far it had got."""
    world.declare("web")
    waiting = Awaiting(world, reported(updatedReplicas=1), seconds=60)
    report = waiting.apply()
    found = _readiness(report)
    assert (found.ready, found.reason, found.message) == (False, "TimedOut", "1 of 3 replicas are updated")
    assert waiting.now == 60
    assert exit_code(report) is ExitCode.UNFINISHED


def test_it_looks_every_second_at_first_and_every_five_later(world: World) -> None:
    """The last pause is what is left of the time."""
    world.declare("web")
    waiting = Awaiting(world, seconds=60)
    waiting.apply()
    *pauses, _ = waiting.pauses
    assert (pauses[0], pauses[-1]) == (1, 5)
    assert pauses == sorted(pauses)


def test_a_look_is_three_lists(world: World) -> None:
    """However many WebApps are waited for."""
    world.declare(*"abcdefgh")
    waiting = Awaiting(world, None, None, rolled_out)
    waiting.apply()
    lists = ("list webapps", "list deployments", "list horizontalpodautoscalers")
    assert {kind: n for kind, n in world.sent.items() if not kind.startswith("patch")} == dict.fromkeys(lists, 3)


def test_a_webapp_that_loses_its_label_is_still_awaited(world: World) -> None:
    """A look has no selector."""
    world.declare("web")
    label = {"metadata": {"labels": {"team": "another"}}}
    waiting = Awaiting(world, lambda w: w.others.patch(WEBAPPS, WEB, label, manager="kubectl-edit"), rolled_out)
    assert _readiness(waiting.apply()).ready


def test_a_signal_ends_it_with_what_is_known(world: World) -> None:
    """Nothing is asked or written any more."""
    world.declare("web")
    waiting = Awaiting(world, reported(updatedReplicas=1), lambda w: w.stop.set())
    found = _readiness(waiting.apply())
    assert (found.ready, found.reason, found.message) == (False, "Interrupted", "1 of 3 replicas are updated")
    assert waiting.looks == 1
    assert world.writes == []


def test_a_signal_ends_it_though_a_list_is_never_answered(world: World) -> None:
    """Nobody waits for that answer any more."""
    world.declare("web")
    silence = threading.Event()

    class Silent:
        def snapshot(self, scope: Scope) -> Snapshot:
            world.stop.set()
            silence.wait()
            raise AssertionError(f"{scope} is never answered")

    patience = Patience(600, lambda: 0.0, lambda _: None, world.stop, lambda _: None)
    (standing,) = wait_for(awaited(world.reconcile()), Silent(), ALL, CAUTIOUS, patience)
    silence.set()
    assert standing.readiness.reason == "Interrupted"


def test_an_autoscalers_replicas_are_what_is_waited_for(world: World) -> None:
    """Not those of the WebApp."""
    world.declare("web")
    world.settle()
    world.others.autoscale(WEB, 2, 9)
    world.others.scale(WEB, 9, manager="kube-controller-manager")
    world.others.respecify(WEB, image="nginx:1.26")
    waiting = Awaiting(world, reported(replicas=3), reported(replicas=9))
    assert _readiness(waiting.apply()).ready
    assert waiting.looks == 2
