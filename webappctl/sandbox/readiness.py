"""When is a control plane up? Not when it says so: when it has done once what it is there for.

`/readyz` is ok before custom resources are served, and seconds before anybody rolls out Deployments. So each probe here
makes the cluster do a small piece of work, and removes what it made. Probes are polled: `done` is asked until True.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from webappctl.errors import SandboxError
from webappctl.sandbox import components
from webappctl.sandbox.client import Answer, Client

_QUIET = "kube-node-lease"  # a system namespace that nobody looks into
_PROBE = "webappctl-probe"
_CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_NAMESPACE = f"/api/v1/namespaces/{_QUIET}"
_APPS = f"/apis/apps/v1/namespaces/{_QUIET}"
_NOT_YET = (0, 404, 429, 503)
_NEVER = (400, 422)
_NOT_FOUND = 404
_CONFLICT = 409


def etcd_serves(client: Client) -> bool:
    return client.get("/health").body.get("health") == "true"


def api_serves(client: Client) -> bool:
    return client.get("/readyz").ok


def etcd_version(client: Client) -> str:
    """`v3.6.16`"""
    return f"v{client.get('/version').body.get('etcdserver', '')}"


def kubernetes_version(client: Client) -> str:
    """`v1.36.3`"""
    return str(client.get("/version").body.get("gitVersion", ""))


class CustomResources:
    """A CRD is established and its objects can be listed; so can those of `crds`, and of every one from before.

    `done` raises SandboxError for one of `crds` that the API server will never take.
    """

    def __init__(self, client: Client, crds: Iterable[Mapping[str, Any]]) -> None:
        self._client = client
        self._to_create = [*crds, _probe_crd()]

    def done(self) -> bool:
        if self._to_create:
            answer = self._client.send("POST", _CRDS, self._to_create[0])
            if answer.status in _NEVER:
                name = self._to_create[0]["metadata"]["name"]
                raise SandboxError(f"the API server refuses the CRD {name}: {answer.body.get('message', '')}")
            if answer.ok or answer.status == _CONFLICT:
                del self._to_create[0]
            return False
        definitions = self._client.get(_CRDS)
        if not definitions.ok or not all(self._listed(crd) for crd in definitions.body["items"]):
            return False
        return _gone(self._client.send("DELETE", f"{_CRDS}/{_probe_crd()['metadata']['name']}"))

    def _listed(self, crd: Mapping[str, Any]) -> bool:
        """True also for somebody's CRD that is being deleted or was never established: no use in waiting for it."""
        spec = crd["spec"]
        if crd["metadata"]["name"] != _probe_crd()["metadata"]["name"] and not _established(crd):
            return True
        served = next((v["name"] for v in spec["versions"] if v["served"]), None)
        if served is None:
            return True
        answer = self._client.get(f"/apis/{spec['group']}/{served}/{spec['names']['plural']}?limit=1")
        return answer.status not in _NOT_YET  # another failure (a dead conversion webhook) would stay for ever


class Controllers:
    """A Deployment is rolled out, and its ReplicaSet is collected after it; namespaces get their service account."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._steps = iter((self._clean, self._create, self._rolled_out, self._delete, self._collected, self._accounts))
        self._step = next(self._steps)

    def done(self) -> bool:
        while self._step():
            following = next(self._steps, None)
            if following is None:
                return True
            self._step = following
        return False

    def _clean(self) -> bool:
        """What a start that was killed left behind."""
        return self._delete() and self._client.get(f"{_APPS}/deployments/{_PROBE}").status == _NOT_FOUND

    def _create(self) -> bool:
        answer = self._client.send("POST", f"{_APPS}/deployments", _probe_deployment())
        return answer.ok or answer.status == _CONFLICT  # the latter when an earlier answer was lost

    def _rolled_out(self) -> bool:
        return bool(self._replica_sets().body.get("items"))

    def _delete(self) -> bool:
        path = f"{_APPS}/deployments/{_PROBE}?propagationPolicy=Background"
        return _gone(self._client.send("DELETE", path))

    def _collected(self) -> bool:
        answer = self._replica_sets()
        return answer.ok and not answer.body["items"]

    def _accounts(self) -> bool:
        return (
            self._client.get("/api/v1/namespaces/default/serviceaccounts/default").ok
            and self._client.get("/api/v1/namespaces/default/configmaps/kube-root-ca.crt").ok
        )

    def _replica_sets(self) -> Answer:
        return self._client.get(f"{_APPS}/replicasets?labelSelector=app%3D{_PROBE}")


class Node:
    """The one node exists, is Ready, and lets pods in."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._path = f"/api/v1/nodes/{components.NODE}"

    def done(self) -> bool:
        node = self._client.get(self._path)
        if node.status == _NOT_FOUND:
            self._client.send("POST", "/api/v1/nodes", components.node())
            return False
        if node.ok and node.body["spec"].get("taints"):
            # admission taints every new node as not ready, and waits for a controller that we do not run
            patch = {"spec": {"taints": None}}
            self._client.send("PATCH", self._path, patch, content="application/merge-patch+json")
            return False
        return node.ok and _condition(node.body, "Ready")


def _gone(answer: Answer) -> bool:
    return answer.ok or answer.status == _NOT_FOUND


def _established(crd: Mapping[str, Any]) -> bool:
    return _condition(crd, "Established") and "deletionTimestamp" not in crd["metadata"]


def _condition(item: Mapping[str, Any], kind: str) -> bool:
    conditions = item.get("status", {}).get("conditions") or []
    return any(c["type"] == kind and c["status"] == "True" for c in conditions)


def _probe_crd() -> dict[str, Any]:
    group, plural = "sandbox.webappctl.invalid", "probes"
    schema = {"openAPIV3Schema": {"type": "object"}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "names": {"kind": "Probe", "listKind": "ProbeList", "plural": plural, "singular": "probe"},
            "scope": "Cluster",
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
        },
    }


def _probe_deployment() -> dict[str, Any]:
    labels = {"app": _PROBE}
    pod = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "app", "image": "none"}]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": _PROBE},
        "spec": {"replicas": 0, "selector": {"matchLabels": labels}, "template": pod},
    }
