"""Result → status: counts, and the ladder of reasons."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.builders import EARLIER, NOW, condition, deployment, owner, rolled_out, webapp
from tests.reported import conditions_of, reported
from webappctl.core.objects import Condition, Deployment, ObjectMeta, Unreadable
from webappctl.core.plan import Obstacle
from webappctl.core.report import MAX_MESSAGE, Outcome


def _progressing(reason: str, state: str) -> Condition:
    return condition("Progressing", state, reason=reason, message="from the controller")


def test_a_finished_rollout_is_available_and_ready() -> None:
    """And neither stalled nor reconciling."""
    found = reported(deployment())
    assert conditions_of(found) == {"Available": ("True", "DeploymentReady"), "Ready": ("True", "DeploymentReady")}
    assert next(c.message for c in found.conditions or ()) == "All replicas are available"


def test_the_counts_and_the_selector_are_the_deployments() -> None:
    """An autoscaler that targets the WebApp needs them."""
    found = reported(deployment(status=rolled_out(3, ready_replicas=2)))
    assert (found.replicas, found.ready_replicas) == (3, 2)
    assert (found.observed_generation, found.selector) == (1, "app=web,managed-by=webapp-operator")


@pytest.mark.parametrize(
    ("fields", "available", "reason", "kind"),
    [
        ({"observed_generation": 0}, "True", "RolloutInProgress", "Reconciling"),
        ({"updated_replicas": 1}, "True", "RolloutInProgress", "Reconciling"),
        ({"replicas": 4}, "True", "RolloutInProgress", "Reconciling"),
        ({"replicas": 4, "updated_replicas": 4, "available_replicas": 4}, "True", "RolloutInProgress", "Reconciling"),
        ({"available_replicas": 2}, "False", "MinimumReplicasUnavailable", "Reconciling"),
        (
            {"conditions": (_progressing("ProgressDeadlineExceeded", "False"),), "available_replicas": 2},
            "False",
            "ProgressDeadlineExceeded",
            "Stalled",
        ),
        ({"conditions": (condition("ReplicaFailure", "True"),)}, "True", "ReplicaFailure", "Stalled"),
    ],
)
def test_each_reason_that_a_rollout_is_not_done(fields: dict[str, Any], available: str, reason: str, kind: str) -> None:
    """Available says whether enough pods serve; the rest says why it is not Ready."""
    found = conditions_of(reported(deployment(status=rolled_out(**fields))))
    assert found["Available"][0] == available
    assert found["Ready"] == ("False", reason)
    assert found[kind] == ("True", reason)
    assert len(found) == 3


def test_a_paused_deployment_says_so() -> None:
    """Even when nothing is left to do."""
    assert conditions_of(reported(deployment(paused=True)))["Ready"] == ("False", "DeploymentPaused")


@pytest.mark.parametrize("reason", ["ProgressDeadlineExceeded", "ReplicaSetCreateError"])
def test_an_old_deadline_is_not_the_new_specs(reason: str) -> None:
    """A Deployment whose observedGeneration is behind says nothing about its current spec."""
    conditions = (_progressing(reason, "False"), condition("ReplicaFailure", "True"))
    live = deployment(generation=2, status=rolled_out(generation=1, conditions=conditions))
    assert conditions_of(reported(live))["Reconciling"] == ("True", "RolloutInProgress")


def test_a_replica_failure_that_is_over_does_not_count() -> None:
    """Its condition stays, with another status."""
    live = deployment(status=rolled_out(conditions=(condition("ReplicaFailure", "False"),)))
    assert conditions_of(reported(live))["Ready"][0] == "True"


def test_the_message_of_the_controller_is_passed_on() -> None:
    """It knows why."""
    failed = condition("ReplicaFailure", "True", message="quota exceeded")
    found = reported(deployment(status=rolled_out(conditions=(failed,))))
    assert found.condition("Stalled") == msgspec.structs.replace(
        condition("Stalled"),
        reason="ReplicaFailure",
        message="quota exceeded",
        last_transition_time=NOW,
        observed_generation=1,
    )


def test_blocked_is_stalled_with_the_remedy() -> None:
    """In the same words as the row."""
    found = reported(None, outcome=Outcome.BLOCKED, message="no image", remedy="correct the WebApp")
    assert conditions_of(found)["Stalled"] == ("True", "Blocked")
    stalled = found.condition("Stalled")
    assert stalled is not None
    assert stalled.message == "no image (correct the WebApp)"


def test_a_blocked_update_can_still_be_available() -> None:
    """The old pods serve."""
    found = conditions_of(reported(deployment(image="old"), outcome=Outcome.BLOCKED, message="refused"))
    assert (found["Available"][0], found["Ready"]) == ("True", ("False", "Blocked"))


def test_a_foreign_deployment_says_nothing_about_the_webapp() -> None:
    """Its replicas are not ours."""
    live = deployment(owner_references=(owner(),))
    found = reported(live, outcome=Outcome.BLOCKED, obstacle=Obstacle.FOREIGN_OWNER)
    assert (found.replicas, found.ready_replicas, conditions_of(found)["Available"][0]) == (0, 0, "False")


@pytest.mark.parametrize("live", [deployment(deletion_timestamp=EARLIER), deployment(of=webapp(uid="older"))])
def test_waiting_is_never_ready(live: Deployment) -> None:
    """A Deployment on its way out may have all its pods."""
    found = reported(live, outcome=Outcome.WAITING, message="Deployment web-deployment is being deleted")
    assert conditions_of(found)["Ready"] == ("False", "RolloutInProgress")
    assert conditions_of(found)["Reconciling"] == ("True", "RolloutInProgress")


def test_a_webapp_that_cannot_be_read_gets_a_status() -> None:
    """Counted by what its Deployment has."""
    odd = Unreadable(webapp().metadata, "spec.replicas: expected int, got str")
    found = reported(deployment(replicas=2, status=rolled_out(2)), odd, outcome=Outcome.BLOCKED, message=odd.problem)
    assert (found.replicas, conditions_of(found)["Available"][0]) == (2, "True")


def test_a_status_of_a_name_that_is_too_long_can_be_computed() -> None:
    """It is blocked, and says so."""
    wanted = webapp("a" * 64)
    found = reported(None, wanted, outcome=Outcome.BLOCKED, message="its name has 64 characters")
    assert (found.observed_generation, found.selector) == (wanted.metadata.generation, None)


def test_a_long_message_in_a_condition_is_cut() -> None:
    """The API server would refuse the whole status."""
    found = reported(None, outcome=Outcome.BLOCKED, message="x" * 100_000).condition("Stalled")
    assert found is not None
    assert len(found.message.encode()) <= MAX_MESSAGE


def test_metadata_without_a_generation_is_none_of_our_business() -> None:
    """An Unreadable has what the API server types itself."""
    odd = Unreadable(ObjectMeta(name="web", namespace="shop"), "x")
    assert reported(None, odd, outcome=Outcome.BLOCKED).observed_generation == 0
