"""What a plan may do beyond creating and updating what is ours."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final


class Adopt(Enum):
    """Which Deployments that we did not make may become a WebApp's."""

    NEVER = "never"
    UNOWNED = "unowned"
    """Those that nobody owns, with exactly our selector."""


@dataclass(frozen=True, slots=True)
class Policy:
    """`prune`: Deployments of ours that lost their WebApp are deleted."""

    adopt: Adopt = Adopt.NEVER
    prune: bool = False


CAUTIOUS: Final = Policy()
