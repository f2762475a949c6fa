"""apply --wait, on the real control plane: what it waits for, what ends it, and what it leaves."""

from __future__ import annotations

import json
import signal

import pytest

from tests.e2e.conftest import Start
from tests.world import World, eventually

NOWHERE = {"kubernetes.io/hostname": "nowhere"}
CANNOT_PULL = {
    "conditions": [{"type": "PodScheduled", "status": "True"}],
    "containerStatuses": [
        {
            "name": "app",
            "image": "nginx:9",
            "imageID": "",
            "ready": False,
            "restartCount": 0,
            "state": {"waiting": {"reason": "ImagePullBackOff", "message": 'Back-off pulling image "nginx:9"'}},
        }
    ],
}


def _patch(world: World, spec: dict[str, object]) -> None:
    """Fields of the Deployment of `web` that are not ours."""
    world.kubectl("patch", "deployment", "web-deployment", "-p", json.dumps({"spec": spec}))


def _fits_no_node(world: World) -> None:
    """From here on, no new pod of `web` can be placed."""
    world.declare("web", replicas=1)
    world.converge()
    world.settle()
    _patch(world, {"template": {"spec": {"nodeSelector": NOWHERE}}})


def _pending_pod(world: World) -> str:
    return world.kubectl("get", "pods", "--field-selector=status.phase=Pending", "-o", "name").stdout.strip()


def _is_in_force(world: World, quota: str) -> bool:
    return bool(world.kubectl("get", "quota", quota, "-o", "jsonpath={.status.hard}").stdout)


def test_it_ends_with_0_when_all_replicas_are_there(world: World) -> None:
    """And then the status says so, without another pass."""
    world.declare("web", replicas=3)
    done = world.apply("--wait")
    assert done.returncode == 0, done.stderr
    assert "1 of 1 ready" in done.stderr
    assert (world.condition("web", "Ready") or {})["status"] == "True"
    assert world.deployment("web")["status"]["availableReplicas"] == 3


def test_an_update_is_waited_for_until_all_its_pods_are_new(world: World) -> None:
    """Those of the spec before do not count."""
    world.declare("web")
    assert world.apply("--wait").returncode == 0
    world.declare("web", image="nginx:1.26")
    assert world.apply("--wait").returncode == 0
    status = world.deployment("web")["status"]
    assert (status["updatedReplicas"], status["replicas"]) == (2, 2)


def test_a_rollout_that_makes_no_progress_ends_it_with_5(world: World) -> None:
    """At the Deployment's own deadline, with what the scheduler says of the pods."""
    _fits_no_node(world)
    _patch(world, {"progressDeadlineSeconds": 2})
    world.declare("web", replicas=1, image="nginx:9")
    done = world.apply("--wait")
    assert done.returncode == 5, done.stderr
    (line,) = [line for line in done.stderr.splitlines() if "/web: not ready: " in line]
    assert "ProgressDeadlineExceeded: " in line
    assert ": Unschedulable: " in line
    assert (world.condition("web", "Stalled") or {})["reason"] == "ProgressDeadlineExceeded"


def test_a_quota_ends_it_with_5_which_blocked_ok_does_not_forgive(world: World) -> None:
    """The Deployment could be written, its pods cannot be made."""
    world.kubectl("create", "quota", "none", "--hard=pods=0")
    eventually(lambda: _is_in_force(world, "none"))
    world.declare("web")
    done = world.apply("--wait", "--blocked-ok")
    assert done.returncode == 5, done.stderr
    assert "/web: not ready: ReplicaFailure: " in done.stderr
    again = world.apply("--wait")
    assert again.returncode == 0
    assert f"because unchanged, and not ready: {world.namespace}/web (ReplicaFailure: " in again.stderr
    assert "exceeded quota: none" in done.stderr


def test_a_paused_deployment_ends_it_with_5(world: World) -> None:
    """It would wait for a person."""
    world.declare("web")
    world.converge()
    world.settle()
    world.kubectl("rollout", "pause", "deployment/web-deployment")
    world.declare("web", image="nginx:1.26")
    done = world.apply("--wait")
    assert done.returncode == 5, done.stderr
    assert "/web: not ready: DeploymentPaused: " in done.stderr
    assert "rollout resume deployment/web-deployment" in done.stderr


def test_the_time_limit_ends_it_with_5_and_the_pods_say_why(world: World) -> None:
    """--wait-timeout is for the wait alone."""
    _fits_no_node(world)
    eventually(lambda: _pending_pod(world))
    status = json.dumps({"status": CANNOT_PULL})
    world.kubectl("patch", _pending_pod(world), "--subresource=status", "-p", status)
    world.kubectl("label", "deployment", "web-deployment", "app-")
    done = world.apply("--wait", "--wait-timeout", "2s")
    assert done.returncode == 5, done.stderr
    assert "0 of 1 ready when --wait-timeout 2s was over" in done.stderr
    assert "/web: not ready: TimedOut: 2 replicas are still there, 1 are wanted; pod web-deployment-" in done.stderr
    assert ': ImagePullBackOff: Back-off pulling image "nginx:9"' in done.stderr


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_leaves_the_report(world: World, start: Start, number: signal.Signals, code: int) -> None:
    """What was applied, and what is not ready yet."""
    _fits_no_node(world)
    world.declare("web", replicas=1, image="nginx:9")
    apply = start("apply", "--yes", "--wait", "-n", world.namespace, "-o", "json")
    assert apply.stderr is not None
    assert any("waiting for 1 of 1: " in line for line in apply.stderr)
    apply.send_signal(number)
    out, talk = apply.communicate(timeout=10)
    assert apply.returncode == code
    assert [result["outcome"] for result in json.loads(out)["results"]] == ["configured"]
    assert f"{world.namespace}/web: not ready: Interrupted: " in talk
    assert "1 configured" in talk
