"""WebApps and Deployments as values, ordinary ones unless a test says otherwise."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from webappctl.core.desired import labels_of, owner_of
from webappctl.core.objects import (
    FIELD_MANAGER,
    Autoscaler,
    Autoscalers,
    Condition,
    Deployment,
    ObjectKey,
    ObjectMeta,
    OwnerReference,
    Snapshot,
    Unreadable,
    WebApp,
    WebAppSpec,
    WebAppStatus,
    deployment_key,
)
from webappctl.core.objects.autoscaler import AutoscalerSpec, ScaleTarget
from webappctl.core.objects.deployment import (
    Container,
    ContainerPort,
    DeploymentSpec,
    DeploymentStatus,
    PodMeta,
    PodSpec,
    PodTemplate,
    Selector,
)
from webappctl.core.plan import PAUSED_ANNOTATION, UNTIL_ANNOTATION, Change, plan_one

NOW = "2026-01-01T12:00:00Z"
EARLIER = "2026-01-01T11:00:00Z"
WEB = ObjectKey("shop", "web")


def webapp(name: str = "web", namespace: str = "shop", **fields: Any) -> WebApp:
    """`fields` are those of spec, metadata (`uid`, `generation`, …) and `status`; `spec=None` leaves spec out."""
    meta: Any = {"uid": f"uid-of-{name}", "generation": 1, "resource_version": "7"} | _taken(fields, ObjectMeta)
    status = fields.pop("status", None)
    has_spec = fields.pop("spec", True)
    wanted: Any = {"image": "nginx:1.25", "replicas": 3, "port": 80} | fields
    spec = WebAppSpec(**wanted) if has_spec else None
    return WebApp(ObjectMeta(name=name, namespace=namespace, **meta), spec, status)


def deployment(of: WebApp | None = None, **fields: Any) -> Deployment:
    """The one that webappctl makes for that WebApp, rolled out. `fields` replace parts of it.

    Parts: those of metadata, and `replicas image ports pod_labels selector paused status`.
    """
    owner = of or webapp()
    spec = owner.spec or WebAppSpec()
    labels = labels_of(owner.metadata.name)
    key = deployment_key(owner.key)
    meta: Any = {
        "uid": f"uid-of-{key.name}",
        "resource_version": "9",
        "generation": 1,
        "labels": labels,
        "owner_references": (owner_of(owner),),
        "managed_fields": managed(applied_entry(port=spec.port or 80)),
    } | _taken(fields, ObjectMeta)
    replicas = fields.pop("replicas", spec.replicas)
    ports = fields.pop("ports", (spec.port,))
    containers = fields.pop("containers", (container(image=fields.pop("image", spec.image), ports=ports),))
    template = PodTemplate(PodMeta(fields.pop("pod_labels", labels)), PodSpec(containers))
    selector, paused = fields.pop("selector", Selector(labels)), fields.pop("paused", False)
    status = fields.pop("status", rolled_out(replicas or 1, meta["generation"]))
    assert not fields, f"no such parts: {fields}"
    return Deployment(
        ObjectMeta(name=key.name, namespace=key.namespace, **meta),
        DeploymentSpec(replicas, paused, selector, template),
        status,
    )


def container(name: str = "app", image: str | None = "nginx:1.25", ports: tuple[Any, ...] = (80,)) -> Container:
    """`ports`: numbers, or pairs of number and protocol."""
    pairs = [port if isinstance(port, tuple) else (port, "TCP") for port in ports]
    return Container(name, image, tuple(ContainerPort(number, protocol) for number, protocol in pairs))


def rolled_out(replicas: int = 3, generation: int = 1, **fields: Any) -> DeploymentStatus:
    counts = dict.fromkeys(("replicas", "updated_replicas", "ready_replicas", "available_replicas"), replicas)
    return DeploymentStatus(**({"observed_generation": generation} | counts | fields))


def owner(kind: str = "HelmRelease", name: str = "legacy", uid: str = "uid-of-another", **flags: Any) -> OwnerReference:
    """Another controller."""
    return OwnerReference(
        kind=kind, name=name, uid=uid, **{"api_version": "helm.example/v1", "controller": True, **flags}
    )


def condition(kind: str, status: str = "True", **fields: Any) -> Condition:
    return Condition(type=kind, status=status, **fields)


def status(*conditions: Condition, **fields: Any) -> WebAppStatus:
    return WebAppStatus(**({"observed_generation": 1} | fields), conditions=conditions)


def paused(reason: str | None = "moving", until: str | None = None) -> msgspec.Raw:
    """The annotations of a WebApp that is; None leaves one out."""
    values = {"note": "another's", PAUSED_ANNOTATION: reason, UNTIL_ANNOTATION: until}
    return msgspec.Raw(json.dumps({key: value for key, value in values.items() if value is not None}).encode())


def snapshot(*objects: Any) -> Snapshot:
    """Of WebApps, Deployments, Autoscalers and Unreadables; an Unreadable is taken for a WebApp."""
    deployments = {found.key: found for found in objects if isinstance(found, Deployment)}
    autoscalers = Autoscalers.of(found for found in objects if isinstance(found, Autoscaler))
    webapps = (found for found in objects if not isinstance(found, Deployment | Autoscaler))
    return Snapshot(tuple(sorted(webapps, key=lambda webapp: webapp.metadata.key)), deployments, autoscalers)


def autoscaler(of: str = "web", minimum: int = 2, maximum: int = 9, **target: str) -> Autoscaler:
    """The one of a WebApp's Deployment; `target` replaces parts of scaleTargetRef."""
    ref = {"api_version": "apps/v1", "kind": "Deployment", "name": f"{of}-deployment"} | target
    return Autoscaler(ObjectMeta(name=of, namespace="shop"), AutoscalerSpec(ScaleTarget(**ref), maximum, minimum))


def row(wanted: WebApp | Unreadable, live: Deployment | Unreadable | None = None) -> Change:
    """Of the plan, at NOW, for a WebApp that is not on its way out."""
    change = plan_one(wanted, live, now=NOW)
    assert change is not None
    return change


def applied_entry(port: int = 80, uid: str = "uid-of-web", *, without: tuple[str, ...] = ()) -> dict[str, Any]:
    """Our entry, but for the leaves `without`: `replicas image port labels template owner`."""
    labels: dict[str, Any] = {"f:app": {}, "f:managed-by": {}}
    ports: dict[str, Any] = {} if "port" in without else {f'k:{{"containerPort":{port},"protocol":"TCP"}}': {".": {}}}
    app = {".": {}, "f:name": {}, "f:ports": ports} | ({} if "image" in without else {"f:image": {}})
    template = {"f:spec": {"f:containers": {'k:{"name":"app"}': app}}}
    template |= {} if "template" in without else {"f:metadata": {"f:labels": labels}}
    metadata: dict[str, Any] = {} if "owner" in without else {"f:ownerReferences": {f'k:{{"uid":"{uid}"}}': {}}}
    metadata |= {} if "labels" in without else {"f:labels": labels}
    spec = {"f:selector": {}, "f:template": template} | ({} if "replicas" in without else {"f:replicas": {}})
    return entry(FIELD_MANAGER, {"f:metadata": metadata, "f:spec": spec}, operation="Apply")


def entry(manager: str, fields: dict[str, Any], *, operation: str = "Update", time: str | None = NOW) -> dict[str, Any]:
    return {"manager": manager, "operation": operation, "time": time, "fieldsV1": fields}


def scale_entry(manager: str) -> dict[str, Any]:
    """What a write through `scale` leaves: no time."""
    return {
        "manager": manager,
        "operation": "Update",
        "subresource": "scale",
        "fieldsV1": {"f:spec": {"f:replicas": {}}},
    }


def managed(*entries: dict[str, Any]) -> msgspec.Raw:
    return msgspec.Raw(json.dumps(entries).encode())


def _taken(fields: dict[str, Any], struct: type[msgspec.Struct]) -> dict[str, Any]:
    """Those of the fields that the struct has, taken out."""
    return {name: fields.pop(name) for name in struct.__struct_fields__ if name in fields}
