"""Plan and Report as JSON. Fields are only ever added within a schema version."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from enum import Enum
from typing import Any, Final

from webappctl.core.diff import FieldChange
from webappctl.core.objects import WebApp
from webappctl.core.plan import Action, Change, Plan
from webappctl.core.report import Outcome, Report, Result
from webappctl.render.summary import Target

SCHEMA_VERSION: Final = 1


def plan_document(plan: Plan, target: Target) -> str:
    """Every row, the unchanged ones too. ASCII, so that no text of the cluster can reach a terminal."""
    return _dump(
        _head("Plan", target)
        | {
            "summary": _counts(Action, (change.action for change in plan.changes)) | {"pending": len(plan.pending)},
            "changes": [_change(change) for change in plan.changes],
        }
    )


def report_document(report: Report, target: Target) -> str:
    return _dump(
        _head("Report", target)
        | {
            "summary": _counts(Outcome, (result.outcome for result in report.results)),
            "results": [_result(result) for result in report.results],
            "statusFailures": list(report.status_failures),
            "warnings": list(report.warnings),
            "interruption": report.interruption,
        }
    )


def _head(kind: str, target: Target) -> dict[str, Any]:
    scope = target.scope
    return {
        "schemaVersion": SCHEMA_VERSION,
        "kind": kind,
        "context": target.context,
        "server": target.server,
        "scope": {
            "namespaces": list(scope.namespaces),
            "selector": scope.selector,
            "names": [str(key) if key.namespace else key.name for key in scope.names],
        },
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "namespace": change.key.namespace,
        "name": change.key.name,
        "deployment": change.deployment_key.name,
        "action": change.action.value,
        "cause": change.cause.value if change.cause else None,
        "desired": _desired(change),
        "fields": [_field(field) for field in change.fields],
        "effect": {
            "starts": change.effect.starts,
            "restarts": change.effect.restarts,
            "scales": list(change.effect.scales) if change.effect.scales else None,
        },
        "obstacle": change.obstacle.value if change.obstacle else None,
        "message": change.message,
        "remedy": change.remedy,
        "lastRefusal": change.last_refusal or None,
        "warning": change.warning,
    }


def _desired(change: Change) -> dict[str, Any] | None:
    spec = change.webapp.spec if isinstance(change.webapp, WebApp) else None
    return None if spec is None else {"image": spec.image, "replicas": spec.replicas, "port": spec.port}


def _field(field: FieldChange) -> dict[str, Any]:
    return {
        "path": field.path,
        "actual": field.actual,
        "desired": field.desired,
        "cause": field.cause.value,
        "manager": field.manager or None,
        "time": field.time,
        "stays": field.stays or None,
    }


def _result(result: Result) -> dict[str, Any]:
    return _change(result.change) | {
        "outcome": result.outcome.value,
        "obstacle": result.obstacle.value if result.obstacle else None,
        "message": result.message,
        "remedy": result.remedy,
    }


def _counts(kind: type[Enum], found: Iterable[Enum]) -> dict[str, int]:
    counts = Counter(found)
    return {str(member.value): counts[member] for member in kind}


def _dump(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=2)
