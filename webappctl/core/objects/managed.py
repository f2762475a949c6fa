"""metadata.managedFields: who set which field, and when.

A field is named by its path in fieldsV1, without the leading dots: `("f:spec", "f:replicas")`,
`("f:spec", "f:template", "f:spec", "f:containers", 'k:{"name":"app"}', "f:image")`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from webappctl.core.objects.names import FIELD_MANAGER

FieldPath = tuple[str, ...]
SELECTOR_PATH: Final[FieldPath] = ("f:spec", "f:selector")


class _Entry(msgspec.Struct, frozen=True, rename="camel"):
    manager: str = ""
    operation: str = ""
    subresource: str = ""
    time: str | None = None
    fields_v1: Mapping[str, Any] | None = msgspec.field(name="fieldsV1", default=None)


_entries = msgspec.json.Decoder(tuple[_Entry, ...] | None)


@dataclass(frozen=True, slots=True)
class FieldOwner:
    """`time` is RFC 3339, the last write of that manager to any of its fields; None for a `scale` entry."""

    manager: str
    operation: str
    time: str | None
    subresource: str = ""

    @property
    def ours(self) -> bool:
        return self.manager == FIELD_MANAGER and self.operation == "Apply"


@dataclass(frozen=True, slots=True)
class ManagedFields:
    entries: tuple[_Entry, ...] = ()

    @classmethod
    def read(cls, raw: msgspec.Raw) -> ManagedFields:
        """Entries that cannot be read are as good as none: the cause of a change is then `writer unknown`."""
        try:
            return cls(_entries.decode(raw) or ()) if bytes(raw) else cls()
        except msgspec.MsgspecError:
            return cls()

    @property
    def applied_by_us(self) -> bool:
        """True when we have applied it: this object was made, or taken over, by us.

        The selector tells: it never leaves our entry, and ports alone are a takeover that was not carried out.
        """
        return self.owned_by_us(SELECTOR_PATH)

    def owners(self, path: FieldPath) -> tuple[FieldOwner, ...]:
        """Everyone who owns exactly that field, in the order of the entries."""
        return tuple(
            FieldOwner(entry.manager, entry.operation, entry.time, entry.subresource)
            for entry in self.entries
            if _holds(entry.fields_v1, path)
        )

    def fields_of_others(self, path: FieldPath) -> Iterator[tuple[str, FieldOwner]]:
        """What others own right below `path`, each with its owner: `name`, `hostPort`."""
        for entry in self.entries:
            for step in () if _ours(entry) else _descend(entry.fields_v1, path) or ():
                if step.startswith("f:"):
                    owner = FieldOwner(entry.manager, entry.operation, entry.time, entry.subresource)
                    yield step.removeprefix("f:"), owner

    def owned_by_us(self, path: FieldPath) -> bool:
        return any(_ours(entry) and _holds(entry.fields_v1, path) for entry in self.entries)

    def our_list_keys(self, path: FieldPath) -> tuple[Mapping[str, Any], ...]:
        """The merge keys of the items that our Apply entry holds in the list at `path`."""
        keys = []
        for entry in filter(_ours, self.entries):
            items = _descend(entry.fields_v1, path) or {}
            keys += [json.loads(item[2:]) for item in items if item.startswith("k:")]
        return tuple(keys)


def _ours(entry: _Entry) -> bool:
    return entry.manager == FIELD_MANAGER and entry.operation == "Apply" and not entry.subresource


def _holds(fields: Mapping[str, Any] | None, path: FieldPath) -> bool:
    return _descend(fields, path) is not None


def _descend(fields: Mapping[str, Any] | None, path: FieldPath) -> Mapping[str, Any] | None:
    for step in path:
        if not isinstance(fields, Mapping) or step not in fields:
            return None
        fields = fields[step]
    return fields
