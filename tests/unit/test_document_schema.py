"""The JSON Schema that ships."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import webappctl
from tests.documents import TARGET, every_kind, misfits, with_verdicts
from tests.rendered import HOSTILE, hostile_plan, hostile_report
from webappctl.core.diff import Cause
from webappctl.core.document import schema_text
from webappctl.core.plan import CAUTIOUS, Action, Adopt, Answer, Obstacle
from webappctl.core.report import Outcome, Report, Result
from webappctl.render import plan_json, report_json

SHIPPED = Path(webappctl.__file__).parent / "schemas" / "output.v1.schema.json"
SCHEMA: dict[str, Any] = json.loads(schema_text())


def test_the_schema_that_ships_is_that_of_the_documents() -> None:
    """Where it is not, write `schema_text()` to that file; within a version, fields may only have been added."""
    assert SHIPPED.read_text(encoding="utf-8") == schema_text()


@pytest.mark.parametrize("values", [Action, Adopt, Answer, Cause, Obstacle, Outcome])
def test_the_schema_lists_what_a_word_can_be(values: Any) -> None:
    """Each closed set of them."""
    assert SCHEMA["$defs"][values.__name__]["enum"] == sorted(value.value for value in values)


def test_every_kind_of_document_is_described() -> None:
    """And told apart by its kind."""
    kinds = [SCHEMA["$defs"][one["$ref"].rpartition("/")[2]] for one in SCHEMA["oneOf"]]
    assert [kind["properties"]["kind"]["enum"] for kind in kinds] == [["Plan"], ["Report"], ["SavedPlan"]]
    assert all(shape["description"] for shape in SCHEMA["$defs"].values())


def test_rows_of_every_kind_fit_the_schema() -> None:
    """With and without a dry run."""
    for plan in (every_kind(), every_kind(CAUTIOUS), with_verdicts(every_kind())):
        assert misfits(plan_json(plan, TARGET)) == []


@pytest.mark.parametrize("compact", [True, False])
def test_a_report_of_every_outcome_fits_the_schema(compact: bool) -> None:
    """On one line, too."""
    results = tuple(Result(change, outcome) for change in every_kind().changes for outcome in Outcome)
    report = Report(results, ("s",), ("w",), "i")
    assert misfits(report_json(report, TARGET, compact=compact)) == []


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_whatever_text_the_cluster_holds_fits_the_schema(text: str) -> None:
    """Nothing is said of what a name looks like."""
    assert misfits(plan_json(hostile_plan(text), TARGET)) == []
    assert misfits(report_json(hostile_report(text), TARGET)) == []


def test_the_schema_refuses_what_is_no_document_of_ours() -> None:
    """A word that no row has, or a field left out."""
    document = json.loads(plan_json(every_kind(), TARGET))
    document["changes"][0]["action"] = "explode"
    assert misfits(json.dumps(document)) != []
    assert misfits("{}") != []
