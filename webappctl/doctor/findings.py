"""What the doctor found, as values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from webappctl.doctor.rights import Mode


class Verdict(Enum):
    OK = "ok"
    WARNING = "warning"
    """Nothing that was asked for fails by it."""
    FAILED = "failed"
    UNKNOWN = "unknown"
    """It could not be looked at."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at. `remedy` is what the user can do; it may be empty."""

    subject: str
    verdict: Verdict
    message: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    name: str
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class Ability:
    """Whether a mode can run. `asked`: somebody wants to know of this one.

    `missing` and `bearable` are rights as text, `patch deployments.apps in namespace shop`; without the latter it runs
    all the same. `obstacle`: what else is in its way. `doubt`: why not all of this is known.
    """

    mode: Mode
    asked: bool
    missing: tuple[str, ...] = ()
    bearable: tuple[str, ...] = ()
    obstacle: str = ""
    doubt: str = ""

    @property
    def can_run(self) -> bool | None:
        """None: nobody knows."""
        if self.missing or self.obstacle:
            return False
        return None if self.doubt else True

    @property
    def text(self) -> str:
        """`can run`, `cannot run: 2 rights are missing`."""
        if self.can_run:
            return "can run"
        if self.can_run is None:
            return f"not known: {self.doubt}"
        number = len(self.missing)
        rights = f"{number} right{'s are' if number > 1 else ' is'} missing" if number else ""
        return f"cannot run: {'; '.join(filter(None, (self.obstacle, rights)))}"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    sections: tuple[Section, ...]
    abilities: tuple[Ability, ...]

    @property
    def unable(self) -> tuple[Ability, ...]:
        """Those asked for of which it is not sure that they can run."""
        return tuple(ability for ability in self.abilities if ability.asked and not ability.can_run)
