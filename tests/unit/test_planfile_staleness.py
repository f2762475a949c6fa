"""What must be as a saved plan saw it, and what may have moved."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.builders import autoscaler, condition, deployment, owner, rolled_out, snapshot, status, webapp
from webappctl.core.objects import ObjectMeta, Scope, Unreadable
from webappctl.core.plan import Adopt, Plan, Policy, make_plan
from webappctl.planfile import SavedPlan, load, save, stale, to_carry_out

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
BOLD = Policy(Adopt.UNOWNED, prune=True)
WEB = webapp(image="web:1.1")
OLD: dict[str, Any] = {"of": WEB, "image": "web:1.0"}
"""Its Deployment, one image behind."""


def plan(*objects: Any) -> Plan:
    return make_plan(snapshot(*objects), BOLD)


def saved(*objects: Any) -> SavedPlan:
    """The plan for these, saved and loaded."""
    times = {"created": NOW, "expires": NOW + timedelta(hours=1)}
    return load(save(plan(*objects), context="c", server="s", scope=Scope(), policy=BOLD, **times))


def reasons(before: tuple[Any, ...], now: tuple[Any, ...]) -> tuple[str, ...]:
    return stale(saved(*before), plan(*now), NOW)


def test_what_is_as_it_was_may_be_carried_out() -> None:
    """A creation, an update, an adoption and a deletion."""
    mine, orphan = webapp("mine"), deployment(webapp("orphan"), owner_references=())
    unowned = deployment(mine, owner_references=(), image="x", managed_fields=b"")
    objects = (webapp("new"), WEB, deployment(**OLD), mine, unowned, orphan)
    assert len(plan(*objects).pending) == 4
    assert reasons(objects, objects) == ()


MOVED: dict[str, tuple[dict[str, Any], str]] = {
    "image": ({"image": "web:1.2"}, "image is web:1.2 now, the plan saw web:1.0"),
    "already": ({"image": "web:1.1"}, "image is web:1.1 now, the plan saw web:1.0"),
    "replicas": ({"replicas": 7}, "replicas is 7 now, the plan saw 3"),
    "port": ({"ports": (9090,)}, "port is absent now, the plan saw 80"),
    "label": ({"labels": {"app": "web"}}, "labels.managed-by is absent now, the plan saw webapp-operator"),
    "pod label": (
        {"pod_labels": {"app": "x", "managed-by": "webapp-operator"}},
        "template.labels.app is x now, the plan saw web",
    ),
    "owner": ({"owner_references": ()}, "ownerReference is absent now, the plan saw WebApp web"),
    "container": ({"containers": ()}, "image is absent now, the plan saw web:1.0"),
}


@pytest.mark.parametrize("moved", MOVED)
def test_an_owned_field_that_moved_is_named(moved: str) -> None:
    """With what the plan saw, and what is there now."""
    fields, reason = MOVED[moved]
    told = reasons((WEB, deployment(**OLD)), (WEB, deployment(**OLD | fields)))
    assert f"shop/web: {reason}" in told


def test_a_mark_of_the_owner_that_went_is_named() -> None:
    """The owner itself is still there."""
    (reference,) = deployment(**OLD).metadata.owner_references or ()
    lax = owner("WebApp", "web", reference.uid, api_version=reference.api_version, block_owner_deletion=False)
    (reason,) = reasons((WEB, deployment(**OLD)), (WEB, deployment(**OLD, owner_references=(lax,))))
    saw = "WebApp web now, the plan saw WebApp web"
    assert reason == f"shop/web: ownerReference is {saw.replace(' now', ', without blockOwnerDeletion now')}"


def test_another_port_that_would_be_replaced_is_named() -> None:
    """Though neither of the two is the one that we want."""
    before, now = ((WEB, deployment(of=WEB, ports=(port,), managed_fields=b"")) for port in (9090, 9091))
    assert reasons(before, now) == ("shop/web: port is 9091 now, the plan saw 9090",)


WEBAPPS: dict[str, tuple[tuple[Any, ...], str]] = {
    "generation": (
        (webapp(image="web:1.2", generation=4),),
        "the WebApp was changed (generation 4, the plan saw 1)",
    ),
    "uid": ((webapp(uid="new"),), "the WebApp is another one of that name (uid new, the plan saw uid-of-web)"),
    "gone": ((), "the WebApp is not there"),
    "leaving": ((webapp(deletion_timestamp="2026-01-01T11:00:00Z"),), "the WebApp is being deleted"),
}


@pytest.mark.parametrize("case", WEBAPPS)
@pytest.mark.parametrize("live", [(), (deployment(**OLD),)], ids=["creation", "update"])
def test_another_webapp_is_said(case: str, live: tuple[Any, ...]) -> None:
    """Before anything about its Deployment."""
    now, reason = WEBAPPS[case]
    assert reasons((WEB, *live), (*now, *live)) == (f"shop/web: {reason}",)


DEPLOYMENTS: dict[str, tuple[tuple[Any, ...], tuple[Any, ...], str]] = {
    "made meanwhile": ((), (deployment(**OLD),), "Deployment web-deployment is there now"),
    "gone": ((deployment(**OLD),), (), "Deployment web-deployment is not there"),
    "made again": (
        (deployment(**OLD),),
        (deployment(**OLD, uid="new"),),
        "Deployment web-deployment is another one of that name (uid new, the plan saw uid-of-web-deployment)",
    ),
}


@pytest.mark.parametrize("case", DEPLOYMENTS)
def test_another_deployment_is_said(case: str) -> None:
    """Even where it looks the same."""
    before, now, reason = DEPLOYMENTS[case]
    assert reasons((WEB, *before), (WEB, *now)) == (f"shop/web: {reason}",)


def test_another_action_is_said() -> None:
    """With what stands in the way."""
    selecting = Unreadable(ObjectMeta("web-deployment", "shop", "uid-of-web-deployment"), "spec: expected object")
    fresh = make_plan(replace(snapshot(WEB), deployments={selecting.key: selecting}))
    (reason,) = stale(saved(WEB, deployment(**OLD)), fresh, NOW)
    assert reason.startswith("shop/web: now it would be: blocked: Deployment web-deployment cannot be read")
    assert reason.endswith("; the plan said: update (image web:1.0 → web:1.1)")


ORPHAN = deployment(webapp("lost"), owner_references=())


@pytest.mark.parametrize(
    ("now", "reason"),
    [
        ((), "the Deployment is not there, or no orphan any more"),
        ((webapp("lost"), ORPHAN), "its WebApp is there again"),
        (
            (deployment(webapp("lost"), owner_references=(), uid="new"),),
            "Deployment lost-deployment is another one of that name (uid new, the plan saw uid-of-lost-deployment)",
        ),
    ],
)
def test_a_deletion_is_of_that_very_orphan(now: tuple[Any, ...], reason: str) -> None:
    """And of nothing that has become somebody's."""
    assert reasons((ORPHAN,), now) == (f"shop/lost-deployment: {reason}",)


HARMLESS: dict[str, tuple[Any, ...]] = {
    "status of the WebApp": (webapp(image="web:1.1", status=status(condition("Ready"))), deployment(**OLD)),
    "status of the Deployment": (WEB, deployment(**OLD, status=rolled_out(1))),
    "version": (webapp(image="web:1.1", resource_version="99"), deployment(**OLD, resource_version="99")),
    "label of others": (WEB, deployment(**OLD, labels={"app": "web", "managed-by": "webapp-operator", "team": "a"})),
    "port of others": (WEB, deployment(**OLD, ports=(80, (5353, "UDP")))),
    "pause": (WEB, deployment(**OLD, paused=True)),
    "another WebApp": (WEB, deployment(**OLD), webapp("other")),
    "another Deployment": (WEB, deployment(**OLD), webapp("other"), deployment(webapp("other"), image="evil")),
    "a new autoscaler": (WEB, deployment(**OLD, replicas=7), autoscaler()),
}


@pytest.mark.parametrize("case", HARMLESS)
def test_what_nobody_agreed_to_may_move(case: str) -> None:
    """It is no part of what would be written."""
    assert reasons((WEB, deployment(**OLD)), HARMLESS[case]) == ()


def test_an_autoscaler_may_move_its_replicas() -> None:
    """They are held, so they are sent as they are."""
    assert reasons(*((WEB, deployment(**OLD, replicas=live), autoscaler()) for live in (7, 8))) == ()


def test_replicas_that_an_autoscaler_gave_up_are_a_change_that_nobody_agreed_to() -> None:
    """They would be scaled now."""
    live = deployment(**OLD, replicas=7)
    (reason,) = reasons((WEB, live, autoscaler()), (WEB, live))
    assert "now it would be: update (image web:1.0 → web:1.1, replicas 7 → 3)" in reason


def test_a_row_that_was_not_pending_may_change_altogether() -> None:
    """It is not carried out either."""
    same = webapp("same")
    before = (WEB, deployment(**OLD), same, deployment(same))
    now = (WEB, deployment(**OLD), same, deployment(same, image="evil"))
    assert reasons(before, now) == ()
    assert [change.title for change in to_carry_out(saved(*before), plan(*now)).changes] == ["shop/web"]


def test_what_is_carried_out_are_the_fresh_rows() -> None:
    """With the versions that are there now."""
    fresh = plan(WEB, deployment(**OLD, resource_version="99"), webapp("other"))
    (change,) = to_carry_out(saved(WEB, deployment(**OLD)), fresh).changes
    assert change is fresh.changes[1]


def test_an_expired_plan_says_when() -> None:
    """Beside what else there is against it."""
    late = NOW + timedelta(days=1)
    told = stale(saved(WEB), plan(), late)
    assert told == ("it expired at 2026-01-01T13:00:00Z", "shop/web: the WebApp is not there")


def test_a_plan_without_pending_rows_may_be_carried_out() -> None:
    """Nothing happens."""
    old = saved(WEB, deployment(WEB))
    assert stale(old, plan(), NOW) == ()
    assert to_carry_out(old, plan(WEB, deployment(**OLD))).pending == ()
