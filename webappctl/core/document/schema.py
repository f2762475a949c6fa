"""The JSON Schema of the documents, made from their shapes."""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec

from webappctl.core.document.shapes import SCHEMA_VERSION, PlanDocument, ReportDocument, SavedPlanDocument

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def schema_text() -> str:
    """As it ships: of every kind of document, told apart by `kind`."""
    kinds, shapes = msgspec.json.schema_components(
        (PlanDocument, ReportDocument, SavedPlanDocument), ref_template="#/$defs/{name}"
    )
    schema = {
        "$schema": DIALECT,
        "$id": f"urn:webappctl:output:v{SCHEMA_VERSION}",
        "title": "webappctl output",
        "description": (
            "What webappctl prints with --output json or yaml, and the file of plan --out. "
            f"Within schemaVersion {SCHEMA_VERSION} fields are only ever added."
        ),
        "oneOf": list(kinds),
        "$defs": shapes,
    }
    return json.dumps(_steady(schema), indent=2) + "\n"


def _steady(part: Any) -> Any:
    """The same under every version of msgspec: each lays out docstrings, and orders alternatives, in its own way."""
    if isinstance(part, list):
        return [_steady(item) for item in part]
    if not isinstance(part, dict):
        return part
    steady = {key: _steady(value) for key, value in part.items()}
    if "description" in steady:
        steady["description"] = " ".join(steady["description"].split())
    if "anyOf" in steady:
        steady["anyOf"].sort(key=_null_last)
    return steady


def _null_last(kind: Any) -> tuple[bool, str]:
    return kind == {"type": "null"}, json.dumps(kind)
