"""Words for the values of a plan.

Wherever text of the cluster stands among our own words, a `Quote` says how it is set: `safe` for terminals and pipes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final, TypeVar

from webappctl.core.diff import Cause, FieldChange
from webappctl.core.objects import WebApp
from webappctl.core.plan import PENDING, Action, Answer, Change, Effect, Hold, Verdict
from webappctl.core.text import safe

Quote = Callable[[str], str]

FOR_NOTHING: Final = frozenset({Action.NONE, Action.HELD, Action.PAUSED, Action.ORPHAN})
"""Rows that nobody has to do anything about."""

_T = TypeVar("_T")


def count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def words(value: str) -> str:
    """`live-drift` → `live drift`."""
    return value.replace("-", " ")


def effect(change: Change) -> str:
    """`starts 2 pods`, `restarts 3 pods once resumed, scales 2 → 3`, `metadata only`; `none` where nothing is done."""
    if change.action not in PENDING:
        return "none"
    if change.action is Action.DELETE:
        return f"stops {count(change.effect.stops, 'pod')}" if change.effect.stops else "no pod to stop"
    return ", ".join(_effects(change.effect)) or "metadata only"


def _effects(effect: Effect) -> Iterator[str]:
    if effect.starts:
        yield f"starts {count(effect.starts, 'pod')}"
    if effect.restarts:
        yield f"restarts {count(effect.restarts, 'pod')}" + (" once resumed" if effect.deferred else "")
    elif effect.template:
        yield "no pod to restart"
    if effect.scales:
        yield "scales {} → {}".format(*effect.scales)


def creation(change: Change, quote: Quote = safe) -> str:
    """`2 replicas of web:1.1, port 8080 (namespace missing)`; replicas that are not ours are left to the API server."""
    spec = change.webapp.spec if isinstance(change.webapp, WebApp) else None
    if spec is None:
        return ""
    replicas = "" if spec.replicas is None else f"{count(spec.replicas, 'replica')} of "
    note = f" ({change.note})" if change.note else ""
    return f"{replicas}{quote(str(spec.image))}, port {spec.port}{note}"


def reason(change: Change) -> str:
    """Of a row as a whole: `foreign-owner`, `orphan`, `paused-by-annotation`; `paused` is about the rollout."""
    if change.obstacle is not None:
        return change.obstacle.value
    if change.action is Action.PAUSED and change.pause is not None:
        return "paused-by-annotation"
    return change.cause.value if change.cause else change.action.value


def why(field: FieldChange, now: datetime | None, quote: Quote = safe) -> str:
    """`spec changed`, `kubectl-edit, 3 min ago`, `scaled by kubectl, time unknown`."""
    if field.cause is not Cause.LIVE_DRIFT:
        return words(field.cause.value)
    if not field.manager:
        return "writer unknown"
    scaled = "scaled by " if field.path == "replicas" and field.time is None else ""
    return f"{scaled}{quote(field.manager)}, {_when(field.time, now, quote)}"


def _when(time: str | None, now: datetime | None, quote: Quote) -> str:
    if time is None:
        return "time unknown"
    return (now and age(time, now)) or quote(time)


def age(time: str, now: datetime) -> str:
    """RFC 3339 → `3 min ago`; a clock that is ahead of ours says `just now`; empty for what is no time."""
    try:
        seconds = int((now - datetime.fromisoformat(time)).total_seconds())
    except (ValueError, TypeError):
        return ""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit} ago"
    return f"{seconds} s ago" if seconds > 0 else "just now"


def field_text(field: FieldChange, quote: Quote = safe) -> str:
    """`image  web:1.0 → web:1.1`, `port  8080 added (8081 of kubectl-edit stays)`."""
    beside = "; ".join(remarks(field, quote))
    path, stays = quote(field.path), f" ({beside})" if beside else ""
    if field.desired is None:
        return f"{path}  is not as it should be{stays}"
    desired = quote(str(field.desired))
    if field.actual is None:
        return f"{path}  {desired} added{stays}"
    return f"{path}  {quote(str(field.actual))} → {desired}{stays}"


def remarks(field: FieldChange, quote: Quote = safe) -> Iterator[str]:
    """`8081 of kubectl-edit stays`, `its name of kubectl-edit goes`."""
    if field.stays:
        yield f"{quote(field.stays)} {'stay' if ', ' in field.stays else 'stays'}"
    if field.loses:
        yield f"its {quote(field.loses)} {'go' if ', ' in field.loses else 'goes'}"


def held_text(hold: Hold) -> str:
    return f"replicas  {hold.live} (spec: {hold.wanted})"


def holder(hold: Hold, quote: Quote = safe) -> str:
    """`HPA search holds 2-9`, with a dash that is longer."""
    if not hold.autoscaler:
        return "held by an autoscaler"
    if hold.maximum is None:
        return f"held by HPA {quote(hold.autoscaler)}"
    low = 1 if hold.minimum is None else hold.minimum
    return f"HPA {quote(hold.autoscaler)} holds {low}\N{EN DASH}{hold.maximum}"


def holds_another_number(change: Change) -> bool:
    """True when an autoscaler's replicas are not those of the WebApp, whatever else the row is about."""
    return change.held is not None and change.held.live != change.held.wanted


def asides(change: Change, quote: Quote = safe) -> Iterator[str]:
    """What is to be known beside the fields of a row that is pending, and that one which is not is paused, too."""
    if change.pause is not None and change.action is not Action.PAUSED:
        yield quote(change.pause.text)
    yield from taken_over(change, quote)
    denied = change.verdict is not None and change.verdict.answer is Answer.DENIED
    if change.last_refusal and not denied:  # it would say the same twice
        yield f"the last time: {quote(change.last_refusal)}"
    if change.verdict is not None:
        yield from _verdict_text(change.verdict, quote)


def taken_over(change: Change, quote: Quote = safe) -> Iterator[str]:
    """`taken over from kubectl-create, helm; port 9090 falls away`; nothing when that is nothing to anybody."""
    managers = change.takeover.managers if change.takeover else ()
    goes = change.takeover.falls_away if change.takeover else ()
    parts = []
    if managers:
        parts.append(f"taken over from {', '.join(map(quote, managers))}")
    if goes:
        parts.append(f"{', '.join(map(quote, goes))} {'falls' if len(goes) == 1 else 'fall'} away")
    if parts:
        yield "; ".join(parts)


def _verdict_text(verdict: Verdict, quote: Quote) -> Iterator[str]:
    heads = {Answer.ALTERED: "dry run", Answer.DENIED: "dry run denied", Answer.NOT_CHECKED: "not checked"}
    if verdict.answer is not Answer.ACCEPTED:
        yield f"{heads[verdict.answer]}: {quote(verdict.message)}"


def is_shown(change: Change) -> bool:
    """Unchanged is listed in the plan, and hidden by those who show it."""
    return change.action is not Action.NONE


def shown(changes: Iterable[Change], limit: int) -> tuple[Sequence[Change], int]:
    """At most `limit` rows, in their order, and how many more there are."""
    return capped([change for change in changes if is_shown(change)], limit, lambda row: row.action in FOR_NOTHING)


def capped(rows: Sequence[_T], limit: int, minor: Callable[[_T], bool]) -> tuple[Sequence[_T], int]:
    """The minor ones are left out first: they never push out a row that somebody has to know of."""
    ranked = sorted(range(len(rows)), key=lambda nth: minor(rows[nth]))
    return [rows[nth] for nth in sorted(ranked[:limit])], max(0, len(rows) - limit)
