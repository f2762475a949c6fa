"""Each field that we set, changed alone by whoever it may be: found, and put back by the next pass.

What tests/e2e/test_operator_rows.py shows for row 6 is not shown again.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from tests.builders import deployment, webapp
from tests.world import World
from webappctl.core.desired import desired_fields
from webappctl.core.diff import diff

Json = dict[str, Any]

POD = "/spec/template/spec/containers"
OWNER = "/metadata/ownerReferences/0"


def _set(path: str, value: object) -> Json:
    return {"op": "add", "path": path, "value": value}


def _remove(path: str) -> Json:
    return {"op": "remove", "path": path}


def _paths(world: World) -> list[str]:
    """The fields of the only row."""
    (row,) = world.rows()
    assert row["action"] == "update"
    return [field["path"] for field in row["fields"]]


def _containers(world: World, name: str = "web") -> dict[str, Json]:
    found = world.deployment(name)["spec"]["template"]["spec"]["containers"]
    return {container["name"]: container for container in found}


EDITS: dict[str, tuple[Json, list[str]]] = {
    "image-of-another-tag": (_set(f"{POD}/0/image", "nginx:1.25.1"), ["image"]),
    "replicas-0": (_set("/spec/replicas", 0), ["replicas"]),
    "replicas-by-one": (_set("/spec/replicas", 3), ["replicas"]),
    "replicas-null": (_set("/spec/replicas", None), ["replicas"]),
    "no-labels": (_remove("/metadata/labels"), ["labels.app", "labels.managed-by"]),
    "label-in-capitals": (_set("/metadata/labels/app", "Web"), ["labels.app"]),
    "label-empty": (_set("/metadata/labels/managed-by", ""), ["labels.managed-by"]),
    "owner-no-controller": (_set(f"{OWNER}/controller", False), ["ownerReference"]),
    "owner-without-the-mark": (_remove(f"{OWNER}/controller"), ["ownerReference"]),
    "owner-that-blocks-nothing": (_set(f"{OWNER}/blockOwnerDeletion", False), ["ownerReference"]),
}


@pytest.mark.parametrize("edit", EDITS)
def test_one_edit_by_hand_is_found_alone_and_put_back(world: World, edit: str) -> None:
    """Its row names the field, and no other."""
    world.declare("web")
    world.converge()
    before = world.deployment("web")
    operation, paths = EDITS[edit]
    world.edit("web", operation)
    assert _paths(world) == paths
    world.converge()
    after = world.deployment("web")
    assert after["spec"] == before["spec"]
    for field in ("labels", "ownerReferences"):
        assert after["metadata"][field] == before["metadata"][field]


@pytest.mark.parametrize("label", ["app", "managed-by"])
@pytest.mark.parametrize("value", [None, "other"])
def test_the_api_server_itself_keeps_our_labels_on_the_pods(world: World, label: str, value: str | None) -> None:
    """Both are in the selector, which nobody can change: no drift of theirs can come about."""
    world.declare("web")
    world.converge()
    change = {"spec": {"template": {"metadata": {"labels": {label: value}}}}}
    patch = ("patch", "deployment", "web-deployment", "--type=merge", "-p", json.dumps(change))
    refused = world.kubectl(*patch, check=False)
    assert refused.returncode == 1
    assert "`selector` does not match template `labels`" in refused.stderr


def test_a_container_that_was_removed_comes_back_beside_the_one_that_was_left(world: World) -> None:
    """Both of its fields are in the row, and the sidecar is not touched."""
    world.declare("web", image="nginx:1.25")
    world.converge()
    world.edit("web", _set(f"{POD}/-", {"name": "proxy", "image": "envoy:1"}))
    assert world.rows() == []
    proxy = _containers(world)["proxy"]
    world.edit("web", _remove(f"{POD}/0"))
    assert _paths(world) == ["image", "port"]
    world.converge()
    found = _containers(world)
    assert found["proxy"] == proxy
    assert (found["app"]["image"], found["app"]["ports"]) == ("nginx:1.25", [{"containerPort": 80, "protocol": "TCP"}])


def test_the_same_port_under_another_protocol_is_another_port(world: World) -> None:
    """80/UDP, put where our 80/TCP was, stays with its writer, and ours is back beside it."""
    world.declare("web")
    world.converge()
    world.edit("web", _set(f"{POD}/0/ports/0/protocol", "UDP"))
    assert _paths(world) == ["port"]
    assert "80/UDP of kubectl-patch stays" in world.plan().stdout
    world.converge()
    ports = {(port["containerPort"], port["protocol"]) for port in _containers(world)["app"]["ports"]}
    assert ports == {(80, "UDP"), (80, "TCP")}


def test_a_port_under_another_protocol_beside_ours_is_no_drift(world: World) -> None:
    """And it is still there after our own has moved."""
    world.declare("web")
    world.converge()
    world.edit("web", _set(f"{POD}/0/ports/-", {"containerPort": 80, "protocol": "UDP"}))
    assert world.rows() == []
    world.declare("web", port=8080)
    assert _paths(world) == ["port"]
    world.converge()
    ports = {(port["containerPort"], port["protocol"]) for port in _containers(world)["app"]["ports"]}
    assert ports == {(80, "UDP"), (8080, "TCP")}


def test_our_port_listed_twice_is_no_reason_to_fail(world: World) -> None:
    """The API server lets a hand do that. It is no drift, and a change of ours goes through it."""
    world.declare("web")
    world.converge()
    world.edit("web", _set(f"{POD}/0/ports/-", {"containerPort": 80, "name": "twice"}))
    assert [port["containerPort"] for port in _containers(world)["app"]["ports"]] == [80, 80]
    assert world.rows() == []
    world.declare("web", port=8080)
    assert _paths(world) == ["port"]
    world.converge()
    assert (8080, "TCP") in {(port["containerPort"], port["protocol"]) for port in _containers(world)["app"]["ports"]}


def test_another_port_listed_twice_where_ours_was_is_found_and_ours_comes_back(world: World) -> None:
    """A list that no server-side apply could have written does not stop ours."""
    world.declare("web")
    world.converge()
    world.edit("web", _set(f"{POD}/0/ports", [{"containerPort": 81}, {"containerPort": 81, "name": "twice"}]))
    assert _paths(world) == ["port"]
    world.converge()
    assert (80, "TCP") in {(port["containerPort"], port["protocol"]) for port in _containers(world)["app"]["ports"]}


WRITERS = {
    "kubectl-patch": ("patch", "deployment", "web-deployment", "--type=merge", "-p", '{"spec":{"replicas":5}}'),
    "kubectl": ("scale", "deployment/web-deployment", "--replicas=5"),
    "argocd": ("apply", "--server-side", "--force-conflicts", "--field-manager=argocd", "-f", "-"),
    "kubectl-edit": ("replace", "--field-manager=kubectl-edit", "-f", "-"),
}


@pytest.mark.parametrize("manager", WRITERS)
def test_whoever_writes_it_and_however_it_is_found_with_his_name(world: World, manager: str) -> None:
    """By patch, scale, replace and another's server-side apply."""
    world.declare("web")
    world.converge()
    live = world.deployment("web")
    del live["metadata"]["resourceVersion"]
    live["spec"]["replicas"] = 5
    world.kubectl(*WRITERS[manager], stdin=json.dumps(live))
    (row,) = world.rows()
    assert [(field["path"], field["manager"]) for field in row["fields"]] == [("replicas", manager)]
    world.converge()
    assert world.deployment("web")["spec"]["replicas"] == 2


@pytest.mark.parametrize(("name", "looks_the_same"), [("1", "true"), ("2", "2.0"), ("1", "01")])
def test_what_some_languages_call_equal_is_not(world: World, name: str, looks_the_same: str) -> None:
    """1 and True, 2 and 2.0: a WebApp may be called so, and its label be set so."""
    world.declare(name)
    world.converge()
    world.edit(name, _set("/metadata/labels/app", looks_the_same))
    assert _paths(world) == ["labels.app"]
    world.converge()
    assert world.deployment(name)["metadata"]["labels"]["app"] == name


@pytest.mark.parametrize("replicas", ["true", "2.0", '"2"'])
def test_the_api_server_keeps_no_number_of_another_type(world: World, replicas: str) -> None:
    """So a Deployment never holds one that a diff could take for ours."""
    world.declare("web")
    world.converge()
    patch = ("patch", "deployment", "web-deployment", "--type=merge", "-p", f'{{"spec":{{"replicas":{replicas}}}}}')
    refused = world.kubectl(*patch, check=False)
    assert refused.returncode == 1
    assert "cannot unmarshal" in refused.stderr


@pytest.mark.parametrize("key", ["__app", "__", "_app"])
def test_a_key_that_a_diff_library_would_skip_is_compared(key: str) -> None:
    """The decision is not the library's, which leaves out what looks private. (No API server stores such a label.)"""
    wanted = msgspec.structs.replace(desired_fields(webapp()), labels={key: "web"})
    (change,) = diff(deployment(), wanted)
    assert (change.path, change.actual, change.desired) == (f"labels.{key}", None, "web")
