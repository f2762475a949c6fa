"""The plan as a value: a row for each WebApp, and for what was left behind by one.

People read it before anything is written, and apply obeys it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum
from typing import Final

from webappctl.core.diff import Cause, FieldChange
from webappctl.core.objects import Deployment, ObjectKey, Unreadable, WebApp, deployment_key, webapp_key
from webappctl.core.plan.pause import Pause
from webappctl.core.plan.verdict import Verdict
from webappctl.core.takeover import Takeover
from webappctl.errors import with_remedy

STALLED: Final = "Stalled"
"""The condition of a WebApp that does not get on by itself."""
BLOCKED: Final = "Blocked"
"""The reason, in conditions and events, of an object that nothing can be done about."""
CONTESTED: Final = "Contested"
"""The condition of a WebApp with a field that somebody sets again as often as it is put back."""


class Action(Enum):
    """What is planned for a Deployment."""

    CREATE = "create"
    UPDATE = "update"
    ADOPT = "adopt"
    DELETE = "delete"
    NONE = "none"
    HELD = "held"
    """As it should be, but for replicas that an autoscaler has."""
    PAUSED = "paused"
    """Its WebApp is paused, and nothing is done about it; or it is as it should be, but its rollout is paused."""
    BLOCKED = "blocked"
    WAITING = "waiting"
    ORPHAN = "orphan"
    """Ours, but its WebApp is gone, and nothing is done about it."""


PENDING: Final = frozenset({Action.CREATE, Action.UPDATE, Action.ADOPT, Action.DELETE})
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
    CHANGE_BUDGET = "change-budget"
    """More than `--max-changes` or `--max-deletes` allows; only `watch` goes on without it."""
    MISSING_RIGHT = "missing-right"
    MISSING_NAMESPACE = "missing-namespace"
    TERMINATING_NAMESPACE = "terminating-namespace"
    DENIED = "denied"
    """By a quota or by an admission rule."""
    ALTERED = "altered-by-admission"
    """It was written, and admission made something else of it."""
    INVALID = "invalid"
    """The API server will not have it as it is."""
    CONTESTED = "contested"
    """Somebody sets a field again as often as it is put back; only `watch` sees that."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What carrying out a change does to pods. `scales` is (from, to); None and 0 where it does nothing.

    `template`: the pod template changes, even where there are no pods. `deferred`: the rollout is paused, so pods are
    replaced when somebody resumes it.
    """

    starts: int = 0
    restarts: int = 0
    stops: int = 0
    scales: tuple[int, int] | None = None
    template: bool = False
    deferred: bool = False


@dataclass(frozen=True, slots=True)
class Hold:
    """Replicas that an autoscaler has: `live` are there, `wanted` is what the WebApp says.

    Where autoscalers may not be listed, `autoscaler` is empty, and its bounds are not known.
    """

    live: int
    wanted: int
    autoscaler: str = ""
    minimum: int | None = None
    maximum: int | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """A row of the plan: one WebApp, its Deployment as it was read (None: absent), and what to do about it.

    `webapp` is None for a Deployment that lost its own. `fields` is empty unless the action is UPDATE, ADOPT or PAUSED.
    `obstacle`, `message` and `remedy` are set for BLOCKED and WAITING, and the last two for PAUSED, DELETE and ORPHAN.
    `note` is for a CREATE from a file: what of its namespace. `verdict` is None where the API server was not asked.
    `pause` is that of the WebApp: PAUSED without it is about the rollout, and what is blocked or waits may be paused,
    too. `contested` tells which of its fields others fight over, empty for none.
    """

    webapp: WebApp | Unreadable | None
    deployment: Deployment | Unreadable | None
    action: Action
    fields: tuple[FieldChange, ...] = ()
    effect: Effect = Effect()
    held: Hold | None = None
    takeover: Takeover | None = None
    obstacle: Obstacle | None = None
    message: str = ""
    remedy: str = ""
    note: str = ""
    warning: str = ""
    verdict: Verdict | None = None
    pause: Pause | None = None
    contested: str = ""

    @property
    def key(self) -> ObjectKey:
        """Of the WebApp that there is, or was."""
        if self.webapp is not None:
            return self.webapp.key
        return webapp_key(self.deployment_key) or self.deployment_key

    @property
    def title(self) -> str:
        """What the row is about, in print: the WebApp, or a Deployment without one."""
        return str(self.key if self.webapp is not None else self.deployment_key)

    @property
    def deployment_key(self) -> ObjectKey:
        if self.deployment is not None:
            return self.deployment.key
        if self.webapp is not None:
            return deployment_key(self.webapp.key)
        raise AssertionError("a row is about something")

    @property
    def text(self) -> str:
        return with_remedy(self.message, self.remedy)

    @property
    def withheld(self) -> bool:
        """True for a paused WebApp whose Deployment is not there, or not as it should be."""
        paused = self.action is Action.PAUSED and self.pause is not None
        return paused and (self.deployment is None or bool(self.fields))

    @property
    def last_refusal(self) -> str:
        """Why the API server would not have it the last time, as its WebApp's status tells; empty for no refusal."""
        if self.action not in PENDING or self.webapp is None or self.webapp.status is None:
            return ""
        if self.action is Action.ADOPT:
            return ""  # what blocked it was that nobody had said --adopt
        stalled = self.webapp.status.condition(STALLED)
        same_spec = stalled is not None and stalled.observed_generation == self.webapp.metadata.generation
        return stalled.message if stalled and same_spec and stalled.reason == BLOCKED else ""

    @property
    def cause(self) -> Cause | None:
        """Of the row as a whole; an update has one for each field only."""
        causes = {
            Action.CREATE: Cause.MISSING,
            Action.ADOPT: Cause.ADOPT,
            Action.DELETE: Cause.ORPHAN,
            Action.ORPHAN: Cause.ORPHAN,
        }
        return causes.get(self.action)

    def does_the_same_as(self, other: Change) -> bool:
        """True when both would write the same over the same: what a person agreed to is still what would happen.

        Who changed a field, and when, is no part of it: any write of that manager moves his time. Nor is what others
        have beside it, nor the replicas that an autoscaler has.
        """
        return (
            self.action is other.action
            and self.is_of(other.webapp)
            and [field.essence for field in self.fields] == [field.essence for field in other.fields]
            and self._falls_away == other._falls_away
            and self._deployment_uid == other._deployment_uid
        )

    def is_of(self, webapp: WebApp | Unreadable | None) -> bool:
        """True for the very WebApp, with the very spec, that it was planned from."""
        if self.webapp is None or webapp is None:
            return self.webapp is webapp
        planned, found = self.webapp.metadata, webapp.metadata
        return (planned.uid, planned.generation) == (found.uid, found.generation)

    @property
    def _falls_away(self) -> tuple[str, ...]:
        return self.takeover.falls_away if self.takeover else ()

    @property
    def _deployment_uid(self) -> str:
        return self.deployment.metadata.uid if self.deployment else ""


@dataclass(frozen=True, slots=True)
class Plan:
    """A row for each WebApp of the snapshot that is not on its way out, and for each Deployment that lost its own.

    Sorted by namespace and name. `terminating`: the WebApps that are; the garbage collector has the rest.
    `warnings`: what the plan could not look at.
    """

    changes: tuple[Change, ...]
    terminating: tuple[ObjectKey, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def counts(self) -> Counter[Action]:
        return Counter(change.action for change in self.changes)

    def count(self, *actions: Action) -> int:
        counts = self.counts
        return sum(counts[action] for action in actions)

    @property
    def pending(self) -> tuple[Change, ...]:
        """What apply would send."""
        return tuple(change for change in self.changes if change.action in PENDING)

    @property
    def unfinished(self) -> int:
        """How many are blocked or wait: not in order, and nothing that apply could do about it."""
        return self.count(Action.BLOCKED, Action.WAITING)
