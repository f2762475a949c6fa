"""A WebApp that its annotation pauses: planned, and not applied, until somebody takes it away or its time has come."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import msgspec

from webappctl.core.objects import GROUP, ObjectKey, ObjectMeta

PAUSED_ANNOTATION: Final = f"{GROUP}/paused"
UNTIL_ANNOTATION: Final = f"{GROUP}/paused-until"
PAUSE: Final = "Paused"
"""The condition of a WebApp that is paused, and the reason of one that is not Ready because of it."""

_RFC_3339: Final = re.compile(
    r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Pause:
    """As the annotations have it. `until` is RFC 3339, empty for no end."""

    reason: str
    until: str = ""

    @property
    def text(self) -> str:
        """`paused until 2026-12-01T12:00:00Z: moving the database`."""
        until = f" until {self.until}" if self.until else ""
        return f"paused{until}" + (f": {self.reason}" if self.reason else "")


class _Annotations(msgspec.Struct, frozen=True):
    paused: str | None = msgspec.field(name=PAUSED_ANNOTATION, default=None)
    until: str | None = msgspec.field(name=UNTIL_ANNOTATION, default=None)


_annotations: Final = msgspec.json.Decoder(_Annotations | None)


def pause_of(metadata: ObjectMeta, now: str) -> tuple[Pause | None, str]:
    """None for one that is not paused, or not any more; and what is odd about its annotations, empty for nothing.

    `now` is RFC 3339. Where it is empty, nobody knows the time, and no pause is over.
    """
    found = _read(metadata.annotations)
    if found.paused is None:
        return None, "" if found.until is None else f"{UNTIL_ANNOTATION} does nothing without {PAUSED_ANNOTATION}"
    if found.until is None:
        return Pause(found.paused), ""
    end = _instant(found.until)
    if end is None:
        return Pause(found.paused), f'{UNTIL_ANNOTATION} is "{found.until}", which is no RFC 3339 time: it has no end'
    present = _instant(now)
    return (None if present and present >= end else Pause(found.paused, found.until)), ""


def seconds_left(pause: Pause, now: str) -> float:
    """Until it is over; infinite for one without an end, and where nobody knows the time."""
    end, present = _instant(pause.until), _instant(now)
    return (end - present).total_seconds() if end and present else math.inf


def way_on(key: ObjectKey) -> str:
    """The command that ends the pause of that WebApp."""
    return f"kubectl -n {key.namespace} annotate webapp {key.name} {PAUSED_ANNOTATION}-"


def way_out(key: ObjectKey) -> str:
    """The command that pauses that WebApp."""
    return f"kubectl -n {key.namespace} annotate webapp {key.name} {PAUSED_ANNOTATION}=REASON"


def _read(annotations: msgspec.Raw) -> _Annotations:
    try:
        return (_annotations.decode(annotations) if bytes(annotations) else None) or _Annotations()
    except msgspec.MsgspecError:
        return _Annotations()


def _instant(text: str) -> datetime | None:
    """None for what is no time of RFC 3339, which allows less than datetime reads."""
    try:
        return datetime.fromisoformat(text.upper()) if _RFC_3339.fullmatch(text) else None
    except ValueError:
        return None
