"""What a schema of a CRD says against a node: the keywords that ours has, and no others."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Final

from webappctl.core.objects import Json
from webappctl.manifests.faults import Fault, shown
from webappctl.manifests.nodes import Node, Path, dotted

KEYWORDS: Final = frozenset(
    {"additionalProperties", "description", "maxLength", "maximum", "minLength", "minimum", "pattern", "properties"}
    | {"required", "type"}
)
"""`pattern` is for the API server's regular expressions, and left to `core.desired`, which knows the same rule."""


def faults(node: Node, schema: Json, path: Path = ()) -> Iterator[Fault]:
    """A null counts as absent, and `3.0` as 3, as with the API server; a field without a schema is unknown."""
    wanted = schema.get("type")
    if wanted and not _fits(node, wanted):
        yield Fault(node.line, f"{_name(path)} is {node.kind}", _remedy(node, wanted))
    elif isinstance(node.value, Mapping):
        yield from _members(node, node.value, schema, path)
    elif isinstance(node.value, str):
        yield from _length(node, len(node.value), schema, path)
    elif isinstance(node.value, int | float) and wanted:
        yield from _range(node, node.value, schema, path)


def _fits(node: Node, wanted: str) -> bool:
    value = node.value
    if wanted == "integer":
        whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        return whole and not isinstance(value, bool)
    return isinstance(value, {"string": str, "object": Mapping}[wanted])


def _remedy(node: Node, wanted: str) -> str:
    if wanted == "integer":
        digits = isinstance(node.value, str) and node.value.isdigit()
        return "write it without quotes" if digits else "write a whole number"
    if wanted == "string":
        return "write text" if isinstance(node.value, Mapping | tuple) else "write it in quotes"
    return "write fields and values below it"


def _members(node: Node, members: Mapping[str, Node], schema: Json, path: Path) -> Iterator[Fault]:
    known, others = schema.get("properties", {}), schema.get("additionalProperties")
    for key, member in members.items():
        below = known.get(key, others)
        if below is None:
            if known:
                yield Fault(member.line, f"{dotted((*path, key))} is unknown", _suggestion(key, known))
        elif member.value is not None:
            yield from faults(member, below, (*path, key))
    for key in schema.get("required", ()):
        if node.get(key) is None:
            yield Fault(node.line, f"{dotted((*path, key))} is missing")


def _suggestion(key: str, known: Json) -> str:
    """Fields without a schema of their own are allowed, but of no use."""
    useful = {name.lower(): name for name in sorted(known) if known[name]}
    near = difflib.get_close_matches(shown(key).lower(), useful, n=1)
    return f"did you mean {useful[near[0]]}?" if near else f"known: {', '.join(useful.values())}"


def _length(node: Node, length: int, schema: Json, path: Path) -> Iterator[Fault]:
    if length < schema.get("minLength", 0):
        yield Fault(node.line, f"{dotted(path)} is empty")
    elif length > schema.get("maxLength", length):
        yield Fault(node.line, f"{dotted(path)} has {length} characters, at most {schema['maxLength']} are allowed")


def _range(node: Node, number: float, schema: Json, path: Path) -> Iterator[Fault]:
    least, most = schema.get("minimum", number), schema.get("maximum", number)
    if not least <= number <= most:
        yield Fault(node.line, f"{dotted(path)} is {number}, it must be from {least} to {most}")


def _name(path: Path) -> str:
    return dotted(path) if path else "the object"
