"""Plan and Report → document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import Enum

import msgspec

from webappctl.core.desired import desired_fields
from webappctl.core.diff import FieldChange, actual_fields
from webappctl.core.document.shapes import (
    SCHEMA_VERSION,
    ChangeDocument,
    DesiredDocument,
    EffectDocument,
    FieldDocument,
    HoldDocument,
    ObservedDocument,
    OwnerDocument,
    PlanDocument,
    ReadinessDocument,
    ReportDocument,
    ResultDocument,
    ScopeDocument,
    TakeoverDocument,
    VerdictDocument,
)
from webappctl.core.objects import (
    Deployment,
    ObjectKey,
    ObjectMeta,
    OwnedFields,
    OwnerReference,
    Scope,
    Unreadable,
    WebApp,
)
from webappctl.core.plan import PENDING, Action, Change, Effect, Hold, Plan, Verdict
from webappctl.core.report import Outcome, Readiness, Report, Result
from webappctl.core.takeover import Takeover


def plan_document(plan: Plan, context: str, server: str, scope: Scope) -> PlanDocument:
    """Every row, the unchanged ones too."""
    return PlanDocument(
        schema_version=SCHEMA_VERSION,
        kind="Plan",
        context=context,
        server=server,
        scope=_scope(scope),
        summary=_counts(Action, (change.action for change in plan.changes)) | {"pending": len(plan.pending)},
        changes=tuple(map(_change, plan.changes)),
        terminating=tuple(map(str, plan.terminating)),
        warnings=plan.warnings,
    )


def report_document(report: Report, context: str, server: str, scope: Scope) -> ReportDocument:
    return ReportDocument(
        schema_version=SCHEMA_VERSION,
        kind="Report",
        context=context,
        server=server,
        scope=_scope(scope),
        summary=_counts(Outcome, (result.outcome for result in report.results)),
        results=tuple(map(_result, report.results)),
        status_failures=report.status_failures,
        warnings=report.warnings,
        interruption=report.interruption,
    )


def live_fields(change: Change, *, held: bool) -> OwnedFields | None:
    """What the Deployment has of our fields; None where there is none, or one of the two cannot be read.

    `held`: without the replicas. An orphan's are not ours any more, nor is its port.
    """
    lost = WebApp(ObjectMeta(change.key.name, change.key.namespace))
    webapp = lost if change.webapp is None else change.webapp
    if not isinstance(webapp, WebApp) or not isinstance(change.deployment, Deployment):
        return None
    return actual_fields(change.deployment, desired_fields(webapp, held=held))


def _scope(scope: Scope) -> ScopeDocument:
    return ScopeDocument(
        namespaces=scope.namespaces, selector=scope.selector, names=tuple(_name(key) for key in scope.names)
    )


def _name(key: ObjectKey) -> str:
    return str(key) if key.namespace else key.name


def _counts(kind: type[Enum], found: Iterable[Enum]) -> dict[str, int]:
    counts = Counter(found)
    return {str(member.value): counts[member] for member in kind}


def _result(result: Result) -> ResultDocument:
    told = {"obstacle": result.obstacle, "message": result.message, "remedy": result.remedy}
    row = msgspec.structs.asdict(_change(result.change)) | told
    readiness = _readiness(result.readiness) if result.readiness else None
    return ResultDocument(**row, outcome=result.outcome, readiness=readiness)


def _change(change: Change) -> ChangeDocument:
    webapp, deployment = change.webapp, change.deployment
    return ChangeDocument(
        namespace=change.key.namespace,
        name=change.key.name,
        uid=webapp.metadata.uid if webapp else None,
        generation=webapp.metadata.generation if webapp else None,
        problem=_problem(webapp),
        deployment=change.deployment_key.name,
        deployment_uid=deployment.metadata.uid if deployment else None,
        deployment_problem=_problem(deployment),
        action=change.action,
        cause=change.cause,
        desired=_desired(change),
        observed=_observed(change),
        fields=tuple(map(_field, change.fields)),
        effect=_effect(change.effect),
        held=_held(change.held) if change.held else None,
        takeover=_takeover(change.takeover) if change.takeover else None,
        obstacle=change.obstacle,
        message=change.message,
        remedy=change.remedy,
        last_refusal=change.last_refusal or None,
        note=change.note,
        warning=change.warning,
        verdict=_verdict(change.verdict) if change.verdict else None,
    )


def _problem(found: WebApp | Deployment | Unreadable | None) -> str | None:
    return found.problem if isinstance(found, Unreadable) else None


def _desired(change: Change) -> DesiredDocument | None:
    spec = change.webapp.spec if isinstance(change.webapp, WebApp) else None
    return DesiredDocument(image=spec.image, replicas=spec.replicas, port=spec.port) if spec else None


def _observed(change: Change) -> ObservedDocument | None:
    found = live_fields(change, held=change.held is not None) if change.action in PENDING else None
    if found is None:
        return None
    return ObservedDocument(
        image=found.image,
        replicas=found.replicas,
        port=found.port,
        labels=found.labels,
        pod_labels=found.pod_labels,
        owner_reference=_owner(found.owner) if found.owner else None,
    )


def _owner(owner: OwnerReference) -> OwnerDocument:
    return OwnerDocument(
        api_version=owner.api_version,
        kind=owner.kind,
        name=owner.name,
        uid=owner.uid,
        controller=owner.controller,
        block_owner_deletion=owner.block_owner_deletion,
    )


def _field(field: FieldChange) -> FieldDocument:
    return FieldDocument(
        path=field.path,
        actual=field.actual,
        desired=field.desired,
        cause=field.cause,
        manager=field.manager or None,
        time=field.time,
        stays=field.stays or None,
        loses=field.loses or None,
    )


def _effect(effect: Effect) -> EffectDocument:
    return EffectDocument(
        starts=effect.starts,
        restarts=effect.restarts,
        scales=effect.scales,
        stops=effect.stops,
        template=effect.template,
        deferred=effect.deferred,
    )


def _held(held: Hold) -> HoldDocument:
    return HoldDocument(
        autoscaler=held.autoscaler or None,
        minimum=held.minimum,
        maximum=held.maximum,
        live=held.live,
        wanted=held.wanted,
    )


def _takeover(takeover: Takeover) -> TakeoverDocument:
    return TakeoverDocument(managers=takeover.managers, falls_away=takeover.falls_away)


def _verdict(verdict: Verdict) -> VerdictDocument:
    return VerdictDocument(answer=verdict.answer, message=verdict.message)


def _readiness(readiness: Readiness) -> ReadinessDocument:
    return ReadinessDocument(
        ready=readiness.ready,
        final=readiness.final,
        reason=readiness.reason,
        message=readiness.message,
        pods=readiness.pods,
        remedy=readiness.remedy,
    )
