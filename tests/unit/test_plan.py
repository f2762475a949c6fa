"""Snapshot → Plan: every action, every obstacle, and whose a Deployment is."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.builders import NOW, applied_entry, condition, deployment, entry, managed, owner, snapshot, status, webapp
from webappctl.core.desired import labels_of
from webappctl.core.diff import Cause
from webappctl.core.objects import Deployment, ObjectMeta, Unreadable, WebApp
from webappctl.core.objects.deployment import Selector
from webappctl.core.plan import Action, Change, Effect, Obstacle, Plan, make_plan, plan_one

GONE = "2026-01-01T11:00:00Z"


def _row(wanted: WebApp | Unreadable, live: Deployment | Unreadable | None = None) -> Change:
    change = plan_one(wanted, live)
    assert change is not None
    return change


def _obstacle(live: Deployment, wanted: WebApp | None = None) -> tuple[Action, Obstacle | None]:
    change = _row(wanted or webapp(), live)
    return change.action, change.obstacle


def test_an_absent_deployment_is_created() -> None:
    """The row says how many pods that starts."""
    change = _row(webapp())
    assert (change.action, change.cause, change.effect) == (Action.CREATE, Cause.MISSING, Effect(starts=3))


def test_a_creation_without_replicas_starts_one_pod() -> None:
    """That is the API server's default."""
    assert _row(webapp(replicas=None)).effect.starts == 1


def test_what_is_right_is_a_row_too() -> None:
    """Unchanged is a value."""
    assert _row(webapp(), deployment()).action is Action.NONE


def test_a_difference_is_an_update() -> None:
    """With its fields, and what it does to pods."""
    change = _row(webapp(), deployment(image="old", replicas=2))
    assert (change.action, [field.path for field in change.fields]) == (Action.UPDATE, ["image", "replicas"])
    assert change.effect == Effect(restarts=2, scales=(2, 3))


def test_metadata_alone_touches_no_pod() -> None:
    """A label of the Deployment is not one of its pods."""
    assert _row(webapp(), deployment(labels={})).effect == Effect()


def test_a_terminating_webapp_makes_no_row() -> None:
    """The garbage collector has the rest, whatever is there."""
    for live in (None, deployment(), deployment(image="old")):
        assert plan_one(webapp(deletion_timestamp=GONE), live) is None


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
    change = _row(webapp(), deployment(owner_references=(other,), image="old"))
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
    change = _row(webapp(), deployment(owner_references=(), managed_fields=managed(applied_entry(without=("owner",)))))
    assert [(field.path, field.cause) for field in change.fields] == [("ownerReference", Cause.LIVE_DRIFT)]


def test_a_reference_that_lost_its_mark_is_repaired() -> None:
    """Our uid is enough to know it, even without managedFields."""
    (ours,) = deployment().metadata.owner_references or ()
    reference = msgspec.structs.replace(ours, controller=False)
    change = _row(webapp(), deployment(owner_references=(reference,), managed_fields=managed()))
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
    change = _row(webapp(), deployment(selector=selector, image="old"))
    assert (change.action, change.obstacle) == (Action.BLOCKED, Obstacle.IMMUTABLE_SELECTOR)
    assert "app=web,managed-by=webapp-operator" in change.message


def test_empty_expressions_are_none() -> None:
    """Null, absent and empty are the same."""
    assert _row(webapp(), deployment(selector=Selector(labels_of("web"), ()))).action is Action.NONE


def test_whose_it_is_comes_before_what_it_is_like() -> None:
    """A foreign Deployment with another selector is foreign."""
    live = deployment(owner_references=(owner(),), selector=Selector({"app": "x"}))
    assert _obstacle(live) == (Action.BLOCKED, Obstacle.FOREIGN_OWNER)


def test_a_bad_spec_blocks() -> None:
    """With what is wrong, and what to do; whatever the Deployment is like."""
    for live in (None, deployment(), deployment(deletion_timestamp=GONE)):
        change = _row(webapp(port=70000), live)
        assert (change.action, change.obstacle) == (Action.BLOCKED, Obstacle.INVALID_SPEC)
        assert (change.message, change.remedy) == (
            "spec.port is 70000, it must be from 1 to 65535",
            "correct the WebApp",
        )


@pytest.mark.parametrize("live", [None, deployment()])
def test_a_webapp_that_cannot_be_read_blocks(live: Deployment | None) -> None:
    """And says which field."""
    odd = Unreadable(ObjectMeta(name="web", namespace="shop"), "spec.replicas: expected int, got str")
    change = _row(odd, live)
    assert (change.action, change.obstacle, change.message) == (Action.BLOCKED, Obstacle.UNREADABLE, odd.problem)


def test_a_deployment_that_cannot_be_read_blocks() -> None:
    """It is named, because it is not the WebApp."""
    odd = Unreadable(ObjectMeta(name="web-deployment", namespace="shop"), "spec.replicas: expected int, got str")
    change = _row(webapp(), odd)
    assert (change.action, change.obstacle) == (Action.BLOCKED, Obstacle.UNREADABLE)
    assert "web-deployment" in change.message


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
    change = _row(webapp(name))
    assert (change.action, bool(change.warning)) == (action, warned)


def test_a_name_that_is_too_long_is_an_obstacle_of_its_own() -> None:
    """Whatever else is wrong."""
    change = _row(webapp("a" * 64, port=0))
    assert (change.obstacle, "64 characters" in change.message) == (Obstacle.NAME_TOO_LONG, True)


def test_a_plan_keeps_the_order_of_the_snapshot() -> None:
    """Sorted once, at the source."""
    plan = make_plan(snapshot(webapp("a"), webapp("b"), webapp("c", deletion_timestamp=GONE), deployment(webapp("b"))))
    assert [(change.key.name, change.action) for change in plan.changes] == [("a", Action.CREATE), ("b", Action.NONE)]


def test_a_deployment_of_another_namespace_is_not_the_one() -> None:
    """The key is namespace and name."""
    elsewhere = deployment(webapp(namespace="blog"))
    assert [change.action for change in make_plan(snapshot(webapp(), elsewhere)).changes] == [Action.CREATE]


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


def _refused(reason: str = "Blocked", generation: int = 1, **fields: Any) -> Change:
    stalled = condition("Stalled", reason=reason, message="quota", observed_generation=generation)
    return _row(webapp(status=status(stalled), **fields))


def test_the_last_refusal_stands_beside_a_pending_row() -> None:
    """What only the API server can refuse stays pending, and the condition tells why."""
    assert _refused().last_refusal == "quota"


@pytest.mark.parametrize("change", [_refused(reason="ReplicaFailure"), _refused(generation=2), _refused(port=0)])
def test_no_other_stall_is_a_refusal(change: Change) -> None:
    """Not one of the pods, not one of another spec, and not of a row that is not pending."""
    assert change.last_refusal == ""


def test_a_moved_status_does_the_same() -> None:
    """A newer resourceVersion and another status change nothing of what a person agreed to."""
    planned = _row(webapp(), deployment(image="old"))
    moved = webapp(resource_version="99", status=status(condition("Available", "False")))
    again = _row(moved, deployment(image="old", resource_version="98", status=deployment(replicas=1).status))
    assert again.does_the_same_as(planned)


def test_another_time_of_the_same_drift_does_the_same() -> None:
    """Any write of that manager moves his time."""
    changes = []
    for time in (GONE, NOW):
        theirs = entry("kubectl-edit", {"f:spec": {"f:replicas": {}}}, time=time)
        fields = managed(applied_entry(without=("replicas",)), theirs)
        changes.append(_row(webapp(), deployment(replicas=2, managed_fields=fields)))
    assert changes[0].does_the_same_as(changes[1])


@pytest.mark.parametrize(
    ("wanted", "live"),
    [
        ({"generation": 2}, {"image": "old"}),
        ({"uid": "another"}, {"image": "old"}),
        ({}, {"image": "older"}),
        ({}, {"image": "old", "replicas": 9}),
        ({}, {"image": "old", "uid": "another"}),
        ({}, {}),
    ],
)
def test_anything_else_that_moved_does_something_else(wanted: dict[str, Any], live: dict[str, Any]) -> None:
    """The WebApp's identity or generation, an owned field, the Deployment's identity, or the action."""
    planned = _row(webapp(), deployment(image="old"))
    assert not _row(webapp(**wanted), deployment(**live)).does_the_same_as(planned)
