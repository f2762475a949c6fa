"""What a dry run said about a change, as a value."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Answer(Enum):
    """What the API server said to a dry run of a change."""

    ACCEPTED = "accepted"
    ALTERED = "altered"
    """Admission would make something else of a field that we set."""
    DENIED = "denied"
    NOT_CHECKED = "not-checked"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Of `plan --server-side`, about one change. `message` is empty for ACCEPTED."""

    answer: Answer
    message: str = ""
