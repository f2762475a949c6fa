"""What a patch that is no apply makes of an object."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from tests.double.fields import Obj


class NoSuchPath(Exception):
    """A JSON patch that does not fit the object, or whose test fails."""


def merge_patched(value: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return patch
    value = value if isinstance(value, dict) else {}
    kept = {key: item for key, item in value.items() if key not in patch}
    return kept | {key: merge_patched(value.get(key), item) for key, item in patch.items() if item is not None}


def json_patched(obj: Obj, operations: Sequence[Obj]) -> Obj:
    """`add`, `replace`, `remove` and `test`, on members of maps. Raises NoSuchPath."""
    result = deepcopy(obj)
    for operation in operations:
        *steps, last = operation["path"].removeprefix("/").split("/")
        node = result
        for step in steps:
            node = node[step] if step in node else _fail(operation)
        _carry_out(operation, node, last)
    return result


def _carry_out(operation: Obj, node: Obj, name: str) -> None:
    op, value = operation["op"], operation.get("value")
    if op != "add" and name not in node:
        _fail(operation)
    if op == "test":
        if node[name] != value:
            _fail(operation)
    elif op == "remove":
        del node[name]
    else:
        node[name] = value


def _fail(operation: Obj) -> Any:
    raise NoSuchPath(operation["path"])
