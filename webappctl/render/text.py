"""Words for the values of a plan, and the one gate through which the cluster's text reaches a terminal."""

from __future__ import annotations

from datetime import datetime

from webappctl.core.diff import Cause, FieldChange
from webappctl.core.objects import WebApp
from webappctl.core.plan import Action, Change, Effect


def safe(text: str) -> str:
    """The text with nothing in it that a terminal obeys or a reader cannot see: such a character is shown escaped.

    Of these, `isprintable` knows all: controls, formats (bidi, zero width), line separators, unassigned, odd spaces.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def effect(effect: Effect) -> str:
    """`starts 2 pods`, `restarts 3 pods, scales 2 → 3`, `metadata only`."""
    parts = []
    if effect.starts:
        parts.append(f"starts {count(effect.starts, 'pod')}")
    if effect.restarts:
        parts.append(f"restarts {count(effect.restarts, 'pod')}")
    if effect.scales:
        parts.append("scales {} → {}".format(*effect.scales))
    return ", ".join(parts) or "metadata only"


def creation(change: Change) -> str:
    """`2 replicas of web:1.1, port 8080`; replicas that are not ours are left to the API server."""
    spec = change.webapp.spec if isinstance(change.webapp, WebApp) else None
    if spec is None:
        return ""
    replicas = "" if spec.replicas is None else f"{count(spec.replicas, 'replica')} of "
    return f"{replicas}{spec.image}, port {spec.port}"


def why(field: FieldChange, now: datetime) -> str:
    """`spec changed`, `kubectl-edit, 3 min ago`, `kubectl, time unknown`."""
    if field.cause is Cause.LIVE_DRIFT:
        return f"{field.manager}, {_ago(field.time, now)}" if field.manager else "writer unknown"
    return str(field.cause.value).replace("-", " ")


def _ago(time: str | None, now: datetime) -> str:
    """RFC 3339 → `3 min ago`; a clock that is ahead of ours says `just now`."""
    if time is None:
        return "time unknown"
    try:
        seconds = int((now - datetime.fromisoformat(time)).total_seconds())
    except (ValueError, TypeError):
        return time
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit} ago"
    return f"{seconds} s ago" if seconds > 0 else "just now"


def field_text(field: FieldChange) -> str:
    """`image  web:1.0 → web:1.1`, `port  8080 added (8081 of kubectl-edit stays)`."""
    stays = f" ({field.stays} stays)" if field.stays else ""
    if field.actual is None:
        return f"{field.path}  {field.desired} added{stays}"
    return f"{field.path}  {field.actual} → {field.desired}{stays}"


def obstacle_text(change: Change) -> str:
    return f"{change.action.value}: {change.message}"


def is_shown(change: Change) -> bool:
    """Unchanged is listed in the plan, and hidden by those who show it."""
    return change.action is not Action.NONE
