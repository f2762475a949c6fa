"""Plain lines for pipes: one for each changed field, seven columns, tab-separated, nothing cut.

WebApp, action (or outcome), field, actual, desired, cause, effect. A row without fields has its text in the last one.
What a row takes over from others, its last refusal and the verdict of a dry run follow its effect, after a semicolon;
so does the pause of one that is blocked or waits.
A Deployment without a WebApp is in the first column itself.

| action                   | field    | actual             | desired            | cause      | effect or text        |
|--------------------------|----------|--------------------|--------------------|------------|-----------------------|
| create                   |          |                    | 2 replicas of web… | missing    | starts 2 pods         |
| update, adopt            | its path | live               | wished             | its cause  | restarts 3 pods       |
| delete                   |          | 3 replicas of web… |                    | orphan     | stops 3 pods          |
| held                     | replicas | live               | the WebApp's       | autoscaler | none, HPA … holds 2-9 |
| paused                   |          |                    |                    | paused     | message (remedy)      |
| paused (the WebApp)      |          |                    |                    | paused-by… | message (remedy)      |
| blocked, waiting, orphan |          |                    |                    | its reason | message (remedy)      |

After the line of a paused WebApp is one for each field that would change, or for the creation; their effect is none.
A change whose replicas are held beside it has a line `held` of its own after its fields. Wide lines have four columns
more: manager, time (RFC 3339, of that manager's last write), held by, note.
"""

from __future__ import annotations

from collections.abc import Iterator

from webappctl.core.plan import Action, Change, Plan
from webappctl.core.report import Outcome, Result
from webappctl.core.text import safe
from webappctl.render.facts import Fact, done, planned
from webappctl.render.text import is_shown


def plan_lines(plan: Plan) -> Iterator[str]:
    for change in filter(is_shown, plan.changes):
        yield from (_line(*_seven(change, fact)) for fact in planned(change))


def plan_wide_lines(plan: Plan) -> Iterator[str]:
    for change in filter(is_shown, plan.changes):
        yield from (_line(*_seven(change, fact), *_four(fact)) for fact in planned(change))


def result_lines(result: Result) -> Iterator[str]:
    """The same lines, with what happened where the plan says what is to be done. None for what is unchanged."""
    yield from (_line(*_seven(result.change, fact)) for fact in _happened(result))


def result_wide_lines(result: Result) -> Iterator[str]:
    yield from (_line(*_seven(result.change, fact), *_four(fact)) for fact in _happened(result))


def _happened(result: Result) -> Iterator[Fact]:
    """What did not go as planned has a message, and no fields."""
    verb = result.outcome.value
    if result.outcome is Outcome.UNCHANGED:
        return
    if result.message and result.outcome not in (Outcome.ORPHAN, Outcome.PAUSED):
        cause = result.obstacle.value if result.obstacle else ""
        yield Fact(verb, cause, "none", text=result.text, note=result.remedy)
    else:
        yield from done(result.change, verb)


def _seven(change: Change, fact: Fact) -> tuple[str, ...]:
    return (change.title, fact.verb, fact.field, fact.actual, fact.desired, fact.cause, _last(fact))


def _last(fact: Fact) -> str:
    more = fact.held_by if fact.verb == Action.HELD.value else fact.note if fact.field else ""
    does = fact.text or fact.effect + (f", {more}" if more else "")
    return does + (f"; {fact.beside}" if fact.beside else "")


def _four(fact: Fact) -> tuple[str, str, str, str]:
    return (fact.manager, fact.time or "", fact.held_by, "; ".join(filter(None, (fact.note, fact.beside))))


def _line(*cells: str) -> str:
    return "\t".join(safe(cell) for cell in cells)
