"""Who owns which field: metadata.managedFields, for updates and for server-side apply."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from tests.double.fields import Obj, Path, from_json, leaves, merged, to_json, without

BOOKKEEPING: Final = frozenset(
    {
        "creationTimestamp",
        "deletionGracePeriodSeconds",
        "deletionTimestamp",
        "generation",
        "managedFields",
        "name",
        "namespace",
        "resourceVersion",
        "uid",
    }
)
"""Of metadata: nobody owns these."""


class Manager(NamedTuple):
    """Two entries of one name are two managers when they differ in the rest."""

    name: str
    operation: str
    subresource: str = ""


@dataclass(frozen=True)
class Entry:
    """`time` is None for the subresource `scale`."""

    manager: Manager
    api_version: str
    time: str | None
    fields: frozenset[Path] = frozenset()

    def as_json(self) -> Obj:
        entry: Obj = {
            "manager": self.manager.name,
            "operation": self.manager.operation,
            "apiVersion": self.api_version,
            "fieldsType": "FieldsV1",
            "fieldsV1": to_json(self.fields),
        }
        if self.time:
            entry["time"] = self.time
        if self.manager.subresource:
            entry["subresource"] = self.manager.subresource
        return entry

    @classmethod
    def of(cls, entry: Obj) -> Entry:
        manager = Manager(entry.get("manager", ""), entry["operation"], entry.get("subresource", ""))
        return cls(manager, entry["apiVersion"], entry.get("time"), from_json(entry.get("fieldsV1") or {}))


Entries = tuple[Entry, ...]
FIRST: Final = "before-first-apply"
"""Who is said to own all that is there, when somebody applies to an object of which nobody owns anything."""


class FieldConflict(Exception):
    """Without `force`: what others own, and would be changed."""

    def __init__(self, fields: Sequence[tuple[str, Path]]) -> None:
        super().__init__(f"{len(fields)} conflicts")
        self.fields = fields


def owned(obj: Obj) -> dict[Path, object]:
    """The fields of an object that somebody can own."""
    metadata = {key: value for key, value in obj.get("metadata", {}).items() if key not in BOOKKEEPING}
    rest = {key: value for key, value in obj.items() if key not in ("apiVersion", "kind", "metadata")}
    found = leaves(rest | ({"metadata": metadata} if metadata else {}))
    found.pop((), None)
    return found


def given(entries: Entries, managed: list[Obj] | None, api_version: str) -> Entries:
    """What becomes of managedFields by an update that names them: an empty entry clears them, others replace them.

    None counts where one is not whole. One of another version, or without fields, goes; of two of one manager, too.
    """
    if managed is None:
        return entries
    if managed in ([], [{}]):
        return ()
    if not all(_whole(entry) for entry in managed):
        return entries
    found = {entry.manager: entry for entry in map(Entry.of, managed)}
    return _in_order(entry for entry in found.values() if entry.fields and entry.api_version == api_version)


def _whole(entry: Obj) -> bool:
    operates = entry.get("operation") in ("Apply", "Update")
    return operates and entry.get("fieldsType") == "FieldsV1" and bool(entry.get("apiVersion"))


def before_first_apply(live: Obj, api_version: str, time: str) -> Entries:
    spec = {key: value for key, value in live.items() if key != "status"}
    return (Entry(Manager(FIRST, "Update"), api_version, time, frozenset(owned(spec))),)


def updated(entries: Entries, mine: Entry, before: Obj, after: Obj) -> Entries:
    """After an update by the manager of `mine`: who changed a field owns it, alone."""
    if before == after:
        return entries
    gone, changed = _difference(before, after)
    fields = (_former(entries, mine).fields | changed) - gone
    return _replaced(entries, gone | changed, replace(mine, fields=fields))


def applied(entries: Entries, mine: Entry, live: Obj, config: Obj) -> Obj:
    """`live` with what is applied, without what this manager no longer applies and nobody else owns."""
    theirs = {path for entry in entries if entry.manager != mine.manager for path in entry.fields}
    left_out = _former(entries, mine).fields - set(owned(config))
    gone = {path for path in left_out if not _held(path, theirs)}
    metadata = {key: value for key, value in config["metadata"].items() if key not in BOOKKEEPING}
    result: Obj = without(merged(live, config | {"metadata": metadata}), gone)
    return result


def _held(path: Path, theirs: set[Path]) -> bool:
    """An item of a list goes with the last owner of the item itself, whoever owns fields of it."""
    if path[-1].startswith("k:"):
        return path in theirs
    return any(other[: len(path)] == path for other in theirs)


def after_apply(entries: Entries, mine: Entry, change: tuple[Obj, Obj], config: Obj, *, force: bool) -> Entries:
    """After an apply that led from the first to the second object of `change`. Raises FieldConflict."""
    before, after = change
    gone, changed = _difference(before, after)
    others = [entry for entry in entries if entry.manager != mine.manager]
    conflicts = sorted((entry.manager.name, path) for entry in others for path in entry.fields & changed)
    if conflicts and not force:
        raise FieldConflict(conflicts)
    wanted, former = frozenset(owned(config)), _former(entries, mine)
    same = before == after and wanted == former.fields
    return _replaced(entries, gone | changed, former if same else replace(mine, fields=wanted))


def _difference(before: Obj, after: Obj) -> tuple[frozenset[Path], frozenset[Path]]:
    """What is gone, and what is new or has another value."""
    a, b = owned(before), owned(after)
    return frozenset(a.keys() - b.keys()), frozenset(path for path in b if path not in a or a[path] != b[path])


def _former(entries: Entries, mine: Entry) -> Entry:
    return next((entry for entry in entries if entry.manager == mine.manager), mine)


def _replaced(entries: Entries, lost: frozenset[Path], mine: Entry) -> Entries:
    """In the server's order: Apply first, then by time. The others lose `lost`; an entry that holds nothing goes."""
    others = [replace(e, fields=e.fields - lost) for e in entries if e.manager != mine.manager]
    return _in_order(entry for entry in (*others, mine) if entry.fields)


def _in_order(entries: Iterable[Entry]) -> Entries:
    return tuple(sorted(entries, key=lambda e: (e.manager.operation, e.time or "", e.manager)))
