"""The thirteen things that the operator did, which webappctl replaces; a test each, by their numbers.

Row 9's Lease and row 10's wake-ups are not there yet; its signals are.
"""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

import pytest

from tests.conftest import ROOT, Kubectl
from tests.e2e.conftest import Start
from tests.world import World, eventually

EXAMPLES = ROOT / "examples"


def test_row_01_the_crd_has_its_names(kubectl: Kubectl) -> None:
    """Group, version, kind, plural, singular, short name and scope are the operator's."""
    crd = json.loads(kubectl("get", "crd", "webapps.apps.example.com", "-o", "json").stdout)["spec"]
    assert (crd["group"], crd["scope"]) == ("apps.example.com", "Namespaced")
    names = crd["names"]
    assert (names["kind"], names["plural"], names["singular"], names["shortNames"]) == (
        "WebApp",
        "webapps",
        "webapp",
        ["wa"],
    )
    assert [(v["name"], v["served"], v["storage"]) for v in crd["versions"]] == [("v1", True, True)]


def test_row_02_status_is_a_subresource_with_conditions(world: World) -> None:
    """status holds readyReplicas and conditions with all six fields, and is written only through /status."""
    world.declare("web")
    world.converge()
    world.settle()
    status = world.webapp("web")["status"]
    assert status["readyReplicas"] == 2
    fields = {"type", "status", "reason", "message", "lastTransitionTime", "observedGeneration"}
    assert all(set(condition) == fields for condition in status["conditions"])
    world.kubectl("patch", "webapp", "web", "--type=merge", "-p", '{"status":{"readyReplicas":99}}')
    assert world.webapp("web")["status"]["readyReplicas"] == 2


@pytest.mark.parametrize("replicas", [0, -1])
def test_row_02_replicas_are_at_least_one(world: World, replicas: int) -> None:
    """The API server refuses a WebApp of no replicas."""
    with pytest.raises(pytest.fail.Exception, match=r"spec\.replicas"):
        world.declare("web", replicas=replicas)


def test_row_03_a_second_pass_does_nothing(world: World) -> None:
    """Passes are idempotent: the second finds the world as it should be."""
    world.declare("web")
    world.converge()
    again = world.apply()
    assert again.stdout == ""
    assert "0 created, 0 configured, 1 unchanged" in again.stderr


def test_row_03_a_pass_that_was_missed_is_made_up_for(world: World) -> None:
    """However many changes came between, one pass ends in the newest wish."""
    for image in ("nginx:1.23", "nginx:1.24", "nginx:1.25"):
        world.declare("web", image=image)
    world.converge()
    assert world.deployment("web")["spec"]["template"]["spec"]["containers"][0]["image"] == "nginx:1.25"


def test_row_04_the_deployment_has_the_operators_shape(world: World) -> None:
    """Name, labels on the Deployment, in its selector and on its pods, and one container `app`."""
    world.declare("web", image="nginx:1.25", replicas=2, port=8080)
    world.converge()
    deployment = world.deployment("web")
    labels = {"app": "web", "managed-by": "webapp-operator"}
    assert deployment["metadata"]["labels"] == labels
    assert deployment["spec"]["selector"] == {"matchLabels": labels}
    assert deployment["spec"]["template"]["metadata"]["labels"] == labels
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    assert (container["name"], container["image"]) == ("app", "nginx:1.25")
    assert container["ports"] == [{"containerPort": 8080, "protocol": "TCP"}]


def test_row_05_the_webapp_is_the_controller_of_its_deployment(world: World) -> None:
    """One owner reference, with controller and blockOwnerDeletion; and no finalizer."""
    world.declare("web")
    world.converge()
    webapp, deployment = world.webapp("web"), world.deployment("web")
    assert deployment["metadata"]["ownerReferences"] == [
        {
            "apiVersion": "apps.example.com/v1",
            "kind": "WebApp",
            "name": "web",
            "uid": webapp["metadata"]["uid"],
            "controller": True,
            "blockOwnerDeletion": True,
        }
    ]
    assert "finalizers" not in webapp["metadata"]


def test_row_05_deleting_a_webapp_has_the_garbage_collector_delete_its_deployment(world: World) -> None:
    """The cluster's own garbage collector does it; webappctl has no hand in it."""
    world.declare("web")
    world.converge()
    world.kubectl("delete", "webapp", "web")
    eventually(lambda: not world.exists("deployment", "web-deployment"), seconds=90)


def test_row_06_a_missing_deployment_is_created_again(world: World) -> None:
    """Somebody deletes the Deployment: the next pass makes another."""
    world.declare("web")
    world.converge()
    world.kubectl("delete", "deployment", "web-deployment")
    eventually(lambda: not world.exists("deployment", "web-deployment"))
    assert world.plan().returncode == 3
    world.converge()
    assert world.exists("deployment", "web-deployment")


DRIFT = {
    "replicas": '[{"op": "replace", "path": "/spec/replicas", "value": 7}]',
    "image": '[{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "nginx:1.0"}]',
    "port": '[{"op": "remove", "path": "/spec/template/spec/containers/0/ports"}]',
    "labels.app": '[{"op": "replace", "path": "/metadata/labels/app", "value": "other"}]',
    "labels.managed-by": '[{"op": "remove", "path": "/metadata/labels/managed-by"}]',
    "ownerReference": '[{"op": "remove", "path": "/metadata/ownerReferences"}]',
}


@pytest.mark.parametrize("field", DRIFT)
def test_row_06_drift_of_each_field_is_found_and_repaired(world: World, field: str) -> None:
    """A change by hand of one field that we set makes one row, of that field, and the next pass puts it back."""
    world.declare("web")
    world.converge()
    before = world.deployment("web")
    world.kubectl("patch", "deployment", "web-deployment", "--type=json", "-p", DRIFT[field])
    planned = world.plan()
    assert planned.returncode == 3
    assert [(line[1], line[2], line[5]) for line in world.lines(planned)] == [("update", field, "live-drift")]
    world.converge()
    after = world.deployment("web")
    assert after["spec"] == before["spec"]
    assert after["metadata"]["labels"] == before["metadata"]["labels"]
    assert after["metadata"]["ownerReferences"] == before["metadata"]["ownerReferences"]


def test_row_06_a_renamed_container_is_put_back_beside_the_one_that_stays(world: World) -> None:
    """A container that somebody put where ours was is not ours: it stays, and the row names it and who did it."""
    world.declare("web")
    world.converge()
    rename = '[{"op": "replace", "path": "/spec/template/spec/containers/0/name", "value": "mine"}]'
    world.kubectl("patch", "deployment", "web-deployment", "--type=json", "-p", rename)
    planned = world.plan()
    assert "container mine of kubectl-patch stays" in planned.stdout
    world.converge()
    containers = world.deployment("web")["spec"]["template"]["spec"]["containers"]
    assert sorted(container["name"] for container in containers) == ["app", "mine"]


@pytest.mark.parametrize(
    ("change", "fields"),
    [({"image": "nginx:1.27"}, ["image"]), ({"replicas": 5}, ["replicas"]), ({"port": 8080}, ["port"])],
)
def test_row_06_a_change_of_the_webapp_is_carried_over(
    world: World, change: dict[str, object], fields: list[str]
) -> None:
    """A change of the spec makes a row with that cause, and leaves one port."""
    world.declare("web")
    world.converge()
    world.declare("web", **change)  # type: ignore[arg-type] # one of declare's own arguments
    planned = world.lines(world.plan())
    assert [(line[2], line[5]) for line in planned] == [(field, "spec-changed") for field in fields]
    world.converge()
    assert len(world.deployment("web")["spec"]["template"]["spec"]["containers"][0]["ports"]) == 1


def test_row_07_status_says_when_all_replicas_are_available(world: World) -> None:
    """Available is False right after the creation, and True with the operator's words once the rollout is done."""
    world.declare("web", replicas=3)
    world.converge()
    # Reported from the answer to the creation, which has no pods yet.
    assert (world.condition("web", "Available") or {}).get("status") == "False"
    world.settle()
    available = world.condition("web", "Available")
    assert available is not None
    assert (available["status"], available["reason"]) == ("True", "DeploymentReady")
    assert available["message"] == "All replicas are available"
    assert world.webapp("web")["status"]["readyReplicas"] == 3


def test_row_08_an_event_is_shown_by_kubectl_describe(world: World) -> None:
    """Normal, Reconciled, and the operator's words, after a creation and after an update."""
    world.declare("my-service", replicas=2)
    world.converge()
    world.declare("my-service", replicas=5)
    world.converge()
    described = world.kubectl("describe", "webapp", "my-service").stdout
    assert "Deployment my-service-deployment updated to 2 replicas" in described
    line = next(line for line in described.splitlines() if "updated to 5 replicas" in line)
    assert line.split()[:2] == ["Normal", "Reconciled"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_row_09_signals_stop_watch_cleanly(world: World, start: Start, number: signal.Signals) -> None:
    """SIGTERM and SIGINT end watch with exit code 0, well within a pod's grace period."""
    watch = start("watch", "-n", world.namespace, "--interval", "1s")
    world.declare("web")
    eventually(lambda: world.exists("deployment", "web-deployment"))
    watch.send_signal(number)
    assert watch.wait(10) == 0


def test_row_11_test_app_gets_its_deployment_within_10_seconds(world: World) -> None:
    """The operator's own integration test: 3 replicas of nginx:1.25, on a real etcd and kube-apiserver."""
    manifest = (EXAMPLES / "test-app.yaml").read_text()
    world.kubectl("apply", "-f", "-", stdin=manifest)
    began = time.monotonic()
    world.converge()
    assert time.monotonic() - began < 10
    spec = world.deployment("test-app")["spec"]
    assert spec["replicas"] == 3
    assert spec["template"]["spec"]["containers"][0]["image"] == "nginx:1.25"


def test_row_12_my_service_is_the_example(world: World) -> None:
    """my-service: myregistry/myapp:v2.1.0, 5 replicas, port 8080."""
    world.kubectl("apply", "-f", "-", stdin=Path(EXAMPLES / "my-service.yaml").read_text())
    world.converge()
    spec = world.deployment("my-service")["spec"]
    (container,) = spec["template"]["spec"]["containers"]
    assert (spec["replicas"], container["image"]) == (5, "myregistry/myapp:v2.1.0")
    assert container["ports"][0]["containerPort"] == 8080


def test_row_13_watch_logs_what_it_creates_and_updates(world: World, start: Start) -> None:
    """`Creating Deployment` and `Updating Deployment`, with the name as a key, as JSON lines off a terminal."""
    world.declare("web", replicas=2)
    watch = start("watch", "-n", world.namespace, "--interval", "500ms")
    eventually(lambda: world.exists("deployment", "web-deployment"))
    world.declare("web", replicas=3)
    eventually(lambda: world.deployment("web")["spec"]["replicas"] == 3)
    watch.terminate()
    _, talk = watch.communicate(timeout=10)
    lines = [json.loads(line) for line in talk.splitlines() if line.startswith("{")]
    said = [(line["msg"], line["name"]) for line in lines if line["msg"].endswith("Deployment")]
    assert said == [("Creating Deployment", "web-deployment"), ("Updating Deployment", "web-deployment")]
