"""Plan and Report → Markdown, in which nothing of the cluster is markup."""

from __future__ import annotations

import pytest

from tests.builders import EARLIER, deployment, webapp
from tests.rendered import HOSTILE, hostile_plan, hostile_report, markdown_parts
from webappctl.core.diff import Cause, FieldChange
from webappctl.core.objects import Scope
from webappctl.core.plan import Action, Change, Effect, Hold, Obstacle, Plan
from webappctl.core.report import Outcome, Report, Result
from webappctl.render import Target, plan_markdown, report_markdown, safe

TARGET = Target("prod", "https://10.0.0.1:6443", Scope())


def documents(text: str) -> tuple[str, str]:
    target = Target(text, text, Scope((text,), text))
    return plan_markdown(hostile_plan(text), target), report_markdown(hostile_report(text), target)


def rows(document: str) -> list[str]:
    """Those of the table, without its head."""
    return [line for line in document.split("\n") if line.startswith("|")][2:]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_nothing_is_markup_whatever_the_cluster_holds(text: str) -> None:
    """No HTML, link, image or emphasis: words of ours, and code spans."""
    for document in documents(text):
        texts, _ = markdown_parts(document)
        assert {kind for parts in texts for kind, _ in parts} == {"text", "code_inline"}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_every_row_has_five_cells(text: str) -> None:
    """Pipes and line breaks do not end a cell."""
    for document in documents(text):
        _, lengths = markdown_parts(document)
        assert set(lengths) == {5}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_outside_of_code_spans_are_only_our_words(text: str) -> None:
    """So nobody is mentioned, and no issue, emoji or address is linked to."""
    for document in documents(text):
        texts, _ = markdown_parts(document)
        words = {content for parts in texts for kind, content in parts if kind == "text"}
        assert not set("@#<>[]*_~`\\&/") & set("".join(words))
        assert ":tada:" not in "".join(words)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_the_text_is_all_there(text: str) -> None:
    """As a browser shows it, escapes apart."""
    for document in documents(text):
        texts, _ = markdown_parts(document)
        assert safe(f"warning: {text}") in ["".join(content for _, content in parts) for parts in texts]


def test_the_markdown_of_a_plan() -> None:
    """A heading, the summary, a table; a row goes on for each field, and times are given as they are."""
    field = FieldChange("image", "old", "new", Cause.LIVE_DRIFT, "kubectl-edit", EARLIER)
    update = Change(webapp(), deployment(), Action.UPDATE, (field,), Effect(restarts=3), Hold(7, 3, "web", 2, 9))
    assert plan_markdown(Plan((update,), warnings=("blind",)), TARGET).split("\n") == [
        "### Plan for `prod (https://10.0.0.1:6443), all namespaces`",
        "",
        "0 to create, 1 to update, 0 to delete; 0 unchanged",
        "",
        "|  | WebApp | Change | Why | Effect |",
        "| --- | --- | --- | --- | --- |",
        f"| `~` update | `shop/web` | `image`  `old` → `new` | `kubectl-edit`, `{EARLIER}` | restarts 3 pods |",
        "|  |  | replicas  7 (spec: 3) | HPA `web` holds 2\N{EN DASH}9 | none |",
        "",
        "* `warning: blind`",
    ]


def test_a_blocked_row_has_its_remedy() -> None:
    """Where the others have their effect."""
    change = Change(webapp(), None, Action.BLOCKED, obstacle=Obstacle.UNOWNED, message="not ours", remedy="delete it")
    (row,) = rows(plan_markdown(Plan((change,)), TARGET))
    assert row == "| `!` blocked | `shop/web` | blocked: `not ours` | unowned | `delete it` |"


def test_the_markdown_of_a_report_has_what_was_done_and_what_was_not() -> None:
    """Unchanged is only counted."""
    create = Change(webapp(), None, Action.CREATE, effect=Effect(starts=3))
    failed = Result(create, Outcome.BLOCKED, obstacle=Obstacle.DENIED, message="quota", remedy="make room")
    same = Result(Change(webapp(), deployment(), Action.NONE), Outcome.UNCHANGED)
    document = report_markdown(Report((Result(create, Outcome.CREATED), failed, same), interruption="a signal"), TARGET)
    assert "1 created, 0 configured, 1 unchanged, 1 blocked; `a signal`" in document
    assert rows(document) == [
        "| `+` created | `shop/web` | create, 3 replicas of `nginx:1.25`, port 80 | missing | starts 3 pods |",
        "| `!` blocked | `shop/web` | `quota` | denied | `make room` |",
    ]


def test_a_plan_without_rows_has_no_table() -> None:
    """Only its heading and its summary."""
    document = plan_markdown(Plan((Change(webapp(), deployment(), Action.NONE),)), TARGET)
    assert document.split("\n")[1:] == ["", "0 to create, 0 to update, 0 to delete; 1 unchanged"]


def test_a_long_table_ends_and_says_so() -> None:
    """After 500 rows; what counts for nothing is left out first."""
    held = [Change(webapp(f"a{n}"), deployment(), Action.HELD, held=Hold(7, 3)) for n in range(400)]
    created = [Change(webapp(f"b{n}"), None, Action.CREATE) for n in range(300)]
    document = plan_markdown(Plan((*held, *created)), TARGET)
    assert len([row for row in rows(document) if "create" in row]) == 300
    assert document.endswith("\n\nand 200 more rows")


def test_nothing_is_cut() -> None:
    """An image of 10,000 characters."""
    assert f"`{'i' * 10_000}`" in plan_markdown(
        Plan((Change(webapp(image="i" * 10_000), None, Action.CREATE),)), TARGET
    )
