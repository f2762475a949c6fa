"""A row of the plan against one made later: is it still what a person agreed to, and what was refused before?"""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import EARLIER, NOW, applied_entry, condition, deployment, entry, managed, row, status, webapp
from webappctl.core.plan import Change


def _refused(reason: str = "Blocked", generation: int = 1, **fields: Any) -> Change:
    stalled = condition("Stalled", reason=reason, message="quota", observed_generation=generation)
    return row(webapp(status=status(stalled), **fields))


def test_the_last_refusal_stands_beside_a_pending_row() -> None:
    """What only the API server can refuse stays pending, and the condition tells why."""
    assert _refused().last_refusal == "quota"


@pytest.mark.parametrize("change", [_refused(reason="ReplicaFailure"), _refused(generation=2), _refused(port=0)])
def test_no_other_stall_is_a_refusal(change: Change) -> None:
    """Not one of the pods, not one of another spec, and not of a row that is not pending."""
    assert change.last_refusal == ""


def test_a_moved_status_does_the_same() -> None:
    """A newer resourceVersion and another status change nothing of what a person agreed to."""
    planned = row(webapp(), deployment(image="old"))
    moved = webapp(resource_version="99", status=status(condition("Available", "False")))
    again = row(moved, deployment(image="old", resource_version="98", status=deployment(replicas=1).status))
    assert again.does_the_same_as(planned)


def test_another_time_of_the_same_drift_does_the_same() -> None:
    """Any write of that manager moves his time."""
    changes = []
    for time in (EARLIER, NOW):
        theirs = entry("kubectl-edit", {"f:spec": {"f:replicas": {}}}, time=time)
        fields = managed(applied_entry(without=("replicas",)), theirs)
        changes.append(row(webapp(), deployment(replicas=2, managed_fields=fields)))
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
    planned = row(webapp(), deployment(image="old"))
    assert not row(webapp(**wanted), deployment(**live)).does_the_same_as(planned)
