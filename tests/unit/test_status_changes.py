"""Result → what is written of a status, and when nothing is."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from tests.builders import EARLIER, NOW, condition, deployment, entry, managed, rolled_out, status, webapp
from tests.reported import conditions_of, reported, result
from webappctl.core.plan import Action, Change
from webappctl.core.report import Outcome, Result
from webappctl.core.status import status_change, status_manifest, with_foreign_conditions


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.STALE, Outcome.NOT_TRIED, Outcome.GONE])
def test_what_is_not_known_is_not_said(outcome: Outcome) -> None:
    """No status for it."""
    assert status_change(result(deployment(), outcome=outcome), webapp(), NOW) is None


def test_a_terminating_webapp_gets_no_status() -> None:
    """No writes to what is on its way out."""
    assert status_change(result(deployment()), webapp(deletion_timestamp=EARLIER), NOW) is None


def test_the_same_status_is_not_written_again() -> None:
    """At a later time, too."""
    first = reported(deployment())
    assert status_change(result(deployment()), webapp(status=first), "2027-01-01T00:00:00Z") is None


def test_the_order_of_conditions_is_no_difference() -> None:
    """Somebody may have sorted them."""
    first = reported(deployment(status=rolled_out(available_replicas=0)))
    turned = msgspec.structs.replace(first, conditions=tuple(reversed(first.conditions or ())))
    same = result(deployment(status=rolled_out(available_replicas=0)))
    assert status_change(same, webapp(status=turned), NOW) is None


def test_the_time_of_a_condition_moves_only_with_its_status() -> None:
    """Not with a reason or a message."""
    before = status(condition("Available", "False", last_transition_time=EARLIER, reason="Blocked"))
    found = reported(deployment(status=rolled_out(available_replicas=1)), webapp(status=before))
    times = {c.type: c.last_transition_time for c in found.conditions or ()}
    assert times == {"Available": EARLIER, "Ready": NOW, "Reconciling": NOW}


def test_a_flip_moves_the_time() -> None:
    """To now."""
    before = status(condition("Available", "False", last_transition_time=EARLIER))
    found = reported(deployment(), webapp(status=before)).condition("Available")
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
    assert status_change(result(deployment()), newer, NOW) is None


def test_conditions_of_others_are_neither_compared_nor_sent() -> None:
    """Server-side apply leaves them where they are."""
    first = reported(deployment())
    both = msgspec.structs.replace(first, conditions=(condition("Theirs"), *(first.conditions or ())))
    assert status_change(result(deployment()), webapp(status=both), NOW) is None
    changed = reported(deployment(paused=True), webapp(status=both))
    assert changed.condition("Theirs") is None


def test_a_merge_patch_carries_the_conditions_of_others() -> None:
    """It replaces the whole list."""
    live = status(condition("Theirs"), condition("Stalled"))
    found = with_foreign_conditions(reported(deployment()), live)
    assert [c.type for c in found.conditions or ()] == ["Available", "Ready", "Theirs"]


@pytest.mark.parametrize("kind", ["Stalled", "Reconciling", "Paused", "Contested"])
def test_a_condition_that_another_holds_too_is_said_to_be_false(kind: str) -> None:
    """Leaving it out would not take it away."""
    fields: dict[str, Any] = {"f:status": {"f:conditions": {f'k:{{"type":"{kind}"}}': {".": {}}}}}
    live = status(condition(kind, last_transition_time=EARLIER))
    wanted = webapp(status=live, managed_fields=managed(entry("webapp-operator", fields)))
    assert conditions_of(reported(deployment(), wanted))[kind][0] == "False"


@pytest.mark.parametrize("kind", ["Stalled", "Reconciling", "Paused", "Contested"])
def test_a_condition_that_is_false_is_as_good_as_none(kind: str) -> None:
    """It is not written away again in each pass."""
    first = reported(deployment())
    both = msgspec.structs.replace(first, conditions=(*(first.conditions or ()), condition(kind, "False")))
    assert status_change(result(deployment()), webapp(status=both), NOW) is None


def test_a_contested_webapp_has_a_condition_that_says_so() -> None:
    """Ready as it may be just now."""
    change = Change(webapp(), deployment(), Action.NONE, contested="kubectl sets it again")
    found = status_change(Result(change, Outcome.UNCHANGED, deployment()), webapp(), NOW)
    assert found is not None
    contested = condition("Contested", reason="FieldContested", message="kubectl sets it again")
    dated = msgspec.structs.replace(contested, last_transition_time=NOW, observed_generation=1)
    assert found.condition("Contested") == dated
    assert conditions_of(found).keys() == {"Available", "Ready", "Contested"}


def test_the_manifest_is_refused_when_the_webapp_moved() -> None:
    """Uid and resourceVersion of what was read; no nulls."""
    body = json.loads(json.dumps(status_manifest(webapp(), reported(deployment()))))
    assert (body["metadata"]["uid"], body["metadata"]["resourceVersion"]) == ("uid-of-web", "7")
    assert "null" not in json.dumps(body)
