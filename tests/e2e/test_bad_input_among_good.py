"""Fifty WebApps, five of them impossible, each for another reason; and words of others that are hard to pass on.

On a control plane of their own: its CRD was laxer when they were stored, and its admission policies are for them.
"""

from __future__ import annotations

import copy
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.conftest import Kubectl, Webappctl
from tests.e2e.conftest import Start
from tests.manifests import webapp
from tests.policies import deny
from tests.world import READS, Audit, Done, World, eventually, until_passes
from webappctl import crd, sandbox
from webappctl.sandbox import Sandbox

pytestmark = pytest.mark.xdist_group("bad-input")

GOOD = 45
SPEC = {"image": "nginx:1.25", "replicas": 1, "port": 80}
SCOPE = ("-n", "shop", "-n", "full", "-n", "going")
IMPOSSIBLE = {
    ("full", "over-quota"): r"exceeded quota: none",
    ("going", "leaving"): r"namespace going .*being (deleted|terminated)",
    ("shop", "denied"): r"only from registry\.example\.com",
    ("shop", "foreign"): r"owned by ConfigMap legacy",
    ("shop", "n" * 64): r"its name has 64 characters",
}


def _laxer() -> dict[str, Any]:
    """Ours, without the rules on names."""
    definition = copy.deepcopy(dict(crd.shipped()))
    del definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["x-kubernetes-validations"]
    return definition


@pytest.fixture(scope="module")
def place() -> Iterator[Sandbox]:
    with sandbox.throwaway("bad-input", say=print, audit=True, crds=[_laxer()]) as found:
        yield found


def _namespace(place: Sandbox, name: str) -> World:
    assert place.kubectl is not None
    world = World(name, Kubectl(place.kubectl, place.kubeconfig), Webappctl(place.kubeconfig))
    world.kubectl_("create", "namespace", name)
    return world


def _until_refused(world: World, *arguments: str) -> None:
    """Quotas and policies take effect some seconds after they are stored."""
    eventually(lambda: world.kubectl(*arguments, "--dry-run=server", check=False).returncode != 0)


def _of_nobody_else(shop: World) -> None:
    """A policy that denies one Deployment, and another that has an owner."""
    denial = {"expression": "object.metadata.name != 'denied-deployment'", "message": "only from registry.example.com"}
    deny(shop.kubectl_, "shop", "CREATE", "deployments.apps", **denial)
    _until_refused(shop, "create", "deployment", "denied-deployment", "--image=nginx")
    shop.kubectl("create", "configmap", "legacy")
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "legacy", "controller": True}
    owner |= {"uid": shop.get("configmap", "legacy")["metadata"]["uid"]}
    shop.kubectl("create", "deployment", "foreign-deployment", "--image=nginx")
    shop.edit("foreign", {"op": "add", "path": "/metadata/ownerReferences", "value": [owner]})


def _with_a_full_quota(full: World) -> None:
    full.kubectl("create", "quota", "none", "--hard=count/deployments.apps=0")
    _until_refused(full, "create", "deployment", "any", "--image=nginx")


def _on_its_way_out(going: World) -> None:
    """A namespace that cannot end, because somebody keeps its WebApps."""
    deny(going.kubectl_, "going", "DELETE", "webapps.apps.example.com", expression="false", message="kept")
    _until_refused(going, "delete", "webapp", "leaving")
    going.kubectl_("delete", "namespace", "going", "--wait=false")


@dataclass(frozen=True)
class Fleet:
    """`applied`: the first pass, in JSON; `again`: the second, in lines."""

    place: Sandbox
    shop: World
    applied: Done
    again: Done

    @property
    def results(self) -> dict[tuple[str, str], dict[str, Any]]:
        found = json.loads(self.applied.stdout)["results"]
        return {(result["namespace"], result["name"]): result for result in found}


@pytest.fixture(scope="module")
def fleet(place: Sandbox) -> Fleet:
    shop, full, going = (_namespace(place, name) for name in ("shop", "full", "going"))
    names = [*IMPOSSIBLE, *(("shop", f"good-{number:02}") for number in range(GOOD))]
    items = [webapp(name, namespace, SPEC) for namespace, name in names]
    shop.kubectl_("create", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    _of_nobody_else(shop)
    _with_a_full_quota(full)
    _on_its_way_out(going)
    assert shop.webappctl("crd", "--install").returncode == 0
    applied, again = (shop.webappctl("apply", "--yes", *SCOPE, "-o", output) for output in ("json", "table"))
    return Fleet(place, shop, applied, again)


def test_forty_five_converge_beside_five_that_cannot(fleet: Fleet) -> None:
    """Exit 5: everything was done that can be."""
    assert fleet.applied.returncode == 5, fleet.applied.stderr
    outcomes = {key: result["outcome"] for key, result in fleet.results.items()}
    assert {key for key, outcome in outcomes.items() if outcome == "blocked"} == set(IMPOSSIBLE)
    assert Counter(outcomes.values()) == {"created": GOOD, "blocked": len(IMPOSSIBLE)}
    made = fleet.shop.kubectl("get", "deployments", "-l", "managed-by=webapp-operator", "-o", "name").stdout
    assert len(made.split()) == GOOD


@pytest.mark.parametrize("key", IMPOSSIBLE)
def test_each_of_the_five_is_named_with_its_reason_and_remedy(fleet: Fleet, key: tuple[str, str]) -> None:
    """In JSON, in a line, and in its own status, for as long as it lasts."""
    result, said = fleet.results[key], IMPOSSIBLE[key]
    assert re.search(said, result["message"])
    assert result["remedy"]
    assert fleet.again.returncode == 5
    (line,) = [line for line in fleet.shop.lines(fleet.again) if line[0] == "/".join(key)]
    assert line[1] == "blocked"
    assert re.search(rf"{said}.*\({re.escape(result['remedy'])}\)", line[6])
    stalled = World(key[0], fleet.shop.kubectl_, fleet.shop.webappctl).condition(key[1], "Stalled")
    assert stalled is not None
    assert re.search(said, stalled["message"])


def test_the_next_passes_do_not_hammer_the_five(fleet: Fleet, start: Start) -> None:
    """What was refused is tried again after a while, not in every pass."""
    audit = Audit.from_now(fleet.place)
    place = {"KUBECONFIG": str(fleet.place.kubeconfig), "WEBAPPCTL_LEASE_NAMESPACE": "default"}
    watch = start("watch", *SCOPE, "--interval", "200ms", env=place)
    until_passes(watch, 10)
    tried = Counter(
        (namespace, name.removesuffix("-deployment"))
        for namespace in ("shop", "full", "going")
        for verb, resource, name in audit.by_webappctl(namespace)
        if resource == "deployments" and verb in ("patch", "create", "update")
    )
    assert {key: times for key, times in tried.items() if times > 2} == {}


def _reported(world: World, *names: str) -> dict[str, dict[str, Any]]:
    """The statuses of WebApps none of whose pods is let in, once the controllers have said so."""
    for name in names:
        world.declare(name, replicas=1)
    world.converge()
    eventually(lambda: all("ReplicaFailure" in _conditions(world, name) for name in names))
    done = world.apply()
    assert done.returncode == 0, done.stdout + done.stderr
    return {name: world.condition(name, "Stalled") or {} for name in names}


def _conditions(world: World, name: str) -> dict[str, str]:
    """Of the Deployment: type → message."""
    return {c["type"]: c["message"] for c in world.deployment(name).get("status", {}).get("conditions", [])}


def test_a_message_of_100_kb_is_cut_between_emojis(place: Sandbox) -> None:
    """At each of the four bytes that an emoji has: the longer the name, the later it begins."""
    loud = _namespace(place, "loud")
    deny(loud.kubectl_, "loud", "CREATE", "pods", expression="false", message="\N{PARTY POPPER}" * 25_600)
    _until_refused(loud, "run", "any", "--image=nginx")
    for name, stalled in _reported(loud, "w", "we", "web", "webs").items():
        said = _conditions(loud, name)["ReplicaFailure"]
        assert len(said.encode()) > 100_000
        assert 1000 < len(stalled["message"].encode()) <= 1024
        assert stalled["message"].endswith("\N{PARTY POPPER}…")
        assert said.startswith(stalled["message"].removesuffix("…"))


@pytest.mark.parametrize("number", [0x1B, 0x7F, 0x85, 0x9B, 0x2028, 0xFFFF], ids=hex)
def test_an_odd_character_in_a_message_does_not_cost_the_status(place: Sandbox, number: int) -> None:
    """The API server takes a status with it, so ours arrives, and is what we compare with: it is not written again."""
    odd = _namespace(place, f"odd-{number:x}")
    deny(odd.kubectl_, odd.namespace, "CREATE", "pods", expression="false", message=f"begin{chr(number)}end")
    _until_refused(odd, "run", "any", "--image=nginx")
    stalled = _reported(odd, "web")["web"]
    assert f"begin{chr(number)}end" in _conditions(odd, "web")["ReplicaFailure"]
    assert re.search("begin.*end", stalled["message"], flags=re.DOTALL)
    audit = Audit.from_now(place)
    odd.converge()
    assert {verb for verb, _, _ in audit.by_webappctl(odd.namespace)} <= READS
