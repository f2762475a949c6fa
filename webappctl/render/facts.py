"""A change field by field, a value to a cell: what plain lines and the wide table are made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from webappctl.core.diff import Cause, FieldChange
from webappctl.core.objects import CONTAINER, Deployment
from webappctl.core.plan import Action, Change
from webappctl.render.text import (
    asides,
    count,
    creation,
    effect,
    holder,
    holds_another_number,
    reason,
    remarks,
    taken_over,
)


@dataclass(frozen=True, slots=True)
class Fact:
    """One field of a change, or the change as a whole where it has none. Nothing in it is safe to print yet.

    `verb`: what is done about it. `effect`, `held_by` and `beside` are those of the whole change. `text`: what a row
    that does nothing says. `note`: what else is to be known of this field.
    """

    verb: str
    cause: str
    effect: str
    field: str = ""
    actual: str = ""
    desired: str = ""
    manager: str = ""
    time: str | None = None
    text: str = ""
    note: str = ""
    held_by: str = ""
    beside: str = ""


def planned(change: Change) -> Iterator[Fact]:
    """At least one for each change that is shown."""
    held_by = holder(change.held, str) if change.held else ""
    beside = "; ".join(asides(change, str))
    yield from (replace(fact, held_by=held_by, beside=beside) for fact in _facts(change))
    if change.held and holds_another_number(change):
        live, wanted = str(change.held.live), str(change.held.wanted)
        yield Fact(Action.HELD.value, "autoscaler", "none", "replicas", live, wanted, held_by=held_by)


def done(change: Change, verb: str) -> Iterator[Fact]:
    """After it, an earlier refusal and the verdict of a dry run are of no interest, and held replicas are no result."""
    held_by = holder(change.held, str) if change.held else ""
    beside = "; ".join(taken_over(change, str))
    yield from (replace(fact, verb=verb, held_by=held_by, beside=beside) for fact in _facts(change))


def _facts(change: Change) -> Iterator[Fact]:
    verb, because, does = change.action.value, reason(change), effect(change)
    match change.action:
        case Action.CREATE:
            yield Fact(verb, because, does, desired=creation(change, str))
        case Action.DELETE:
            yield Fact(verb, because, does, actual=_standing(change), note=change.text)
        case Action.HELD:
            pass
        case Action.PAUSED:
            yield Fact(verb, because, does, text=change.text, note=change.remedy)
            yield from (_of_field(field, verb, does) for field in change.fields)
            if change.withheld and change.deployment is None:
                yield Fact(verb, Cause.MISSING.value, does, desired=creation(change, str))
        case _ if change.fields:
            yield from (_of_field(field, verb, does) for field in change.fields)
        case _:
            yield Fact(verb, because, does, text=change.text, note=change.remedy)


def _of_field(field: FieldChange, verb: str, does: str) -> Fact:
    beside = "; ".join(remarks(field, str))
    actual, desired = _cell(field.actual), _cell(field.desired)
    return Fact(verb, field.cause.value, does, field.path, actual, desired, field.manager, field.time, note=beside)


def _standing(change: Change) -> str:
    """`3 replicas of web:1.0`: what there is of a Deployment that is to go."""
    live = change.deployment
    container = live.container(CONTAINER) if isinstance(live, Deployment) else None
    image = f" of {container.image}" if container and container.image else ""
    return count(change.effect.stops, "replica") + image


def _cell(value: str | int | None) -> str:
    return "" if value is None else str(value)
