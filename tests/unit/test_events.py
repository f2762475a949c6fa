"""Result → Event: for what changed or failed, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import NOW, condition, deployment, status, webapp
from webappctl.core.events import events_of
from webappctl.core.objects import Condition, Json, WebApp
from webappctl.core.plan import Action, Change, Obstacle
from webappctl.core.report import Outcome, Result


def _event(outcome: Outcome, wanted: WebApp | None = None, **fields: Any) -> Json | None:
    change = Change(wanted or webapp(), None, Action.UPDATE)
    found = events_of(Result(change, outcome, **({"deployment": deployment(replicas=5)} | fields)), NOW)
    return found[0] if found else None


def _must(outcome: Outcome, wanted: WebApp | None = None, **fields: Any) -> Json:
    event = _event(outcome, wanted, **fields)
    assert event is not None
    return event


def _stalled(message: str, reason: str = "Blocked") -> WebApp:
    return webapp(status=status(condition("Stalled", reason=reason, message=message)))


@pytest.mark.parametrize("outcome", [Outcome.CREATED, Outcome.CONFIGURED])
def test_a_write_is_a_normal_event(outcome: Outcome) -> None:
    """In the words of the operator that it replaces."""
    event = _must(outcome)
    assert (event["type"], event["reason"]) == ("Normal", "Reconciled")
    assert event["message"] == "Deployment web-deployment updated to 5 replicas"


def test_one_replica_is_singular() -> None:
    """As a person would say it."""
    assert _must(Outcome.CREATED, deployment=deployment(replicas=1))["message"].endswith("updated to 1 replica")


@pytest.mark.parametrize(
    "outcome", [Outcome.UNCHANGED, Outcome.WAITING, Outcome.STALE, Outcome.GONE, Outcome.NOT_TRIED]
)
def test_what_changed_nothing_makes_no_event(outcome: Outcome) -> None:
    """However often it is looked at."""
    assert _event(outcome, message="m", remedy="r") is None


def test_a_failure_is_a_warning() -> None:
    """With what happened."""
    event = _must(Outcome.FAILED, message="no answer")
    assert (event["type"], event["reason"], event["message"]) == ("Warning", "Failed", "no answer")


def test_a_newly_blocked_one_is_a_warning() -> None:
    """With the remedy."""
    event = _must(Outcome.BLOCKED, message="no image", remedy="correct the WebApp")
    assert (event["type"], event["reason"], event["message"]) == ("Warning", "Blocked", "no image (correct the WebApp)")


def test_one_that_was_blocked_before_makes_no_event() -> None:
    """Its condition says the same already."""
    assert _event(Outcome.BLOCKED, _stalled("no image (correct it)"), message="no image", remedy="correct it") is None


@pytest.mark.parametrize(
    "before", [_stalled("no port"), _stalled("no image", "ReplicaFailure"), webapp(status=status())]
)
def test_one_that_is_blocked_otherwise_than_before_makes_one(before: WebApp) -> None:
    """The condition changes."""
    assert _must(Outcome.BLOCKED, before, message="no image")["message"] == "no image"


def test_a_write_refused_again_is_an_event_each_time() -> None:
    """It is counted, because it was tried."""
    assert _must(Outcome.BLOCKED, _stalled("quota"), message="quota", tried=True)["reason"] == "Blocked"


def test_the_same_event_has_the_same_name() -> None:
    """At another time, of another resourceVersion: so that it is counted instead of repeated."""
    first = _must(Outcome.FAILED, message="m")
    change = Change(webapp(resource_version="99"), None, Action.CREATE)
    (later,) = events_of(Result(change, Outcome.FAILED, message="m"), "2027-01-01T00:00:00Z")
    assert later["metadata"] == first["metadata"]


@pytest.mark.parametrize(
    ("wanted", "message"), [(webapp(uid="another"), "m"), (webapp(), "another"), (webapp("another"), "m")]
)
def test_another_event_has_another_name(wanted: WebApp, message: str) -> None:
    """By uid and message, and it starts with the WebApp's name."""
    event = _must(Outcome.FAILED, wanted, message=message)
    assert event["metadata"]["name"] != _must(Outcome.FAILED, message="m")["metadata"]["name"]
    assert event["metadata"]["name"].startswith(f"{wanted.key.name}.")


def test_an_event_is_where_kubectl_describe_looks() -> None:
    """In the WebApp's namespace, about the WebApp's uid."""
    event = _must(Outcome.CREATED)
    about = event["involvedObject"]
    assert event["metadata"]["namespace"] == about["namespace"] == "shop"
    assert (about["kind"], about["name"], about["uid"]) == ("WebApp", "web", "uid-of-web")


def test_a_long_message_is_cut_before_the_name_is_made() -> None:
    """1 KiB: the API server refuses a longer one."""
    event = _must(Outcome.FAILED, message="x" * 5000)
    assert len(event["message"].encode()) == 1024


@pytest.mark.parametrize("name", ["a" * 253, "a" * 199 + "-" + "b" * 20, "a" * 199 + "." + "b" * 20])
def test_the_name_of_an_event_is_always_a_name(name: str) -> None:
    """At most 253 characters, and no label of it ends with a dash or is empty."""
    made = _must(Outcome.FAILED, webapp(name), message="m")["metadata"]["name"]
    assert len(made) <= 253
    assert all(label and label[-1] != "-" for label in made.split("."))


def _contested(outcome: Outcome, *live: Condition) -> list[tuple[str, str, str]]:
    change = Change(webapp(status=status(*live)), deployment(), Action.NONE, contested="replicas was put back")
    obstacle = Obstacle.CONTESTED if outcome is Outcome.BLOCKED else None
    found = events_of(Result(change, outcome, deployment(), obstacle=obstacle, message="m"), NOW)
    return [(event["type"], event["reason"], event["message"]) for event in found]


@pytest.mark.parametrize("outcome", [Outcome.BLOCKED, Outcome.UNCHANGED])
def test_a_field_that_is_contested_now_is_a_warning(outcome: Outcome) -> None:
    """Whether it waits or is in order just now; and it is not told as blocked, too."""
    assert _contested(outcome) == [("Warning", "Contested", "replicas was put back")]


def test_a_field_that_is_contested_now_hides_no_write() -> None:
    assert [reason for _, reason, _ in _contested(Outcome.CONFIGURED)] == ["Reconciled", "Contested"]


def test_a_field_that_was_contested_before_makes_no_event() -> None:
    """Its condition is there; one that is False is not."""
    assert _contested(Outcome.BLOCKED, condition("Contested")) == []
    assert len(_contested(Outcome.BLOCKED, condition("Contested", "False"))) == 1


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.NOT_TRIED, Outcome.WITHHELD])
def test_what_no_status_is_written_of_begins_nothing(outcome: Outcome) -> None:
    """The next pass would tell it again."""
    assert "Contested" not in [reason for _, reason, _ in _contested(outcome)]
