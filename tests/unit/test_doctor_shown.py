"""A Diagnosis as table, lines, JSON and YAML."""

from __future__ import annotations

import json

import pytest
import yaml

from tests.diagnosed import SCHEMA, Answers, diagnose, misfits
from tests.rendered import HOSTILE, column, lines_of, obeyed, squeezed
from webappctl.core.objects import Scope
from webappctl.doctor import RIGHTS, Diagnosis, Mode, Verdict, shown
from webappctl.errors import Forbidden, Unreachable
from webappctl.render import Target

TARGET = Target("prod", "https://10.0.0.1:6443", Scope(("shop",)))


def hostile(text: str) -> Diagnosis:
    """The text wherever a server can put one."""
    refused = Forbidden(text, remedy=text)
    return diagnose(Answers(context=text, server=text, version_=text, who=text, crd=refused, review=refused), Mode.PLAN)


def poor() -> Diagnosis:
    return diagnose(Answers(denied=[str(right) for right in RIGHTS[Mode.SHARD]]), Mode.WATCH, namespaces=("shop",))


@pytest.mark.parametrize("width", [50, 80, 120, 200])
def test_a_table_cuts_nothing(width: int) -> None:
    """Every message is there when the folds are joined, and no line is wider than the terminal."""
    found = poor()
    lines = lines_of(shown.table(found, width), width)
    assert max(map(len, lines)) <= width
    text = "".join(squeezed(line) for line in lines)
    for section in found.sections:
        assert squeezed(section.name) in text
    third = squeezed("".join(line[_found_at(lines) :] for line in lines))
    assert all(squeezed(check.message) in third for section in found.sections for check in section.checks)


def _found_at(lines: list[str]) -> int:
    return next(line.index("Found") for line in lines if "Found" in line)


def test_a_table_says_what_is_repeated_once() -> None:
    """The subject at its first line, the remedy at its last one."""
    rows = column(lines_of(shown.table(poor(), 200), 200), 0)
    assert rows.count("plan--server-side") == 1
    text = "\n".join(lines_of(shown.table(poor(), 200), 200))
    assert text.count("grant that right to this identity") < text.count("may not")


def test_lines_have_five_columns() -> None:
    """Section, subject, verdict, message, remedy."""
    lines = [line.split("\t") for line in shown.lines(poor())]
    assert {len(cells) for cells in lines} == {5}
    assert ["rights", "apply", "failed", "may not patch deployments.apps in namespace shop"] in [
        cells[:4] for cells in lines
    ]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_text_of_the_cluster_reaches_a_terminal(text: str) -> None:
    """In no format."""
    found = hostile(text)
    target = Target(text, text, Scope())
    outputs = [*shown.lines(found), *lines_of(shown.table(found, 80), 80)]
    assert not [line for line in outputs if obeyed(line) - {"\t"}]
    assert shown.as_json(found, target).isascii()
    assert shown.as_yaml(found, target).isascii()
    assert json.loads(shown.as_json(found, target)) == yaml.safe_load(shown.as_yaml(found, target))


@pytest.mark.parametrize("found", [poor(), diagnose(Answers()), diagnose(Answers(version_=Unreachable("no")))])
def test_a_document_fits_the_schema_that_ships(found: Diagnosis) -> None:
    """Whatever was found."""
    assert misfits(shown.as_json(found, TARGET)) == []


def test_the_schema_lists_what_a_word_can_be() -> None:
    """Each closed set of them."""
    shapes = json.loads(SCHEMA.read_text(encoding="utf-8"))["$defs"]
    assert shapes["Mode"]["properties"]["mode"]["enum"] == [mode.value for mode in Mode]
    assert shapes["Check"]["properties"]["verdict"]["enum"] == [verdict.value for verdict in Verdict]
    names = [section.name for section in poor().sections]
    assert shapes["Section"]["properties"]["name"]["enum"] == names


def test_a_document_names_the_missing_rights() -> None:
    """Those that can be done without apart."""
    modes = {mode["mode"]: mode for mode in json.loads(shown.as_json(poor(), TARGET))["modes"]}
    assert modes["plan"]["missing"] == [
        "list webapps.apps.example.com in namespace shop",
        "list deployments.apps in namespace shop",
    ]
    assert modes["plan"]["missingBearable"] == ["list horizontalpodautoscalers.autoscaling in namespace shop"]
    assert (modes["watch"]["canRun"], modes["watch"]["asked"]) == (False, True)


def test_a_line_sums_it_up() -> None:
    """The three commands, without their options."""
    assert shown.summary(diagnose(Answers())) == "can run here: plan, apply, watch"
    assert shown.summary(poor()) == "cannot: plan, apply, watch"
