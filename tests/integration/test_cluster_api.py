"""Methods of Cluster against the real API server; tests/contract has those that the double has to know, too."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import manifests
from tests.conftest import Kubectl
from tests.identities import kubeconfig_of, service_account
from webappctl import errors
from webappctl.cluster import Cluster, listing, open_cluster
from webappctl.core.objects import Deployment, Json, ObjectKey, Scope, Unreadable, WebApp
from webappctl.sandbox import Sandbox

CRD = "webapps.apps.example.com"


def webapp(namespace: str, name: str, **labels: str) -> dict[str, Any]:
    return manifests.webapp(name, namespace, {"image": "nginx:1.25", "replicas": 1, "port": 80}, labels=labels)


def deployment(namespace: str, name: str = "web-deployment", **metadata: str) -> dict[str, Any]:
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "app", "image": "nginx:1.25"}]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"namespace": namespace, "name": name, **metadata},
        "spec": {"replicas": 1, "selector": {"matchLabels": labels}, "template": template},
    }


def own_crd(group: str) -> dict[str, Any]:
    schema = {"openAPIV3Schema": {"type": "object"}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"things.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": "Thing", "plural": "things"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
        },
    }


def event(namespace: str, last: str) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"namespace": namespace, "name": "web.1"},
        "involvedObject": {"kind": "WebApp", "namespace": namespace, "name": "web"},
        "type": "Normal",
        "reason": "Reconciled",
        "firstTimestamp": "2026-01-01T00:00:00Z",
        "lastTimestamp": last,
        "count": 1,
    }


Create = Callable[..., None]


@pytest.fixture
def create(kubectl: Kubectl) -> Create:
    """Creates objects as a person would."""

    def run(*objects: Json) -> None:
        kubectl("create", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))

    return run


@pytest.fixture
def nobody(sandbox: Sandbox, kubectl: Kubectl, namespace: str, tmp_path: Path) -> Cluster:
    """The cluster as a ServiceAccount without any right."""
    return _seen_with(service_account(kubectl, namespace), sandbox, tmp_path)


def _seen_with(token: str, sandbox: Sandbox, folder: Path) -> Cluster:
    config = kubeconfig_of(token, sandbox.kubeconfig, folder)
    return open_cluster(kubeconfig=str(config), context=None, stop=threading.Event())


def test_a_snapshot_is_what_is_there(cluster: Cluster, namespace: str, create: Create) -> None:
    """WebApps by the server's selector, Deployments beside them whatever their labels."""
    create(webapp(namespace, "b", team="a"), webapp(namespace, "a", team="a"), webapp(namespace, "c"))
    create(deployment(namespace))
    found = cluster.snapshot(Scope(namespaces=(namespace,), selector="team=a"))
    assert [webapp.key.name for webapp in found.webapps] == ["a", "b"]
    assert list(found.deployments) == [ObjectKey(namespace, "web-deployment")]
    assert cluster.transport.requests == {"GET": 3}


def test_a_snapshot_of_all_namespaces_is_three_requests(cluster: Cluster, namespace: str, create: Create) -> None:
    """However many namespaces there are."""
    create(webapp(namespace, "web"))
    assert ObjectKey(namespace, "web") in {webapp.key for webapp in cluster.snapshot(Scope()).webapps}
    assert cluster.transport.requests == {"GET": 3}


def test_lists_go_on_to_their_last_page(
    cluster: Cluster, namespace: str, create: Create, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here with two objects to a page."""
    monkeypatch.setattr(listing, "PAGE", 2)
    create(*(webapp(namespace, f"w{n}") for n in range(5)))
    assert len(cluster.snapshot(Scope(namespaces=(namespace,))).webapps) == 5
    assert cluster.transport.requests == {"GET": 3 + 1 + 1}


def test_an_unknown_selector_is_the_users_mistake(cluster: Cluster) -> None:
    """The server says what is wrong with it."""
    with pytest.raises(errors.UsageError, match="unable to parse requirement"):
        cluster.snapshot(Scope(selector="a==="))


def test_one_object_is_read_or_not_found(cluster: Cluster, namespace: str, create: Create) -> None:
    """Of both kinds."""
    create(webapp(namespace, "web"), deployment(namespace))
    assert isinstance(cluster.get_webapp(ObjectKey(namespace, "web")), WebApp)
    assert isinstance(cluster.get_deployment(ObjectKey(namespace, "web-deployment")), Deployment)
    with pytest.raises(errors.NotFound, match=f"^{namespace}/no: not found"):
        cluster.get_webapp(ObjectKey(namespace, "no"))
    with pytest.raises(errors.NotFound):
        cluster.get_deployment(ObjectKey(namespace, "no"))


def test_a_deployment_is_created_once(cluster: Cluster, namespace: str) -> None:
    """resourceVersion "1" makes an apply create-only."""
    made = cluster.apply_deployment(deployment(namespace, resourceVersion="1"), force=False)
    assert made.metadata.generation == 1
    with pytest.raises(errors.Conflict) as caught:
        cluster.apply_deployment(deployment(namespace, resourceVersion="1"), force=False)
    assert caught.value.causes == ()


def test_another_managers_field_is_a_conflict_with_that_cause(
    cluster: Cluster, kubectl: Kubectl, namespace: str, create: Create
) -> None:
    """Unless it is forced."""
    create({**deployment(namespace), "spec": {**deployment(namespace)["spec"], "replicas": 2}})
    with pytest.raises(errors.Conflict) as caught:
        cluster.apply_deployment(deployment(namespace), force=False)
    assert {cause.reason for cause in caught.value.causes} == {"FieldManagerConflict"}
    assert cluster.apply_deployment(deployment(namespace), force=True).spec.replicas == 1


def test_a_body_that_does_not_fit_is_invalid_at_once(cluster: Cluster, namespace: str) -> None:
    """Although the server calls it an error of its own."""
    with pytest.raises(errors.Invalid, match="field not declared in schema"):
        cluster.apply_deployment({**deployment(namespace), "nope": 1}, force=True)
    assert cluster.transport.requests == {"PATCH": 1}


def test_a_missing_namespace_is_named(cluster: Cluster) -> None:
    """By the server."""
    with pytest.raises(errors.NotFound, match=r'^missing/web-deployment: not found: namespaces "missing" not found$'):
        cluster.apply_deployment(deployment("missing"), force=True)


@pytest.mark.parametrize("write", [Cluster.apply_status, Cluster.merge_status])
def test_a_status_is_written_where_it_was_read(
    cluster: Cluster, namespace: str, create: Create, write: Callable[[Cluster, Json], WebApp | Unreadable]
) -> None:
    """By an apply or a merge; a second write with the resourceVersion of the first read is a conflict."""
    create(webapp(namespace, "web"))
    read = cluster.get_webapp(ObjectKey(namespace, "web")).metadata
    precondition = {"uid": read.uid, "resourceVersion": read.resource_version}
    manifest = manifests.webapp("web", namespace, status={"readyReplicas": 1}, **precondition)
    written = write(cluster, manifest)
    assert written.status is not None
    assert written.status.ready_replicas == 1
    with pytest.raises(errors.Conflict):
        write(cluster, manifest)


def test_an_event_that_comes_again_is_counted(cluster: Cluster, kubectl: Kubectl, namespace: str) -> None:
    """Its first time stays, its last time moves."""
    for day in (1, 2, 3):
        cluster.record_event(event(namespace, f"2026-01-0{day}T00:00:00Z"))
    stored = json.loads(kubectl("get", "event", "web.1", "-n", namespace, "-o", "json").stdout)
    assert (stored["count"], stored["firstTimestamp"], stored["lastTimestamp"]) == (
        3,
        "2026-01-01T00:00:00Z",
        "2026-01-03T00:00:00Z",
    )


def test_rights_are_answered(cluster: Cluster, nobody: Cluster, namespace: str) -> None:
    """For an admin, and for somebody who has none."""
    for who, allowed in ((cluster, True), (nobody, False)):
        assert who.may("patch", group="apps", resource="deployments", namespace=namespace) is allowed


def test_missing_rights_are_named(nobody: Cluster, namespace: str) -> None:
    """Verb, resource and namespace."""
    with pytest.raises(errors.Forbidden) as listed:
        nobody.snapshot(Scope(namespaces=(namespace,)))
    assert str(listed.value).startswith(f"forbidden: may not list {CRD} in namespace {namespace} (")
    with pytest.raises(errors.Forbidden) as applied:
        nobody.apply_deployment(deployment(namespace), force=True)
    words = f"{namespace}/web-deployment: forbidden: may not patch deployments.apps in namespace {namespace}: "
    assert str(applied.value).startswith(words)


def test_a_crd_is_applied_and_read(cluster: Cluster, kubectl: Kubectl, namespace: str) -> None:
    """One of the test's own; to apply it again changes nothing."""
    manifest = own_crd(f"{namespace}.test")
    name = manifest["metadata"]["name"]
    assert cluster.get_crd(name) is None
    made, again = cluster.apply_crd(manifest), cluster.apply_crd(manifest)
    stored = cluster.get_crd(name)
    assert stored is not None
    assert made["metadata"]["generation"] == again["metadata"]["generation"] == stored["metadata"]["generation"]
    kubectl("delete", "crd", name, "--wait=false")


def test_every_stored_webapp_is_listed(cluster: Cluster, namespace: str, create: Create) -> None:
    """Of all namespaces."""
    create(webapp(namespace, "web"))
    assert ObjectKey(namespace, "web") in {stored.key for stored in cluster.webapps()}


def test_a_401_is_said_without_the_token(sandbox: Sandbox, tmp_path: Path) -> None:
    """After the credentials were read again."""
    stranger = _seen_with("marker", sandbox, tmp_path)
    with pytest.raises(errors.Unauthorized) as caught:
        stranger.snapshot(Scope())
    assert "marker" not in str(caught.value)
    assert stranger.server in str(caught.value)
