"""Who has the replicas: the WebApp, an autoscaler, or a person with kubectl."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.identities import kubeconfig_of, service_account
from tests.world import World, eventually
from webappctl import reconcile
from webappctl.apply import Orders
from webappctl.cluster import Cluster
from webappctl.core.objects import Scope
from webappctl.sandbox import Sandbox

CONTROLLER = "kube-controller-manager"


def _autoscale(world: World, minimum: int, maximum: int = 9, target: str = "Deployment") -> None:
    """Of `web`. Without metrics the controller still keeps to the bounds."""
    reference = {
        "Deployment": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web-deployment"},
        "WebApp": {"apiVersion": "apps.example.com/v1", "kind": "WebApp", "name": "web"},
    }[target]
    autoscaler = {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web"},
        "spec": {"scaleTargetRef": reference, "minReplicas": minimum, "maxReplicas": maximum},
    }
    world.kubectl("apply", "-f", "-", stdin=json.dumps(autoscaler))


def _scale(world: World, replicas: int, manager: str = CONTROLLER) -> None:
    """As that manager does it, through the subresource."""
    patch = json.dumps({"spec": {"replicas": replicas}})
    options = ("--subresource=scale", "--type=merge", f"--field-manager={manager}", "-p", patch)
    world.kubectl("patch", "deployment", "web-deployment", *options)


def _replicas(world: World) -> int:
    replicas: int = world.deployment("web")["spec"]["replicas"]
    return replicas


@pytest.fixture
def web(world: World) -> World:
    """`web` asks for 3 replicas, and has them."""
    world.declare("web", replicas=3)
    world.converge()
    return world


def _owns_replicas(world: World) -> list[str]:
    deployment = json.loads(
        world.kubectl("get", "deployment", "web-deployment", "-o", "json", "--show-managed-fields").stdout
    )
    entries = deployment["metadata"]["managedFields"]
    return [entry["manager"] for entry in entries if "f:replicas" in entry["fieldsV1"].get("f:spec", {})]


def test_an_image_change_leaves_the_autoscalers_seven(web: World) -> None:
    """The real autoscaling controller raises it to its minimum; the WebApp says 3."""
    _autoscale(web, minimum=7)
    eventually(lambda: _replicas(web) == 7, seconds=90)
    assert [line[1] for line in web.lines(web.plan())] == ["held"]
    web.declare("web", image="nginx:1.26", replicas=3)
    web.converge()
    assert _replicas(web) == 7
    assert _owns_replicas(web) == [CONTROLLER]


def test_an_autoscaler_that_has_not_acted_yet_makes_no_dip(web: World) -> None:
    """We still own the replicas: leaving them out would make them 1."""
    _autoscale(web, minimum=2)
    web.declare("web", image="nginx:1.26", replicas=3)
    web.converge()
    web.declare("web", image="nginx:1.27", replicas=5)
    web.converge()
    assert _replicas(web) == 3


def test_management_resumes_when_the_autoscaler_goes(web: World) -> None:
    _autoscale(web, minimum=2)
    _scale(web, 7)
    web.converge()
    assert _replicas(web) == 7
    web.kubectl("delete", "hpa", "web")
    web.converge()
    assert _replicas(web) == 3


def test_a_held_row_counts_for_nothing(web: World) -> None:
    """Exit 0, and the row names who holds it, with its bounds."""
    _autoscale(web, minimum=2)
    _scale(web, 7)
    done = web.plan("-o", "json")
    (row,) = json.loads(done.stdout)["changes"]
    assert (done.returncode, row["action"]) == (0, "held")
    assert row["held"] == {"live": 7, "wanted": 3, "autoscaler": "web", "minimum": 2, "maximum": 9}


def test_what_a_person_scaled_is_drift_with_a_name_and_no_time(web: World) -> None:
    """And is repaired."""
    web.kubectl("scale", "deployment", "web-deployment", "--replicas=5")
    (field,) = json.loads(web.plan("-o", "json").stdout)["changes"][0]["fields"]
    assert (field["path"], field["cause"], field["manager"], field["time"]) == (
        "replicas",
        "live-drift",
        "kubectl",
        None,
    )
    web.converge()
    assert _replicas(web) == 3


def test_replicas_that_nobody_asks_for_are_left_and_later_managed_again(web: World) -> None:
    web.declare("web", replicas=None)
    web.kubectl("scale", "deployment", "web-deployment", "--replicas=5")
    web.declare("web", replicas=None, image="nginx:1.26")
    web.converge()
    assert _replicas(web) == 5
    assert "webappctl" not in _owns_replicas(web)
    web.declare("web", replicas=2, image="nginx:1.26")
    web.converge()
    assert _replicas(web) == 2


def test_an_autoscaler_that_targets_the_webapp_scales_it(web: World) -> None:
    """Through the CRD's own /scale; the Deployment follows in the next pass."""
    web.settle()
    _autoscale(web, minimum=6, target="WebApp")
    eventually(lambda: web.webapp("web")["spec"]["replicas"] == 6, seconds=90)
    web.converge()
    assert _replicas(web) == 6


@pytest.fixture
def without_autoscalers(web: World, sandbox: Sandbox, tmp_path: Path) -> Path:
    """An identity that may not list HorizontalPodAutoscalers."""
    rights = ("list webapps.apps.example.com", "list deployments.apps")
    token = service_account(web.kubectl_, web.namespace, *rights)
    return kubeconfig_of(token, sandbox.kubeconfig, tmp_path)


@pytest.mark.parametrize(("manager", "action"), [(CONTROLLER, "held"), ("kubectl", "update")])
def test_where_autoscalers_may_not_be_listed_the_last_scaler_tells(
    web: World, without_autoscalers: Path, manager: str, action: str
) -> None:
    """The controller's own write means held; a person's does not."""
    _scale(web, 7, manager)
    done = web.webappctl("plan", "-n", web.namespace, kubeconfig=without_autoscalers)
    assert [line[1] for line in web.lines(done)] == [action]
    assert "HorizontalPodAutoscalers may not be listed" in done.stderr


@pytest.mark.parametrize("replan", [True, False], ids=["planned again", "agreed by a person"])
def test_an_autoscaler_that_writes_between_list_and_apply_is_not_overwritten(
    web: World, cluster: Cluster, replan: bool
) -> None:
    """Not even one that was not there when the plan was made; the image is written all the same."""
    web.declare("web", image="nginx:1.26", replicas=3)
    made = reconcile.plan(cluster, Scope((web.namespace,)))
    _autoscale(web, minimum=2)
    _scale(web, 7)
    reconcile.carry_out(made, cluster, Orders(replan=replan))
    (container,) = web.deployment("web")["spec"]["template"]["spec"]["containers"]
    assert (container["image"], _replicas(web)) == ("nginx:1.26", 7)
