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
    PauseDocument,
    PlanDocument,
    ReadinessDocument,
    ReportDocument,
    ResultDocument,
    ScopeDocument,
    TakeoverDocument,
    VerdictDocument,
    recast,
)
from webappctl.core.objects import Deployment, ObjectKey, ObjectMeta, OwnedFields, Scope, Unreadable, WebApp
from webappctl.core.plan import PENDING, Action, Change, Hold, Plan
from webappctl.core.report import Outcome, Report, Result


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
        namespaces=scope.namespaces,
        selector=scope.selector,
        names=tuple(_name(key) for key in scope.names),
        shard=str(scope.shard or ""),
    )


def _name(key: ObjectKey) -> str:
    return str(key) if key.namespace else key.name


def _counts(kind: type[Enum], found: Iterable[Enum]) -> dict[str, int]:
    counts = Counter(found)
    return {str(member.value): counts[member] for member in kind}


def _result(result: Result) -> ResultDocument:
    told = {"obstacle": result.obstacle, "message": result.message, "remedy": result.remedy}
    row = msgspec.structs.asdict(_change(result.change)) | told
    readiness = recast(result.readiness, ReadinessDocument) if result.readiness else None
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
        effect=recast(change.effect, EffectDocument),
        held=_held(change.held) if change.held else None,
        takeover=recast(change.takeover, TakeoverDocument) if change.takeover else None,
        obstacle=change.obstacle,
        message=change.message,
        remedy=change.remedy,
        last_refusal=change.last_refusal or None,
        note=change.note,
        warning=change.warning,
        verdict=recast(change.verdict, VerdictDocument) if change.verdict else None,
        pause=PauseDocument(reason=change.pause.reason, until=change.pause.until or None) if change.pause else None,
        contested=change.contested or None,
    )


def _problem(found: WebApp | Deployment | Unreadable | None) -> str | None:
    return found.problem if isinstance(found, Unreadable) else None


def _desired(change: Change) -> DesiredDocument | None:
    spec = change.webapp.spec if isinstance(change.webapp, WebApp) else None
    return recast(spec, DesiredDocument) if spec else None


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
        owner_reference=recast(found.owner, OwnerDocument) if found.owner else None,
    )


def _field(field: FieldChange) -> FieldDocument:
    """Null where the program has an empty text."""
    texts = {"manager": field.manager or None, "stays": field.stays or None, "loses": field.loses or None}
    return msgspec.structs.replace(recast(field, FieldDocument), **texts)


def _held(held: Hold) -> HoldDocument:
    return msgspec.structs.replace(recast(held, HoldDocument), autoscaler=held.autoscaler or None)
