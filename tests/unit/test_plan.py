"""Snapshot → Plan: what is to be done, and in which order."""

from __future__ import annotations

import pytest

from tests.builders import deployment, row, snapshot, webapp
from webappctl.core.diff import Cause
from webappctl.core.plan import Action, Effect, Plan, make_plan, plan_one

GONE = "2026-01-01T11:00:00Z"


def test_an_absent_deployment_is_created() -> None:
    """The row says how many pods that starts."""
    change = row(webapp())
    assert (change.action, change.cause, change.effect) == (Action.CREATE, Cause.MISSING, Effect(starts=3))


def test_a_creation_without_replicas_starts_one_pod() -> None:
    """That is the API server's default."""
    assert row(webapp(replicas=None)).effect.starts == 1


def test_what_is_right_is_a_row_too() -> None:
    """Unchanged is a value."""
    assert row(webapp(), deployment()).action is Action.NONE


def test_a_difference_is_an_update() -> None:
    """With its fields, and what it does to pods."""
    change = row(webapp(), deployment(image="old", replicas=2))
    assert (change.action, [field.path for field in change.fields]) == (Action.UPDATE, ["image", "replicas"])
    assert change.effect == Effect(restarts=2, scales=(2, 3), template=True)


def test_metadata_alone_touches_no_pod() -> None:
    """A label of the Deployment is not one of its pods."""
    assert row(webapp(), deployment(labels={})).effect == Effect()


def test_a_terminating_webapp_makes_no_row() -> None:
    """The garbage collector has the rest, whatever is there."""
    for live in (None, deployment(), deployment(image="old")):
        assert plan_one(webapp(deletion_timestamp=GONE), live) is None


@pytest.mark.parametrize(
    ("name", "action", "warned"),
    [
        ("a" * 52, Action.CREATE, False),
        ("a" * 53, Action.CREATE, True),
        ("a" * 63, Action.CREATE, True),
        ("a" * 64, Action.BLOCKED, False),
        ("a.b", Action.CREATE, True),
        ("1a", Action.CREATE, False),
    ],
)
def test_long_names_are_warned_of_and_too_long_ones_block(name: str, action: Action, warned: bool) -> None:
    """63 is the end of a label's value, 52 leaves room for `-deployment` in one."""
    change = row(webapp(name))
    assert (change.action, bool(change.warning)) == (action, warned)


def test_a_plan_keeps_the_order_of_the_snapshot() -> None:
    """Sorted once, at the source."""
    plan = make_plan(snapshot(webapp("a"), webapp("b"), webapp("c", deletion_timestamp=GONE), deployment(webapp("b"))))
    assert [(change.key.name, change.action) for change in plan.changes] == [("a", Action.CREATE), ("b", Action.NONE)]


def test_a_deployment_of_another_namespace_is_not_the_one() -> None:
    """The key is namespace and name."""
    elsewhere = deployment(webapp(namespace="blog"))
    changes = make_plan(snapshot(webapp(), elsewhere)).changes
    assert [change.action for change in changes if change.webapp] == [Action.CREATE]


def test_pending_is_what_apply_sends() -> None:
    """Creations and updates, and nothing that is blocked or waits."""
    rows = snapshot(
        webapp("a"),
        *(webapp("b"), deployment(webapp("b"), image="old")),
        *(webapp("c"), deployment(webapp("c"))),
        *(webapp("d"), deployment(webapp("d"), deletion_timestamp=GONE)),
        webapp("e", port=0),
    )
    plan = make_plan(rows)
    assert [change.key.name for change in plan.pending] == ["a", "b"]
    assert plan.unfinished == 2


def test_an_empty_plan_is_a_plan() -> None:
    """Of a cluster without WebApps."""
    assert make_plan(snapshot()) == Plan(())


def test_a_terminating_webapp_is_named_beside_the_rows() -> None:
    """It is in nobody's way, and not forgotten."""
    plan = make_plan(snapshot(webapp("a"), webapp("b", deletion_timestamp=GONE)))
    assert plan.terminating == (webapp("b").key,)
