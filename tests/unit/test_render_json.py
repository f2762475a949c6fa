"""Plan and Report as JSON and YAML."""

from __future__ import annotations

import json

import pytest
import yaml

from tests.builders import deployment, snapshot, webapp
from tests.documents import TARGET, every_kind
from tests.rendered import HOSTILE, hostile_plan, hostile_report, obeyed
from webappctl.core.objects import ObjectKey, Scope
from webappctl.core.plan import Action, Change, Plan, make_plan
from webappctl.core.report import Outcome, Report, Result
from webappctl.render import SCHEMA_VERSION, Target, plan_json, plan_yaml, report_json, report_yaml

NUMBERS = ("1.10", "080", "1e3", "0o17", "0x1f", "12:30:45", "+1", ".5", "2026-01-01", "2026-01-01T11:00:00Z")
WORDS = ("yes", "off", "y", "N", "null", "~", "", "true", "---", "=", "<<")
NO_STRINGS = (*NUMBERS, *WORDS, "- a", "a: b", "a #b", " a ", "*a", "!a", "%a", "@a")
"""What YAML, or some version of it, takes for something else where it has no quotes."""


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_json_is_ascii_and_keeps_the_text(text: str) -> None:
    """Escaped on the way out, the same after reading."""
    document = plan_json(hostile_plan(text), TARGET)
    assert document.isascii()
    found = json.loads(document)["changes"]
    assert (found[2]["message"], found[1]["fields"][0]["actual"], found[0]["name"]) == (text, text, text)


def test_json_has_a_version_and_every_row() -> None:
    """The unchanged ones too, with counts of every action."""
    document = json.loads(plan_json(make_plan(snapshot(webapp(), deployment(), webapp("z"))), TARGET))
    assert (document["schemaVersion"], document["kind"]) == (SCHEMA_VERSION, "Plan")
    assert [change["action"] for change in document["changes"]] == ["none", "create"]
    counts = {action.value: 0 for action in Action} | {"create": 1, "none": 1, "pending": 1}
    assert document["summary"] == counts


def test_json_says_which_part_of_which_cluster() -> None:
    """So that a file tells by itself."""
    scope = Scope(("shop",), "team=a", (ObjectKey("", "web"), ObjectKey("shop", "api")))
    document = json.loads(plan_json(Plan((), warnings=("w",)), Target("prod", "https://x", scope)))
    assert (document["context"], document["server"], document["warnings"]) == ("prod", "https://x", ["w"])
    asked = {"namespaces": ["shop"], "selector": "team=a", "names": ["web", "shop/api"], "shard": ""}
    assert document["scope"] == asked


def test_a_report_in_json_has_what_happened_to_each_row() -> None:
    """Beside what was planned."""
    result = Result(Change(webapp(), None, Action.CREATE), Outcome.FAILED, message="no answer")
    document = json.loads(report_json(Report((result,), ("s",), ("w",), "i"), TARGET))
    (row,) = document["results"]
    told = (document["kind"], row["action"], row["outcome"], row["message"])
    assert told == ("Report", "create", "failed", "no answer")
    assert (document["statusFailures"], document["warnings"], document["interruption"]) == (["s"], ["w"], "i")


def test_a_compact_report_is_one_line_with_the_same_in_it() -> None:
    """For one after the other."""
    report = hostile_report("a\nb")
    line = report_json(report, TARGET, compact=True)
    assert line.count("\n") == 0
    assert json.loads(line) == json.loads(report_json(report, TARGET))


def test_yaml_says_what_json_says_in_the_same_order() -> None:
    """It is the same document."""
    plan = every_kind()
    read = yaml.safe_load(plan_yaml(plan, TARGET))
    assert json.dumps(read, indent=2) == plan_json(plan, TARGET)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_yaml_is_ascii_and_keeps_the_text(text: str) -> None:
    """Neither a terminal nor a reader takes it for something else."""
    plan, report = hostile_plan(text), hostile_report(text)
    for document in (plan_yaml(plan, TARGET), report_yaml(report, TARGET)):
        assert document.isascii()
        assert obeyed(document.replace("\n", "")) == set()
    assert yaml.safe_load(plan_yaml(plan, TARGET)) == json.loads(plan_json(plan, TARGET))
    assert yaml.safe_load(report_yaml(report, TARGET)) == json.loads(report_json(report, TARGET))


@pytest.mark.parametrize("text", NO_STRINGS)
def test_a_string_of_yaml_stays_one_for_every_reader(text: str) -> None:
    """It is in quotes."""
    document = plan_yaml(hostile_plan(text), TARGET)
    assert yaml.safe_load(document)["context"] == "prod"
    (first,) = [line for line in document.splitlines() if line.startswith("  name: ")][:1]
    assert first.removeprefix("  name: ") in (f'"{text}"', f"'{text}'")


def test_a_long_text_of_yaml_is_on_one_line() -> None:
    """So that it can be found with grep."""
    text = "word " * 200 + "end"
    assert f"  message: {text}\n" in plan_yaml(hostile_plan(text), TARGET)
