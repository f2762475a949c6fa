"""A plan with rows of all kinds, and the JSON Schema that its documents must fit."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from tests.builders import applied_entry, autoscaler, condition, deployment, managed, owner, snapshot, status, webapp
from tests.builders import paused as paused_until
from webappctl.core.document import schema_text
from webappctl.core.objects import Deployment, ObjectMeta, Scope, Unreadable, WebApp
from webappctl.core.plan import Adopt, Answer, Plan, Policy, Verdict, make_plan
from webappctl.render import Target

TARGET = Target("prod", "https://10.0.0.1:6443", Scope(("shop",), "team=a"))
BOLD = Policy(Adopt.UNOWNED, prune=True)


def every_kind(policy: Policy = BOLD) -> Plan:
    """By the names of the WebApps."""
    new, drifted, scaled, same = webapp("new"), webapp("drifted"), webapp("scaled", image="nginx:1.26"), webapp("same")
    mine, foreign, paused = webapp("adoptable"), webapp("foreign"), webapp("paused")
    held_back = paused_until(until="2026-12-01T12:00:00Z")
    halted = webapp("halted", annotations=held_back)
    refused = webapp(
        "refused", status=status(condition("Stalled", reason="Blocked", message="m", observed_generation=1))
    )
    return make_plan(
        snapshot(
            new,
            *(drifted, deployment(drifted, image="old", labels={}, ports=(9090,), owner_references=())),
            *(scaled, deployment(scaled, image="nginx:1.25", replicas=7), autoscaler("scaled")),
            *(same, deployment(same)),
            *(mine, _unowned(mine)),
            *(foreign, deployment(foreign, owner_references=(owner(),))),
            *(paused, deployment(paused, paused=True)),
            *(halted, deployment(halted, image="old"), webapp("shelved", annotations=held_back)),
            *(refused, webapp("specless", spec=None), webapp("going", deletion_timestamp="2026-01-01T11:00:00Z")),
            Unreadable(ObjectMeta("odd", "shop", "uid-of-odd", generation=2), "spec.replicas: expected int, got str"),
            deployment(webapp("orphan"), owner_references=()),
            deployment(webapp("dangling")),
        ),
        policy,
    )


def with_verdicts(plan: Plan) -> Plan:
    """As after a dry run of everything, in a namespace that is not there yet."""
    verdict = Verdict(Answer.ALTERED, "image becomes mirror/nginx:1.26")
    return replace(plan, changes=tuple(replace(change, verdict=verdict, note="n") for change in plan.changes))


def misfits(document: str | bytes) -> list[str]:
    """What of it does not fit the schema."""
    return [error.message for error in _validator().iter_errors(json.loads(document))]


@cache
def _validator() -> Any:
    schema = json.loads(schema_text())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def _unowned(of: WebApp) -> Deployment:
    """Made by somebody else, with a port of his own."""
    entries = applied_entry(port=9090, uid=of.metadata.uid) | {"manager": "helm", "operation": "Update"}
    return deployment(of, owner_references=(), ports=(9090,), managed_fields=managed(entries))
