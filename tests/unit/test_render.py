"""Plan and Report → table, lines, JSON: everything is there, and nothing that a terminal would obey."""

from __future__ import annotations

import io
import json
import re
import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from rich.console import Console
from rich.table import Table

from tests.builders import EARLIER, applied_entry, deployment, entry, managed, snapshot, webapp
from webappctl.core.diff import Cause, FieldChange
from webappctl.core.objects import ObjectKey, Scope
from webappctl.core.plan import Action, Change, Obstacle, Plan, make_plan
from webappctl.core.report import Outcome, Report, Result
from webappctl.render import (
    SCHEMA_VERSION,
    Target,
    plan_document,
    plan_lines,
    plan_summary,
    plan_table,
    plan_warnings,
    problem_table,
    report_document,
    report_summary,
    report_warnings,
    result_lines,
    safe,
)

NOW = datetime(2026, 1, 1, 11, 3, tzinfo=UTC)
TARGET = Target("prod", "https://10.0.0.1:6443", Scope())
WIDTHS = (50, 80, 120, 200)
HOSTILE = {
    "ESC": "\x1b[31mred\x1b[0m",
    "OSC 8": "\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\",
    "OSC 52": "\x1b]52;c;ZXZpbA==\x07",
    "C1": "\x9b31m\x85\x90",
    "control": "a\rb\nc\td\x00\x07\x08\x0b\x7f",
    "bidi": "\u202etxt.exe\u202c \u2066a\u2069 \u200f\u061c",
    "zero width": "a\u200bb\u2060c\ufeffd\u00ade",
    "lines": "a\u2028b\u2029c",
    "tags": "\U000e0041\U000e0042",
    "markup": "img[red]:v1 [/b] [link=x]",
    "emoji code": "nginx:tada:v1",
    "wide": "\u6f22\u5b57\N{PARTY POPPER}",
}


def _lines_of(table: Table | None, width: int, *, terminal: bool = False) -> list[str]:
    assert table is not None
    stream = io.StringIO()
    console = Console(
        file=stream, width=width, force_terminal=terminal, markup=False, emoji=False, highlight=False, _environ={}
    )
    console.print(table)
    return stream.getvalue().splitlines()


def _column(lines: list[str], number: int) -> str:
    """The text of a column under its heading, its folds joined, without white space."""
    rule = next(number for number, line in enumerate(lines) if line.startswith("──"))
    starts = [0, *(found.start() for found in re.finditer(r"(?<=\s\s)\S", lines[rule - 1]))]
    start, end = starts[number], (*starts, 10_000)[number + 1]
    return "".join("".join(line[start:end].split()) for line in lines[rule + 1 :])


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _hostile_plan(text: str) -> Plan:
    """The text wherever the cluster can put one."""
    change = FieldChange("image", text, text, Cause.LIVE_DRIFT, text, text, text)
    wanted = webapp(text, text, image=text)
    return Plan(
        (
            Change(wanted, None, Action.CREATE, warning=text),
            Change(wanted, deployment(), Action.UPDATE, fields=(change,)),
            Change(wanted, None, Action.BLOCKED, obstacle=Obstacle.UNOWNED, message=text, remedy=text),
        )
    )


def _hostile_report(text: str) -> Report:
    plan = _hostile_plan(text)
    results = tuple(
        Result(change, outcome, message=text, remedy=text) for change in plan.changes for outcome in Outcome
    )
    return Report(results, (text,) * 5, (text,), text)


def _everything(text: str) -> Iterator[str]:
    """Each line that is shown to anybody."""
    plan, report, target = _hostile_plan(text), _hostile_report(text), Target(text, text, Scope((text,), text))
    yield from (str(target), plan_summary(plan), report_summary(report))
    yield from (*plan_warnings(plan), *report_warnings(report))
    for line in (*plan_lines(plan), *_report_lines(report)):
        yield line.replace("\t", "")
    for width in WIDTHS:
        yield from _lines_of(plan_table(plan, width, NOW), width)
        yield from _lines_of(problem_table(report, width), width)
    for document in (plan_document(plan, target), report_document(report, target)):
        yield from document.split("\n")


def _report_lines(report: Report) -> list[str]:
    return [line for result in report.results for line in result_lines(result)]


def _obeyed(line: str) -> set[str]:
    return {char for char in line if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_output_holds_what_a_terminal_obeys(text: str) -> None:
    """In no format, wherever the text came from."""
    assert set().union(*map(_obeyed, _everything(text))) == set()


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_coloured_table_has_no_escape_but_colours(text: str) -> None:
    """On a terminal."""
    lines = _lines_of(plan_table(_hostile_plan(text), 80, NOW), 80, terminal=True)
    bare = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in lines]
    assert set().union(*map(_obeyed, bare)) == set()


@pytest.mark.parametrize("text", ["img[red]:v1", "[/b]", "nginx:tada:v1", "a[link=x]b"])
def test_markup_is_shown_as_it_is(text: str) -> None:
    """Neither taken for a style nor for an emoji."""
    plan = Plan((Change(webapp(image=text), None, Action.CREATE),))
    assert text in _column(_lines_of(plan_table(plan, 200, NOW), 200), 2)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("a\x1b[0m", "a\\x1b[0m"),
        ("\x9b\x7f", "\\x9b\\x7f"),
        ("\u202e", "\\u202e"),
        ("\U000e0041", "\\U000e0041"),
        ("\u00a0", "\\xa0"),
        ("caf\u00e9 \u6f22 \N{PARTY POPPER}", "caf\u00e9 \u6f22 \N{PARTY POPPER}"),
        ("a\tb\nc", "a\\tb\\nc"),
    ],
)
def test_what_cannot_be_seen_is_shown_escaped(text: str, shown: str) -> None:
    """And everything else as it is."""
    assert safe(text) == shown


@pytest.mark.parametrize("width", WIDTHS)
def test_a_table_cuts_nothing(width: int) -> None:
    """Every name and every value is there when the folds are joined, and no line is wider than the terminal."""
    name, image = "a-rather-long-name-for-a-web-application-of-somebody", "registry.example/" + "path/" * 20 + "app:1"
    plan = make_plan(snapshot(webapp(name, "a-namespace-with-a-name", image=image)))
    lines = _lines_of(plan_table(plan, width, NOW), width)
    assert max(map(len, lines)) <= width
    assert _column(lines, 1) == f"a-namespace-with-a-name/{name}"
    assert _column(lines, 2) == _squeezed(f"create, 3 replicas of {image}, port 80")
    assert (_column(lines, 3), _column(lines, 4)) == ("missing", "starts3pods")


@pytest.mark.parametrize("width", WIDTHS)
def test_a_table_of_problems_cuts_nothing(width: int) -> None:
    """Message and remedy are there as a whole."""
    message, remedy = "forbidden: " + "very " * 60 + "long", "grant " + "that-" * 30 + "right"
    change = Change(webapp("n" * 52), None, Action.CREATE)
    report = Report((Result(change, Outcome.BLOCKED, message=message, remedy=remedy),))
    lines = _lines_of(problem_table(report, width), width)
    assert max(map(len, lines)) <= width
    found = [_column(lines, number) for number in (1, 2, 3, 4)]
    assert found == ["shop/" + "n" * 52, _squeezed(message), "blocked", _squeezed(remedy)]


def test_an_update_has_a_row_for_each_field() -> None:
    """With who did it, and how long ago."""
    theirs = entry("kubectl-edit", {"f:spec": {"f:replicas": {}}}, time=EARLIER)
    live = deployment(replicas=2, image="old", managed_fields=managed(applied_entry(without=("replicas",)), theirs))
    lines = _lines_of(plan_table(make_plan(snapshot(webapp(), live)), 120, NOW), 120)
    assert _column(lines, 1) == "shop/web"
    assert _column(lines, 2) == "imageold→nginx:1.25replicas2→3"
    assert _column(lines, 3) == "specchangedkubectl-edit,3minago"


def test_unchanged_rows_are_not_in_the_table() -> None:
    """A plan without anything else has none."""
    assert plan_table(make_plan(snapshot(webapp(), deployment())), 80, NOW) is None


def test_a_table_ends_somewhere_and_says_so() -> None:
    """200 rows, and how many more."""
    plan = make_plan(snapshot(*(webapp(f"w{n:04}") for n in range(1234))))
    lines = _lines_of(plan_table(plan, 120, NOW), 120)
    assert "and 1,034 more rows" in lines[-1]


def test_a_line_has_seven_columns() -> None:
    """Whatever is in them: tabs and line breaks of the cluster are escaped."""
    for text in HOSTILE.values():
        lines = [*plan_lines(_hostile_plan(text)), *_report_lines(_hostile_report(text))]
        assert {line.count("\t") for line in lines} == {6}


def test_the_lines_of_a_plan() -> None:
    """WebApp, action, field, actual, desired, cause, effect."""
    world = snapshot(webapp("a"), webapp("b"), deployment(webapp("b"), image="old", replicas=1), webapp("c", port=0))
    assert [line.split("\t") for line in plan_lines(make_plan(world))] == [
        ["shop/a", "create", "", "", "3 replicas of nginx:1.25, port 80", "missing", "starts 3 pods"],
        ["shop/b", "update", "image", "old", "nginx:1.25", "spec-changed", "restarts 1 pod, scales 1 → 3"],
        ["shop/b", "update", "replicas", "1", "3", "spec-changed", "restarts 1 pod, scales 1 → 3"],
        [
            "shop/c",
            "blocked",
            "",
            "",
            "",
            "invalid-spec",
            "spec.port is 0, it must be from 1 to 65535 (correct the WebApp)",
        ],
    ]


def test_the_lines_of_a_report_say_what_happened() -> None:
    """Unchanged is not said."""
    create, same = Change(webapp("a"), None, Action.CREATE), Change(webapp("b"), deployment(), Action.NONE)
    refused = Result(create, Outcome.BLOCKED, obstacle=Obstacle.REFUSED, message="quota", remedy="ask")
    report = Report((Result(create, Outcome.CREATED), Result(same, Outcome.UNCHANGED), refused))
    lines = [line.split("\t") for line in _report_lines(report)]
    assert [line[:2] for line in lines] == [["shop/a", "created"], ["shop/a", "blocked"]]
    assert lines[1][5:] == ["refused", "quota (ask)"]


def test_a_line_cuts_nothing() -> None:
    """A name of 253 characters and a message of 10,000."""
    change = Change(webapp("n" * 253), None, Action.BLOCKED, message="m" * 10_000)
    (line,) = plan_lines(Plan((change,)))
    assert line.split("\t")[0] == "shop/" + "n" * 253
    assert line.endswith("m" * 10_000)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_json_is_ascii_and_keeps_the_text(text: str) -> None:
    """Escaped on the way out, the same after reading."""
    document = plan_document(_hostile_plan(text), TARGET)
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


def test_the_summary_of_a_plan_counts_what_is_to_be_done() -> None:
    """With a comma in thousands."""
    good = [found for n in range(1200) for found in (webapp(f"g{n}"), deployment(webapp(f"g{n}")))]
    plan = make_plan(snapshot(webapp("a"), webapp("b", port=0), *good))
    assert plan_summary(plan) == "1 to create, 0 to update; 1 blocked, 1,200 unchanged"


def test_the_summary_of_nothing_says_so() -> None:
    """An empty plan is not a failed one."""
    assert plan_summary(Plan(())) == "nothing to do: there is no WebApp here"


def test_the_summary_of_a_report_names_what_went_wrong_last() -> None:
    """After what went well."""
    change = Change(webapp(), None, Action.CREATE)
    outcomes = (Outcome.CREATED, Outcome.FAILED, Outcome.NOT_TRIED)
    report = Report(tuple(Result(change, outcome) for outcome in outcomes), ("s",), (), "stopped")
    expected = "1 created, 0 configured, 0 unchanged, 1 failed, 1 not tried, 1 without a new status; stopped"
    assert report_summary(report) == expected


@pytest.mark.parametrize(("failures", "lines"), [(0, 0), (1, 1), (3, 3), (4, 4), (5000, 4)])
def test_many_statuses_not_written_are_a_few_lines(failures: int, lines: int) -> None:
    """The first three, and how many more."""
    assert len([*report_warnings(Report((), ("shop/web: x",) * failures))]) == lines


def test_a_name_that_makes_trouble_elsewhere_is_warned_of() -> None:
    """It is managed all the same."""
    (warning,) = plan_warnings(make_plan(snapshot(webapp("a" * 53), webapp("b"))))
    assert warning.startswith(f"warning: shop/{'a' * 53}: its name has 53 characters")


@pytest.mark.parametrize(
    ("time", "shown"),
    [
        (None, "time unknown"),
        ("2026-01-01T11:03:00Z", "just now"),
        ("2026-01-01T11:02:30Z", "30 s ago"),
        ("2026-01-01T11:00:00Z", "3 min ago"),
        ("2026-01-01T09:00:00Z", "2 h ago"),
        ("2025-12-25T11:00:00Z", "7 d ago"),
        ("2027-01-01T00:00:00Z", "just now"),
        ("yesterday", "yesterday"),
    ],
)
def test_the_time_of_a_drift_is_said_as_an_age(time: str | None, shown: str) -> None:
    """A clock that is ahead of ours, and what is no time, are no reason to fail."""
    change = FieldChange("image", "a", "b", Cause.LIVE_DRIFT, "x", time)
    plan = Plan((Change(webapp(), deployment(), Action.UPDATE, fields=(change,)),))
    assert _column(_lines_of(plan_table(plan, 120, NOW), 120), 3) == _squeezed(f"x, {shown}")
