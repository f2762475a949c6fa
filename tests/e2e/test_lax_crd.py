"""WebApps that were stored under a laxer CRD than ours: each is its own trouble, and nobody else's."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.conftest import Kubectl, Webappctl
from tests.manifests import webapp
from tests.world import World, eventually
from webappctl import crd, sandbox

pytestmark = pytest.mark.xdist_group("lax")

GOOD = {"image": "nginx:1.25", "replicas": 1, "port": 80}
ODD: dict[str, tuple[object, str]] = {
    "no-image": ({"port": 80}, "spec.image is missing"),
    "no-port": ({"image": "nginx"}, "spec.port is missing"),
    "no-spec": (None, "it has no spec"),
    "spec-is-a-text": ("nginx", "spec: expected object, got str"),
    "two-replicas": (GOOD | {"replicas": "two"}, "spec.replicas: expected int"),
    "port-as-text": (GOOD | {"port": "80"}, "spec.port: expected int"),
    "high-port": (GOOD | {"port": 70_000}, "spec.port is 70000, it must be from 1 to 65535"),
    "many-replicas": (GOOD | {"replicas": 2**31}, "spec.replicas is 2147483648, it must be from 1 to 100000"),
    "white-space": (GOOD | {"image": "nginx 1.25"}, "spec.image has white space in it"),
    "n" * 64: (GOOD, "its name has 64 characters, and a label's value ends at 63"),
}
MANAGED = {"plain": "", "n" * 53: "53 characters", "n" * 63: "63 characters", "with.a.dot": "a dot"}
SPARE = {"unknown": {"who": {"knows": [1]}}}


def _lax() -> dict[str, Any]:
    definition = copy.deepcopy(dict(crd.shipped()))
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    status = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"]
    spec = {"x-kubernetes-preserve-unknown-fields": True}
    definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = anything | {
        "properties": {"spec": spec, "status": status}
    }
    del definition["spec"]["versions"][0]["subresources"]["scale"]
    return definition


@pytest.fixture(scope="module")
def lax() -> Iterator[World]:
    """A control plane of its own, with the lax CRD and all the odd objects in it; our CRD is installed after them."""
    with sandbox.throwaway("lax", say=print, crds=[_lax()]) as found:
        assert found.kubectl is not None
        world = World("default", Kubectl(found.kubectl, found.kubeconfig), Webappctl(found.kubeconfig))
        specs = {name: spec for name, (spec, _) in ODD.items()} | dict.fromkeys(MANAGED, GOOD | SPARE)
        for name, spec in specs.items():
            world.kubectl("create", "-f", "-", stdin=json.dumps(webapp(name, spec=spec)))
        installed = world.webappctl("crd", "--install")
        assert installed.returncode == 0, installed.stderr
        yield world


@pytest.fixture(scope="module")
def applied(lax: World) -> dict[str, dict[str, Any]]:
    """The results of the first pass, by name."""
    done = lax.webappctl("apply", "--yes", "-o", "json")
    assert done.returncode == 5, done.stderr
    return {result["name"]: result for result in json.loads(done.stdout)["results"]}


@pytest.mark.parametrize("name", MANAGED)
def test_the_sound_ones_converge_beside_the_odd_ones(lax: World, applied: dict[str, dict[str, Any]], name: str) -> None:
    """Also those whose names are too long for our CRD, or have a dot; they come with a warning."""
    assert applied[name]["outcome"] == "created"
    assert MANAGED[name] in applied[name]["warning"]
    assert lax.exists("deployment", f"{name}-deployment")


@pytest.mark.parametrize("name", ODD)
def test_an_odd_one_is_blocked_and_says_why(lax: World, applied: dict[str, dict[str, Any]], name: str) -> None:
    """In the result, in its own status, and in an event."""
    said = ODD[name][1]
    assert applied[name]["outcome"] == "blocked"
    assert said in applied[name]["message"]
    assert applied[name]["remedy"]
    stalled = lax.condition(name, "Stalled")
    assert stalled is not None
    assert said in stalled["message"]
    events = lax.kubectl("get", "events", f"--field-selector=involvedObject.name={name}", "-o", "json").stdout
    assert [event["reason"] for event in json.loads(events)["items"]] == ["Blocked"]


def test_further_passes_leave_the_odd_ones_alone(lax: World, applied: dict[str, dict[str, Any]]) -> None:
    """No status is written again, and no event is counted."""
    lax.kubectl("wait", "deployments", "--all", "--for=condition=Available", "--timeout=60s")
    lax.webappctl("apply", "--yes")
    columns = "custom-columns=:.metadata.name,:.metadata.resourceVersion"
    before = lax.kubectl("get", "webapps,events", "-o", columns).stdout
    for _ in range(3):
        assert lax.webappctl("apply", "--yes").returncode == 5
    assert lax.kubectl("get", "webapps,events", "-o", columns).stdout == before


def test_an_odd_one_that_is_put_right_is_managed(lax: World, applied: dict[str, dict[str, Any]]) -> None:
    """And nothing of its trouble stays in its status, whoever wrote it how."""
    lax.kubectl("patch", "webapp", "two-replicas", "--type=merge", "-p", '{"spec":{"replicas":2}}')
    done = lax.webappctl("apply", "--yes", "two-replicas")
    assert done.returncode == 0, done.stdout + done.stderr
    lax.kubectl("wait", "deployment/two-replicas-deployment", "--for=condition=Available", "--timeout=60s")
    assert lax.webappctl("apply", "--yes", "two-replicas").returncode == 0
    stalled, ready = lax.condition("two-replicas", "Stalled"), lax.condition("two-replicas", "Ready")
    assert stalled is None or stalled["status"] == "False"
    assert ready is not None
    assert ready["status"] == "True"
    version = lax.webapp("two-replicas")["metadata"]["resourceVersion"]
    lax.webappctl("apply", "--yes", "two-replicas")
    assert lax.webapp("two-replicas")["metadata"]["resourceVersion"] == version


def test_each_can_be_deleted(lax: World, applied: dict[str, dict[str, Any]]) -> None:
    """Nothing that we do holds one back; the garbage collector takes their Deployments."""
    lax.kubectl("delete", "webapps", "no-spec", "n" * 64, "port-as-text", "n" * 63, "--timeout=30s")
    eventually(lambda: not lax.exists("deployment", "n" * 63 + "-deployment"))
