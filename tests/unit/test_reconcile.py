"""Whole passes, on the double: what is sent, how often, and what becomes of the world."""

from __future__ import annotations

import pytest

from tests.double import World, answers, key
from tests.double.kinds import WEBAPP
from webappctl.cluster.requests import DEPLOYMENTS, WEBAPPS
from webappctl.cluster.wire import Answer
from webappctl.core.objects import deployment_key
from webappctl.core.report import ExitCode, Outcome, exit_code
from webappctl.errors import BadAnswer, ClusterError, Forbidden

WEB = key("web")
LISTS = {"list webapps": 1, "list deployments": 1, "list horizontalpodautoscalers": 1}
HOLD = {"metadata": {"finalizers": ["example.com/hold"]}}


def _conditions(world: World, name: str = "web") -> dict[str, tuple[str, str]]:
    conditions = world.others.webapp(key(name)).get("status", {}).get("conditions", [])
    return {condition["type"]: (condition["status"], condition["reason"]) for condition in conditions}


def _edit_image(world: World, name: str) -> None:
    world.others.edit(key(name), lambda live: live["spec"]["template"]["spec"]["containers"][0].update(image="x"))


def test_a_first_pass_sends_three_requests_for_each_webapp(world: World) -> None:
    """Apply, status, event, beside the three lists."""
    world.declare(*"abcde")
    world.reconcile()
    assert world.sent == LISTS | {"patch deployments": 5, "patch webapps/status": 5, "create events": 5}


def test_a_steady_pass_only_reads(world: World) -> None:
    """Three lists, and nothing per object."""
    world.declare(*"abcde")
    world.settle()
    assert exit_code(world.reconcile()) is ExitCode.OK
    assert world.sent == LISTS


def test_a_hundred_steady_passes_move_nothing(world: World) -> None:
    """Neither resourceVersion nor generation of anything."""
    world.declare(*"ab")
    world.settle()
    before = (world.others.deployments(), world.others.webapp(key("a")), world.others.events("shop"))
    for _ in range(100):
        world.reconcile()
    assert (world.others.deployments(), world.others.webapp(key("a")), world.others.events("shop")) == before


def test_drift_costs_what_drifted(world: World) -> None:
    """An apply, an event (one more of those there are) and a status for each that drifted, nothing for the rest."""
    world.declare(*"abcde")
    world.settle()
    for name in "bd":
        _edit_image(world, name)
    world.reconcile()
    counted = {"create events": 2, "get events": 2, "patch events": 2}
    assert world.sent == LISTS | {"patch deployments": 2, "patch webapps/status": 2} | counted


def test_a_status_alone_costs_one_request(world: World) -> None:
    """A rollout that got on is told, and is no event."""
    world.declare("web")
    world.reconcile()
    world.others.roll_out()
    world.reconcile()
    assert world.sent == LISTS | {"patch webapps/status": 1}


@pytest.mark.parametrize("what", ["list webapps", "list deployments"])
@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (answers.forbidden(WEBAPP, "", "cannot list").answer, Forbidden),
        (Answer(200, {}, b"<html>"), BadAnswer),
        (Answer(200, {}, b'{"kind": "Status", "items": []}'), BadAnswer),
        (Answer(200, {}, b'{"kind": "WebAppList", "items": null}'), BadAnswer),
    ],
)
def test_a_list_that_fails_is_unknown_and_nothing_is_written(
    world: World, what: str, answer: Answer, error: type[ClusterError]
) -> None:
    """Never an empty one."""
    world.declare("web")
    world.double.on(what, lambda _: answer, times=10)
    with pytest.raises(error):
        world.reconcile()
    assert world.writes == []


def test_an_expired_list_is_begun_again(world: World) -> None:
    """410 in the middle: whole in the end."""
    world.double.store.longest_page = 2
    world.declare(*"abcde")
    world.double.on("list webapps", lambda _: None, times=2)
    world.double.on("list webapps", lambda _: world.double.expire_tokens())
    assert world.reconcile().count(Outcome.CREATED) == 5
    assert world.sent["list webapps"] == 3 + 3


def test_replicas_that_became_unset_are_never_reset(world: World) -> None:
    """We still own the field, so its live value is sent: an image change leaves 7 at 7."""
    world.declare("web", replicas=7)
    world.settle()
    world.others.respecify(WEB, replicas=None)
    world.settle()
    world.others.respecify(WEB, image="nginx:1.26")
    world.settle()
    assert world.others.deployment(WEB)["spec"]["replicas"] == 7


def test_an_autoscalers_replicas_are_left_to_it(world: World) -> None:
    """Unset in the WebApp and scaled by another: never sent, never drift."""
    world.declare("web", replicas=None)
    world.settle()
    world.others.scale(WEB, 9, manager="kube-controller-manager")
    world.others.respecify(WEB, image="nginx:1.26")
    world.settle()
    assert world.others.deployment(WEB)["spec"]["replicas"] == 9


def test_replicas_that_are_set_again_are_managed_again(world: World) -> None:
    """From the next pass on."""
    world.declare("web", replicas=None)
    world.settle()
    world.others.scale(WEB, 9)
    world.others.respecify(WEB, replicas=2)
    world.settle()
    assert world.others.deployment(WEB)["spec"]["replicas"] == 2


def test_scaling_by_a_person_is_repaired(world: World) -> None:
    """It is drift by him, at a time that nobody knows."""
    world.declare("web")
    world.settle()
    world.others.scale(WEB, 9)
    (field,) = world.plan().changes[0].fields
    assert (field.path, field.manager, field.time) == ("replicas", "kubectl", None)
    world.settle()
    assert world.others.deployment(WEB)["spec"]["replicas"] == 3


def test_a_deleted_and_redeclared_webapp_converges(world: World) -> None:
    """It waits for the garbage collector, and the new uid owns the Deployment."""
    world.declare("web")
    world.settle()
    world.others.delete(WEBAPPS, WEB)
    uid = world.others.declare(WEB)["metadata"]["uid"]
    assert world.reconcile().results[0].outcome is Outcome.WAITING
    world.others.collect_garbage()
    world.settle()
    assert world.others.deployment(WEB)["metadata"]["ownerReferences"][0]["uid"] == uid


def test_a_held_webapp_is_never_written(world: World) -> None:
    """Ten passes while a finalizer holds it, drift or not."""
    world.declare("web")
    world.settle()
    world.others.patch(WEBAPPS, WEB, HOLD, manager="somebody")
    world.others.delete(WEBAPPS, WEB)
    _edit_image(world, "web")
    for _ in range(10):
        assert world.reconcile().results == ()
        assert world.sent == LISTS


def test_a_held_deployment_is_never_written(world: World) -> None:
    """Ten passes; the WebApp is told once, and it is not Ready."""
    world.declare("web")
    world.settle()
    world.others.patch(DEPLOYMENTS, deployment_key(WEB), HOLD, manager="somebody")
    world.others.delete(DEPLOYMENTS, deployment_key(WEB))
    for _ in range(10):
        assert exit_code(world.reconcile()) is ExitCode.UNFINISHED
        assert world.sent["patch deployments"] == 0
    assert world.writes == []
    assert _conditions(world)["Ready"][0] == "False"


def test_a_lost_owner_reference_is_put_back(world: World) -> None:
    """By one pass."""
    world.declare("web")
    world.settle()
    world.others.edit(WEB, lambda live: live["metadata"].pop("ownerReferences"))
    assert world.reconcile().results[0].outcome is Outcome.CONFIGURED
    assert world.others.deployment(WEB)["metadata"]["ownerReferences"][0]["controller"] is True


def test_a_foreign_deployment_is_never_touched(world: World) -> None:
    """Whatever it is like."""
    world.declare("web")
    world.settle()
    theirs = {"apiVersion": "helm.example/v1", "kind": "HelmRelease", "name": "x", "uid": "u", "controller": True}
    world.others.edit(WEB, lambda live: live["metadata"].update(ownerReferences=[theirs]))
    _edit_image(world, "web")
    before = world.others.deployment(WEB)
    assert exit_code(world.reconcile()) is ExitCode.UNFINISHED
    assert world.others.deployment(WEB) == before


def test_an_immutable_selector_is_no_retry_loop(world: World) -> None:
    """It is blocked in the plan, and nothing is sent for it."""
    world.declare("web")
    uid = world.others.webapp(WEB)["metadata"]["uid"]
    labels = {"app": "web"}
    owner = {"apiVersion": "apps.example.com/v1", "kind": "WebApp", "name": "web", "uid": uid, "controller": True}
    pod = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "app", "image": "x"}]}}
    metadata = {**deployment_key(WEB)._asdict(), "ownerReferences": [owner]}
    theirs = {"metadata": metadata, "spec": {"selector": {"matchLabels": labels}, "template": pod}}
    world.others.create(DEPLOYMENTS, theirs)
    for _ in range(3):
        assert exit_code(world.reconcile()) is ExitCode.UNFINISHED
        assert world.sent["patch deployments"] == 0


def test_a_restart_stamp_stays(world: World) -> None:
    """`kubectl rollout restart` is not drift, and no apply rolls it back."""
    world.declare("web")
    world.settle()
    stamp = {"kubectl.kubernetes.io/restartedAt": "2026-01-01T00:00:00Z"}
    world.others.edit(WEB, lambda live: live["spec"]["template"]["metadata"].update(annotations=stamp))
    assert world.plan().pending == ()
    world.others.respecify(WEB, image="nginx:1.26")
    world.settle()
    assert world.others.deployment(WEB)["spec"]["template"]["metadata"]["annotations"] == stamp


def test_a_failure_of_one_pass_does_not_last(world: World) -> None:
    """What a pass missed, the next one finds."""
    world.declare("a", "b")
    world.double.on("patch deployments a-", lambda _: Answer(500, {}, b"{}"), times=10_000)
    assert exit_code(world.reconcile()) is ExitCode.ERROR
    world.double.forget()
    assert exit_code(world.reconcile()) is ExitCode.OK
    assert world.plan().pending == ()
