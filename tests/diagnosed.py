"""What the doctor says of a cluster that is a list of answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from jsonschema import Draft202012Validator

import webappctl
from tests.builders import snapshot
from webappctl import crd
from webappctl.core.objects import Json, Scope, Snapshot
from webappctl.doctor import Check, Diagnosis, Mode, Question, examine
from webappctl.errors import WebappctlError

T = TypeVar("T")

NOW = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
SCHEMA = Path(webappctl.__file__).parent / "schemas" / "doctor.v1.schema.json"
SERVED = ("webapps", "webapps/status", "webapps/scale")
CONDITIONS = ("NamesAccepted", "Established")


def stored_crd(**meta: Any) -> dict[str, Any]:
    """The shipped one, as the API server has it."""
    conditions = [{"type": kind, "status": "True"} for kind in CONDITIONS]
    spec = crd.shipped()["spec"] | {"conversion": {"strategy": "None"}}
    return {"metadata": {"name": crd.NAME, **meta}, "spec": spec, "status": {"conditions": conditions}}


@dataclass
class Answers:
    """A cluster in which all is well, unless a test says otherwise; an error is raised instead of being returned.

    `denied`: rights as text, `patch deployments.apps`, alone or with ` in namespace shop`. `asked`: what was asked for.
    """

    context: str = "prod"
    server: str = "https://10.0.0.1:6443"
    version_: str | WebappctlError = "v1.36.3"
    who: str | WebappctlError = "jane"
    served_: tuple[str, ...] | WebappctlError = SERVED
    crd: Json | WebappctlError | None = field(default_factory=stored_crd)
    snapshot_: Snapshot | WebappctlError = field(default_factory=snapshot)
    namespaces: Mapping[str, bool | WebappctlError] = field(default_factory=lambda: {"webappctl": True})
    leases_: tuple[Json, ...] | WebappctlError = ()
    lease: Json | WebappctlError | None = None
    denied: Collection[str] = ()
    review: WebappctlError | None = None
    asked: list[str] = field(default_factory=list)

    def version(self) -> str:
        return self._said("version", self.version_)

    def whoami(self) -> str:
        return self._said("whoami", self.who)

    def served(self) -> tuple[str, ...]:
        return self._said("served", self.served_)

    def get_crd(self, name: str) -> Json | None:
        return self._said(f"crd {name}", self.crd)

    def snapshot(self, scope: Scope) -> Snapshot:
        return self._said(f"lists in {scope}", self.snapshot_)

    def has_namespace(self, name: str) -> bool:
        return self._said(f"namespace {name}", self.namespaces[name])

    def get_lease(self, namespace: str, name: str) -> Json | None:
        return self._said(f"lease {namespace}/{name}", self.lease)

    def leases(self, namespace: str) -> tuple[Json, ...]:
        return self._said(f"leases {namespace}", self.leases_)

    def may(self, verb: str, *, group: str, resource: str, subresource: str = "", namespace: str = "") -> bool:
        right = f"{verb} {resource}" + f".{group}" * bool(group) + f"/{subresource}" * bool(subresource)
        placed = f"{right} in namespace {namespace}" if namespace else f"{right} in all namespaces"
        self._said(placed, self.review)
        return not {right, placed} & set(self.denied)

    def _said(self, question: str, answer: T | WebappctlError) -> T:
        self.asked.append(question)
        if isinstance(answer, WebappctlError):
            raise answer
        return answer


def diagnose(
    cluster: Answers,
    *asked: Mode,
    namespaces: tuple[str, ...] = (),
    lease_namespaces: tuple[str, ...] = ("webappctl", "default"),
) -> Diagnosis:
    return examine(cluster, Question(Scope(namespaces), asked, lease_namespaces, "0.1.0", NOW))


def checks(found: Diagnosis, section: str, subject: str) -> list[Check]:
    """All of that subject."""
    return [
        check for part in found.sections if part.name == section for check in part.checks if check.subject == subject
    ]


def check(found: Diagnosis, section: str, subject: str) -> Check:
    (only,) = checks(found, section, subject)
    return only


def edited_crd(edit: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    """With its spec changed."""
    stored = stored_crd()
    edit(stored["spec"])
    return stored


def misfits(document: str) -> list[str]:
    """What of it does not fit the schema that ships."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return [error.message for error in Draft202012Validator(schema).iter_errors(json.loads(document))]
