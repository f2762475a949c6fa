"""What is wrong with a manifest, and on which line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

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
        place = f"{printable(source)}:{self.line}" if self.line else printable(source)
        return f"{place}: {self.what}" + (f" ({self.remedy})" if self.remedy else "")


class Unusable(Exception):
    """Nothing behind this fault can be read."""

    def __init__(self, line: int, what: str, remedy: str = "") -> None:
        super().__init__(what)
        self.fault = Fault(line, what, remedy)


def printable(text: str) -> str:
    """The text with nothing in it that a terminal obeys, or that ends a line."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def shown(text: str) -> str:
    """A text of the file, as a message can hold it."""
    return printable(text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…")
