"""What happened, as a value; and the exit code that it means."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Final

from webappctl.core.objects import Deployment, ObjectKey, Unreadable
from webappctl.core.plan import Change, Obstacle, Plan

MAX_MESSAGE: Final = 1024
"""Bytes. The API server refuses the whole status for a message of more than 32 KiB; nobody reads even one."""


def cut(message: str) -> str:
    """At most MAX_MESSAGE bytes of UTF-8, cut between characters."""
    encoded = message.encode()
    if len(encoded) <= MAX_MESSAGE:
        return message
    return encoded[: MAX_MESSAGE - 3].decode(errors="ignore") + "…"


class Outcome(Enum):
    """What became of a row of the plan."""

    CREATED = "created"
    CONFIGURED = "configured"
    UNCHANGED = "unchanged"
    GONE = "gone"
    """The WebApp was deleted while we were at it."""
    BLOCKED = "blocked"
    WAITING = "waiting"
    STALE = "stale"
    """It moved after it was planned, so it was left alone."""
    FAILED = "failed"
    NOT_TRIED = "not tried"
    """The pass ended before its turn: a signal, `--timeout`, or a server that stopped answering."""


WRITTEN = frozenset({Outcome.CREATED, Outcome.CONFIGURED})
SETTLED = frozenset({*WRITTEN, Outcome.UNCHANGED})
UNFINISHED = frozenset({Outcome.BLOCKED, Outcome.WAITING, Outcome.STALE})
FAILURES = frozenset({Outcome.FAILED, Outcome.NOT_TRIED})


class ExitCode(IntEnum):
    OK = 0
    ERROR = 1
    PENDING = 3
    UNFINISHED = 5


@dataclass(frozen=True, slots=True)
class Result:
    """One row, carried out or not.

    `change` is the one carried out: planned anew when the object had moved. `deployment` is the newest state known.
    `tried` tells a write that was refused from one that was never sent.
    """

    change: Change
    outcome: Outcome
    deployment: Deployment | Unreadable | None = None
    tried: bool = False
    obstacle: Obstacle | None = None
    message: str = ""
    remedy: str = ""

    @property
    def key(self) -> ObjectKey:
        return self.change.key

    @property
    def text(self) -> str:
        return f"{self.message} ({self.remedy})" if self.remedy else self.message


@dataclass(frozen=True, slots=True)
class Report:
    """A pass: a Result for each row of the plan, in its order, and what went wrong beside the Deployments.

    `status_failures` holds one line for each WebApp whose status could not be written; `warnings` what has no effect
    on the exit code; `interruption` why the pass ended early, empty when it did not.
    """

    results: tuple[Result, ...]
    status_failures: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    interruption: str = ""

    def count(self, *outcomes: Outcome) -> int:
        counts = Counter(result.outcome for result in self.results)
        return sum(counts[outcome] for outcome in outcomes)

    @property
    def failed(self) -> bool:
        return bool(self.count(*FAILURES) or self.status_failures or self.interruption)


def exit_code(report: Report, *, blocked_ok: bool = False) -> ExitCode:
    if report.failed:
        return ExitCode.ERROR
    if report.count(*UNFINISHED) and not blocked_ok:
        return ExitCode.UNFINISHED
    return ExitCode.OK


def plan_exit_code(plan: Plan) -> ExitCode:
    """Of `plan --exit-code`; without the flag a plan that could be made is 0."""
    if plan.pending:
        return ExitCode.PENDING
    return ExitCode.UNFINISHED if plan.unfinished else ExitCode.OK
