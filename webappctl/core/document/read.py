"""Document → Plan. Its objects have what a plan shows and compares of them, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from webappctl.core.diff import FieldChange
from webappctl.core.document.shapes import (
    ChangeDocument,
    DesiredDocument,
    FieldDocument,
    HoldDocument,
    ObservedDocument,
    PlanDocument,
    ScopeDocument,
    recast,
)
from webappctl.core.objects import (
    CONTAINER,
    Condition,
    Deployment,
    ObjectKey,
    ObjectMeta,
    OwnerReference,
    Scope,
    Shard,
    Unreadable,
    WebApp,
    WebAppSpec,
    WebAppStatus,
)
from webappctl.core.objects.deployment import Container, ContainerPort, DeploymentSpec, PodMeta, PodSpec, PodTemplate
from webappctl.core.plan import BLOCKED, STALLED, Change, Effect, Hold, Pause, Plan, Verdict
from webappctl.core.takeover import Takeover


def plan_of(document: PlanDocument) -> Plan:
    """The plan that it was made from: it looks the same, and `does_the_same_as` another all the same.

    To carry it out takes a plan that was made just now: here the Deployments have our fields only, and no version.
    """
    terminating = tuple(map(_key, document.terminating))
    return Plan(tuple(map(_change, document.changes)), terminating, document.warnings)


def scope_of(document: ScopeDocument) -> Scope:
    shard = Shard(*map(int, document.shard.split("/"))) if document.shard else None
    return Scope(document.namespaces, document.selector, tuple(map(_key, document.names)), shard)


def _key(text: str) -> ObjectKey:
    namespace, _, name = text.rpartition("/")
    return ObjectKey(namespace, name)


def _change(document: ChangeDocument) -> Change:
    return Change(
        webapp=_webapp(document),
        deployment=_deployment(document),
        action=document.action,
        fields=tuple(map(_field, document.fields)),
        effect=recast(document.effect, Effect),
        held=_held(document.held) if document.held else None,
        takeover=recast(document.takeover, Takeover) if document.takeover else None,
        obstacle=document.obstacle,
        message=document.message,
        remedy=document.remedy,
        note=document.note,
        warning=document.warning,
        verdict=recast(document.verdict, Verdict) if document.verdict else None,
        pause=Pause(document.pause.reason, document.pause.until or "") if document.pause else None,
        contested=document.contested or "",
    )


def _webapp(document: ChangeDocument) -> WebApp | Unreadable | None:
    if document.uid is None:
        return None
    generation = document.generation or 0
    meta = ObjectMeta(document.name, document.namespace, document.uid, generation=generation)
    if document.problem is not None:
        return Unreadable(meta, document.problem)
    return WebApp(meta, _spec(document.desired), _status(document.last_refusal, generation))


def _spec(document: DesiredDocument | None) -> WebAppSpec | None:
    return recast(document, WebAppSpec) if document else None


def _status(refusal: str | None, generation: int) -> WebAppStatus | None:
    """One that tells of the refusal."""
    if refusal is None:
        return None
    stalled = Condition(STALLED, "True", BLOCKED, refusal, observed_generation=generation)
    return WebAppStatus(conditions=(stalled,))


def _deployment(document: ChangeDocument) -> Deployment | Unreadable | None:
    if document.deployment_uid is None:
        return None
    meta = ObjectMeta(document.deployment, document.namespace, document.deployment_uid)
    if document.deployment_problem is not None:
        return Unreadable(meta, document.deployment_problem)
    return _with_fields(meta, document.observed) if document.observed else Deployment(meta)


def _with_fields(meta: ObjectMeta, observed: ObservedDocument) -> Deployment:
    owner = observed.owner_reference
    owners = (recast(owner, OwnerReference),) if owner else None
    ports = () if observed.port is None else (ContainerPort(observed.port),)
    there = observed.image is not None or observed.port is not None
    pod = PodSpec((Container(CONTAINER, observed.image, ports),) if there else None)
    template = PodTemplate(PodMeta(_present(observed.pod_labels)), pod)
    return Deployment(
        msgspec.structs.replace(meta, labels=_present(observed.labels), owner_references=owners),
        DeploymentSpec(observed.replicas, template=template),
    )


def _present(labels: Mapping[str, str | None]) -> dict[str, str]:
    return {label: value for label, value in labels.items() if value is not None}


def _field(document: FieldDocument) -> FieldChange:
    """An empty text where the document has null."""
    texts = {"manager": document.manager or "", "stays": document.stays or "", "loses": document.loses or ""}
    return recast(msgspec.structs.replace(document, **texts), FieldChange)


def _held(document: HoldDocument) -> Hold:
    return recast(msgspec.structs.replace(document, autoscaler=document.autoscaler or ""), Hold)
