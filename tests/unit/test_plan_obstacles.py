"""Snapshot → Plan: every obstacle, and whose a Deployment is."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.builders import applied_entry, deployment, managed, owner, row, webapp
from webappctl.core.desired import labels_of
from webappctl.core.diff import Cause
from webappctl.core.objects import Deployment, ObjectMeta, Unreadable, WebApp
from webappctl.core.objects.deployment import Selector
from webappctl.core.plan import Action, Obstacle

GONE = "2026-01-01T11:00:00Z"


def _obstacle(live: Deployment, wanted: WebApp | None = None) -> tuple[Action, Obstacle | None]:
    change = row(wanted or webapp(), live)
    return change.action, change.obstacle


def test_a_terminating_deployment_is_waited_for() -> None:
    """Nothing is written to it, drift or not."""
    live = deployment(deletion_timestamp=GONE, image="old")
    assert _obstacle(live) == (Action.WAITING, Obstacle.TERMINATING)


def test_the_child_of_a_deleted_webapp_of_that_name_is_waited_for() -> None:
    """It was deleted and created again: the old uid is the collector's business."""
    live = deployment(of=webapp(uid="older"))
    assert _obstacle(live) == (Action.WAITING, Obstacle.GARBAGE_COLLECTION)


@pytest.mark.parametrize(
    "other",
    [
        owner(),
        owner(kind="WebApp", name="web"),
        owner(kind="WebApp", name="another", api_version="apps.example.com/v1"),
        owner(kind="Other", name="web", api_version="apps.example.com/v1"),
    ],
)
def test_another_controllers_deployment_is_left_alone(other: Any) -> None:
    """The row names the owner."""
    change = row(webapp(), deployment(owner_references=(other,), image="old"))
    assert (change.action, change.obstacle) == (Action.BLOCKED, Obstacle.FOREIGN_OWNER)
    assert f"{other.kind} {other.name}" in change.message


def test_another_controller_beside_our_reference_is_the_owner() -> None:
    """A reference without `controller: true` owns nothing."""
    (ours,) = deployment().metadata.owner_references or ()
    both = (msgspec.structs.replace(ours, controller=None), owner())
    assert _obstacle(deployment(owner_references=both)) == (Action.BLOCKED, Obstacle.FOREIGN_OWNER)


def test_a_deployment_of_nobody_is_left_alone() -> None:
    """Not ours by owner, not ours by managedFields."""
    live = deployment(owner_references=(), managed_fields=managed())
    assert _obstacle(live) == (Action.BLOCKED, Obstacle.UNOWNED)


def test_a_lost_owner_reference_is_repaired() -> None:
    """We applied it, so it is ours: the reference is drift like any other."""
    change = row(webapp(), deployment(owner_references=(), managed_fields=managed(applied_entry(without=("owner",)))))
    assert [(field.path, field.cause) for field in change.fields] == [("ownerReference", Cause.LIVE_DRIFT)]


def test_a_reference_that_lost_its_mark_is_repaired() -> None:
    """Our uid is enough to know it, even without managedFields."""
    (ours,) = deployment().metadata.owner_references or ()
    reference = msgspec.structs.replace(ours, controller=False)
    change = row(webapp(), deployment(owner_references=(reference,), managed_fields=managed()))
    assert (change.action, [field.path for field in change.fields]) == (Action.UPDATE, ["ownerReference"])


@pytest.mark.parametrize(
    "selector",
    [
        Selector({"app": "web"}),
        Selector({"app": "web", "managed-by": "webapp-operator", "x": "y"}),
        Selector(None),
        Selector(labels_of("web"), (msgspec.Raw(b'{"key": "a", "operator": "Exists"}'),)),
    ],
)
def test_another_selector_blocks(selector: Selector) -> None:
    """No write could ever mend it; the row names both."""
    change = row(webapp(), deployment(selector=selector, image="old"))
    assert (change.action, change.obstacle) == (Action.BLOCKED, Obstacle.IMMUTABLE_SELECTOR)
    assert "app=web,managed-by=webapp-operator" in change.message


def test_empty_expressions_are_none() -> None:
    """Null, absent and empty are the same."""
    assert row(webapp(), deployment(selector=Selector(labels_of("web"), ()))).action is Action.NONE


def test_whose_it_is_comes_before_what_it_is_like() -> None:
    """A foreign Deployment with another selector is foreign."""
    live = deployment(owner_references=(owner(),), selector=Selector({"app": "x"}))
    assert _obstacle(live) == (Action.BLOCKED, Obstacle.FOREIGN_OWNER)


def test_a_bad_spec_blocks() -> None:
    """With what is wrong, and what to do; whatever the Deployment is like."""
    for live in (None, deployment(), deployment(deletion_timestamp=GONE)):
        change = row(webapp(port=70000), live)
        assert (change.action, change.obstacle) == (Action.BLOCKED, Obstacle.INVALID_SPEC)
        assert (change.message, change.remedy) == (
            "spec.port is 70000, it must be from 1 to 65535",
            "correct the WebApp",
        )


@pytest.mark.parametrize("live", [None, deployment()])
def test_a_webapp_that_cannot_be_read_blocks(live: Deployment | None) -> None:
    """And says which field."""
    odd = Unreadable(ObjectMeta(name="web", namespace="shop"), "spec.replicas: expected int, got str")
    change = row(odd, live)
    assert (change.action, change.obstacle, change.message) == (Action.BLOCKED, Obstacle.UNREADABLE, odd.problem)


def test_a_deployment_that_cannot_be_read_blocks() -> None:
    """It is named, because it is not the WebApp."""
    odd = Unreadable(ObjectMeta(name="web-deployment", namespace="shop"), "spec.replicas: expected int, got str")
    change = row(webapp(), odd)
    assert (change.action, change.obstacle) == (Action.BLOCKED, Obstacle.UNREADABLE)
    assert "web-deployment" in change.message


def test_a_name_that_is_too_long_is_an_obstacle_of_its_own() -> None:
    """Whatever else is wrong."""
    change = row(webapp("a" * 64, port=0))
    assert (change.obstacle, "64 characters" in change.message) == (Obstacle.NAME_TOO_LONG, True)
