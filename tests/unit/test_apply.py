"""Plan → Results, on the double: order, preconditions and races."""

from __future__ import annotations

import pytest

from tests.double import World, key
from webappctl.apply.rows import MAX_TRIES
from webappctl.cluster.requests import DEPLOYMENTS, WEBAPPS
from webappctl.core.objects import deployment_key
from webappctl.core.plan import Obstacle, Plan
from webappctl.core.report import Outcome, Report, Result

WEB = key("web")


def _only(report: Report) -> Result:
    (result,) = report.results
    return result


def _drifted(world: World, **spec: object) -> Plan:
    """`web` is there, and its image was changed."""
    world.declare("web", **spec)
    world.settle()
    world.others.respecify(WEB, image="nginx:1.26")
    return world.plan()


def _image(world: World) -> str:
    return str(world.others.deployment(WEB)["spec"]["template"]["spec"]["containers"][0]["image"])


def test_a_creation_is_never_forced(world: World) -> None:
    """It must not touch what somebody else made in between."""
    world.declare("web")
    world.reconcile()
    (sent,) = [sent for sent in world.double.log if str(sent).startswith("patch deployments")]
    assert (sent.query["force"], sent.query["fieldManager"]) == ("false", "webappctl")
    assert sent.body["metadata"]["resourceVersion"] == "1"


def test_an_update_is_forced_over_what_was_read(world: World) -> None:
    """With its uid and its resourceVersion."""
    plan = _drifted(world)
    live = world.others.deployment(WEB)["metadata"]
    world.carry_out(plan)
    (sent,) = [sent for sent in world.double.log if str(sent).startswith("patch deployments")]
    metadata = sent.body["metadata"]
    assert sent.query["force"] == "true"
    assert (metadata["uid"], metadata["resourceVersion"]) == (live["uid"], live["resourceVersion"])


def test_results_are_in_the_order_of_the_plan(world: World) -> None:
    """Whatever is written first."""
    world.declare("a", "b", "c", "d")
    world.declare("bad", port=70000)
    assert [result.key.name for result in world.reconcile(workers=4).results] == ["a", "b", "bad", "c", "d"]


def test_each_result_is_heard_of_in_the_order_of_the_plan(world: World) -> None:
    """Those that needed no write, too."""
    world.declare(*"abcd")
    world.declare("bad", port=70000)
    heard: list[str] = []
    world.reconcile(workers=4, on_result=lambda result: heard.append(result.key.name))
    assert heard == ["a", "b", "bad", "c", "d"]


@pytest.mark.parametrize("replan", [True, False])
def test_a_moved_status_is_no_reason_not_to_write(world: World, replan: bool) -> None:
    """409, both objects read, sent again: the same over the same."""
    plan = _drifted(world)
    world.others.report(deployment_key(WEB), readyReplicas=1)
    assert _only(world.carry_out(plan, replan=replan)).outcome is Outcome.CONFIGURED
    assert (world.sent["patch deployments"], world.sent["get deployments"], world.sent["get webapps"]) == (2, 1, 1)
    assert _image(world) == "nginx:1.26"


def test_an_owned_field_that_moved_is_planned_again(world: World) -> None:
    """The result has the change that was carried out, not the one that was planned."""
    plan = _drifted(world)
    world.others.scale(WEB, 9)
    result = _only(world.carry_out(plan))
    assert result.outcome is Outcome.CONFIGURED
    assert [field.path for field in result.change.fields] == ["image", "replicas"]


def test_an_owned_field_that_moved_is_left_alone_when_a_person_agreed(world: World) -> None:
    """He agreed to another change: stale, and nothing is written."""
    plan = _drifted(world)
    world.others.scale(WEB, 9)
    before = world.others.deployment(WEB)
    assert _only(world.carry_out(plan, replan=False)).outcome is Outcome.STALE
    assert world.others.deployment(WEB) == before


def test_a_webapp_that_moved_too_is_planned_again(world: World) -> None:
    """Its newest spec is what is written."""
    plan = _drifted(world)
    world.others.report(deployment_key(WEB), readyReplicas=1)
    world.others.respecify(WEB, image="nginx:1.27")
    world.carry_out(plan)
    assert _image(world) == "nginx:1.27"


def test_what_was_mended_by_somebody_else_is_unchanged(world: World) -> None:
    """Planned again, nothing is left to do."""
    plan = _drifted(world)
    world.others.edit(WEB, lambda live: live["spec"]["template"]["spec"]["containers"][0].update(image="nginx:1.26"))
    assert _only(world.carry_out(plan)).outcome is Outcome.UNCHANGED


def test_one_that_moves_all_the_time_is_stale(world: World) -> None:
    """After a few tries, and the next pass begins again."""
    plan = _drifted(world)
    moving = deployment_key(WEB)
    readies = iter(range(100))

    def move(_: object) -> None:
        world.others.report(moving, readyReplicas=next(readies))

    world.double.on("patch deployments", move, times=MAX_TRIES)
    assert _only(world.carry_out(plan)).outcome is Outcome.STALE
    assert world.sent["patch deployments"] == MAX_TRIES


def test_a_creation_that_was_raced_by_another_is_theirs(world: World) -> None:
    """Somebody's Deployment of that name is left alone, and named."""
    world.declare("web")
    plan = world.plan()
    labels = {"app": "theirs"}
    pod = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "x", "image": "x"}]}}
    theirs = {
        "metadata": deployment_key(WEB)._asdict(),
        "spec": {"selector": {"matchLabels": labels}, "template": pod},
    }
    world.others.create(DEPLOYMENTS, theirs)
    result = _only(world.carry_out(plan))
    assert (result.outcome, result.obstacle) == (Outcome.BLOCKED, Obstacle.UNOWNED)


def test_a_creation_that_was_raced_by_ourselves_is_unchanged(world: World) -> None:
    """The other pass made the same."""
    world.declare("web")
    plan = world.plan()
    world.reconcile()
    assert _only(world.carry_out(plan)).outcome is Outcome.UNCHANGED


def test_a_deleted_webapp_is_not_revived(world: World) -> None:
    """Its Deployment went with it after both were listed: one GET tells, and nothing is written."""
    plan = _drifted(world)
    world.others.delete(WEBAPPS, WEB)
    world.others.collect_garbage()
    assert _only(world.carry_out(plan)).outcome is Outcome.GONE
    assert world.others.deployments() == []


def test_a_deployment_that_vanished_is_made_again_after_a_look_at_its_webapp(world: World) -> None:
    """It was reconciled before, so the WebApp may be gone too; it is not."""
    _drifted(world)
    world.others.delete(DEPLOYMENTS, deployment_key(WEB))
    assert _only(world.reconcile()).outcome is Outcome.CREATED
    assert world.sent["get webapps"] == 1


@pytest.mark.parametrize("again", [True, False])
def test_a_vanished_deployment_of_a_vanished_webapp_stays_away(world: World, again: bool) -> None:
    """Deleted between the lists and the write; when it was declared again, the new one owns the Deployment."""
    _drifted(world)
    world.others.delete(DEPLOYMENTS, deployment_key(WEB))
    plan = world.plan()
    world.others.delete(WEBAPPS, WEB)
    uid = world.others.declare(WEB)["metadata"]["uid"] if again else ""
    assert _only(world.carry_out(plan)).outcome is (Outcome.CREATED if again else Outcome.GONE)
    owners = [live["metadata"]["ownerReferences"][0]["uid"] for live in world.others.deployments()]
    assert owners == ([uid] if again else [])


def test_a_webapp_that_terminates_meanwhile_is_left_to_the_collector(world: World) -> None:
    """Nothing is written for it."""
    _drifted(world)
    world.others.delete(DEPLOYMENTS, deployment_key(WEB))
    plan = world.plan()
    hold = {"metadata": {"finalizers": ["example.com/hold"]}}
    world.others.patch(WEBAPPS, WEB, hold, manager="somebody")
    world.others.delete(WEBAPPS, WEB)
    assert _only(world.carry_out(plan)).outcome is Outcome.GONE
    assert world.writes == []
