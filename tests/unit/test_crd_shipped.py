"""The shipped CRD keeps what the rest of the program relies on."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

import pytest

from tests.builders import webapp
from webappctl import crd
from webappctl.core import desired
from webappctl.core.desired import DNS_LABEL
from webappctl.core.objects import Json
from webappctl.core.plan import PAUSED_ANNOTATION
from webappctl.errors import WebappctlError


def root() -> dict[str, Any]:
    schema: dict[str, Any] = crd.shipped()["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    return schema


def below(schema: Json) -> Iterator[Json]:
    for child in [*schema.get("properties", {}).values(), *filter(None, [schema.get("items")])]:
        yield child
        yield from below(child)


def test_the_rules_on_names_are_the_ones_that_refusal_knows() -> None:
    """They are CEL there and Python here."""
    rules = [rule["rule"] for rule in root()["x-kubernetes-validations"]]
    assert f"oldSelf.hasValue() || size(self.metadata.name) <= {desired.MAX_NAME}" in rules
    assert f"oldSelf.hasValue() || self.metadata.name.matches('^{DNS_LABEL}$')" in rules


def test_the_limits_are_those_that_a_plan_blocks_by() -> None:
    """What the CRD admits can be made a Deployment; what it refuses is blocked when it was stored before."""
    spec = root()["properties"]["spec"]
    limits = {field: {**schema, "description": ""} for field, schema in spec["properties"].items()}
    pattern = limits["image"].pop("pattern")
    assert limits == {
        "image": {"type": "string", "minLength": 1, "maxLength": desired.MAX_IMAGE, "description": ""},
        "port": {"type": "integer", "minimum": 1, "maximum": desired.MAX_PORT, "description": ""},
        "replicas": {"type": "integer", "minimum": 1, "maximum": desired.MAX_REPLICAS, "description": ""},
    }
    assert spec["required"] == ["image", "port"]
    assert _characters_refused_by(pattern) == {c for c in BMP if desired.problem_of(webapp(image=f"a{c}b"))}


BMP = [chr(number) for number in range(0x10000)]
"""All the white space there is is in it."""


def _characters_refused_by(pattern: str) -> set[str]:
    """As RE2 sees it on the API server: its classes are ASCII, and it knows `\\p{Z}`, which Python's `re` does not."""
    spaces = "".join(c for c in BMP if unicodedata.category(c).startswith("Z"))
    translated = re.compile(pattern.replace(r"\p{Z}", spaces), re.ASCII)
    return {c for c in BMP if not translated.fullmatch(c)}


def test_every_rule_at_the_root_binds_on_creation_only() -> None:
    """One that binds on stored objects would stop their status and even their deletion."""
    assert "required" not in root()
    for rule in root()["x-kubernetes-validations"]:
        assert rule["optionalOldSelf"] is True
        assert rule["rule"].startswith("oldSelf.hasValue() || ")


def test_every_field_is_explained() -> None:
    """`kubectl explain` is the documentation."""
    fields = root()["properties"]
    for schema in below({"properties": {"spec": fields["spec"], "status": fields["status"]}}):
        assert "description" in schema or schema["type"] == "object", schema


def test_the_column_of_pauses_shows_the_annotation() -> None:
    columns = crd.shipped()["spec"]["versions"][0]["additionalPrinterColumns"]
    (path,) = (column["jsonPath"] for column in columns if column["name"] == "Paused")
    assert path == ".metadata.annotations." + PAUSED_ANNOTATION.replace(".", r"\.")


def test_the_text_is_the_file() -> None:
    """With its comments, as `webappctl crd` prints it."""
    assert crd.text().startswith("# What a developer declares")
    assert crd.text().endswith("\n")


def test_a_missing_folder_is_said() -> None:
    """An installation that lost its files is not a traceback."""
    with pytest.raises(WebappctlError, match="the folder nothing is missing from this installation"):
        crd.data("nothing")
