"""The dry run of `plan --server-side`: what it says of each row."""

from __future__ import annotations

import pytest

from tests.builders import webapp
from tests.double import World, answers, key
from tests.double.kinds import DEPLOYMENT
from webappctl.apply import tried
from webappctl.cluster import Answer
from webappctl.cluster.requests import WEBAPPS
from webappctl.core.objects import ObjectKey, Scope
from webappctl.core.plan import Action, Policy
from webappctl.core.plan import Answer as Said
from webappctl.core.plan.verdict import Verdict
from webappctl.errors import Unreachable
from webappctl.reconcile import preview

ALL = Scope()


@pytest.fixture
def world() -> World:
    world = World()
    world.declare("web")
    return world


def _verdict(world: World) -> Verdict | None:
    (change,) = tried(world.plan(), world.cluster, 1).changes
    return change.verdict


def test_what_is_accepted_is_not_stored(world: World) -> None:
    assert _verdict(world) == Verdict(Said.ACCEPTED)
    assert world.others.deployments() == []


def test_what_needs_no_write_is_not_tried(world: World) -> None:
    world.settle()
    assert _verdict(world) is None


def test_a_quota_denies(world: World) -> None:
    world.double.store.full = {"shop"}
    verdict = _verdict(world)
    assert verdict is not None
    assert (verdict.answer, "exceeded quota" in verdict.message) == (Said.DENIED, True)


@pytest.mark.parametrize(
    "answer",
    [
        Answer(429, {}, b'{"kind": "Status", "code": 429}'),
        Answer(500, {}, b'{"kind": "Status", "code": 500}'),
        answers.conflict(DEPLOYMENT, "web-deployment").answer,
    ],
    ids=["overloaded", "failed", "moved meanwhile"],
)
def test_what_says_nothing_of_the_change_is_not_a_denial(world: World, answer: Answer) -> None:
    world.double.on("patch deployments", lambda _: answer, times=1000)
    verdict = _verdict(world)
    assert verdict is not None
    assert verdict.answer is Said.NOT_CHECKED


def test_a_lost_server_ends_it(world: World) -> None:
    """Every other row would wait for the same time-outs."""

    def lost(_: object) -> Answer:
        raise Unreachable("no answer")

    world.double.on("patch deployments", lost, times=1000)
    with pytest.raises(Unreachable):
        _verdict(world)


def test_admission_that_would_change_a_field_is_said(world: World) -> None:
    def mutated(_: object) -> Answer:
        live = world.double.store.objects["deployments.apps", "shop", "web-deployment"].as_json()
        live["spec"]["template"]["spec"]["containers"][0]["image"] = "mirror/nginx:1.25"
        return answers.json_answer(200, live)

    world.settle()
    world.others.respecify(key("web"), replicas=5)
    world.double.on("patch deployments", mutated)
    verdict = _verdict(world)
    assert verdict is not None
    assert verdict.answer is Said.ALTERED
    assert "image mirror/nginx:1.25 of nginx:1.25" in verdict.message


def test_a_webapp_from_a_file_over_an_orphan_is_tried(world: World) -> None:
    """It has no uid yet, so its owner reference has a made-up one."""
    world.settle()
    declared = webapp(replicas=5, uid="")
    world.others.edit(key("web"), lambda live: live["metadata"].update(ownerReferences=[]))
    world.others.delete(WEBAPPS, key("web"))
    (change,) = tried(preview(world.cluster, ALL, Policy(), [declared]), world.cluster, 1).changes
    assert (change.action, change.verdict) == (Action.UPDATE, Verdict(Said.ACCEPTED))


def test_a_namespace_that_is_missing_is_no_denial(world: World) -> None:
    """The row says it already."""
    elsewhere = ObjectKey("nowhere", "web")
    declared = webapp(namespace=elsewhere.namespace, uid="")
    made = preview(world.cluster, ALL, Policy(), [declared])
    rows = {change.key: change for change in tried(made, world.cluster, 1).changes}
    verdict = rows[elsewhere].verdict
    assert (rows[elsewhere].note, verdict and verdict.answer) == ("namespace missing", Said.NOT_CHECKED)
