"""examples/monitoring: every name in the alerts and in the dashboard is one that the program has."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

import pytest
import yaml

from tests.unit.measured import everything, labels
from webappctl import crd

FOLDER: Final = crd.examples() / "monitoring"
OF_THE_TARGET: Final = {"job", "instance"}
"""Labels that Prometheus gives to all series."""
FAMILY: Final = re.compile(r"_(bucket|sum|count)$")
NAME: Final = re.compile(r"webappctl_[a-z_]+")
SELECTOR: Final = re.compile(r"(webappctl_[a-z_]+)\{([^}]*)\}")
MATCHER: Final = re.compile(r'\s*(\w+)\s*(?:=~|!~|!=|=)\s*"[^"]*"\s*')
AGGREGATION: Final = re.compile(r"\b(?:by|without)\s*\(([^)]*)\)\s*\(")
MATCHING: Final = re.compile(r"\b(?:on|ignoring)\s*\(([^)]*)\)")
VALUE: Final = re.compile(r"\$labels\.(\w+)")

KNOWN: Final = labels(everything())


def _alerts() -> list[dict[str, Any]]:
    groups = yaml.safe_load((FOLDER / "alerts.yaml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def _dashboard() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / "dashboard.json").read_text())
    return found


def _expressions() -> list[str]:
    of_panels = [target["expr"] for panel in _dashboard()["panels"] for target in panel["targets"]]
    return [rule["expr"] for rule in _alerts()] + of_panels


def _inside(expression: str, start: int) -> str:
    """What is in the bracket that was opened just before `start`."""
    depth = 1
    for place in range(start, len(expression)):
        depth += {"(": 1, ")": -1}.get(expression[place], 0)
        if not depth:
            return expression[start:place]
    raise AssertionError(f"a bracket is not closed: {expression}")


def _names(listed: str) -> set[str]:
    return {name.strip() for name in listed.split(",")}


@pytest.mark.parametrize("name", ["alerts.yaml", "dashboard.json", "scrape.yaml"])
def test_every_metric_that_is_named_is_one_of_the_program(name: str) -> None:
    """In texts and comments, too."""
    assert set(NAME.findall((FOLDER / name).read_text())) <= KNOWN.keys()


def test_every_metric_of_the_program_is_used() -> None:
    """What nobody looks at need not be there."""
    used = {FAMILY.sub("", name) for expression in _expressions() for name in NAME.findall(expression)}
    assert {FAMILY.sub("", name) for name in KNOWN} == used


@pytest.mark.parametrize("expression", _expressions())
def test_every_label_that_is_selected_is_one_of_that_metric(expression: str) -> None:
    """And each matcher is whole."""
    for name, matchers in SELECTOR.findall(expression):
        parts = [MATCHER.fullmatch(part) for part in re.split(r',(?=(?:[^"]*"[^"]*")*[^"]*$)', matchers)]
        assert all(parts), matchers
        assert {part[1] for part in parts if part} <= KNOWN[name] | OF_THE_TARGET


@pytest.mark.parametrize("expression", _expressions())
def test_every_label_that_is_kept_is_one_of_all_metrics_in_its_bracket(expression: str) -> None:
    """Else all series would become one, and nobody would notice."""
    for found in AGGREGATION.finditer(expression):
        inside = NAME.findall(_inside(expression, found.end()))
        assert inside
        for name in inside:
            assert _names(found[1]) <= KNOWN[name] | OF_THE_TARGET
    for found in MATCHING.finditer(expression):
        assert _names(found[1]) <= OF_THE_TARGET


@pytest.mark.parametrize("expression", _expressions())
def test_every_bracket_and_quote_is_closed(expression: str) -> None:
    """The rest of the syntax is for promtool to judge."""
    without_texts = re.sub(r'"[^"]*"', "", expression)
    assert '"' not in without_texts
    for opening, closing in ("()", "[]", "{}"):
        assert without_texts.count(opening) == without_texts.count(closing)


@pytest.mark.parametrize("rule", _alerts(), ids=lambda rule: str(rule["alert"]))
def test_every_alert_says_how_bad_it_is_what_it_is_and_what_to_do(rule: dict[str, Any]) -> None:
    """In words that whoever is woken up understands, and with no label in them that is not there."""
    assert rule["labels"]["severity"] in ("page", "ticket")
    assert rule["annotations"].keys() == {"summary", "description"}
    kept = {name for found in AGGREGATION.finditer(rule["expr"]) for name in _names(found[1])}
    told = set(VALUE.findall(" ".join(rule["annotations"].values())))
    assert told <= (kept or OF_THE_TARGET)


def _panels() -> Iterator[tuple[int, int, int, int]]:
    for panel in _dashboard()["panels"]:
        place = panel["gridPos"]
        yield place["x"], place["y"], place["x"] + place["w"], place["y"] + place["h"]


def test_no_panel_lies_over_another() -> None:
    """On a grid of 24 columns."""
    cells = [(x, y) for left, top, right, bottom in _panels() for x in range(left, right) for y in range(top, bottom)]
    assert (len(set(cells)), max(x for x, _ in cells)) == (len(cells), 23)


def test_the_dashboard_can_be_imported_beside_any_data_source() -> None:
    """A variable names it, and nothing is of the Grafana that it was made with."""
    dashboard = _dashboard()
    sources = {json.dumps(panel["datasource"]) for panel in dashboard["panels"]}
    assert (sources, dashboard["id"]) == ({'{"type": "prometheus", "uid": "${datasource}"}'}, None)
    assert [variable["name"] for variable in dashboard["templating"]["list"]] == ["datasource", "job"]


def test_the_scrape_keeps_our_own_label_namespace() -> None:
    """It is that of a WebApp; the pod's would take its place."""
    (job,) = yaml.safe_load((FOLDER / "scrape.yaml").read_text())["scrape_configs"]
    assert job["honor_labels"] is True
    assert "namespace" not in {rule.get("target_label") for rule in job["relabel_configs"]}
