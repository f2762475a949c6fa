"""What all objects have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec


class ObjectKey(NamedTuple):
    """Namespace and name; printed `namespace/name`."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


class OwnerReference(msgspec.Struct, frozen=True, rename="camel"):
    api_version: str = ""
    kind: str = ""
    name: str = ""
    uid: str = ""
    controller: bool | None = None
    block_owner_deletion: bool | None = None


class ObjectMeta(msgspec.Struct, frozen=True, rename="camel"):
    """metadata, as the API server gives it.

    `annotations` and `managed_fields` stay JSON: they are long, and read for the few objects that change.
    """

    name: str
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    deletion_timestamp: str | None = None
    labels: Mapping[str, str] | None = None
    annotations: msgspec.Raw = msgspec.Raw()
    owner_references: tuple[OwnerReference, ...] | None = None
    managed_fields: msgspec.Raw = msgspec.Raw()

    @property
    def key(self) -> ObjectKey:
        return ObjectKey(self.namespace, self.name)

    @property
    def terminating(self) -> bool:
        return self.deletion_timestamp is not None

    @property
    def controller(self) -> OwnerReference | None:
        """The one owner that has `controller: true`; the API server allows no second."""
        return next((owner for owner in self.owner_references or () if owner.controller), None)


_annotations = msgspec.json.Decoder(dict[str, str] | None)


def annotations_of(metadata: ObjectMeta) -> Mapping[str, str]:
    raw = metadata.annotations
    try:
        return (_annotations.decode(raw) or {}) if bytes(raw) else {}
    except msgspec.MsgspecError:
        return {}


def annotated(metadata: ObjectMeta, annotations: Mapping[str, str]) -> ObjectMeta:
    """With those too; one that it has already gives way."""
    if not annotations:
        return metadata
    together = msgspec.Raw(msgspec.json.encode({**annotations_of(metadata), **annotations}))
    return msgspec.structs.replace(metadata, annotations=together)


class Condition(msgspec.Struct, frozen=True, rename="camel"):
    """One of status.conditions. Times are RFC 3339 in whole seconds; null is how the API server gives one never set."""

    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""
    last_transition_time: str | None = None
    observed_generation: int | None = None


Json = Mapping[str, Any]
"""A JSON object on its way to the API server."""
