"""Is what a saved plan saw still there? Asked of its pending rows only, against a plan that was made just now.

What nobody agreed to may move freely: statuses, the fields of others, other WebApps, replicas that an autoscaler has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from webappctl.core.document import live_fields
from webappctl.core.objects import OwnerReference
from webappctl.core.plan import Action, Change, Plan
from webappctl.planfile.file import SavedPlan


def stale(saved: SavedPlan, fresh: Plan, now: datetime) -> tuple[str, ...]:
    """Why it must not be carried out, a line for each reason; empty when it may.

    `fresh` is made with the scope and the policy of `saved`.
    """
    return tuple(_reasons(saved, fresh, now))


def to_carry_out(saved: SavedPlan, fresh: Plan) -> Plan:
    """The rows of the fresh plan that the saved one would send, and no others."""
    agreed = {change.deployment_key for change in saved.plan.pending}
    return replace(fresh, changes=tuple(change for change in fresh.changes if change.deployment_key in agreed))


def as_part_of(fresh: Plan, made: Plan) -> Plan:
    """The whole of the fresh plan with no more to be done than in `made`: what a percentage is of."""
    others = {change.deployment_key for change in fresh.pending} - {change.deployment_key for change in made.changes}
    rows = (replace(c, action=Action.NONE) if c.deployment_key in others else c for c in fresh.changes)
    return replace(fresh, changes=tuple(rows))


def _reasons(saved: SavedPlan, fresh: Plan, now: datetime) -> Iterator[str]:
    expiry = saved.expiry(now)
    if expiry:
        yield expiry
    there = {change.deployment_key: change for change in fresh.changes}
    for planned in saved.plan.pending:
        if planned.webapp is not None and planned.key in fresh.terminating:
            yield f"{planned.title}: the WebApp is being deleted"
            continue
        for reason in _of_row(planned, there.get(planned.deployment_key)):
            yield f"{planned.title}: {reason}"


def _of_row(planned: Change, found: Change | None) -> tuple[str, ...]:
    if found is None:
        return ("the WebApp is not there" if planned.webapp else "the Deployment is not there, or no orphan any more",)
    other = _other_webapp(planned, found) or _other_deployment(planned, found)
    if other:
        return (other,)
    moved = tuple(_moved(planned, found))
    if moved or planned.does_the_same_as(found):
        return moved
    return (f"now it would be: {_in_words(found)}; the plan said: {_in_words(planned)}",)


def _other_webapp(planned: Change, found: Change) -> str:
    if planned.webapp is None:
        return "its WebApp is there again" if found.webapp else ""
    if found.webapp is None:
        return "the WebApp is not there"
    before, now = planned.webapp.metadata, found.webapp.metadata
    if now.uid != before.uid:
        return f"the WebApp is another one of that name (uid {now.uid}, the plan saw {before.uid})"
    if now.generation != before.generation:
        return f"the WebApp was changed (generation {now.generation}, the plan saw {before.generation})"
    return ""


def _other_deployment(planned: Change, found: Change) -> str:
    name = planned.deployment_key.name
    before, now = planned.deployment, found.deployment
    if before is None:
        return f"Deployment {name} is there now" if now else ""
    if now is None:
        return f"Deployment {name} is not there"
    if now.metadata.uid != before.metadata.uid:
        saw = f"(uid {now.metadata.uid}, the plan saw {before.metadata.uid})"
        return f"Deployment {name} is another one of that name {saw}"
    return ""


def _moved(planned: Change, found: Change) -> Iterator[str]:
    """Replicas are left out where an autoscaler has them, or had them."""
    held = planned.held is not None or found.held is not None
    before, now = _seen(planned, held=held), _seen(found, held=held)
    for path in sorted(before.keys() & now.keys()):
        if now[path] != before[path]:
            yield f"{path} is {_value(now[path])} now, the plan saw {_value(before[path])}"


def _seen(change: Change, *, held: bool) -> Mapping[str, str | int | None]:
    """What the Deployment has of our fields, by the names that a plan has for them; empty where it cannot be told."""
    fields = live_fields(change, held=held)
    if fields is None:
        return {}
    seen: dict[str, str | int | None] = {"image": fields.image, "replicas": fields.replicas, "port": fields.port}
    seen |= {f"labels.{label}": value for label, value in fields.labels.items()}
    seen |= {f"template.labels.{label}": value for label, value in fields.pod_labels.items()}
    seen["ownerReference"] = _owner(fields.owner)
    # The port that would be replaced is no field that we want, so only the change tells of it.
    return seen | {field.path: field.actual for field in change.fields if field.path == "port"}


def _owner(owner: OwnerReference | None) -> str | None:
    if owner is None:
        return None
    marks = "" if owner.controller else ", not as its controller"
    marks += "" if owner.block_owner_deletion else ", without blockOwnerDeletion"
    return f"{owner.kind} {owner.name}{marks}"


def _value(value: str | int | None) -> str:
    return "absent" if value is None else str(value)


def _in_words(change: Change) -> str:
    """`update (image web:1.0 → web:1.1)`, `blocked: Deployment x is owned by …`."""
    parts = [f"{field.path} {_value(field.actual)} → {_value(field.desired)}" for field in change.fields]
    parts += [f"{what} falls away" for what in (change.takeover.falls_away if change.takeover else ())]
    details = f" ({', '.join(parts)})" if parts else ""
    return f"{change.action.value}{details}" + (f": {change.message}" if change.message else "")
