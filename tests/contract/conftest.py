"""`server`: the in-memory double, and the real API server, behind the same few words."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.conftest import Kubectl
from tests.double import Double, Others
from tests.double.fields import Obj
from tests.identities import kubeconfig_of, service_account
from tests.world import eventually
from webappctl.cluster import Cluster, Request, Transport, Wire, requests
from webappctl.cluster.connect import connect
from webappctl.cluster.requests import AUTOSCALERS, DEPLOYMENTS, EVENTS, LEASES, NAMESPACES, PODS, WEBAPPS
from webappctl.cluster.wire import Resource
from webappctl.core.desired import creation, update
from webappctl.core.objects import Deployment, ManagedFields, ObjectKey, WebApp, deployment_key
from webappctl.core.objects import read_deployment as _read_deployment
from webappctl.core.objects import read_webapp as _read_webapp
from webappctl.sandbox import Sandbox

SETTLED = 60.0
"""Seconds that a rollout may take."""


@dataclass
class Server:
    """An API server, a namespace of the test's own in it, and a WebApp `web` there."""

    wire: Wire
    namespace: str
    settle: Callable[[Others, ObjectKey], None]
    login: Callable[[tuple[tuple[str, Resource], ...]], Wire]
    fill: Callable[[], None]
    """Make the namespace's quota allow no more Deployments."""
    others: Others = field(init=False)
    cluster: Cluster = field(init=False)
    """The same, as webappctl sees it."""

    def __post_init__(self) -> None:
        self.others = Others(self.wire)
        self.cluster = _seen_through(self.wire)
        self.key = ObjectKey(self.namespace, "web")
        self.others.declare(self.key)

    def send(self, request: Request) -> tuple[int, Obj]:
        return self.others.send(request)

    def webapp(self) -> WebApp:
        found = _read_webapp(json.dumps(self.others.webapp(self.key)).encode())
        assert isinstance(found, WebApp)
        return found

    def deployment(self) -> Deployment:
        """That of `web`, once nothing moves it any more."""
        self.settle(self.others, self.key)
        found = _read_deployment(json.dumps(self.others.deployment(self.key)).encode())
        assert isinstance(found, Deployment)
        return found

    def created(self) -> Deployment:
        """The Deployment of `web`, made as webappctl makes it."""
        status, body = self.send(requests.apply(DEPLOYMENTS, creation(self.webapp()), force=False))
        assert status == 201, body
        return self.deployment()

    def update(self, **precondition: str) -> tuple[int, Obj]:
        """webappctl's update to what `web` asks for now."""
        body = dict(update(self.webapp(), self.deployment()))
        return self.apply(body | {"metadata": body["metadata"] | precondition})

    def apply(self, body: Obj, *, force: bool = True) -> tuple[int, Obj]:
        return self.send(requests.apply(DEPLOYMENTS, body, force=force))

    def projection(self) -> Obj:
        """What webappctl applies, without a precondition."""
        body = dict(creation(self.webapp()))
        body["metadata"] = {k: v for k, v in body["metadata"].items() if k != "resourceVersion"}
        return body

    def managers(self) -> ManagedFields:
        return ManagedFields.read(self.deployment().metadata.managed_fields)

    def only(self, *rights: tuple[str, Resource]) -> Others:
        """Somebody who may do this in the namespace, and nothing else."""
        return Others(self.login(rights))

    def cluster_with(self, *rights: tuple[str, Resource]) -> Cluster:
        """webappctl as that somebody."""
        return _seen_through(self.login(rights))


@pytest.fixture(params=["double", "real"])
def server(request: pytest.FixtureRequest) -> Server:
    if request.param == "double":
        return _double()
    return _real(*(request.getfixturevalue(name) for name in ("sandbox", "kubectl", "namespace", "tmp_path")))


def _double() -> Server:
    double = Double()

    def login(rights: tuple[tuple[str, Resource], ...]) -> Wire:
        verbs = ("get", "list", "create", "update", "patch", "delete")
        known = [str(resource) for resource in (DEPLOYMENTS, WEBAPPS, EVENTS, AUTOSCALERS, PODS, LEASES, NAMESPACES)]
        everything = {(verb, resource) for verb in verbs for resource in (*known, f"{WEBAPPS}/status")}
        double.denied = everything - {(verb, str(resource)) for verb, resource in rights}
        return double

    return Server(
        double.backstage, "shop", lambda others, _: others.roll_out(), login, lambda: double.store.full.add("shop")
    )


def _real(sandbox: Sandbox, kubectl: Kubectl, namespace: str, folder: Path) -> Server:
    wire = _wire(sandbox.kubeconfig)

    def login(rights: tuple[tuple[str, Resource], ...]) -> Wire:
        token = service_account(kubectl, namespace, *(f"{verb} {resource}" for verb, resource in rights))
        return _wire(kubeconfig_of(token, sandbox.kubeconfig, folder))

    return Server(wire, namespace, _wait_for_rollout, login, lambda: _full(Others(wire), namespace))


def _wire(kubeconfig: Path) -> Wire:
    return connect(kubeconfig=str(kubeconfig), context=None, workers=2, request_timeout=10).wire


def _seen_through(wire: Wire) -> Cluster:
    return Cluster(Transport(wire, request_timeout=10, stop=threading.Event()), context="contract", workers=2)


def _wait_for_rollout(others: Others, key: ObjectKey) -> None:
    """Until the controller has nothing more to write; what a finalizer holds is not waited for."""
    ends = time.monotonic() + SETTLED
    before: Obj = {}
    while "finalizers" not in before.get("metadata", {}):
        found = others.deployment(key)
        if _rolled_out(found) and found == before:
            return
        assert time.monotonic() < ends, f"the rollout of {deployment_key(key)} does not end"
        before = found
        time.sleep(0.15)


def _rolled_out(found: Obj) -> bool:
    status, replicas = found.get("status", {}), found["spec"]["replicas"]
    counts = {status.get(name, 0) for name in ("replicas", "updatedReplicas", "availableReplicas")}
    return status.get("observedGeneration") == found["metadata"]["generation"] and counts == {replicas}


def _full(others: Others, namespace: str) -> None:
    """The quota binds as soon as the controller has counted what is there."""
    quotas = Resource("", "v1", "resourcequotas")
    spec = {"hard": {"count/deployments.apps": "0"}}
    metadata = {"name": "q", "namespace": namespace}
    others.create(quotas, {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata, "spec": spec})
    eventually(lambda: others.send_get(quotas, ObjectKey(namespace, "q"))[1].get("status", {}).get("used"))
