"""Adoption, other tools' Deployments, and what was left behind."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from tests.builders import condition, deployment, managed, owner, snapshot, status, webapp
from webappctl.core.diff import Cause
from webappctl.core.objects import Deployment, OwnerReference, Snapshot, Unreadable
from webappctl.core.objects.deployment import Selector
from webappctl.core.plan import BLOCKED, STALLED, Action, Adopt, Change, Obstacle, Policy, make_plan

ADOPTING = Policy(adopt=Adopt.UNOWNED)
PRUNING = Policy(prune=True)
UNOWNED: dict[str, Any] = {"owner_references": None, "managed_fields": managed()}
ORPHAN: dict[str, Any] = {"owner_references": None}


def _only(world: Snapshot, policy: Policy = ADOPTING) -> Change:
    (change,) = make_plan(world, policy).changes
    return change


def _webapp_owner(name: str, uid: str) -> OwnerReference:
    return owner("WebApp", name, uid, api_version="apps.example.com/v1")


def test_nobodys_deployment_is_adopted_when_asked() -> None:
    change = _only(snapshot(webapp(), deployment(image="old", **UNOWNED)))
    assert change.action is Action.ADOPT
    assert {field.path: field.cause for field in change.fields} == {"image": Cause.ADOPT, "ownerReference": Cause.ADOPT}


def test_nobodys_deployment_is_left_alone_when_not_asked() -> None:
    change = _only(snapshot(webapp(), deployment(**UNOWNED)), Policy())
    assert (change.action, change.obstacle) == (Action.BLOCKED, Obstacle.UNOWNED)
    assert "--adopt=unowned" in change.remedy


def test_another_selector_is_never_adopted() -> None:
    """Both are named."""
    change = _only(snapshot(webapp(), deployment(selector=Selector({"app": "x"}), **UNOWNED)))
    assert (change.action, change.obstacle) == (Action.BLOCKED, Obstacle.UNOWNED)
    assert "app=x" in change.message
    assert "app=web,managed-by=webapp-operator" in change.message


def test_another_controllers_deployment_is_never_adopted() -> None:
    change = _only(snapshot(webapp(), deployment(owner_references=(owner(),))))
    assert (change.action, change.obstacle) == (Action.BLOCKED, Obstacle.FOREIGN_OWNER)


@pytest.mark.parametrize(
    ("mark", "said"),
    [
        ("meta.helm.sh/release-name", "Helm release theirs"),
        ("argocd.argoproj.io/tracking-id", "Argo CD application theirs"),
        ("kustomize.toolkit.fluxcd.io/name", "Kustomization theirs"),
    ],
)
def test_another_tools_deployment_is_never_adopted(mark: str, said: str) -> None:
    """They have no owner reference, and say it in an annotation or a label."""
    annotated: dict[str, Any] = {"annotations": msgspec.Raw(json.dumps({mark: "theirs"}).encode())}
    change = _only(snapshot(webapp(), deployment(**UNOWNED, **annotated)))
    assert (change.action, change.obstacle) == (Action.BLOCKED, Obstacle.FOREIGN_OWNER)
    assert change.message.endswith(f"is managed by {said}")


def test_an_owner_that_is_no_controller_is_an_owner() -> None:
    change = _only(snapshot(webapp(), deployment(owner_references=(owner(controller=None),), managed_fields=managed())))
    assert (change.action, change.obstacle) == (Action.BLOCKED, Obstacle.FOREIGN_OWNER)


def test_a_row_that_adopts_does_not_tell_why_it_was_blocked_before() -> None:
    """That was that nobody had said so."""
    blocked = status(condition(STALLED, reason=BLOCKED, message="nobody owns it", observed_generation=1))
    change = _only(snapshot(webapp(status=blocked), deployment(**UNOWNED)))
    assert (change.action, change.last_refusal) == (Action.ADOPT, "")


def test_what_we_applied_and_nobody_owns_is_an_orphan() -> None:
    change = _only(snapshot(deployment(**ORPHAN)))
    assert (change.action, change.webapp, change.title) == (Action.ORPHAN, None, "shop/web-deployment")


def test_an_orphan_is_deleted_by_prune() -> None:
    change = _only(snapshot(deployment(**ORPHAN)), PRUNING)
    assert (change.action, change.cause, change.effect.stops) == (Action.DELETE, Cause.ORPHAN, 3)


@pytest.mark.parametrize(
    "parts",
    [
        UNOWNED,
        ORPHAN | {"labels": {"app": "web"}},
        {"owner_references": (owner(),)},
        {"owner_references": (owner(controller=None),)},
        ORPHAN | {"annotations": msgspec.Raw(b'{"meta.helm.sh/release-name": "theirs"}')},
        ORPHAN | {"deletion_timestamp": "2026-01-01T00:00:00Z"},
    ],
    ids=[
        "not applied by us",
        "without our label",
        "another's",
        "another's, no controller",
        "Helm's by now",
        "on its way out",
    ],
)
def test_what_is_not_surely_ours_is_no_orphan(parts: dict[str, Any]) -> None:
    assert make_plan(snapshot(deployment(**parts)), PRUNING).changes == ()


def test_a_webapp_on_its_way_out_is_no_reason_to_prune() -> None:
    leaving = webapp(deletion_timestamp="2026-01-01T00:00:00Z")
    assert make_plan(snapshot(leaving, deployment(**ORPHAN)), PRUNING).changes == ()


def test_a_part_of_the_webapps_is_no_reason_to_prune() -> None:
    world = replace(snapshot(deployment(**ORPHAN)), every_webapp=False)
    assert make_plan(world, PRUNING).changes == ()


def test_an_unreadable_webapp_is_no_reason_to_prune() -> None:
    odd = Unreadable(webapp().metadata, "odd")
    assert [c.action for c in make_plan(snapshot(odd, deployment(**ORPHAN)), PRUNING).changes] == [Action.BLOCKED]


def test_a_dangling_owner_is_the_garbage_collectors() -> None:
    """Never pruned."""
    change = _only(snapshot(deployment()), PRUNING)
    assert (change.action, change.obstacle) == (Action.WAITING, Obstacle.GARBAGE_COLLECTION)


def test_an_odd_name_of_a_living_webapp_is_no_row() -> None:
    """Somebody made a second Deployment and gave it the WebApp as owner."""
    copied = deployment(webapp("copy"), owner_references=(_webapp_owner("web", "uid-of-web"),))
    assert [change.title for change in make_plan(snapshot(webapp(), deployment(), copied)).changes] == ["shop/web"]


def test_an_orphan_whose_webapp_is_declared_again_is_its_own_again() -> None:
    change = _only(snapshot(webapp(uid="new"), deployment(**ORPHAN)), Policy())
    assert (change.action, [field.path for field in change.fields]) == (Action.UPDATE, ["ownerReference"])


def test_a_webapp_and_an_orphan_are_in_one_order() -> None:
    world = snapshot(webapp("b"), webapp("d"), deployment(webapp("c"), **ORPHAN), deployment(webapp("a"), **ORPHAN))
    assert [change.key.name for change in make_plan(world).changes] == ["a", "b", "c", "d"]


def _taken(live: Deployment, port: int = 80, image: str = "nginx:2") -> Change:
    return _only(snapshot(webapp(port=port, image=image), live), Policy())


def test_the_first_write_takes_over_every_port_of_the_container() -> None:
    """The former writer's stay nowhere, and the plan says so."""
    change = _taken(deployment(ports=(80, 9090, (53, "UDP")), managed_fields=managed()))
    assert change.takeover is not None
    assert change.takeover.falls_away == ("port 53/UDP", "port 9090")


def test_a_former_writer_in_sync_is_not_taken_over() -> None:
    """Nothing to write, nothing to show."""
    assert _taken(deployment(ports=(80, 9090), managed_fields=managed()), image="nginx:1.25").action is Action.NONE


def test_a_port_of_the_former_writer_is_the_old_value() -> None:
    (field,) = _taken(deployment(ports=(80,), managed_fields=managed()), port=8080, image="nginx:1.25").fields
    assert (field.path, field.actual, field.desired, field.stays) == ("port", 80, 8080, "")


def test_what_we_have_written_before_is_not_taken_over() -> None:
    assert _taken(deployment(ports=(80, 9090))).takeover is None
