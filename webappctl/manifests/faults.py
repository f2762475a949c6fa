"""What is wrong with a manifest, and on which line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from webappctl.core.text import safe
from webappctl.errors import with_remedy

MAX_SHOWN: Final = 80
"""Characters of a name or value that a message shows."""


@dataclass(frozen=True, slots=True)
class Fault:
    """`line` counts from 1; 0 is a file as a whole."""

    line: int
    what: str
    remedy: str = ""

    def at(self, source: str) -> str:
        """`shop/web.yaml:12: spec.replica is unknown (did you mean replicas?)`."""
        place = f"{safe(source)}:{self.line}" if self.line else safe(source)
        return with_remedy(f"{place}: {self.what}", self.remedy)


class Unusable(Exception):
    """Nothing behind this fault can be read."""

    def __init__(self, line: int, what: str, remedy: str = "") -> None:
        super().__init__(what)
        self.fault = Fault(line, what, remedy)


def shown(text: str) -> str:
    """A text of the file, as a message can hold it."""
    return safe(text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…")
