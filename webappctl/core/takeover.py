"""Taking over a Deployment that another wrote: its ports are handed to us before our first apply.

Server-side apply takes away only what our own Apply entry held before. A port in a former writer's entry would stay for
ever beside ours. So the ports of our container are moved from the entries of others into ours; every other field of
ours is taken by the apply itself, because it is forced. The name of a port, say, stays its writer's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from webappctl.core.objects import (
    CONTAINER,
    FIELD_MANAGER,
    IMAGE_PATH,
    Deployment,
    FieldPath,
    Json,
    ManagedFields,
    OwnedFields,
    port_path,
)

_Tree = dict[str, Any]
_entries: Final = msgspec.json.Decoder(list[_Tree] | None)
_OURS: Final = {"manager": FIELD_MANAGER, "operation": "Apply"}


@dataclass(frozen=True, slots=True)
class Takeover:
    """`managers`: from whom. `falls_away`: the ports of theirs that our first apply takes away: `port 9090`."""

    managers: tuple[str, ...]
    falls_away: tuple[str, ...]


def takeover(live: Deployment, desired: OwnedFields) -> Takeover | None:
    """What the first write takes over; None when we have written to it before."""
    managed = ManagedFields.read(live.metadata.managed_fields)
    if managed.applied_by_us:
        return None
    paths = (IMAGE_PATH, *(port_path(*port) for port in _ports(live)))
    owners = {owner.manager for path in paths for owner in managed.owners(path) if not owner.ours}
    others = sorted({*_ports(live)} - {(desired.port, "TCP")})
    goes = (f"port {number}" + ("" if protocol == "TCP" else f"/{protocol}") for number, protocol in others)
    return Takeover(tuple(sorted(owners)), tuple(goes))


def handed_over(live: Deployment) -> list[Json]:
    """metadata.managedFields with the ports of our container in an Apply entry of ours, and in nobody else's."""
    ports = frozenset(_port_fields(live))
    ours: _Tree = {}
    for path in sorted(ports):
        _plant(ours, path)
    theirs = [_shrunk(entry, ports) for entry in _entries_of(live) if not _is_ours(entry)]
    mine = {**_OURS, "apiVersion": "apps/v1", "fieldsType": "FieldsV1", "fieldsV1": ours}
    return [*(entry for entry in theirs if entry["fieldsV1"]), *([mine] if ours else [])]


def _ports(live: Deployment) -> tuple[tuple[int, str], ...]:
    container = live.container(CONTAINER)
    return tuple((port.container_port, port.protocol) for port in (container and container.ports) or ())


def _port_fields(live: Deployment) -> Iterator[FieldPath]:
    """Those that make a port, whether an entry says so or not: entries can be cleared."""
    for port in _ports(live):
        yield from ((*port_path(*port), step) for step in (".", "f:containerPort", "f:protocol"))


def _entries_of(live: Deployment) -> list[_Tree]:
    """Entries that cannot be read hold nothing that we could move."""
    raw = live.metadata.managed_fields
    try:
        return (_entries.decode(raw) or []) if bytes(raw) else []
    except msgspec.MsgspecError:
        return []


def _is_ours(entry: _Tree) -> bool:
    """Left by an earlier try; of two with the same name only the last would count."""
    return {key: entry.get(key) for key in _OURS} == _OURS and not entry.get("subresource")


def _shrunk(entry: _Tree, ports: frozenset[FieldPath]) -> _Tree:
    return {**entry, "fieldsV1": _without(entry.get("fieldsV1") or {}, ports)}


def _plant(tree: _Tree, path: FieldPath) -> None:
    for step in path:
        tree = tree.setdefault(step, {})


def _without(fields: Mapping[str, Any], paths: frozenset[FieldPath], above: FieldPath = ()) -> _Tree:
    """What becomes empty by it goes too."""
    left: _Tree = {}
    for step, inner in fields.items():
        path = (*above, step)
        if path in paths:
            continue
        rest = _without(inner, paths, path)
        if rest or not inner:
            left[step] = rest
    return left
