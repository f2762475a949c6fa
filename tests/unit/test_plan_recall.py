"""What is remembered of an earlier pass spares work, and changes nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.builders import autoscaler, deployment, snapshot, webapp
from webappctl.core.objects import Autoscalers, Snapshot
from webappctl.core.plan import Action, Change, make_plan

WEBAPP = webapp()
DEPLOYMENT = deployment(WEBAPP)
WORLD = snapshot(WEBAPP, DEPLOYMENT)


def _row(world: Snapshot, known: Change) -> Change:
    (row,) = make_plan(world, known={known.key: known}).changes
    return row


@pytest.fixture
def known() -> Change:
    (row,) = make_plan(WORLD).changes
    assert row.action is Action.NONE
    return row


def test_the_row_of_the_very_same_objects_is_the_very_same_row(known: Change) -> None:
    assert _row(WORLD, known) is known


@pytest.mark.parametrize(
    "world",
    [
        snapshot(webapp(image="nginx:2"), DEPLOYMENT),
        snapshot(WEBAPP, deployment(WEBAPP, replicas=7)),
        snapshot(WEBAPP),
        snapshot(WEBAPP, DEPLOYMENT, autoscaler()),
        replace(WORLD, autoscalers=Autoscalers(unknown=frozenset({"shop"}))),
    ],
    ids=["another WebApp", "another Deployment", "no Deployment", "an autoscaler", "autoscalers unknown"],
)
def test_of_anything_else_it_is_made_anew(known: Change, world: Snapshot) -> None:
    """As it would be without the memory."""
    assert make_plan(world, known={known.key: known}) == make_plan(world)
    assert _row(world, known) is not known


@pytest.mark.parametrize(
    "changed",
    [
        {"action": Action.BLOCKED},
        {"warning": "its name has a dot in it"},
        {"contested": "kubectl sets it again"},
    ],
    ids=["held back", "a warning", "contested"],
)
def test_only_the_simplest_rows_are_recalled(known: Change, changed: dict[str, object]) -> None:
    assert _row(WORLD, replace(known, **changed)) == known  # type: ignore[arg-type]
