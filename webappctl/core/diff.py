"""Which owned fields differ, and who is behind it.

Equality of two `OwnedFields` decides whether there is drift at all; DeepDiff only names the fields of a pair that
differs. It must never decide: inside lists it takes 1 for True, and it skips some keys by default.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

import msgspec

from webappctl.core.objects import (
    CONTAINER,
    CONTAINERS_PATH,
    IMAGE_PATH,
    PORTS_PATH,
    REPLICAS_PATH,
    Deployment,
    FieldOwner,
    FieldPath,
    ManagedFields,
    OwnedFields,
    OwnerReference,
)

ROOT: Final = "deployment"
"""The path of a difference that DeepDiff did not name."""


class Cause(Enum):
    """Why a field differs."""

    MISSING = "missing"
    SPEC_CHANGED = "spec-changed"
    LIVE_DRIFT = "live-drift"


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One owned field: `image`, `replicas`, `port`, `labels.app`, `template.labels.app`, `ownerReference`.

    `actual` and `desired` are None where there is no value. `manager` is who set the live value last, empty when
    nobody owns it; `time` is RFC 3339, None where the API server keeps none. `stays` names what is left beside ours.
    """

    path: str
    actual: str | int | None
    desired: str | int | None
    cause: Cause
    manager: str = ""
    time: str | None = None
    stays: str = ""

    @property
    def essence(self) -> tuple[str, object, object, str]:
        """What would be written over what, whoever is behind it."""
        return self.path, self.actual, self.desired, self.stays

    @property
    def in_pod_template(self) -> bool:
        """True when the change replaces the pods."""
        return self.path in ("image", "port", ROOT) or self.path.startswith("template.")


def diff(deployment: Deployment, desired: OwnedFields) -> tuple[FieldChange, ...]:
    """Empty when every field that we set is as we want it; otherwise at least one change, sorted by path."""
    actual = actual_fields(deployment, desired)
    if actual == desired:
        return ()
    managed = ManagedFields.read(deployment.metadata.managed_fields)
    paths = sorted(set(_changed_paths(actual, desired))) or [ROOT]
    return tuple(_field_change(path, deployment, actual, desired, managed) for path in paths)


def actual_fields(deployment: Deployment, desired: OwnedFields) -> OwnedFields:
    """What it has of the fields in `desired`. Containers are found by name, ports by number and protocol."""
    container = deployment.container(CONTAINER)
    ports = (container and container.ports) or ()
    has_port = any(port.container_port == desired.port and port.protocol == "TCP" for port in ports)
    owners = deployment.metadata.owner_references or ()
    uid = desired.owner and desired.owner.uid
    return OwnedFields(
        labels=_only(deployment.metadata.labels, desired.labels),
        owner=next((owner for owner in owners if owner.uid == uid), None),
        replicas=deployment.spec.replicas if desired.replicas is not None else None,
        pod_labels=_only(deployment.spec.template.metadata.labels, desired.pod_labels),
        image=container.image if container else None,
        port=desired.port if has_port else None,
    )


def _only(actual: Mapping[str, str] | None, desired: Mapping[str, str | None]) -> Mapping[str, str | None]:
    actual = actual or {}
    return {key: actual.get(key) for key in desired}


def _changed_paths(actual: OwnedFields, desired: OwnedFields) -> Iterator[str]:
    from deepdiff import DeepDiff  # 130 ms, and most passes find nothing to name

    tree = DeepDiff(
        _as_tree(actual),
        _as_tree(desired),
        view="tree",
        ignore_private_variables=False,
        threshold_to_diff_deeper=0,
    )
    for levels in tree.values():
        for level in levels:
            yield ".".join(level.path(output_format="list"))


def _as_tree(fields: OwnedFields) -> dict[str, Any]:
    return {
        "labels": dict(fields.labels),
        "ownerReference": None if fields.owner is None else msgspec.json.encode(fields.owner).decode(),
        "replicas": fields.replicas,
        "template": {"labels": dict(fields.pod_labels)},
        "image": fields.image,
        "port": fields.port,
    }


def _field_change(
    path: str, deployment: Deployment, actual: OwnedFields, desired: OwnedFields, managed: ManagedFields
) -> FieldChange:
    if path == "port":
        return _port_change(deployment, desired, managed)
    if path == "image" and actual.image is None:
        return _missing_container(deployment, desired, managed)
    before, after = _value(path, actual), _value(path, desired)
    cause, owner = _cause(managed.owners(_managed_path(path, desired)))
    return FieldChange(path, before, after, cause, owner.manager if owner else "", owner.time if owner else None)


def _cause(owners: Iterable[FieldOwner]) -> tuple[Cause, FieldOwner | None]:
    """Still in our Apply entry: the live value is what we last wrote, so it is the WebApp that changed."""
    owners = tuple(owners)
    if any(owner.ours for owner in owners):
        return Cause.SPEC_CHANGED, None
    return Cause.LIVE_DRIFT, owners[-1] if owners else None


def _missing_container(deployment: Deployment, desired: OwnedFields, managed: ManagedFields) -> FieldChange:
    """Containers that are there instead of ours (a renamed one, a sidecar) are not ours: they stay, and are named."""
    manager, time, stays = "", None, []
    for container in deployment.spec.template.spec.containers or ():
        owner = next(iter(managed.owners((*CONTAINERS_PATH, f'k:{{"name":"{container.name}"}}'))), None)
        manager, time = (owner.manager, owner.time) if owner else (manager, time)
        stays.append(f"container {container.name}" + (f" of {owner.manager}" if owner else ""))
    return FieldChange("image", None, desired.image, Cause.LIVE_DRIFT, manager, time, ", ".join(stays))


def _port_change(deployment: Deployment, desired: OwnedFields, managed: ManagedFields) -> FieldChange:
    """A port that only we own goes, and is the old value; a port that another owns too stays, and is named."""
    ours = {(key.get("containerPort"), key.get("protocol", "TCP")) for key in managed.our_list_keys(PORTS_PATH)}
    container = deployment.container(CONTAINER)
    was_ours = False
    goes: list[int] = []
    stays: list[str] = []
    manager, time = "", None
    for port in (container and container.ports) or ():
        item = f'k:{{"containerPort":{port.container_port},"protocol":"{port.protocol}"}}'
        owner = next((owner for owner in managed.owners((*PORTS_PATH, item)) if not owner.ours), None)
        if (port.container_port, port.protocol) in ours:
            was_ours = True
            if owner is None:
                goes.append(port.container_port)
                continue
        manager, time = (owner.manager, owner.time) if owner else (manager, time)
        protocol = "" if port.protocol == "TCP" else f"/{port.protocol}"
        stays.append(f"{port.container_port}{protocol}" + (f" of {owner.manager}" if owner else ""))
    if was_ours:
        before = goes[0] if goes else None
        return FieldChange("port", before, desired.port, Cause.SPEC_CHANGED, stays=", ".join(stays))
    return FieldChange("port", None, desired.port, Cause.LIVE_DRIFT, manager, time, ", ".join(stays))


def _value(path: str, fields: OwnedFields) -> str | int | None:
    match path.split(".", maxsplit=1):
        case ["image"]:
            return fields.image
        case ["replicas"]:
            return fields.replicas
        case ["ownerReference"]:
            return _owner_text(fields.owner)
        case ["labels", key]:
            return fields.labels.get(key)
        case ["template", rest]:
            return fields.pod_labels.get(rest.removeprefix("labels."))
        case _:
            return None


def _owner_text(owner: OwnerReference | None) -> str | None:
    if owner is None:
        return None
    flags = [] if owner.controller else ["controller: false"]
    flags += [] if owner.block_owner_deletion else ["blockOwnerDeletion: false"]
    return f"{owner.api_version} {owner.kind} {owner.name}" + (f" ({', '.join(flags)})" if flags else "")


def _managed_path(path: str, desired: OwnedFields) -> FieldPath:
    match path.split(".", maxsplit=1):
        case ["image"]:
            return IMAGE_PATH
        case ["replicas"]:
            return REPLICAS_PATH
        case ["labels", key]:
            return ("f:metadata", "f:labels", f"f:{key}")
        case ["template", rest]:
            return ("f:spec", "f:template", "f:metadata", "f:labels", f"f:{rest.removeprefix('labels.')}")
        case ["ownerReference"] if desired.owner:
            return ("f:metadata", "f:ownerReferences", f'k:{{"uid":"{desired.owner.uid}"}}')
        case _:
            return ("f:metadata",)
