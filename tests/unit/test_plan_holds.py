"""Replicas that an autoscaler has are not drift, and never sent."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.builders import applied_entry, autoscaler, deployment, managed, scale_entry, snapshot, webapp
from webappctl.core.desired import update
from webappctl.core.diff import Cause
from webappctl.core.objects import Autoscalers, Deployment, Snapshot
from webappctl.core.plan import Action, Change, Hold, make_plan

HELD = Hold(live=7, wanted=3, autoscaler="web", minimum=2, maximum=9)


def _scaled(manager: str, replicas: int = 7) -> Deployment:
    """Scaled by that manager after our last write."""
    return deployment(
        replicas=replicas, managed_fields=managed(applied_entry(without=("replicas",)), scale_entry(manager))
    )


def _only(world: Snapshot) -> Change:
    (change,) = make_plan(world).changes
    return change


def _blind(world: Snapshot) -> Snapshot:
    """Where autoscalers may not be listed."""
    return replace(world, autoscalers=Autoscalers(unknown=frozenset({"shop"})))


def test_what_an_autoscaler_set_is_held() -> None:
    """And the row says what holds it, and what the WebApp says."""
    change = _only(snapshot(webapp(), _scaled("kube-controller-manager"), autoscaler()))
    assert (change.action, change.held, change.fields) == (Action.HELD, HELD, ())


def test_held_replicas_that_are_as_wanted_make_no_row() -> None:
    assert _only(snapshot(webapp(), deployment(), autoscaler())).action is Action.NONE


def test_an_image_beside_held_replicas_is_the_only_field() -> None:
    """It restarts as many pods as there are."""
    change = _only(snapshot(webapp(image="nginx:2"), _scaled("kube-controller-manager"), autoscaler()))
    assert [field.path for field in change.fields] == ["image"]
    assert (change.effect.restarts, change.effect.scales) == (7, None)


def test_an_update_leaves_out_what_the_autoscaler_owns() -> None:
    assert "replicas" not in update(webapp(), _scaled("kube-controller-manager"), held=True)["spec"]


def test_an_update_sends_the_live_value_while_we_are_its_owner() -> None:
    """Leaving it out would make it 1."""
    assert update(webapp(), deployment(replicas=3), held=True)["spec"]["replicas"] == 3


def test_without_the_autoscaler_its_value_is_drift() -> None:
    """Management resumes."""
    change = _only(snapshot(webapp(), _scaled("kube-controller-manager")))
    assert [(field.actual, field.desired) for field in change.fields] == [(7, 3)]


def test_an_autoscaler_of_the_webapp_itself_holds_nothing() -> None:
    """It changes spec.replicas of the WebApp, and we follow."""
    other = autoscaler(kind="WebApp", name="web", api_version="apps.example.com/v1")
    assert _only(snapshot(webapp(), _scaled("kubectl"), other)).action is Action.UPDATE


@pytest.mark.parametrize(
    ("api_version", "name"), [("apps/v1", "other-deployment"), ("example.com/v1", "web-deployment")]
)
def test_an_autoscaler_of_something_else_holds_nothing(api_version: str, name: str) -> None:
    other = autoscaler(api_version=api_version, name=name)
    assert _only(snapshot(webapp(), _scaled("kubectl"), other)).action is Action.UPDATE


def test_replicas_that_nobody_asks_for_are_not_held() -> None:
    assert _only(snapshot(webapp(replicas=None), _scaled("x"), autoscaler())).held is None


def test_where_autoscalers_may_not_be_listed_the_controllers_write_tells() -> None:
    change = _only(_blind(snapshot(webapp(), _scaled("kube-controller-manager"))))
    assert (change.action, change.held) == (Action.HELD, Hold(live=7, wanted=3))


def test_where_autoscalers_may_not_be_listed_a_persons_scale_is_drift() -> None:
    assert _only(_blind(snapshot(webapp(), _scaled("kubectl")))).action is Action.UPDATE


def test_that_autoscalers_may_not_be_listed_is_a_warning() -> None:
    (warning,) = make_plan(_blind(snapshot(webapp(), deployment()))).warnings
    assert warning.startswith("HorizontalPodAutoscalers may not be listed in namespace shop")


def test_of_two_autoscalers_the_first_by_name_counts() -> None:
    """Whatever the order of the list."""
    first, second = autoscaler(), autoscaler("zz", name="web-deployment")
    worlds = [
        snapshot(webapp(), _scaled("kube-controller-manager"), *pair) for pair in ((first, second), (second, first))
    ]
    assert [change.held and change.held.autoscaler for change in map(_only, worlds)] == ["web", "web"]


def test_a_person_who_scales_is_named_without_a_time() -> None:
    (field,) = _only(snapshot(webapp(), _scaled("kubectl"))).fields
    assert (field.manager, field.time) == ("kubectl", None)


def test_a_paused_rollout_is_told_and_defers_what_it_would_restart() -> None:
    assert _only(snapshot(webapp(), deployment(paused=True))).action is Action.PAUSED
    assert _only(snapshot(webapp(image="nginx:2"), deployment(paused=True))).effect.deferred


def test_several_autoscalers_of_one_deployment_are_a_warning() -> None:
    """They work against each other."""
    rivals = (autoscaler(), autoscaler("zz", name="web-deployment"))
    change = _only(snapshot(webapp(), _scaled("kube-controller-manager"), *rivals))
    assert change.warning == "several HorizontalPodAutoscalers scale its Deployment: web, zz"


def test_replicas_that_are_asked_for_now_and_never_were_are_a_change_of_the_webapp() -> None:
    """Nobody but the API server's default set them."""
    live = deployment(replicas=1, managed_fields=managed(applied_entry(without=("replicas",))))
    (field,) = _only(snapshot(webapp(replicas=5), live)).fields
    assert (field.path, field.cause) == ("replicas", Cause.SPEC_CHANGED)
