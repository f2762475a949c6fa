"""A change as rows of four cells, for people: the terminal's table and Markdown differ in how they set them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final, assert_never

from webappctl.core.diff import Cause
from webappctl.core.plan import Action, Change, Hold
from webappctl.core.report import DONE, Outcome, Result
from webappctl.core.text import safe
from webappctl.render.text import (
    Quote,
    asides,
    count,
    creation,
    effect,
    field_text,
    held_text,
    holder,
    holds_another_number,
    reason,
    taken_over,
    why,
    words,
)

SIGNS: Final = {
    Action.CREATE: "+",
    Action.UPDATE: "~",
    Action.ADOPT: ">",
    Action.DELETE: "-",
    Action.NONE: "=",
    Action.HELD: "=",
    Action.PAUSED: "‖",
    Action.BLOCKED: "!",
    Action.WAITING: "…",
    Action.ORPHAN: "?",
}

_Cells = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Row:
    """`action` gives sign and colour. A row that goes on from the one above it has an empty `name`."""

    action: Action
    name: str
    cells: _Cells
    """What, why, and what it does or what to do."""


def change_rows(change: Change, now: datetime | None, quote: Quote = safe, *, done: bool = False) -> Iterator[Row]:
    """Without `now`, times are given as they are, and not as `3 min ago`.

    Once it is `done`, an earlier refusal and the verdict of a dry run are of no interest, nor are held replicas.
    """
    name = quote(change.title)
    for cells in _cells(change, now, quote):
        yield Row(change.action, name, cells)
        name = ""
    if change.held and change.action is not Action.HELD and holds_another_number(change) and not done:
        yield Row(Action.HELD, name, _held(change.held, quote))
    for aside in (taken_over if done else asides)(change, quote):
        yield Row(change.action, "", (aside, "", ""))


def result_row(result: Result, quote: Quote = safe) -> Row:
    """Of what did not go as planned: message, outcome, remedy."""
    action = Action.WAITING if result.outcome in (Outcome.WAITING, Outcome.GONE) else Action.BLOCKED
    cells = (quote(result.message), result.outcome.value, quote(result.remedy))
    return Row(action, quote(result.change.title), cells)


def is_quiet(result: Result) -> bool:
    """True when all went as the plan said."""
    return result.outcome in DONE and result.outcome is not Outcome.GONE


def _cells(change: Change, now: datetime | None, quote: Quote) -> Iterator[_Cells]:
    message, remedy, does, because = quote(change.message), quote(change.remedy), effect(change), words(reason(change))
    match change.action:
        case Action.CREATE:
            yield f"create, {creation(change, quote)}", because, does
        case Action.DELETE:
            yield f"delete, {count(change.effect.stops, 'pod')} of it", because, does
        case Action.UPDATE | Action.ADOPT:
            yield from _fields(change, now, quote)
        case Action.HELD:
            yield from (_held(hold, quote) for hold in (change.held,) if hold)
        case Action.PAUSED:
            yield message, because, remedy
            yield from _withheld(change, now, quote)
        case Action.ORPHAN:
            yield "orphan, left alone", message, remedy
        case Action.BLOCKED | Action.WAITING:
            yield f"{change.action.value}: {message}", because, remedy
        case Action.NONE:
            pass
        case _:
            assert_never(change.action)


def _withheld(change: Change, now: datetime | None, quote: Quote) -> Iterator[_Cells]:
    """What would be done about a paused WebApp."""
    if change.withheld and change.deployment is None:
        yield f"create withheld, {creation(change, quote)}", Cause.MISSING.value, "none"
    for field in change.fields:
        yield field_text(field, quote), why(field, now, quote), "none"


def _fields(change: Change, now: datetime | None, quote: Quote) -> Iterator[_Cells]:
    if not change.fields:
        yield change.action.value, words(reason(change)), effect(change)
    for nth, field in enumerate(change.fields):
        yield field_text(field, quote), why(field, now, quote), "" if nth else effect(change)


def _held(hold: Hold, quote: Quote) -> _Cells:
    return held_text(hold), holder(hold, quote), "none"
