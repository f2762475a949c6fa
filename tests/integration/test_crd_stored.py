"""The CRD over objects that were stored before it: what breaks a rule can still be managed, and installing says so."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from tests.conftest import Kubectl, Webappctl
from tests.manifests import webapp
from tests.world import eventually
from webappctl import crd
from webappctl.sandbox import Sandbox, throwaway

IMAGE = {"image": "nginx:1.25"}
GOOD = {**IMAGE, "port": 80}
BROKEN: Mapping[str, Mapping[str, Any] | None] = {
    "a" * 53: GOOD,
    "a.dot": GOOD,
    "no-spec": None,
    "empty-spec": {},
    "no-image": {"port": 80},
    "port-zero": {**IMAGE, "port": 0},
    "many": {**GOOD, "replicas": 100_001},
}
"""What a laxer CRD lets in: name → spec."""


def private_crd(group: str, *, lax: bool) -> str:
    """The shipped CRD under another group and other names, so that it disturbs no other test."""
    copy = json.loads(json.dumps(crd.shipped()))
    names = {"kind": "Ratchet", "listKind": "RatchetList", "plural": "ratchets", "singular": "ratchet"}
    copy["metadata"]["name"] = f"ratchets.{group}"
    copy["spec"] |= {"group": group, "names": names}
    if lax:
        loosen(copy)
    return json.dumps(copy)


def loosen(definition: dict[str, Any]) -> None:
    """No rules at the root, and any spec."""
    schema = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    del schema["x-kubernetes-validations"]
    schema["properties"]["spec"] = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def ratchet(namespace: str, name: str, spec: Mapping[str, Any] | None = None, status: Any = None) -> str:
    kind = {"apiVersion": f"{namespace}.example.com/v1", "kind": "Ratchet"}
    return json.dumps(webapp(name, namespace, spec, status=status) | kind)


@pytest.fixture
def stored(kubectl: Kubectl, namespace: str) -> Iterator[str]:
    """The resource's name. Objects that were stored under a laxer CRD, each breaking one rule of the one there now."""
    group = f"{namespace}.example.com"
    name = f"ratchets.{group}"
    kubectl("apply", "--server-side", "-f", "-", stdin=private_crd(group, lax=True))
    kubectl("wait", "--for=condition=Established", f"crd/{name}", "--timeout=30s")
    for broken, spec in BROKEN.items():
        store(kubectl, ratchet(namespace, broken, spec))
    kubectl("apply", "--server-side", "-f", "-", stdin=private_crd(group, lax=False))
    until_refused(kubectl, ratchet(namespace, "b" * 53, GOOD))
    yield name
    kubectl("delete", "crd", name, "--wait=false")


def store(kubectl: Kubectl, body: str) -> None:
    """The first object of a new kind may come before the API server serves it."""
    eventually(lambda: kubectl("create", "-f", "-", stdin=body, check=False).returncode == 0)


def until_refused(kubectl: Kubectl, body: str) -> None:
    """A changed CRD takes effect some seconds after it is stored."""
    eventually(lambda: kubectl("create", "--dry-run=server", "-f", "-", stdin=body, check=False).returncode != 0)


def test_a_stored_object_that_breaks_a_rule_still_gets_a_status(kubectl: Kubectl, namespace: str, stored: str) -> None:
    """By forced server-side apply on the subresource, as webappctl writes it."""
    condition = {"type": "Stalled", "status": "True", "reason": "Blocked", "message": "no Deployment can be made of it"}
    condition |= {"lastTransitionTime": "2026-11-30T12:00:00Z"}
    how = ("apply", "--server-side", "--force-conflicts", "--subresource=status", "--field-manager=webappctl")
    for name in BROKEN:
        status = {"observedGeneration": 1, "replicas": 0, "readyReplicas": 0, "conditions": [condition]}
        kubectl(*how, "-f", "-", stdin=ratchet(namespace, name, status=status))
    reasons = kubectl("get", stored, "-n", namespace, "-o", "jsonpath={.items[*].status.conditions[0].reason}").stdout
    assert reasons.split() == ["Blocked"] * len(BROKEN)


def test_a_stored_object_that_breaks_a_rule_can_be_annotated(kubectl: Kubectl, namespace: str, stored: str) -> None:
    """A change beside the broken value is no business of the rule."""
    kubectl("annotate", stored, "-n", namespace, "--all", "note=kept")
    notes = kubectl("get", stored, "-n", namespace, "-o", "jsonpath={.items[*].metadata.annotations.note}").stdout
    assert notes.split() == ["kept"] * len(BROKEN)


def test_a_stored_object_that_breaks_a_rule_can_be_deleted(kubectl: Kubectl, namespace: str, stored: str) -> None:
    """With --cascade=orphan too, where the garbage collector has to update the object to take its finalizer off.

    The collector learns of a new kind at its next discovery, up to 30 s later.
    """
    kubectl("delete", stored, "-n", namespace, "--all", "--cascade=orphan", "--timeout=100s")
    assert kubectl("get", stored, "-n", namespace, "-o", "name").stdout == ""


def test_a_stored_object_keeps_a_bad_value_but_gets_no_other(kubectl: Kubectl, namespace: str, stored: str) -> None:
    """An unchanged value passes; a changed one is checked."""
    how = ("patch", stored, "port-zero", "-n", namespace, "--type=merge", "-p")
    kubectl(*how, '{"spec": {"image": "nginx:1.26"}}')
    refused = kubectl(*how, '{"spec": {"port": 65536}}', check=False)
    assert "should be less than or equal to 65535" in refused.stderr


def test_installing_again_changes_nothing(cluster: crd.CrdStore, kubectl: Kubectl) -> None:
    """The session began with it; a second time is a no-op, and nothing stored is complained of."""
    version = ("get", "crd", crd.NAME, "-o", "jsonpath={.metadata.resourceVersion}")
    crd.install(cluster, print, 30, threading.Event())
    before = kubectl(*version).stdout
    assert crd.install(cluster, print, 30, threading.Event()) is crd.Installed.UNCHANGED
    assert kubectl(*version).stdout == before


def test_install_names_what_it_would_refuse_and_goes_on(webappctl: Webappctl) -> None:
    """On a control plane of its own, with objects that were stored under a laxer CRD of the same name."""
    lax = json.loads(json.dumps(crd.shipped()))
    loosen(lax)
    with throwaway("crd", say=print) as own:
        kubectl = admin(own)
        kubectl("create", "-f", "-", stdin=json.dumps(lax))
        kubectl("wait", "--for=condition=Established", f"crd/{crd.NAME}", "--timeout=30s")
        for name, spec in BROKEN.items():
            store(kubectl, json.dumps(webapp(name, "default", spec)))
        installed = webappctl("crd", "--install", kubeconfig=own.kubeconfig)
        assert installed.returncode == 0, installed.stderr
        assert "configured" in installed.stdout + installed.stderr
        assert [name for name in BROKEN if f"default/{name}: " not in installed.stderr] == []
        assert len(kubectl("get", "webapps", "-o", "name").stdout.split()) == len(BROKEN)


def test_install_on_an_empty_cluster(webappctl: Webappctl) -> None:
    """When it returns, WebApps can be created at once."""
    with throwaway("crd", say=print) as own:
        installed = webappctl("crd", "--install", kubeconfig=own.kubeconfig)
        assert installed.returncode == 0, installed.stderr
        assert "created" in installed.stdout + installed.stderr
        admin(own)("create", "-f", "-", stdin=json.dumps(webapp("web", "default", GOOD)))


def test_install_says_the_servers_reason_when_names_are_taken(webappctl: Webappctl) -> None:
    """Another CRD of the group has the short name; its message is passed on, exit 1."""
    other = json.loads(private_crd("apps.example.com", lax=True))
    other["spec"]["names"]["shortNames"] = ["wa"]
    with throwaway("crd", say=print) as own:
        kubectl = admin(own)
        kubectl("create", "-f", "-", stdin=json.dumps(other))
        kubectl("wait", "--for=condition=Established", "crd/ratchets.apps.example.com", "--timeout=30s")
        installed = webappctl("crd", "--install", kubeconfig=own.kubeconfig)
        assert installed.returncode == 1
        assert 'names are not accepted: "wa" is already in use' in installed.stderr


def admin(own: Sandbox) -> Kubectl:
    """kubectl on a control plane that a test started for itself."""
    assert own.kubectl is not None
    return Kubectl(own.kubectl, own.kubeconfig)
