"""Plain lines for pipes: one for each changed field, seven columns, tab-separated, nothing cut.

WebApp, action (or outcome), field, actual, desired, cause, effect. A row without fields has its text in the last one.
"""

from __future__ import annotations

from collections.abc import Iterator

from webappctl.core.plan import Change, Plan
from webappctl.core.report import Outcome, Result
from webappctl.render.text import creation, effect, is_shown, safe


def plan_lines(plan: Plan) -> Iterator[str]:
    for change in filter(is_shown, plan.changes):
        yield from _change_lines(change, change.action.value)


def result_lines(result: Result) -> Iterator[str]:
    """The same lines, with what happened where the plan says what is to be done. None for what is unchanged."""
    if result.outcome is Outcome.UNCHANGED:
        return
    if result.message:
        yield _text_line(result, result.outcome.value)
    else:
        yield from _change_lines(result.change, result.outcome.value)


def _change_lines(change: Change, verb: str) -> Iterator[str]:
    key = str(change.key)
    if change.cause is not None:
        yield _line(key, verb, "", "", creation(change), change.cause.value, _effect(change))
    elif change.fields:
        for field in change.fields:
            stays = f", {field.stays} stays" if field.stays else ""
            cells = (field.path, _cell(field.actual), _cell(field.desired), field.cause.value)
            yield _line(key, verb, *cells, _effect(change) + stays)
    else:
        yield _text_line(change, verb)


def _text_line(row: Change | Result, verb: str) -> str:
    return _line(str(row.key), verb, "", "", "", row.obstacle.value if row.obstacle else "", row.text)


def _effect(change: Change) -> str:
    refusal = f"; the last time: {change.last_refusal}" if change.last_refusal else ""
    return effect(change.effect) + refusal


def _cell(value: str | int | None) -> str:
    return "" if value is None else str(value)


def _line(*cells: str) -> str:
    return "\t".join(safe(cell) for cell in cells)
