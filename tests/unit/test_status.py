"""Result → status: the ladder of reasons, and what is written when."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from tests.builders import (
    EARLIER,
    NOW,
    condition,
    deployment,
    entry,
    managed,
    owner,
    rolled_out,
    status,
    webapp,
)
from webappctl.core.objects import Condition, Deployment, ObjectMeta, Unreadable, WebApp, WebAppStatus
from webappctl.core.plan import Action, Change, Obstacle
from webappctl.core.report import MAX_MESSAGE, Outcome, Result, cut
from webappctl.core.status import status_change, status_manifest, with_foreign_conditions


def _result(live: Deployment | None, wanted: WebApp | Unreadable | None = None, **fields: Any) -> Result:
    outcome = fields.pop("outcome", Outcome.UNCHANGED)
    change = Change(wanted or webapp(), live, Action.NONE)
    return Result(change, outcome, live, **fields)


def _status(live: Deployment | None, wanted: WebApp | Unreadable | None = None, **fields: Any) -> WebAppStatus:
    found = status_change(_result(live, wanted, **fields), wanted or webapp(), NOW)
    assert found is not None
    return found


def _conditions(found: WebAppStatus) -> dict[str, tuple[str, str]]:
    return {c.type: (c.status, c.reason) for c in found.conditions or ()}


def _progressing(reason: str, state: str) -> Condition:
    return condition("Progressing", state, reason=reason, message="from the controller")


def test_a_finished_rollout_is_available_and_ready() -> None:
    """And neither stalled nor reconciling."""
    found = _status(deployment())
    assert _conditions(found) == {"Available": ("True", "DeploymentReady"), "Ready": ("True", "DeploymentReady")}
    assert next(c.message for c in found.conditions or ()) == "All replicas are available"


def test_the_counts_and_the_selector_are_the_deployments() -> None:
    """An autoscaler that targets the WebApp needs them."""
    found = _status(deployment(status=rolled_out(3, ready_replicas=2)))
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
    found = _conditions(_status(deployment(status=rolled_out(**fields))))
    assert found["Available"][0] == available
    assert found["Ready"] == ("False", reason)
    assert found[kind] == ("True", reason)
    assert len(found) == 3


def test_a_paused_deployment_says_so() -> None:
    """Even when nothing is left to do."""
    assert _conditions(_status(deployment(paused=True)))["Ready"] == ("False", "DeploymentPaused")


@pytest.mark.parametrize("reason", ["ProgressDeadlineExceeded", "ReplicaSetCreateError"])
def test_an_old_deadline_is_not_the_new_specs(reason: str) -> None:
    """A Deployment whose observedGeneration is behind says nothing about its current spec."""
    conditions = (_progressing(reason, "False"), condition("ReplicaFailure", "True"))
    live = deployment(generation=2, status=rolled_out(generation=1, conditions=conditions))
    assert _conditions(_status(live))["Reconciling"] == ("True", "RolloutInProgress")


def test_a_replica_failure_that_is_over_does_not_count() -> None:
    """Its condition stays, with another status."""
    live = deployment(status=rolled_out(conditions=(condition("ReplicaFailure", "False"),)))
    assert _conditions(_status(live))["Ready"][0] == "True"


def test_the_message_of_the_controller_is_passed_on() -> None:
    """It knows why."""
    failed = condition("ReplicaFailure", "True", message="quota exceeded")
    found = _status(deployment(status=rolled_out(conditions=(failed,))))
    assert found.condition("Stalled") == msgspec.structs.replace(
        condition("Stalled"),
        reason="ReplicaFailure",
        message="quota exceeded",
        last_transition_time=NOW,
        observed_generation=1,
    )


def test_blocked_is_stalled_with_the_remedy() -> None:
    """In the same words as the row."""
    found = _status(None, outcome=Outcome.BLOCKED, message="no image", remedy="correct the WebApp")
    assert _conditions(found)["Stalled"] == ("True", "Blocked")
    stalled = found.condition("Stalled")
    assert stalled is not None
    assert stalled.message == "no image (correct the WebApp)"


def test_a_blocked_update_can_still_be_available() -> None:
    """The old pods serve."""
    found = _conditions(_status(deployment(image="old"), outcome=Outcome.BLOCKED, message="refused"))
    assert (found["Available"][0], found["Ready"]) == ("True", ("False", "Blocked"))


def test_a_foreign_deployment_says_nothing_about_the_webapp() -> None:
    """Its replicas are not ours."""
    live = deployment(owner_references=(owner(),))
    found = _status(live, outcome=Outcome.BLOCKED, obstacle=Obstacle.FOREIGN_OWNER)
    assert (found.replicas, found.ready_replicas, _conditions(found)["Available"][0]) == (0, 0, "False")


@pytest.mark.parametrize("live", [deployment(deletion_timestamp=EARLIER), deployment(of=webapp(uid="older"))])
def test_waiting_is_never_ready(live: Deployment) -> None:
    """A Deployment on its way out may have all its pods."""
    found = _status(live, outcome=Outcome.WAITING, message="Deployment web-deployment is being deleted")
    assert _conditions(found)["Ready"] == ("False", "RolloutInProgress")
    assert _conditions(found)["Reconciling"] == ("True", "RolloutInProgress")


def test_a_webapp_that_cannot_be_read_gets_a_status() -> None:
    """Counted by what its Deployment has."""
    odd = Unreadable(webapp().metadata, "spec.replicas: expected int, got str")
    found = _status(deployment(replicas=2, status=rolled_out(2)), odd, outcome=Outcome.BLOCKED, message=odd.problem)
    assert (found.replicas, _conditions(found)["Available"][0]) == (2, "True")


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.STALE, Outcome.NOT_TRIED, Outcome.GONE])
def test_what_is_not_known_is_not_said(outcome: Outcome) -> None:
    """No status for it."""
    assert status_change(_result(deployment(), outcome=outcome), webapp(), NOW) is None


def test_a_terminating_webapp_gets_no_status() -> None:
    """No writes to what is on its way out."""
    assert status_change(_result(deployment()), webapp(deletion_timestamp=EARLIER), NOW) is None


def test_the_same_status_is_not_written_again() -> None:
    """At a later time, too."""
    first = _status(deployment())
    assert status_change(_result(deployment()), webapp(status=first), "2027-01-01T00:00:00Z") is None


def test_the_order_of_conditions_is_no_difference() -> None:
    """Somebody may have sorted them."""
    first = _status(deployment(status=rolled_out(available_replicas=0)))
    turned = msgspec.structs.replace(first, conditions=tuple(reversed(first.conditions or ())))
    result = _result(deployment(status=rolled_out(available_replicas=0)))
    assert status_change(result, webapp(status=turned), NOW) is None


def test_the_time_of_a_condition_moves_only_with_its_status() -> None:
    """Not with a reason or a message."""
    before = status(condition("Available", "False", last_transition_time=EARLIER, reason="Blocked"))
    found = _status(deployment(status=rolled_out(available_replicas=1)), webapp(status=before))
    times = {c.type: c.last_transition_time for c in found.conditions or ()}
    assert times == {"Available": EARLIER, "Ready": NOW, "Reconciling": NOW}


def test_a_flip_moves_the_time() -> None:
    """To now."""
    before = status(condition("Available", "False", last_transition_time=EARLIER))
    found = _status(deployment(), webapp(status=before)).condition("Available")
    assert found is not None
    assert found.last_transition_time == NOW


def test_every_condition_says_of_which_generation_it_is() -> None:
    """The planned one, when the WebApp has moved on, too."""
    change = Change(webapp(generation=4), deployment(), Action.NONE)
    newer = webapp(generation=5, resource_version="99")
    found = status_change(Result(change, Outcome.UNCHANGED, deployment()), newer, NOW)
    assert found is not None
    assert {found.observed_generation, *(c.observed_generation for c in found.conditions or ())} == {4}


def test_an_older_result_never_replaces_a_newer_status() -> None:
    """Another pass has reported on a newer spec already."""
    newer = webapp(generation=5, status=status(observed_generation=5))
    assert status_change(_result(deployment()), newer, NOW) is None


def test_conditions_of_others_are_neither_compared_nor_sent() -> None:
    """Server-side apply leaves them where they are."""
    first = _status(deployment())
    both = msgspec.structs.replace(first, conditions=(condition("Theirs"), *(first.conditions or ())))
    assert status_change(_result(deployment()), webapp(status=both), NOW) is None
    changed = _status(deployment(paused=True), webapp(status=both))
    assert changed.condition("Theirs") is None


def test_a_merge_patch_carries_the_conditions_of_others() -> None:
    """It replaces the whole list."""
    live = status(condition("Theirs"), condition("Stalled"))
    found = with_foreign_conditions(_status(deployment()), live)
    assert [c.type for c in found.conditions or ()] == ["Available", "Ready", "Theirs"]


def test_a_condition_that_another_holds_too_is_said_to_be_false() -> None:
    """Leaving it out would not take it away."""
    fields: dict[str, Any] = {"f:status": {"f:conditions": {'k:{"type":"Stalled"}': {".": {}}}}}
    live = status(condition("Stalled", last_transition_time=EARLIER))
    wanted = webapp(status=live, managed_fields=managed(entry("webapp-operator", fields)))
    assert _conditions(_status(deployment(), wanted))["Stalled"][0] == "False"


def test_the_manifest_is_refused_when_the_webapp_moved() -> None:
    """Uid and resourceVersion of what was read; no nulls."""
    body = json.loads(json.dumps(status_manifest(webapp(), _status(deployment()))))
    assert (body["metadata"]["uid"], body["metadata"]["resourceVersion"]) == ("uid-of-web", "7")
    assert "null" not in json.dumps(body)


def test_a_status_of_a_name_that_is_too_long_can_be_computed() -> None:
    """It is blocked, and says so."""
    wanted = webapp("a" * 64)
    found = _status(None, wanted, outcome=Outcome.BLOCKED, message="its name has 64 characters")
    assert (found.observed_generation, found.selector) == (wanted.metadata.generation, None)


@pytest.mark.parametrize("before", ["", "a", "ab", "abc"])
def test_a_long_message_is_cut_between_characters(before: str) -> None:
    """At 1 KiB, with an emoji at the cut."""
    message = cut(before + "\N{PARTY POPPER}" * 25_000)
    assert MAX_MESSAGE - 4 < len(message.encode()) <= MAX_MESSAGE
    assert set(message.removeprefix(before)) == {"\N{PARTY POPPER}", "…"}


@pytest.mark.parametrize("message", ["", "a" * MAX_MESSAGE, "ä" * (MAX_MESSAGE // 2)])
def test_a_message_that_fits_is_left_alone(message: str) -> None:
    """Counted in bytes."""
    assert cut(message) == message


def test_a_long_message_in_a_condition_is_cut() -> None:
    """The API server would refuse the whole status."""
    found = _status(None, outcome=Outcome.BLOCKED, message="x" * 100_000).condition("Stalled")
    assert found is not None
    assert len(found.message.encode()) <= MAX_MESSAGE


def test_metadata_without_a_generation_is_none_of_our_business() -> None:
    """An Unreadable has what the API server types itself."""
    odd = Unreadable(ObjectMeta(name="web", namespace="shop"), "x")
    assert _status(None, odd, outcome=Outcome.BLOCKED).observed_generation == 0
