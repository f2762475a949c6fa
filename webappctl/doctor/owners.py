"""Deployments that others own, as the plan sees them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from webappctl.core.objects import Snapshot
from webappctl.core.plan import CAUTIOUS, Action, Change, Obstacle, Plan, make_plan
from webappctl.doctor.findings import Check, Section, Verdict
from webappctl.doctor.words import few
from webappctl.errors import WebappctlError

OBSTACLES: Final[Mapping[Obstacle, str]] = MappingProxyType(
    {
        Obstacle.FOREIGN_OWNER: "foreign owner",
        Obstacle.UNOWNED: "no owner",
        Obstacle.IMMUTABLE_SELECTOR: "another selector",
        Obstacle.GARBAGE_COLLECTION: "owner is gone",
    }
)


def section(snapshot: Snapshot | WebappctlError) -> Section:
    if isinstance(snapshot, WebappctlError):
        unknown = Check("owner references", Verdict.UNKNOWN, f"not checked: {snapshot.message}")
        return Section("owners", (unknown,))
    made = make_plan(snapshot, CAUTIOUS)
    blocked = (_check(subject, _of(made, obstacle)) for obstacle, subject in OBSTACLES.items())
    orphans = [change for change in made.changes if change.action is Action.ORPHAN]
    return Section("owners", (*blocked, _check("orphan", orphans)))


def _of(made: Plan, obstacle: Obstacle) -> list[Change]:
    return [change for change in made.changes if change.obstacle is obstacle]


def _check(subject: str, changes: list[Change]) -> Check:
    if not changes:
        return Check(subject, Verdict.OK, "none")
    found = few([f"{change.title}: {change.message}" for change in changes])
    return Check(subject, Verdict.WARNING, f"{len(changes):,}: {found}", changes[0].remedy)
