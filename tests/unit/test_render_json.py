"""Plan and Report → one JSON document."""

from __future__ import annotations

import json

import pytest

from tests.builders import deployment, snapshot, webapp
from tests.rendered import HOSTILE, hostile_plan
from webappctl.core.objects import ObjectKey, Scope
from webappctl.core.plan import Action, Change, Plan, make_plan
from webappctl.core.report import Outcome, Report, Result
from webappctl.render import SCHEMA_VERSION, Target, plan_document, report_document

TARGET = Target("prod", "https://10.0.0.1:6443", Scope())


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_json_is_ascii_and_keeps_the_text(text: str) -> None:
    """Escaped on the way out, the same after reading."""
    document = plan_document(hostile_plan(text), TARGET)
    assert document.isascii()
    found = json.loads(document)["changes"]
    assert (found[2]["message"], found[1]["fields"][0]["actual"], found[0]["name"]) == (text, text, text)


def test_json_has_a_version_and_every_row() -> None:
    """The unchanged ones too, with counts of every action."""
    document = json.loads(plan_document(make_plan(snapshot(webapp(), deployment(), webapp("z"))), TARGET))
    assert (document["schemaVersion"], document["kind"]) == (SCHEMA_VERSION, "Plan")
    assert [change["action"] for change in document["changes"]] == ["none", "create"]
    assert document["summary"] == {"create": 1, "update": 0, "none": 1, "blocked": 0, "waiting": 0, "pending": 1}


def test_json_says_which_part_of_which_cluster() -> None:
    """So that a file tells by itself."""
    scope = Scope(("shop",), "team=a", (ObjectKey("", "web"), ObjectKey("shop", "api")))
    document = json.loads(plan_document(Plan(()), Target("prod", "https://x", scope)))
    assert (document["context"], document["server"]) == ("prod", "https://x")
    assert document["scope"] == {"namespaces": ["shop"], "selector": "team=a", "names": ["web", "shop/api"]}


def test_a_report_in_json_has_what_happened_to_each_row() -> None:
    """Beside what was planned."""
    result = Result(Change(webapp(), None, Action.CREATE), Outcome.FAILED, message="no answer")
    document = json.loads(report_document(Report((result,), ("s",), ("w",), "i"), TARGET))
    (row,) = document["results"]
    assert (document["kind"], row["action"], row["outcome"], row["message"]) == (
        "Report",
        "create",
        "failed",
        "no answer",
    )
    assert (document["statusFailures"], document["warnings"], document["interruption"]) == (["s"], ["w"], "i")
