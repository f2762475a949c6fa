"""What happened, as a value; and the exit code that it means."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Final

from webappctl.core.objects import Deployment, ObjectKey, Unreadable
from webappctl.core.plan import Action, Budget, Change, Obstacle, Plan, refusals
from webappctl.errors import with_remedy

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
    ADOPTED = "adopted"
    DELETED = "deleted"
    UNCHANGED = "unchanged"
    ORPHAN = "orphan"
    """Its WebApp is gone, and it was left alone."""
    GONE = "gone"
    """The WebApp was deleted while we were at it."""
    PAUSED = "paused"
    """Its WebApp is paused, so nothing was done about it."""
    BLOCKED = "blocked"
    WAITING = "waiting"
    STALE = "stale"
    """It moved after it was planned, so it was left alone."""
    FAILED = "failed"
    WITHHELD = "withheld"
    """The change budget was used up before its turn."""
    NOT_TRIED = "not tried"
    """The pass ended before its turn: a signal, `--timeout`, or a server that stopped answering."""


OUTCOMES: Final = {
    Action.CREATE: Outcome.CREATED,
    Action.UPDATE: Outcome.CONFIGURED,
    Action.ADOPT: Outcome.ADOPTED,
    Action.DELETE: Outcome.DELETED,
}
"""Of what was planned, when it is done."""

WRITTEN = frozenset({Outcome.CREATED, Outcome.CONFIGURED, Outcome.ADOPTED})
SETTLED = frozenset({*WRITTEN, Outcome.UNCHANGED})
"""Of a WebApp whose Deployment is as it should be."""
DONE = frozenset({*SETTLED, Outcome.DELETED, Outcome.ORPHAN, Outcome.GONE, Outcome.PAUSED})
"""Nothing is left to be done."""
TELLING = frozenset({*SETTLED, Outcome.PAUSED, Outcome.BLOCKED, Outcome.WAITING})
"""They say something about the WebApp that its status can say."""
UNFINISHED = frozenset({Outcome.BLOCKED, Outcome.WAITING, Outcome.STALE, Outcome.WITHHELD})
FAILURES = frozenset({Outcome.FAILED, Outcome.NOT_TRIED})


class ExitCode(IntEnum):
    OK = 0
    ERROR = 1
    PENDING = 3
    REFUSED = 4
    UNFINISHED = 5


@dataclass(frozen=True, slots=True)
class Readiness:
    """How far a row is that was waited for. `final`: it is ready, or waiting on would not make it so.

    `reason` is one word, as conditions have them, and `pods` what is wrong with its pods, where that was asked; with
    `message` and `remedy` they are empty for one that is ready.
    """

    ready: bool = False
    final: bool = True
    reason: str = ""
    message: str = ""
    pods: tuple[str, ...] = ()
    remedy: str = ""

    @property
    def text(self) -> str:
        """`ProgressDeadlineExceeded: …; pod web-1: ImagePullBackOff: … (what to do)`."""
        itself = f"{self.reason}: {self.message.rstrip('.')}" if self.message else self.reason
        why = "; ".join((itself, *self.pods))
        return with_remedy(why, self.remedy)


@dataclass(frozen=True, slots=True)
class Result:
    """One row, carried out or not.

    `change` is the one carried out: planned anew when the object had moved. `deployment` is the newest state known.
    `tried` tells a write that was refused from one that was never sent. `readiness` is None where nobody waited for it.
    """

    change: Change
    outcome: Outcome
    deployment: Deployment | Unreadable | None = None
    tried: bool = False
    obstacle: Obstacle | None = None
    message: str = ""
    remedy: str = ""
    readiness: Readiness | None = None

    @property
    def key(self) -> ObjectKey:
        return self.change.key

    @property
    def text(self) -> str:
        return with_remedy(self.message, self.remedy)


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

    @property
    def counts(self) -> Counter[Outcome]:
        return Counter(result.outcome for result in self.results)

    def count(self, *outcomes: Outcome) -> int:
        counts = self.counts
        return sum(counts[outcome] for outcome in outcomes)

    @property
    def not_ready(self) -> tuple[Result, ...]:
        """Those that `--wait` waited for in vain."""
        return tuple(result for result in self.results if result.readiness and not result.readiness.ready)

    @property
    def failed(self) -> bool:
        return bool(self.count(*FAILURES) or self.status_failures or self.interruption)


def exit_code(report: Report, *, blocked_ok: bool = False) -> ExitCode:
    """`blocked_ok` forgives what could not be done; never a wait in vain for what was done."""
    if report.failed:
        return ExitCode.ERROR
    if report.not_ready or (report.count(*UNFINISHED) and not blocked_ok):
        return ExitCode.UNFINISHED
    return ExitCode.OK


def plan_exit_code(plan: Plan, budget: Budget | None = None) -> ExitCode:
    """Of `plan --exit-code`; without the flag a plan that could be made is 0. Without a budget nothing is refused."""
    if budget is not None and refusals(plan, budget):
        return ExitCode.REFUSED
    if plan.pending:
        return ExitCode.PENDING
    return ExitCode.UNFINISHED if plan.unfinished else ExitCode.OK
