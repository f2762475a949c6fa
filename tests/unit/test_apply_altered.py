"""Admission makes something else of what is written: no success, and not written again in every pass."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from tests.double import Sent, World, answers, key
from webappctl.cluster import Answer
from webappctl.core.objects import Deployment
from webappctl.core.plan import Adopt, Obstacle, Policy
from webappctl.core.report import ExitCode, Outcome, Report, Result, exit_code
from webappctl.watch import Backoff

WEB = key("web")
Alter = Callable[[dict[str, Any]], object]


def _only(report: Report) -> Result:
    (result,) = report.results
    return result


def _altering(world: World, alter: Alter) -> None:
    """From now on, every Deployment that is applied. What is as it was before has no new generation."""

    def admit(sent: Sent) -> Answer | None:
        before = world.double.store.objects.get(("deployments.apps", sent.namespace, sent.name))
        spec, generation = (before.obj["spec"], before.obj["metadata"]["generation"]) if before else (None, 1)
        code, _ = world.double.store.handle(sent)
        live = world.double.store.objects["deployments.apps", sent.namespace, sent.name]
        alter(live.obj)
        if live.obj["spec"] == spec:
            live.obj["metadata"]["generation"] = generation
        return answers.json_answer(code, live.as_json())

    world.double.on("patch deployments web-", admit, times=1000)


def _container(live: dict[str, Any]) -> dict[str, Any]:
    container: dict[str, Any] = live["spec"]["template"]["spec"]["containers"][0]
    return container


def _mirror(live: dict[str, Any]) -> None:
    _container(live)["image"] = "mirror/nginx:1.25"


def _sidecar(live: dict[str, Any]) -> None:
    """And what else a service mesh adds."""
    live["metadata"]["labels"]["mesh"] = "on"
    live["spec"]["template"]["spec"]["containers"].insert(0, {"name": "proxy", "image": "proxy:1"})


@pytest.fixture
def mirrored(world: World) -> World:
    """`web` is declared, and admission makes another image of it."""
    world.declare("web")
    _altering(world, _mirror)
    return world


def test_what_admission_alters_is_blocked_and_no_success(mirrored: World) -> None:
    """Writing it again would not make it so."""
    result = _only(mirrored.reconcile())
    assert (result.outcome, result.obstacle, result.tried) == (Outcome.BLOCKED, Obstacle.ALTERED, True)
    assert result.text.startswith("written, but admission makes image mirror/nginx:1.25 of nginx:1.25 (ask for ")


def test_the_result_has_the_deployment_as_it_is_now(mirrored: World) -> None:
    """Status is told from it."""
    found = _only(mirrored.reconcile()).deployment
    assert isinstance(found, Deployment)
    assert [container.image for container in found.spec.template.spec.containers or ()] == ["mirror/nginx:1.25"]


def test_an_update_that_admission_alters_is_blocked_each_time(mirrored: World) -> None:
    """Also where the Deployment stays as it was."""
    mirrored.reconcile()
    reports = [mirrored.reconcile() for _ in range(2)]
    assert [exit_code(report) for report in reports] == [ExitCode.UNFINISHED, ExitCode.UNFINISHED]
    assert {_only(report).obstacle for report in reports} == {Obstacle.ALTERED}


@pytest.mark.parametrize(
    ("alter", "words"),
    [
        (lambda live: live["spec"].update(replicas=1), "replicas 1 of 3"),
        (lambda live: live["metadata"]["labels"].pop("app"), "nothing of labels.app"),
        (lambda live: live["metadata"].pop("ownerReferences"), "nothing of ownerReference"),
        (lambda live: _container(live)["ports"][0].update(containerPort=8080), "nothing of port (8080 is there)"),
        (
            lambda live: _container(live).update(name="main"),
            "nothing of image (container main is there), nothing of port",
        ),
    ],
    ids=["replicas", "label", "owner", "port", "container"],
)
def test_it_says_what_admission_makes_of_it(world: World, alter: Alter, words: str) -> None:
    world.declare("web")
    _altering(world, alter)
    assert _only(world.reconcile()).message == f"written, but admission makes {words}"


def test_the_next_plan_says_it(mirrored: World) -> None:
    mirrored.reconcile()
    (change,) = mirrored.plan().changes
    assert "admission makes image mirror/nginx:1.25" in change.last_refusal


def test_the_event_is_a_warning_that_is_counted(mirrored: World) -> None:
    """Nobody is told that it was updated."""
    for _ in range(3):
        mirrored.reconcile()
    (event,) = mirrored.others.events("shop")
    assert (event["type"], event["reason"], event["count"]) == ("Warning", "Blocked", 3)


def test_it_converges_when_the_rule_is_gone(mirrored: World) -> None:
    mirrored.reconcile()
    mirrored.double.forget()
    assert _only(mirrored.reconcile()).outcome is Outcome.CONFIGURED
    assert "Stalled" not in str(mirrored.others.webapp(WEB)["status"])


def _tries(world: World) -> list[int]:
    """When passes every ten seconds write to a Deployment."""
    backoff, tries = Backoff(), []
    for now in range(0, 100, 10):
        report = world.carry_out(backoff.hold_back(world.plan(), now))
        backoff.learn(report, now)
        tries += [now] if world.sent["patch deployments"] else []
    return tries


def test_passes_write_it_again_after_a_while_only(mirrored: World) -> None:
    """The first one creates it, and what is there then is no reason to hurry."""
    assert _tries(mirrored) == [0, 30, 90]


def test_passes_do_not_hurry_when_admission_makes_another_thing_each_time(world: World) -> None:
    """Each write moves the Deployment, and replaces its pods."""
    numbers = itertools.count()
    world.declare("web")
    _altering(world, lambda live: _container(live).update(image=f"mirror/{next(numbers)}"))
    assert _tries(world) == [0, 30, 90]


def test_what_is_added_beside_ours_alters_nothing(world: World) -> None:
    world.declare("web")
    _altering(world, _sidecar)
    assert _only(world.reconcile()).outcome is Outcome.CREATED


def test_replicas_that_an_autoscaler_has_are_not_altered(world: World) -> None:
    """It has 7, the WebApp says 3, and the image changes."""
    world.declare("web")
    world.settle()
    world.others.autoscale(WEB, 2, 9)
    world.others.scale(WEB, 7, manager="kube-controller-manager")
    world.others.respecify(WEB, image="nginx:1.26")
    assert _only(world.reconcile()).outcome is Outcome.CONFIGURED


def test_replicas_that_nobody_asks_for_are_not_altered(world: World) -> None:
    world.declare("web", replicas=None)
    _altering(world, lambda live: live["spec"].update(replicas=4))
    assert _only(world.reconcile()).outcome is Outcome.CREATED


def test_a_port_that_another_keeps_is_not_altered(world: World) -> None:
    """Theirs and ours are both there."""
    world.declare("web")
    world.settle()
    world.others.edit(WEB, lambda live: _container(live)["ports"].append({"containerPort": 9090, "protocol": "TCP"}))
    world.others.respecify(WEB, port=8080)
    assert _only(world.reconcile()).outcome is Outcome.CONFIGURED


def test_what_is_taken_over_is_not_altered(world: World) -> None:
    """Ports of the former writer go."""
    world.declare("web")
    world.settle()
    world.others.edit(WEB, lambda live: _container(live)["ports"].append({"containerPort": 9090, "protocol": "TCP"}))
    world.others.edit(WEB, lambda live: live["metadata"].update(managedFields=[], ownerReferences=[]))
    world.policy = Policy(adopt=Adopt.UNOWNED)
    assert _only(world.reconcile()).outcome is Outcome.ADOPTED
    assert len(_container(world.others.deployment(WEB))["ports"]) == 1
