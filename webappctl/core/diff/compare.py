"""Desired against actual: equality decides, DeepDiff names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from webappctl.core.diff.actual import actual_fields
from webappctl.core.diff.change import ROOT, Cause, FieldChange, cause_of, listed
from webappctl.core.diff.ports import port_change
from webappctl.core.objects import (
    IMAGE_PATH,
    REPLICAS_PATH,
    Deployment,
    FieldPath,
    ManagedFields,
    OwnedFields,
    OwnerReference,
    container_path,
    label_path,
    owner_path,
    pod_label_path,
)


def diff(deployment: Deployment, desired: OwnedFields) -> tuple[FieldChange, ...]:
    """Empty when every field that we set is as we want it; otherwise at least one change, sorted by path.

    On a Deployment that we have not written to yet, every port of our container is taken over, so none stays.
    """
    actual = actual_fields(deployment, desired)
    if actual == desired:
        return ()
    managed = ManagedFields.read(deployment.metadata.managed_fields)
    paths = sorted(set(_changed_paths(actual, desired))) or [ROOT]
    return tuple(_field_change(path, deployment, actual, desired, managed) for path in paths)


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
        return port_change(deployment, desired, managed)
    if path == "image" and actual.image is None:
        return _missing_container(deployment, desired, managed)
    before, after = _value(path, actual), _value(path, desired)
    cause, owner = cause_of(managed.owners(_managed_path(path, desired)))
    if path == "replicas" and owner is None and managed.applied_by_us:
        # Nobody ever set them but the API server's default: it is the WebApp that asks for them now.
        cause = Cause.SPEC_CHANGED
    return FieldChange(path, before, after, cause, owner.manager if owner else "", owner.time if owner else None)


def _missing_container(deployment: Deployment, desired: OwnedFields, managed: ManagedFields) -> FieldChange:
    """Containers that are there instead of ours (a renamed one, a sidecar) are not ours: they stay, and are named."""
    manager, time, stays = "", None, []
    for container in deployment.spec.template.spec.containers or ():
        owner = next(iter(managed.owners(container_path(container.name))), None)
        manager, time = (owner.manager, owner.time) if owner else (manager, time)
        stays.append(f"container {container.name}" + (f" of {owner.manager}" if owner else ""))
    return FieldChange("image", None, desired.image, Cause.LIVE_DRIFT, manager, time, listed(stays))


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
            return label_path(key)
        case ["template", rest]:
            return pod_label_path(rest.removeprefix("labels."))
        case ["ownerReference"] if desired.owner:
            return owner_path(desired.owner.uid)
        case _:
            return ("f:metadata",)
