"""What the API server refused is tried again after a while, or when something changed: passes on the double."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.double import Sent, World, answers, key
from tests.double.kinds import DEPLOYMENT
from webappctl.cluster.requests import DEPLOYMENTS, WEBAPPS
from webappctl.cluster.wire import Answer
from webappctl.core.objects import deployment_key
from webappctl.core.plan import Obstacle, Policy
from webappctl.core.report import Outcome, Report
from webappctl.watch import Backoff

WEB = key("web")


class Watch:
    """Passes at moments in seconds, each of which remembers what those before it were refused."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._backoff = Backoff()

    def at(self, now: float) -> Report:
        """Afterwards `sent` and `writes` of the world are those of the pass, without its lists."""
        report = self.world.carry_out(self._backoff.hold_back(self.world.plan(), now))
        self._backoff.learn(report, now)
        return report

    def tries(self, seconds: int, *, first: int = 0, step: int = 10) -> list[int]:
        """When passes as often as that wrote to a Deployment, or tried to."""
        times = range(first, first + seconds, step)
        return [now for now in times if any("deployments" in write for write in self.writes_at(now))]

    def writes_at(self, now: float) -> list[str]:
        self.at(now)
        return self.world.writes


@pytest.fixture
def watch(world: World) -> Watch:
    """`web` is declared, and a quota refuses it."""
    world.declare("web")
    world.double.store.full = {"shop"}
    return Watch(world)


def _deny(world: World) -> None:
    """From now on, in other words each time, as a webhook does that puts the number of the request into them."""
    numbers = iter(range(1000))

    def denial(sent: Sent) -> Answer | None:
        if not sent.applies:
            return None
        return answers.forbidden(DEPLOYMENT, "web-deployment", f"denied, request {next(numbers)}").answer

    world.double.on("patch deployments web-", denial, times=1000)


def _drifted(world: World) -> Watch:
    """`web` is there, its image was changed, and the update is refused."""
    world.declare("web")
    world.settle()
    world.others.respecify(WEB, image="nginx:1.26")
    _deny(world)
    return Watch(world)


def _edit(image: str) -> Callable[[World], object]:
    return lambda world: world.others.edit(
        WEB, lambda live: live["spec"]["template"]["spec"]["containers"][0].update(image=image)
    )


def _recreate(world: World) -> None:
    world.others.delete(WEBAPPS, WEB)
    world.declare("web")


def test_a_refused_row_waits_longer_each_time_and_five_minutes_at_most(watch: Watch) -> None:
    """30 s, 1 min, 2 min, 4 min, 5 min, 5 min."""
    assert watch.tries(1100) == [0, 30, 90, 210, 450, 750, 1050]


def test_other_rows_do_not_wait(watch: Watch) -> None:
    """Neither one that was refused later, nor one that nobody refuses."""
    watch.at(0)
    watch.world.declare("late")
    assert {result.key.name: result.tried for result in watch.at(20).results} == {"late": True, "web": False}
    assert {result.key.name: result.tried for result in watch.at(40).results} == {"late": False, "web": True}


def test_while_it_waits_the_row_is_blocked_in_the_words_of_the_refusal(watch: Watch) -> None:
    (refused,) = watch.at(0).results
    (held,) = watch.at(10).results
    assert (held.outcome, held.obstacle, held.tried) == (Outcome.BLOCKED, Obstacle.DENIED, False)
    assert held.text == refused.text


def test_while_it_waits_nothing_is_written_though_each_refusal_has_other_words(world: World) -> None:
    """Status and event are those of the last try."""
    watch = _drifted(world)
    assert [now for now in range(0, 100, 10) if watch.writes_at(now)] == [0, 30, 90]
    assert "denied, request 2" in str(world.others.webapp(WEB)["status"])


def test_the_status_goes_on_to_tell_of_the_pods(world: World) -> None:
    """That an update is refused says nothing about them."""
    watch = _drifted(world)
    watch.at(0)
    world.others.report(deployment_key(WEB), readyReplicas=1)
    watch.at(10)
    assert world.others.webapp(WEB)["status"]["readyReplicas"] == 1
    assert world.sent["patch deployments"] == 0


@pytest.mark.parametrize(
    "act",
    [
        lambda world: world.others.respecify(WEB, image="nginx:1.27"),
        _edit("nginx:1.0"),
        lambda world: world.others.scale(WEB, 9),
        lambda world: world.others.delete(DEPLOYMENTS, deployment_key(WEB)),
        _recreate,
    ],
    ids=["WebApp changed", "Deployment edited", "scaled", "Deployment deleted", "WebApp created again"],
)
def test_a_change_of_either_object_is_tried_at_once(world: World, act: Callable[[World], object]) -> None:
    watch = _drifted(world)
    watch.at(0)
    act(world)
    world.others.collect_garbage()
    assert watch.tries(100, first=10)[:2] == [10, 40], "and if it is refused, it waits as after a first refusal"


@pytest.mark.parametrize(
    "act",
    [
        lambda world: world.others.report(deployment_key(WEB), readyReplicas=1),
        lambda world: world.others.patch(WEBAPPS, WEB, {"status": {"replicas": 7}}, manager="x", sub="status"),
        lambda world: world.others.patch(WEBAPPS, WEB, {"metadata": {"labels": {"a": "b"}}}, manager="x"),
    ],
    ids=["rollout", "status", "labels"],
)
def test_what_changes_nothing_of_the_write_is_no_reason_to_try(world: World, act: Callable[[World], object]) -> None:
    watch = _drifted(world)
    watch.at(0)
    act(world)
    assert watch.tries(50, first=10) == [30]


def test_what_succeeded_is_forgotten(watch: Watch) -> None:
    """Refused again later on, it is tried after 30 s."""
    watch.at(0)
    watch.at(30)
    watch.world.double.store.full = set()
    assert watch.at(90).count(Outcome.CREATED) == 1
    watch.world.double.store.full = {"shop"}
    watch.world.others.delete(DEPLOYMENTS, deployment_key(WEB))
    assert watch.tries(100, first=100) == [100, 130, 190]


def test_what_need_not_be_written_any_more_is_forgotten(world: World) -> None:
    """The change was taken back, and made again."""
    watch = _drifted(world)
    watch.at(0)
    world.others.respecify(WEB, image="nginx:1.25")
    assert watch.at(10).count(Outcome.UNCHANGED) == 1
    world.others.respecify(WEB, image="nginx:1.26")
    assert watch.tries(20, first=20) == [20]


def test_a_failure_is_tried_in_every_pass(world: World) -> None:
    """The next one may well succeed."""
    world.declare("web")
    world.double.on("patch deployments", lambda _: Answer(503, {}, b"{}"), times=1000)
    assert Watch(world).tries(50) == [0, 10, 20, 30, 40]


def test_a_failure_between_two_refusals_does_not_shorten_the_wait(watch: Watch) -> None:
    """Refused at 0, failed at 30, refused at 40: the second refusal, so a minute."""
    watch.at(0)
    watch.world.double.on("patch deployments", lambda _: Answer(503, {}, b"{}"), times=1000)
    assert watch.at(30).count(Outcome.FAILED) == 1
    watch.world.double.forget()
    assert watch.tries(100, first=40) == [40, 100]


def test_a_deletion_that_is_refused_waits_too(world: World) -> None:
    world.policy = Policy(prune=True)
    world.declare("kept", "web")
    world.settle()
    world.others.delete(WEBAPPS, WEB)
    world.others.replace(DEPLOYMENTS, deployment_key(WEB), lambda live: live["metadata"].pop("ownerReferences"))
    world.double.denied = {("delete", "deployments.apps")}
    assert Watch(world).tries(100) == [0, 30, 90]


def test_an_update_that_is_refused_after_taking_over_waits_too(world: World) -> None:
    """Ports that were handed over make it no other write."""
    watch = _drifted(world)
    world.others.edit(WEB, lambda live: live["metadata"].update(managedFields=[]))
    assert world.plan().changes[0].takeover is not None
    assert watch.tries(50) == [0, 30]


def test_the_plan_is_untouched_where_nothing_waits(world: World) -> None:
    world.declare("web")
    plan = world.plan()
    assert Backoff().hold_back(plan, 0) is plan


def test_a_row_that_waits_is_not_pending(watch: Watch) -> None:
    """So it counts for no budget."""
    backoff, plan = Backoff(), watch.world.plan()
    backoff.learn(watch.world.carry_out(plan), 0)
    assert backoff.hold_back(plan, 29).pending == ()
    assert backoff.hold_back(plan, 30) is plan
