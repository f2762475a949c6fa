"""Annotations → whether a WebApp is paused, and what its row is then."""

from __future__ import annotations

import msgspec
import pytest

from tests.builders import NOW, applied_entry, autoscaler, deployment, managed, owner, paused, row, snapshot, webapp
from webappctl.core.objects import Deployment, ObjectMeta, Unreadable, WebApp
from webappctl.core.plan import Action, Effect, Pause, make_plan, pause_of, plan_one
from webappctl.core.report import ExitCode, plan_exit_code

REMEDY = "kubectl -n shop annotate webapp web apps.example.com/paused-"
TOMORROW = "2026-01-02T12:00:00Z"


def _paused(reason: str = "moving", until: str | None = None) -> WebApp:
    return webapp(annotations=paused(reason, until))


@pytest.mark.parametrize(
    ("reason", "until", "text"),
    [
        ("moving", None, "paused: moving"),
        ("", None, "paused"),
        ("moving", TOMORROW, "paused until 2026-01-02T12:00:00Z: moving"),
        ("", TOMORROW, "paused until 2026-01-02T12:00:00Z"),
    ],
)
def test_the_row_says_why_and_until_when(reason: str, until: str | None, text: str) -> None:
    change = row(_paused(reason, until), deployment())
    assert (change.action, change.message, change.remedy) == (Action.PAUSED, text, REMEDY)
    assert change.warning == ""


@pytest.mark.parametrize(
    "until",
    [
        "2026-01-01T12:00:00.5Z",
        "2026-01-01T12:00:01z",
        "2026-01-01t12:00:01Z",
        "2026-01-01T13:30:00+01:00",
        "2026-01-01T11:59:00-00:02",
        "9999-12-31T23:59:59.999999999-23:59",
    ],
)
def test_a_pause_with_an_end_that_is_ahead_goes_on(until: str) -> None:
    assert row(_paused(until=until), deployment()).pause == Pause("moving", until)


@pytest.mark.parametrize(
    "until", [NOW, "2026-01-01T11:59:59.999Z", "2026-01-01T12:30:00+01:00", "0001-01-01T00:00:00+23:59"]
)
def test_a_pause_that_is_over_is_none(until: str) -> None:
    """As if there were no annotation."""
    over, never = row(_paused(until=until), deployment(image="old")), row(webapp(), deployment(image="old"))
    assert (over.action, over.pause, over.effect, over.warning) == (never.action, None, never.effect, "")


@pytest.mark.parametrize(
    "until",
    [
        "",
        "tomorrow",
        "2026-01-01",
        "2026-01-01 11:00:00Z",
        "2026-01-01T11:00Z",
        "2026-01-01T11:00:00",
        "20260101T110000Z",
        "2026-W01-1T11:00:00Z",
        "2026-02-30T11:00:00Z",
        "2026-01-01T11:00:00+24:00",
        "2026-01-01T11:00:00Z\n",
        "٢٠٢٦-01-01T11:00:00Z",
    ],
)
def test_an_end_that_is_no_time_is_none_and_is_warned_of(until: str) -> None:
    """Nothing is written by mistake."""
    change = row(_paused(until=until), deployment(image="old"))
    assert (change.action, change.pause) == (Action.PAUSED, Pause("moving"))
    assert change.warning.startswith(f'apps.example.com/paused-until is "{until}", which is no RFC 3339 time')


def test_an_end_without_a_pause_does_nothing_and_is_warned_of() -> None:
    change = row(webapp(annotations=paused(None, TOMORROW)), deployment())
    assert (change.action, change.pause) == (Action.NONE, None)
    assert change.warning == "apps.example.com/paused-until does nothing without apps.example.com/paused"


def test_where_nobody_knows_the_time_no_pause_is_over() -> None:
    change = plan_one(_paused(until="2000-01-01T00:00:00Z"), deployment())
    assert change is not None
    assert change.action is Action.PAUSED


@pytest.mark.parametrize("raw", [b"", b"null", b"{}", b"[1]", b'{"apps.example.com/paused": 1}', b"{"])
def test_annotations_without_it_are_no_pause(raw: bytes) -> None:
    """Whatever form they have."""
    assert pause_of(ObjectMeta("web", annotations=msgspec.Raw(raw)), NOW) == (None, "")


def test_what_would_change_still_shows_and_nothing_is_done() -> None:
    change = row(_paused(), deployment(image="old", replicas=2))
    assert [field.path for field in change.fields] == ["image", "replicas"]
    assert (change.effect, change.withheld) == (Effect(), True)


def test_a_missing_deployment_is_not_created() -> None:
    change = row(_paused())
    assert (change.action, change.deployment, change.effect, change.withheld) == (Action.PAUSED, None, Effect(), True)


def test_a_paused_webapp_that_is_in_order_withholds_nothing() -> None:
    assert not row(_paused(), deployment()).withheld


def test_a_paused_rollout_is_told_apart() -> None:
    """It is not the WebApp that is paused; where both are, the WebApp counts."""
    rollout, both = row(webapp(), deployment(paused=True)), row(_paused(), deployment(paused=True))
    assert [(change.action, change.pause) for change in (rollout, both)] == [
        (Action.PAUSED, None),
        (Action.PAUSED, Pause("moving")),
    ]
    assert "its rollout is paused" in rollout.message
    assert both.message == "paused: moving"


def test_held_replicas_of_a_paused_webapp_are_still_told() -> None:
    live = deployment(replicas=7, managed_fields=managed(applied_entry(without=("replicas",))))
    (change,) = make_plan(snapshot(_paused(), live, autoscaler())).changes
    assert (change.action, change.held and change.held.live, change.withheld) == (Action.PAUSED, 7, False)


@pytest.mark.parametrize(
    ("wanted", "live", "action"),
    [
        (webapp(annotations=paused(), port=0), None, Action.BLOCKED),
        (Unreadable(webapp(annotations=paused()).metadata, "spec.port: expected int, got str"), None, Action.BLOCKED),
        (webapp(annotations=paused()), deployment(owner_references=(owner(),)), Action.BLOCKED),
        (webapp(annotations=paused()), deployment(of=webapp(uid="older")), Action.WAITING),
    ],
)
def test_what_is_blocked_or_waits_does_so_all_the_same(
    wanted: WebApp | Unreadable, live: Deployment | None, action: Action
) -> None:
    """A pause takes nothing of it away."""
    change = row(wanted, live)
    assert (change.action, change.pause) == (action, Pause("moving"))


def test_paused_counts_for_nothing() -> None:
    plan = make_plan(snapshot(_paused(), deployment(image="old"), webapp("new", annotations=paused())))
    assert (plan.pending, plan.unfinished, plan_exit_code(plan)) == ((), 0, ExitCode.OK)


def test_one_that_is_paused_now_is_not_what_a_person_agreed_to() -> None:
    agreed = row(webapp(), deployment(image="old"))
    assert not row(_paused(), deployment(image="old")).does_the_same_as(agreed)
