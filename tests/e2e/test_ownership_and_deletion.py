"""Whose a Deployment is: taking over, adopting, orphans, and what is never touched."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.identities import kubeconfig_of, service_account
from tests.world import World, eventually
from webappctl.sandbox import Sandbox


def _deployment(name: str, webapp: str, *, ports: tuple[int, ...] = (80,), **metadata: Any) -> str:
    """One with the selector that ours would have; made by whoever."""
    labels = {"app": webapp, "managed-by": "webapp-operator"}
    container = {"name": "app", "image": "nginx:1.24", "ports": [{"containerPort": port} for port in ports]}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container], "terminationGracePeriodSeconds": 7}}
    spec = {"replicas": 2, "selector": {"matchLabels": labels}, "template": template}
    meta = {"name": name, "labels": labels} | metadata
    return json.dumps({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": spec})


def _create(world: World, manifest: str, manager: str = "kubectl-create") -> None:
    world.kubectl("create", "-f", "-", f"--field-manager={manager}", stdin=manifest)


def _owner(world: World, webapp: str) -> dict[str, Any]:
    uid = world.webapp(webapp)["metadata"]["uid"]
    reference = {"apiVersion": "apps.example.com/v1", "kind": "WebApp", "name": webapp, "uid": uid}
    return reference | {"controller": True, "blockOwnerDeletion": True}


def _ports(world: World, webapp: str) -> list[int]:
    (container,) = world.deployment(webapp)["spec"]["template"]["spec"]["containers"]
    return [port["containerPort"] for port in container["ports"]]


def _row(world: World, *arguments: str) -> dict[str, Any]:
    (row,) = json.loads(world.plan("-o", "json", *arguments).stdout)["changes"]
    found: dict[str, Any] = row
    return found


def test_a_fleet_of_the_go_operator_is_taken_over_with_an_empty_plan(world: World) -> None:
    """Update entries, no Apply entry: nothing to do; a later change of the port leaves one port."""
    world.declare("web", image="nginx:1.24")
    _create(world, _deployment("web-deployment", "web", ownerReferences=[_owner(world, "web")]), "webapp-operator")
    assert (world.plan().returncode, world.plan().stdout) == (0, "")
    world.declare("web", image="nginx:1.24", port=8080)
    world.converge()
    assert _ports(world, "web") == [8080]


def test_a_port_of_the_former_writer_falls_away_and_the_plan_says_so(world: World) -> None:
    """Also where the change is another one."""
    world.declare("web", image="nginx:1.25")
    manifest = _deployment("web-deployment", "web", ports=(80, 9090), ownerReferences=[_owner(world, "web")])
    _create(world, manifest, "webapp-operator")
    row = _row(world)
    assert row["takeover"] == {"managers": ["webapp-operator"], "fallsAway": ["port 9090"]}
    world.converge()
    assert _ports(world, "web") == [80]


def test_what_is_not_ours_of_a_taken_over_deployment_stays_the_former_writers(world: World) -> None:
    world.declare("web", image="nginx:1.25")
    _create(world, _deployment("web-deployment", "web", ownerReferences=[_owner(world, "web")]), "webapp-operator")
    world.converge()
    assert world.deployment("web")["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] == 7


def test_nobodys_deployment_is_left_alone_and_named(world: World) -> None:
    """Exit 5, with the way to take it."""
    world.declare("web")
    _create(world, _deployment("web-deployment", "web"))
    done = world.apply()
    assert done.returncode == 5
    assert "--adopt=unowned" in done.stdout
    assert "ownerReferences" not in world.deployment("web")["metadata"]


def test_nobodys_deployment_is_adopted_when_asked(world: World) -> None:
    """Its port that ours replaces goes, its other fields stay, and the WebApp owns it."""
    world.declare("web", port=8080)
    _create(world, _deployment("web-deployment", "web"))
    assert _row(world, "--adopt", "unowned")["action"] == "adopt"
    world.converge("--adopt=unowned")
    deployment = world.deployment("web")
    assert deployment["metadata"]["ownerReferences"] == [_owner(world, "web")]
    assert deployment["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] == 7
    assert _ports(world, "web") == [8080]


def test_another_selector_is_never_adopted(world: World) -> None:
    """`kubectl create deployment` selects by one label; selectors are immutable."""
    world.declare("web")
    world.kubectl("create", "deployment", "web-deployment", "--image=nginx:1.25")
    done = world.apply("--adopt=unowned")
    assert done.returncode == 5
    assert "selects app=web-deployment instead of app=web,managed-by=webapp-operator" in done.stdout


def test_helms_deployment_is_never_adopted(world: World) -> None:
    """It says so in an annotation."""
    world.declare("web")
    annotations = {"meta.helm.sh/release-name": "legacy", "meta.helm.sh/release-namespace": world.namespace}
    _create(world, _deployment("web-deployment", "web", annotations=annotations), "helm")
    done = world.apply("--adopt=unowned")
    assert done.returncode == 5
    assert "managed by Helm release legacy" in done.stdout


def test_another_controllers_deployment_is_never_adopted(world: World) -> None:
    world.declare("web")
    reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "theirs", "controller": True}
    world.kubectl("create", "configmap", "theirs")
    reference["uid"] = world.get("configmap", "theirs")["metadata"]["uid"]
    _create(world, _deployment("web-deployment", "web", ownerReferences=[reference]))
    done = world.apply("--adopt=unowned")
    assert done.returncode == 5
    assert "owned by ConfigMap theirs" in done.stdout


@pytest.fixture
def orphan(world: World) -> World:
    """`web` was deleted without its Deployment; `other` lives."""
    world.declare("web")
    world.declare("other")
    world.converge()
    world.kubectl("delete", "webapp", "web", "--cascade=orphan")
    eventually(lambda: "ownerReferences" not in world.deployment("web")["metadata"])
    return world


def test_an_orphan_is_a_row_and_left_alone(orphan: World) -> None:
    """It counts for nothing."""
    done = orphan.plan()
    assert (done.returncode, [line[1] for line in orphan.lines(done)]) == (0, ["orphan"])
    assert f"{orphan.namespace}/web-deployment" in done.stdout
    assert orphan.apply().returncode == 0
    assert orphan.exists("deployment", "web-deployment")


def test_an_orphan_is_deleted_by_prune_and_nothing_else_is(orphan: World) -> None:
    assert orphan.plan("--prune").returncode == 3
    orphan.converge("--prune")
    eventually(lambda: not orphan.exists("deployment", "web-deployment"))
    assert orphan.exists("deployment", "other-deployment")


def test_an_orphan_whose_webapp_comes_back_is_taken_back(orphan: World) -> None:
    orphan.declare("web")
    orphan.converge()
    assert orphan.deployment("web")["metadata"]["ownerReferences"] == [_owner(orphan, "web")]


@pytest.mark.parametrize("arguments", [("web",), ("-l", "team=a")])
def test_prune_wants_to_see_every_webapp(orphan: World, arguments: tuple[str, ...]) -> None:
    done = orphan.webappctl("apply", "--yes", "--prune", "-n", orphan.namespace, *arguments)
    assert done.returncode == 2
    assert orphan.exists("deployment", "web-deployment")


def test_prune_without_a_single_webapp_is_refused(orphan: World) -> None:
    """More likely the WebApps are lost than unwanted."""
    orphan.kubectl("delete", "webapp", "other", "--wait")
    eventually(lambda: not orphan.exists("deployment", "other-deployment"))
    done = orphan.apply("--prune")
    assert done.returncode == 4
    assert "--allow-empty" in done.stderr
    assert orphan.exists("deployment", "web-deployment")
    orphan.converge("--prune", "--allow-empty")


def test_the_child_of_a_deleted_webapp_is_the_garbage_collectors(world: World) -> None:
    """An owner that is not there any more: the plan says who will take it away, and prune does not."""
    owner = {"apiVersion": "apps.example.com/v1", "kind": "WebApp", "name": "web", "controller": True}
    _create(world, _deployment("web-deployment", "web", ownerReferences=[owner | {"uid": "no-such-uid"}]))
    done = world.plan("--prune")
    rows = world.lines(done)
    assert rows == [] or (rows[0][1], rows[0][5]) == ("waiting", "garbage-collection")
    eventually(lambda: not world.exists("deployment", "web-deployment"), seconds=60)


def test_a_deployment_held_by_a_finalizer_is_not_written_in_ten_passes(world: World) -> None:
    world.declare("web")
    world.converge()
    world.kubectl("patch", "deployment", "web-deployment", "-p", '{"metadata":{"finalizers":["example.com/hold"]}}')
    world.kubectl("delete", "deployment", "web-deployment", "--wait=false")
    before = world.deployment("web")["metadata"]["resourceVersion"]
    assert {world.apply().returncode for _ in range(10)} == {5}
    assert world.deployment("web")["metadata"]["resourceVersion"] == before
    world.kubectl("patch", "deployment", "web-deployment", "--type=merge", "-p", '{"metadata":{"finalizers":null}}')


def test_a_webapp_held_by_a_finalizer_is_not_written_in_ten_passes(world: World) -> None:
    """Neither it nor its Deployment, though that has drifted."""
    world.declare("web")
    world.converge()
    world.kubectl("patch", "webapp", "web", "--type=merge", "-p", '{"metadata":{"finalizers":["example.com/hold"]}}')
    world.kubectl("delete", "webapp", "web", "--wait=false")
    world.kubectl("scale", "deployment", "web-deployment", "--replicas=1")
    before = world.webapp("web")["metadata"]["resourceVersion"]
    for _ in range(10):
        world.converge()
    assert world.webapp("web")["metadata"]["resourceVersion"] == before
    assert world.deployment("web")["spec"]["replicas"] == 1
    world.kubectl("patch", "webapp", "web", "--type=merge", "-p", '{"metadata":{"finalizers":null}}')


def test_a_namespace_full_of_webapps_goes_when_the_program_is_gone(world: World) -> None:
    """There are no finalizers that would hold it."""
    for name in ("a", "b", "c"):
        world.declare(name)
    world.converge()
    world.kubectl_("delete", "namespace", world.namespace, "--timeout=90s")
    assert world.kubectl_("get", "namespace", world.namespace, "--ignore-not-found").stdout == ""
    world.kubectl_("create", "namespace", world.namespace)


def test_a_list_that_is_forbidden_in_one_namespace_deletes_nothing_in_any(
    orphan: World, sandbox: Sandbox, tmp_path: Path
) -> None:
    """Unknown is never empty, and a pass is whole or none."""
    rights = ("list webapps.apps.example.com", "list deployments.apps", "get webapps.apps.example.com")
    token = service_account(orphan.kubectl_, orphan.namespace, *rights, "delete deployments.apps")
    only_here = kubeconfig_of(token, sandbox.kubeconfig, tmp_path)
    command = ("apply", "--yes", "--prune", "--no-lock", "-n", orphan.namespace, "-n", "default")
    done = orphan.webappctl(*command, kubeconfig=only_here)
    assert done.returncode == 1
    assert "may not list" in done.stderr
    assert orphan.exists("deployment", "web-deployment")
