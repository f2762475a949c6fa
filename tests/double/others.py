"""What others do to a cluster: developers, people with kubectl, controllers. Over any Wire, the real one too."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from http import HTTPStatus
from typing import Final

from tests import manifests
from tests.double.fields import Obj
from tests.double.kinds import NAMESPACES
from webappctl.cluster import requests
from webappctl.cluster.requests import AUTOSCALERS, DEPLOYMENTS, EVENTS, PODS, WEBAPPS
from webappctl.cluster.wire import APPLY_PATCH, JSON, MERGE_PATCH, Request, Resource, Wire
from webappctl.core.objects import ObjectKey, deployment_key

CONTROLLER: Final = "kube-controller-manager"
SECONDS: Final = 10.0
TRIES: Final = 20
"""Of an edit that somebody else's comes between."""


class Others:
    """Every method fails the test that calls it when the API server refuses."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def send(self, request: Request) -> tuple[int, Obj]:
        answer = self._wire.exchange(request, SECONDS)
        body: Obj = json.loads(answer.body)
        return answer.status, body

    def send_get(self, resource: Resource, key: ObjectKey) -> tuple[int, Obj]:
        return self.send(requests.get_one(resource, *key))

    def create(self, resource: Resource, manifest: Obj, manager: str = "kubectl-create") -> Obj:
        return self._must(replace(requests.create(resource, manifest), query={"fieldManager": manager}))

    def webapp(self, key: ObjectKey) -> Obj:
        return self._must(requests.get_one(WEBAPPS, *key))

    def deployment(self, key: ObjectKey) -> Obj:
        """That of this WebApp."""
        return self._must(requests.get_one(DEPLOYMENTS, *deployment_key(key)))

    def events(self, namespace: str) -> list[Obj]:
        events: list[Obj] = self._must(requests.list_page(EVENTS, namespace, {}))["items"]
        return events

    def deployments(self) -> list[Obj]:
        found: list[Obj] = self._must(requests.list_page(DEPLOYMENTS, "", {}))["items"]
        return found

    def declare(self, key: ObjectKey, **spec: object) -> Obj:
        """A developer creates a WebApp; `spec` is merged into that of an ordinary one."""
        wanted = {"image": "nginx:1.25", "replicas": 3, "port": 80} | spec
        given = {field: value for field, value in wanted.items() if value is not None}
        return self.create(WEBAPPS, manifests.webapp(key.name, key.namespace, given))

    def respecify(self, key: ObjectKey, **spec: object) -> Obj:
        """A developer changes fields of spec; None takes one away."""
        return self.patch(WEBAPPS, key, {"spec": spec}, manager="kubectl-edit")

    def edit(self, key: ObjectKey, change: Callable[[Obj], object], manager: str = "kubectl-edit") -> Obj:
        """Somebody opens the WebApp's Deployment in an editor, and saves it."""
        return self.replace(DEPLOYMENTS, deployment_key(key), change, manager)

    def replace(
        self, resource: Resource, key: ObjectKey, change: Callable[[Obj], object], manager: str = "kubectl-edit"
    ) -> Obj:
        for _ in range(TRIES):
            found = self._must(requests.get_one(resource, *key))
            change(found)
            body = json.dumps(found).encode()
            status, answer = self.send(Request("PUT", resource.path(*key), {"fieldManager": manager}, body))
            if status != HTTPStatus.CONFLICT:
                assert status == HTTPStatus.OK, answer
                return answer
        raise AssertionError("it was changed by others again and again")

    def scale(self, key: ObjectKey, replicas: int, manager: str = "kubectl") -> None:
        self.patch(DEPLOYMENTS, deployment_key(key), {"spec": {"replicas": replicas}}, manager=manager, sub="scale")

    def autoscale(self, key: ObjectKey, minimum: int, maximum: int, name: str = "") -> ObjectKey:
        """Somebody has an autoscaler, named as the WebApp if not otherwise, set the replicas of its Deployment."""
        target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": deployment_key(key).name}
        manifest = {
            "apiVersion": "autoscaling/v2",
            "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": name or key.name, "namespace": key.namespace},
            "spec": {"scaleTargetRef": target, "minReplicas": minimum, "maxReplicas": maximum},
        }
        self.create(AUTOSCALERS, manifest)
        return ObjectKey(key.namespace, name or key.name)

    def start_pod(self, key: ObjectKey, name: str, **status: object) -> None:
        """A pod of the WebApp's Deployment; without a scheduler that would look at it, it stays as `status` says."""
        live = self.deployment(key)
        pod = live["spec"]["template"]["spec"] | {"schedulerName": "none"}
        metadata = {"name": name, "namespace": key.namespace, "labels": live["spec"]["selector"]["matchLabels"]}
        self.create(PODS, {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod})
        self.patch(PODS, ObjectKey(key.namespace, name), {"status": status}, manager="kubelet", sub="status")

    def patch(self, resource: Resource, key: ObjectKey, patch: Obj, *, manager: str, sub: str = "") -> Obj:
        body = json.dumps(patch).encode()
        path = resource.path(key.namespace, key.name, sub)
        return self._must(Request("PATCH", path, {"fieldManager": manager}, body, MERGE_PATCH))

    def apply(self, manifest: Obj, *, manager: str, force: bool = False) -> Obj:
        """Somebody else applies a Deployment."""
        meta = manifest["metadata"]
        query = {"fieldManager": manager, "force": "true" if force else "false"}
        path = DEPLOYMENTS.path(meta["namespace"], meta["name"])
        return self._must(Request("PATCH", path, query, json.dumps(manifest).encode(), APPLY_PATCH))

    def delete(self, resource: Resource, key: ObjectKey) -> None:
        self._must(Request("DELETE", resource.path(*key), {}, b"{}", JSON))

    def namespace(self, name: str) -> None:
        self.create(NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})

    def roll_out(self) -> None:
        """Where there is no controller: every Deployment gets to where its spec wants it."""
        for deployment in self.deployments():
            meta, replicas = deployment["metadata"], deployment["spec"]["replicas"]
            counts = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")
            status = {"observedGeneration": meta["generation"]} | dict.fromkeys(counts, replicas)
            self.report(ObjectKey(meta["namespace"], meta["name"]), **status)

    def report(self, deployment: ObjectKey, **status: object) -> None:
        """The Deployment controller writes these fields of a status."""
        self.patch(DEPLOYMENTS, deployment, {"status": status}, manager=CONTROLLER, sub="status")

    def collect_garbage(self) -> None:
        """Where there is no garbage collector: every Deployment goes whose owners are all gone."""
        for deployment in self.deployments():
            key = ObjectKey(deployment["metadata"]["namespace"], deployment["metadata"]["name"])
            owners = deployment["metadata"].get("ownerReferences", [])
            if owners and not any(self._lives(key.namespace, owner) for owner in owners):
                self.delete(DEPLOYMENTS, key)

    def _lives(self, namespace: str, owner: Obj) -> bool:
        status, found = self.send(requests.get_one(WEBAPPS, namespace, owner["name"]))
        return status == 200 and bool(found["metadata"]["uid"] == owner["uid"])

    def _must(self, request: Request) -> Obj:
        status, body = self.send(request)
        assert status < 300, body
        return body
