"""YAML → nodes that know their lines.

Made of PyYAML's events, not by its loaders: those lose the lines and the second of two equal keys, recurse as deep as
the file wishes, and unfold aliases without a limit. Here an alias is the node it names, and what it would unfold to is
counted before.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import yaml

from webappctl.manifests.faults import Unusable, shown
from webappctl.manifests.scalars import BadTag, Scalar, scalar, short

MAX_DEPTH: Final = 100
MAX_NODES: Final = 100_000
"""Of a file, with its aliases unfolded; a small WebApp has about 20."""

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MERGE: Final = "<<"

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Node:
    """A value and where it stands: on the line of its key, if it has one. `height`: of the levels below it."""

    value: Scalar | tuple[Node, ...] | Mapping[str, Node]
    line: int
    height: int = 0

    def get(self, *path: str) -> Node | None:
        """The node there; None when it is absent or null, which are the same to the API server."""
        found = self
        for step in path:
            if not isinstance(found.value, Mapping) or step not in found.value:
                return None
            found = found.value[step]
        return None if found.value is None else found

    @property
    def kind(self) -> str:
        """In words, as messages have it."""
        if isinstance(self.value, Mapping):
            return "a mapping"
        if isinstance(self.value, tuple):
            return "a list"
        return {bool: "true or false", str: "text", type(None): "empty"}.get(type(self.value), "a number")


def dotted(path: Path) -> str:
    """`spec.image`, `items[3].spec`."""
    steps = (f"[{step}]" if isinstance(step, int) else f".{shown(step)}" for step in path)
    return "".join(steps).removeprefix(".")


def documents(text: str) -> Iterator[Node]:
    """Each document of a file. Raises Unusable, after those before the fault."""
    try:
        yield from _Composer(yaml.parse(text, Loader=_LOADER)).documents()
    except yaml.YAMLError as error:
        raise _no_yaml(text, error) from None


def _no_yaml(text: str, error: yaml.YAMLError) -> Unusable:
    mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None) or "it cannot be parsed"
    line, column = (mark.line, mark.column) if mark else (0, 0)
    here = text.splitlines()[line : line + 1]
    if here and here[0][column : column + 1] == "\t":
        return Unusable(line + 1, "this is not YAML: there is a tab", "indent with spaces")
    return Unusable(line + 1, f"this is not YAML: {shown(problem)}")


class _Composer:
    def __init__(self, events: Iterator[Any]) -> None:
        self._events = events
        self._count = 0
        self._anchors: dict[str, tuple[Node, int] | None] = {}
        """Node and number of nodes in it; None while it is being read."""

    def documents(self) -> Iterator[Node]:
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                self._anchors = {}
                yield self._node(next(self._events), ())

    def _node(self, event: Any, path: Path) -> Node:
        line = _line(event)
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event.anchor or "", line, path)
        before = self._count
        self._grow(1, line)
        if event.anchor:
            self._anchors[event.anchor] = None
        node = self._value(event, line, path)
        if event.anchor:
            self._anchors[event.anchor] = node, self._count - before
        return node

    def _alias(self, name: str, line: int, path: Path) -> Node:
        known = self._anchors.get(name)
        if known is None:
            why = "is part of what it stands for" if name in self._anchors else "stands for nothing before it"
            raise Unusable(line, f"{_subject(path)}the alias *{shown(name)} {why}", "write the value itself")
        node, count = known
        self._grow(count, line)
        _limit_depth(len(path) + node.height, line)
        return replace(node, line=line)

    def _grow(self, nodes: int, line: int) -> None:
        self._count += nodes
        if self._count > MAX_NODES:
            limit = f"this file has more than {MAX_NODES:,} keys and values, its aliases unfolded"
            raise Unusable(line, limit, "split it into several files")

    def _value(self, event: Any, line: int, path: Path) -> Node:
        if isinstance(event, yaml.ScalarEvent):
            return Node(self._scalar(event, line, path), line)
        if event.tag not in {None, "!", "tag:yaml.org,2002:seq", "tag:yaml.org,2002:map"}:
            raise Unusable(line, f"{_subject(path)}the tag {short(event.tag)} is not supported", "leave it out")
        _limit_depth(len(path) + 1, line)
        if isinstance(event, yaml.SequenceStartEvent):
            items = tuple(self._items(path))
            return Node(items, line, _height(items))
        members = self._members(path)
        return Node(members, line, _height(tuple(members.values())))

    def _scalar(self, event: yaml.ScalarEvent, line: int, path: Path) -> Scalar:
        try:
            return scalar(event.value, event.tag, plain=event.implicit[0])
        except BadTag as error:
            raise Unusable(line, f"{_subject(path)}{error}", "leave it out") from None

    def _items(self, path: Path) -> Iterator[Node]:
        index = 0
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            yield self._node(event, (*path, index))
            index += 1

    def _members(self, path: Path) -> dict[str, Node]:
        own: dict[str, Node] = {}
        merged: dict[str, Node] = {}
        seen = set()
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            line = _line(event)
            merge = isinstance(event, yaml.ScalarEvent) and event.value == _MERGE and event.implicit[0]
            key = self._key(event, path)
            here = (*path, key)
            if (key, merge) in seen:
                raise Unusable(line, f"{dotted(here)} is there twice", "delete one of the two")
            seen.add((key, merge))
            value = self._node(next(self._events), here)
            if merge:
                merged = _merged(value, here, own)
            else:
                own[key] = replace(value, line=line)
        return merged | own

    def _key(self, event: Any, path: Path) -> str:
        """As JSON has it: there, every key is text."""
        if isinstance(event, yaml.CollectionStartEvent):
            raise Unusable(_line(event), f"{_subject(path)}a key is a list or a mapping", "write text")
        node = self._node(event, path)
        if node.value is None or isinstance(node.value, Mapping | tuple):
            raise Unusable(node.line, f"{_subject(path)}a key is {node.kind}", "write text")
        return node.value if isinstance(node.value, str) else json.dumps(node.value)


def _merged(node: Node, path: Path, own: Mapping[str, Node]) -> dict[str, Node]:
    """What `<<` adds; of several, the first that has a key counts.

    A key that stands before `<<` is overwritten by kubectl and kept by other readers, so it is refused.
    """
    merged: dict[str, Node] = {}
    for source in reversed(node.value if isinstance(node.value, tuple) else (node,)):
        if not isinstance(source.value, Mapping):
            raise Unusable(node.line, f"{dotted(path)} is {source.kind}, not a mapping", "merge mappings only")
        merged |= source.value
    both = next((key for key in own if key in merged), None)
    if both is not None:
        raise Unusable(node.line, f"{dotted(path)} sets {shown(both)} again", "write << before it")
    return merged


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


def _limit_depth(depth: int, line: int) -> None:
    if depth > MAX_DEPTH:
        raise Unusable(line, f"more than {MAX_DEPTH} levels of lists and mappings", "no Kubernetes object is that deep")


def _height(children: tuple[Node, ...]) -> int:
    return 1 + max((child.height for child in children), default=0)


def _subject(path: Path) -> str:
    return f"{dotted(path)}: " if path else ""
