"""The documents, field by field. Within a schema version fields are only ever added, each with a default.

They are shapes of their own, so that a name inside the program can change without one outside. The docstrings are the
descriptions in the JSON Schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal, TypeVar

import msgspec

from webappctl.core.diff import Cause
from webappctl.core.plan import Action, Adopt, Answer, Obstacle
from webappctl.core.report import Outcome

SCHEMA_VERSION: Final = 1

Time = Annotated[str, msgspec.Meta(extra_json_schema={"format": "date-time"})]
"""RFC 3339."""

_Kind = TypeVar("_Kind")


def recast(value: object, kind: type[_Kind]) -> _Kind:
    """A value of the other kind that has the same in its fields of the same names."""
    return msgspec.convert(value, kind, from_attributes=True)


class _Shape(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    pass


class ScopeDocument(_Shape, frozen=True):
    """Which WebApps it is about. No namespaces: those of the whole cluster. No names: all; a name may stand without
    its namespace, and means that name in every namespace. `shard` is `0/3`, empty for none: its namespaces only."""

    namespaces: tuple[str, ...]
    selector: str
    names: tuple[str, ...]
    shard: str = ""


class DesiredDocument(_Shape, frozen=True):
    """The spec of the WebApp. Null where a field is absent."""

    image: str | None
    replicas: int | None
    port: int | None


class FieldDocument(_Shape, frozen=True):
    """A field that differs. `actual` and `desired` are null where there is no value; `manager` is who set the live one
    last, and `time` when, null where it is not known; `stays` names what is left beside ours,
    `loses` what of others goes with the old value."""

    path: str
    actual: str | int | None
    desired: str | int | None
    cause: Cause
    manager: str | None
    time: str | None
    stays: str | None
    loses: str | None


class EffectDocument(_Shape, frozen=True):
    """Numbers of pods that are started, replaced and ended; `scales` is [from, to]. `template`: the pod template
    changes, even where there are no pods. `deferred`: the rollout is paused, pods are replaced when it is resumed."""

    starts: int
    restarts: int
    scales: tuple[int, int] | None
    stops: int
    template: bool
    deferred: bool


class HoldDocument(_Shape, frozen=True):
    """Replicas that an autoscaler has: `live` are there, `wanted` is what the WebApp says. `autoscaler` and its bounds
    are null where it could not be read."""

    autoscaler: str | None
    minimum: int | None
    maximum: int | None
    live: int
    wanted: int


class TakeoverDocument(_Shape, frozen=True):
    """The first write to a Deployment that others wrote: from which managers our fields are taken over, and what of
    theirs falls away by it."""

    managers: tuple[str, ...]
    falls_away: tuple[str, ...]


class VerdictDocument(_Shape, frozen=True):
    """What the API server said to a dry run of the change."""

    answer: Answer
    message: str


class PauseDocument(_Shape, frozen=True):
    """That the WebApp is paused, so that nothing is done about its Deployment: why, and until when. `until` is null
    for no end."""

    reason: str
    until: Time | None


class OwnerDocument(_Shape, frozen=True):
    """The ownerReference of the Deployment to its WebApp."""

    api_version: str
    kind: str
    name: str
    uid: str
    controller: bool | None
    block_owner_deletion: bool | None


class ObservedDocument(_Shape, frozen=True):
    """What the Deployment had of the fields that webappctl sets. Null where it has none, and for replicas that are not
    webappctl's; `port` is there only if it is the wanted one. Of a Deployment without a WebApp,
    image and labels."""

    image: str | None
    replicas: int | None
    port: int | None
    labels: Mapping[str, str | None]
    pod_labels: Mapping[str, str | None]
    owner_reference: OwnerDocument | None


class ChangeDocument(_Shape, frozen=True, kw_only=True):
    """One row: a WebApp, its Deployment, and what is to be done about it.

    `uid` and `generation` are the WebApp's, null for a Deployment that lost its own; then `name` is that of the WebApp
    that there was. `deploymentUid` is null where there is no Deployment. `cause` is that of the row as a whole; an
    update has one for each field. `obstacle`, `message` and `remedy` tell why nothing can be done, or why something
    is; `lastRefusal` why the API server would not have it the last time. `problem` and `deploymentProblem` tell why
    an object cannot be read, null for one that can. `note` is what a plan from files says of the namespace. `observed`
    is null where nothing is pending, and for a Deployment that is not there. `pause` is null for a WebApp that is not
    paused; an action `paused` without it is about the rollout. `contested` tells which fields others set again as often
    as they are put back, null for none; only watch sees that.
    """

    namespace: str
    name: str
    uid: str | None
    generation: int | None
    problem: str | None
    deployment: str
    deployment_uid: str | None
    deployment_problem: str | None
    action: Action
    cause: Cause | None
    desired: DesiredDocument | None
    observed: ObservedDocument | None
    fields: tuple[FieldDocument, ...]
    effect: EffectDocument
    held: HoldDocument | None
    takeover: TakeoverDocument | None
    obstacle: Obstacle | None
    message: str
    remedy: str
    last_refusal: str | None
    note: str
    warning: str
    verdict: VerdictDocument | None
    pause: PauseDocument | None = None
    contested: str | None = None


class ReadinessDocument(_Shape, frozen=True):
    """How far a row is that was waited for: not `ready`, it says why, also pod by pod. `final`: it is ready, or waiting
    on would not make it so."""

    ready: bool
    final: bool
    reason: str
    message: str
    pods: tuple[str, ...]
    remedy: str


class ResultDocument(ChangeDocument, frozen=True, kw_only=True):
    """One row, and what became of it. `obstacle`, `message` and `remedy` are those of the outcome. `readiness` is null
    where nobody waited for it."""

    outcome: Outcome
    readiness: ReadinessDocument | None


class PlanDocument(_Shape, frozen=True):
    """What apply would do. `summary` counts the rows of each action, and as `pending` all that apply would send.
    `terminating`: the WebApps that are being deleted. `warnings`: what the plan could not look at."""

    schema_version: Literal[1]
    kind: Literal["Plan"]
    context: str
    server: str
    scope: ScopeDocument
    summary: Mapping[str, int]
    changes: tuple[ChangeDocument, ...]
    terminating: tuple[str, ...]
    warnings: tuple[str, ...]


class ReportDocument(_Shape, frozen=True):
    """What apply did. `summary` counts the rows of each outcome. `statusFailures` has a line for each WebApp whose
    status could not be written; `interruption` is why it ended early, empty when it did not."""

    schema_version: Literal[1]
    kind: Literal["Report"]
    context: str
    server: str
    scope: ScopeDocument
    summary: Mapping[str, int]
    results: tuple[ResultDocument, ...]
    status_failures: tuple[str, ...]
    warnings: tuple[str, ...]
    interruption: str


class PolicyDocument(_Shape, frozen=True):
    """What the plan was allowed to take over and to delete."""

    adopt: Adopt
    prune: bool


class SavedPlanDocument(_Shape, frozen=True):
    """The file of `plan --out`. `checksum` is over everything else as JSON in ASCII, with sorted keys and without white
    space: it tells that the file was edited, not who wrote it."""

    schema_version: Literal[1]
    kind: Literal["SavedPlan"]
    created: Time
    expires: Time
    policy: PolicyDocument
    plan: PlanDocument
    checksum: Annotated[str, msgspec.Meta(pattern="^sha256:[0-9a-f]{64}$")]
