"""What the API server knows of each kind: its defaults, its checks, and what makes a generation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final

from tests.double.fields import KEYS, Obj, step
from tests.double.managers import BOOKKEEPING
from webappctl.cluster import requests
from webappctl.cluster.requests import ACCESS_REVIEWS, AUTOSCALERS, CRDS, DEPLOYMENTS, EVENTS, LEASES, PODS, WEBAPPS
from webappctl.cluster.wire import Resource

NAMESPACES: Final = requests.NAMESPACES


@dataclass(frozen=True)
class Kind:
    resource: Resource
    name: str
    namespaced: bool = True

    @property
    def api_version(self) -> str:
        return f"{self.resource.group}/{self.resource.version}".lstrip("/")


DEPLOYMENT: Final = Kind(DEPLOYMENTS, "Deployment")
WEBAPP: Final = Kind(WEBAPPS, "WebApp")
AUTOSCALER: Final = Kind(AUTOSCALERS, "HorizontalPodAutoscaler")
POD: Final = Kind(PODS, "Pod")
LEASE: Final = Kind(LEASES, "Lease")
NAMESPACE: Final = Kind(NAMESPACES, "Namespace", namespaced=False)
CRD: Final = Kind(CRDS, "CustomResourceDefinition", namespaced=False)
KINDS: Final = {
    str(kind.resource): kind
    for kind in (
        DEPLOYMENT,
        WEBAPP,
        AUTOSCALER,
        POD,
        LEASE,
        CRD,
        Kind(EVENTS, "Event"),
        NAMESPACE,
        Kind(ACCESS_REVIEWS, "SelfSubjectAccessReview", namespaced=False),
    )
}

_MICRO_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(Z|[+-]\d\d:\d\d)")
_WORDS: Final = {"integer": "numeric (int or float)"}
_POD: Final[Obj] = {
    "restartPolicy": "Always",
    "terminationGracePeriodSeconds": 30,
    "dnsPolicy": "ClusterFirst",
    "securityContext": {},
    "schedulerName": "default-scheduler",
}
_CONTAINER: Final[Obj] = {
    "resources": {},
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
    "imagePullPolicy": "IfNotPresent",
}
_SPEC: Final[Obj] = {
    "replicas": 1,
    "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"}},
    "revisionHistoryLimit": 10,
    "progressDeadlineSeconds": 600,
}


def with_defaults(kind: Kind, obj: Obj) -> Obj:
    """A copy. Empty maps and lists of metadata are left out, as the API server leaves them out."""
    obj = {key: deepcopy(value) for key, value in obj.items() if key not in ("apiVersion", "kind")}
    obj["metadata"] = {key: value for key, value in obj["metadata"].items() if value not in ({}, [], None)}
    if kind is LEASE:
        return {**obj, "spec": {key: value for key, value in obj.get("spec", {}).items() if value is not None}}
    if kind is AUTOSCALER:
        return {**obj, "spec": {"minReplicas": 1, **obj["spec"]}}
    if kind is not DEPLOYMENT:
        return obj
    spec = obj["spec"] = {**_SPEC, **{k: v for k, v in obj["spec"].items() if v is not None}}
    pod = spec["template"]["spec"] = {**deepcopy(_POD), **spec["template"]["spec"]}
    pod["containers"] = [{**deepcopy(_CONTAINER), **container} for container in pod["containers"]]
    for container in pod["containers"]:
        if container.get("ports"):
            container["ports"] = [{"protocol": "TCP", **port} for port in container["ports"]]
    return {**obj, "status": obj.get("status", {})}


def without_status(kind: Kind, obj: Obj) -> Obj:
    has_status = kind in (DEPLOYMENT, WEBAPP, AUTOSCALER, POD)
    return {key: value for key, value in obj.items() if key != "status" or not has_status}


def confined(kind: Kind, before: Obj, wanted: Obj, sub: str) -> Obj:
    """What a write through that subresource may change; the rest is as before."""
    meta = {key: value for key, value in wanted["metadata"].items() if key not in BOOKKEEPING}
    meta |= {key: value for key, value in before["metadata"].items() if key in BOOKKEEPING}
    if sub == "scale":
        return before | {"spec": before["spec"] | {"replicas": wanted["spec"]["replicas"]}}
    if sub == "status":
        kept = before["metadata"] if kind is WEBAPP else meta
        return before | {"metadata": kept, "status": wanted.get("status", {})}
    return without_status(kind, wanted) | {"metadata": meta} | {k: v for k, v in before.items() if k == "status"}


def generation(kind: Kind, before: Obj, after: Obj) -> int:
    """A Deployment's moves with its annotations too."""
    same = before.get("spec") == after.get("spec")
    if kind is DEPLOYMENT:
        same = same and before["metadata"].get("annotations") == after["metadata"].get("annotations")
    return int(before["metadata"].get("generation", 0)) + (0 if same else 1)


def invalid(kind: Kind, before: Obj | None, after: Obj) -> Iterator[tuple[str, str]]:
    """Field and reason of each thing that would be a 422."""
    if sum(bool(owner.get("controller")) for owner in after["metadata"].get("ownerReferences", ())) > 1:
        yield "metadata.ownerReferences", "Only one reference can have Controller set to true"
    if kind is LEASE and after["spec"].get("leaseDurationSeconds", 1) <= 0:
        yield "spec.leaseDurationSeconds", "Invalid value: must be greater than 0"
    if kind is not DEPLOYMENT:
        return
    spec = after["spec"]
    wanted = spec["selector"].get("matchLabels", {})
    labels = spec["template"].get("metadata", {}).get("labels") or {}
    if any(labels.get(key) != value for key, value in wanted.items()):
        yield "spec.template.metadata.labels", f"Invalid value: {json.dumps(labels)}: `selector` does not match"
    if before and before["spec"]["selector"] != spec["selector"]:
        yield "spec.selector", f"Invalid value: {json.dumps(spec['selector'])}: field is immutable"


def undecodable(kind: Kind, obj: Obj) -> str:
    """Why a Lease is refused (400) before anything else is looked at; empty when it is not."""
    spec = obj.get("spec", {}) if kind is LEASE else {}
    for field in ("acquireTime", "renewTime"):
        if not _MICRO_TIME.fullmatch(spec.get(field) or "2026-01-01T00:00:00.000000Z"):
            return f'parsing time "{spec[field]}" as "2006-01-02T15:04:05.000000Z07:00": cannot parse it'
    seconds = spec.get("leaseDurationSeconds") or 0
    return "" if seconds < 2**31 else f"cannot unmarshal number {seconds} into Go struct field of type int32"


def unfit(kind: Kind, obj: Obj, schema: Obj | None) -> str:
    """Why an object has not the form of its kind, which is a 500 of server-side apply; empty when it has.

    `schema` is that of a WebApp in its CRD. Of a Deployment, the type of replicas and the keys of lists are checked.
    """
    if kind is DEPLOYMENT:
        replicas = obj.get("spec", {}).get("replicas", 0)
        return _wrong_type(replicas, "integer", ".spec.replicas") or _duplicates(obj, "")
    return "" if schema is None else _misfit({key: obj.get(key) for key in ("spec", "status")}, schema, "")


def _misfit(value: Any, schema: Obj, path: str) -> str:
    if isinstance(value, list):
        return next((problem for item in value if (problem := _misfit(item, schema["items"], path))), "")
    if not isinstance(value, dict):
        return _wrong_type(value, schema["type"], path)
    for key, item in value.items():
        if key not in schema["properties"]:
            return f"{path}.{key}: field not declared in schema"
        if problem := _misfit(item, schema["properties"][key], f"{path}.{key}"):
            return problem
    return ""


def _wrong_type(value: Any, wanted: str, path: str) -> str:
    """A null fits everywhere."""
    found = {bool: "bool", str: "string", int: "integer", float: "integer"}.get(type(value), wanted)
    return "" if found == wanted else f"{path}: expected {_WORDS.get(wanted, wanted)}, got {found}"


def _duplicates(value: Any, name: str) -> str:
    if isinstance(value, dict):
        return next((problem for key, item in value.items() if (problem := _duplicates(item, key))), "")
    if isinstance(value, list) and name in KEYS:
        steps = [step(name, item) for item in value]
        if len(set(steps)) < len(steps):
            return f".{name}: duplicate entries for key"
        return next((problem for item in value if (problem := _duplicates(item, ""))), "")
    return ""
