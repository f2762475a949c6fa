"""Of many, the first few."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

FEW: Final = 3


def few(texts: Sequence[str]) -> str:
    """`a; b; c; and 4 more`."""
    more = len(texts) - FEW
    return "; ".join((*texts[:FEW], *([f"and {more:,} more"] if more > 0 else [])))
