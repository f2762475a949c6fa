"""The plan as a value: one row for each WebApp. People read it before anything is written, and apply obeys it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum
from typing import Final

from webappctl.core.diff import Cause, FieldChange
from webappctl.core.objects import Deployment, ObjectKey, Unreadable, WebApp, deployment_key

STALLED: Final = "Stalled"
"""The condition of a WebApp that does not get on by itself."""
BLOCKED: Final = "Blocked"
"""The reason, in conditions and events, of an object that nothing can be done about."""


class Action(Enum):
    """What is planned for a Deployment."""

    CREATE = "create"
    UPDATE = "update"
    NONE = "none"
    BLOCKED = "blocked"
    WAITING = "waiting"


PENDING = frozenset({Action.CREATE, Action.UPDATE})
"""The actions that apply would send."""


class Obstacle(Enum):
    """Why a WebApp is blocked or waits."""

    INVALID_SPEC = "invalid-spec"
    NAME_TOO_LONG = "name-too-long"
    UNREADABLE = "unreadable"
    FOREIGN_OWNER = "foreign-owner"
    UNOWNED = "unowned"
    IMMUTABLE_SELECTOR = "immutable-selector"
    GARBAGE_COLLECTION = "garbage-collection"
    TERMINATING = "terminating"
    REFUSED = "refused"
    """By the API server, when it was asked."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What carrying out a change does to pods. `scales` is (from, to); None and 0 where it does nothing."""

    starts: int = 0
    restarts: int = 0
    scales: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """A row of the plan: one WebApp, its Deployment as it was read (None: absent), and what to do about it.

    `fields` is empty unless the action is UPDATE. `obstacle`, `message` and `remedy` are set for BLOCKED and WAITING.
    """

    webapp: WebApp | Unreadable
    deployment: Deployment | Unreadable | None
    action: Action
    fields: tuple[FieldChange, ...] = ()
    effect: Effect = Effect()
    obstacle: Obstacle | None = None
    message: str = ""
    remedy: str = ""
    warning: str = ""

    @property
    def key(self) -> ObjectKey:
        return self.webapp.key

    @property
    def deployment_key(self) -> ObjectKey:
        return deployment_key(self.key)

    @property
    def text(self) -> str:
        return f"{self.message} ({self.remedy})" if self.remedy else self.message

    @property
    def last_refusal(self) -> str:
        """Why the API server would not have it the last time, as its WebApp's status tells; empty for no refusal."""
        if self.action not in PENDING or self.webapp.status is None:
            return ""
        stalled = self.webapp.status.condition(STALLED)
        same_spec = stalled is not None and stalled.observed_generation == self.webapp.metadata.generation
        return stalled.message if stalled and same_spec and stalled.reason == BLOCKED else ""

    @property
    def cause(self) -> Cause | None:
        """Of a creation; an update has one for each field."""
        return Cause.MISSING if self.action is Action.CREATE else None

    def does_the_same_as(self, other: Change) -> bool:
        """True when both would write the same over the same: what a person agreed to is still what would happen.

        Who changed a field, and when, is no part of it: any write of that manager moves his time.
        """
        return (
            self.action is other.action
            and self.is_of(other.webapp)
            and [field.essence for field in self.fields] == [field.essence for field in other.fields]
            and self._deployment_uid() == other._deployment_uid()
        )

    def is_of(self, webapp: WebApp | Unreadable) -> bool:
        """True for the very WebApp, with the very spec, that it was planned from."""
        planned, found = self.webapp.metadata, webapp.metadata
        return (planned.uid, planned.generation) == (found.uid, found.generation)

    def _deployment_uid(self) -> str:
        return self.deployment.metadata.uid if self.deployment else ""


@dataclass(frozen=True, slots=True)
class Plan:
    """One row for each WebApp of the snapshot that is not on its way out, sorted by namespace and name.

    `terminating`: those that are; the garbage collector has the rest.
    """

    changes: tuple[Change, ...]
    terminating: tuple[ObjectKey, ...] = ()

    def count(self, *actions: Action) -> int:
        counts = Counter(change.action for change in self.changes)
        return sum(counts[action] for action in actions)

    @property
    def pending(self) -> tuple[Change, ...]:
        """What apply would send."""
        return tuple(change for change in self.changes if change.action in PENDING)

    @property
    def unfinished(self) -> int:
        """How many are blocked or wait: not in order, and nothing that apply could do about it."""
        return self.count(Action.BLOCKED, Action.WAITING)
