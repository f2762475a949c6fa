"""What the shipped CRD would refuse of what is stored.

The limits are read from the shipped schema, so there is one place to change them. Only the rule on names is written
here again: in the CRD it is CEL, because it may bind on creation only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from webappctl.core.desired import MAX_NAME
from webappctl.core.objects import Json, ObjectKey
from webappctl.crd.shipped import shipped

DNS_LABEL: Final = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
"""As in the CRD's own rule."""
SPACES: Final = r" \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
r"""`\p{Z}`, which Python's `re` does not know."""
SHOWN: Final = 80
"""Characters of a wrong value that are shown."""


def refusals(stored: Iterable[Json]) -> list[tuple[ObjectKey, str]]:
    """Which of these objects the shipped CRD would refuse if they were created today, and why."""
    schema = shipped()["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    found = []
    for webapp in stored:
        meta = webapp["metadata"]
        problem = "; ".join([*_name_problems(meta["name"]), *_spec_problems(webapp, schema)])
        if problem:
            found.append((ObjectKey(meta.get("namespace", ""), meta["name"]), problem))
    return found


def _name_problems(name: str) -> Iterator[str]:
    if len(name) > MAX_NAME:
        yield f"the name has {len(name)} characters, at most {MAX_NAME} are allowed"
    if not _matches(DNS_LABEL, name):
        yield "the name is not a DNS label"


def _spec_problems(webapp: Json, schema: Json) -> Iterator[str]:
    if webapp.get("spec") is None:
        return iter(["spec is missing"])
    return _problems(webapp["spec"], schema, "spec")


def _problems(value: object, schema: Json, path: str) -> Iterator[str]:
    """Those of the keywords that the shipped schema of spec uses: a test fails when it uses another."""
    if not _is_a(schema["type"], value):
        yield f"{path} is {_shown(value)}, which is not of type {schema['type']}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{path} is {_shown(value)}, which is not one of {', '.join(schema['enum'])}"
    if isinstance(value, Mapping):
        yield from _field_problems(value, schema, path)
    elif isinstance(value, str):
        yield from _text_problems(value, schema, path)
    elif isinstance(value, int | float):
        yield from _number_problems(value, schema, path)


def _is_a(kind: str, value: object) -> bool:
    """As the API server sees it: 3.0 is an integer, True is not."""
    match kind:
        case "object":
            return isinstance(value, Mapping)
        case "string":
            return isinstance(value, str)
        case "integer":
            whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
            return whole and not isinstance(value, bool)
        case _:
            raise NotImplementedError(f"type {kind}")


def _field_problems(value: Mapping[str, Any], schema: Json, path: str) -> Iterator[str]:
    """A null is an absent field: so the API server stores it."""
    for field in schema.get("required", ()):
        if value.get(field) is None:
            yield f"{path}.{field} is missing"
    for field, below in schema.get("properties", {}).items():
        if value.get(field) is not None:
            yield from _problems(value[field], below, f"{path}.{field}")


def _text_problems(value: str, schema: Json, path: str) -> Iterator[str]:
    least, most = schema.get("minLength", 0), schema.get("maxLength")
    if len(value) < least:
        yield f"{path} has {len(value)} characters, at least {least} are needed"
    if most is not None and len(value) > most:
        yield f"{path} has {len(value)} characters, at most {most} are allowed"
    if value and "pattern" in schema and not _matches(schema["pattern"], value):
        yield f"{path} is {_shown(value)}, which does not match {schema['pattern']}"


def _number_problems(value: float, schema: Json, path: str) -> Iterator[str]:
    if value < schema.get("minimum", value):
        yield f"{path} is {value}, at least {schema['minimum']} is needed"
    if value > schema.get("maximum", value):
        yield f"{path} is {value}, at most {schema['maximum']} is allowed"


def _matches(pattern: str, value: str) -> bool:
    """As RE2 does on the API server: classes are ASCII, `\\p{Z}` is known, and `$` is the very end, not a line's."""
    translated = re.sub(r"\$$", r"\\Z", pattern.replace(r"\p{Z}", SPACES))
    return re.search(translated, value, re.ASCII) is not None


def _shown(value: object) -> str:
    """As JSON in ASCII, so that nothing in it can move a cursor, and cut to part of a line."""
    shown = json.dumps(value)
    return shown if len(shown) <= SHOWN else f"{shown[: SHOWN - 3]}..."
