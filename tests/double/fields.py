"""Fields of an object as a set of paths, as the API server's structured-merge-diff sees them.

A path is that of fieldsV1: `("f:spec", "f:template", "f:spec", "f:containers", 'k:{"name":"app"}', "f:image")`. Which
lists have keys is known by the name of the field alone: enough for Deployments, WebApps and Events.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any, Final

Path = tuple[str, ...]
Obj = dict[str, Any]

KEYS: Final = {
    "containers": ("name",),
    "env": ("name",),
    "volumes": ("name",),
    "ports": ("containerPort", "protocol"),
    "ownerReferences": ("uid",),
    "conditions": ("type",),
}
"""The fields that tell the items of a list apart. A list that is not here is replaced as a whole."""
ATOMIC: Final = frozenset({"selector"})
"""Maps that are replaced as a whole."""
ATOMIC_ITEMS: Final = frozenset({"ownerReferences"})
MEMBER: Final = "a member"


def leaves(value: Any, path: Path = (), name: str = "") -> dict[Path, Any]:
    """Every path that can be owned, and what is there. An item of a list is a path of its own, beside its fields."""
    found: dict[Path, Any] = {}
    if isinstance(value, dict) and value and name not in ATOMIC:
        for key, item in value.items():
            found |= leaves(item, (*path, f"f:{key}"), key)
    elif isinstance(value, list) and name in KEYS:
        for item in value:
            inner = (*path, step(name, item))
            found |= {inner: item} if name in ATOMIC_ITEMS else {inner: MEMBER} | leaves(item, inner)
    elif isinstance(value, list) and name == "finalizers":
        found = {(*path, f"v:{json.dumps(item)}"): item for item in value}
    else:
        found = {path: value}
    return found


def step(name: str, item: Obj) -> str:
    keys = {key: item.get(key, "TCP") if key == "protocol" else item[key] for key in KEYS[name]}
    return _keys(keys)


def merged(live: Any, config: Any, name: str = "") -> Any:
    """`live` with what `config` says. Items keep their order, new ones come last; of items listed twice one is left."""
    if isinstance(live, dict) and isinstance(config, dict) and name not in ATOMIC:
        return live | {key: merged(live.get(key), value, key) for key, value in config.items()}
    if isinstance(live, list) and isinstance(config, list) and name in KEYS:
        wanted = {step(name, item): item for item in config}
        inner = "selector" if name in ATOMIC_ITEMS else ""
        result: dict[str, Any] = {}
        for item in (*live, *config):
            key = step(name, item)
            result.setdefault(key, merged(item, wanted.get(key, item), inner))
        return list(result.values())
    return config


def without(value: Any, paths: Collection[Path], path: Path = (), name: str = "") -> Any:
    """`value` without those fields and items; a map or list that becomes empty by it goes too (as None)."""
    if isinstance(value, dict) and name not in ATOMIC:
        rest = {key: without(item, paths, (*path, f"f:{key}"), key) for key, item in value.items()}
        kept: Any = {k: v for k, v in rest.items() if (*path, f"f:{k}") not in paths and not _emptied(v, value[k])}
    elif isinstance(value, list) and name in KEYS:
        steps = [(item, (*path, step(name, item))) for item in value]
        kept = [without(item, paths, inner) for item, inner in steps if inner not in paths]
    else:
        return value
    return kept if kept or not value else None


def _emptied(after: Any, before: Any) -> bool:
    return after is None and before is not None


def to_json(paths: Collection[Path]) -> Obj:
    """fieldsV1: `.` stands for the item itself where fields of it are there too."""
    tree: Obj = {}
    for path in sorted(paths):
        node = tree
        for part in path:
            node = node.setdefault(part, {})
    for path in sorted(paths):
        node = tree
        for part in path:
            node = node[part]
        if node:
            node["."] = {}
    return tree


def from_json(tree: Obj, path: Path = ()) -> frozenset[Path]:
    """The paths of fieldsV1. The `.` of a map is left out: only items of lists are owned beside their fields."""
    found: set[Path] = set()
    for part, inner in tree.items():
        if part != ".":
            below = (*path, _normal(part))
            found |= from_json(inner, below) if inner else {below}
        elif path[-1].startswith("k:"):
            found.add(path)
    return frozenset(found)


def _normal(part: str) -> str:
    return _keys(json.loads(part[2:])) if part.startswith("k:") else part


def _keys(keys: Obj) -> str:
    return "k:" + json.dumps(keys, sort_keys=True, separators=(",", ":"))
