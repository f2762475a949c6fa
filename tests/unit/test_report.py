"""What a pass means for the exit code, and how long its messages get."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import deployment, snapshot, webapp
from webappctl.core.objects import Snapshot
from webappctl.core.plan import Action, Budget, Change, make_plan
from webappctl.core.report import MAX_MESSAGE, ExitCode, Outcome, Report, Result, cut, exit_code, plan_exit_code


def _report(*outcomes: Outcome) -> Report:
    return Report(tuple(Result(Change(webapp(), None, Action.CREATE), outcome) for outcome in outcomes))


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        (Outcome.CREATED, ExitCode.OK),
        (Outcome.CONFIGURED, ExitCode.OK),
        (Outcome.UNCHANGED, ExitCode.OK),
        (Outcome.GONE, ExitCode.OK),
        (Outcome.BLOCKED, ExitCode.UNFINISHED),
        (Outcome.WAITING, ExitCode.UNFINISHED),
        (Outcome.STALE, ExitCode.UNFINISHED),
        (Outcome.FAILED, ExitCode.ERROR),
        (Outcome.NOT_TRIED, ExitCode.ERROR),
    ],
)
def test_each_outcome_has_its_exit_code(outcome: Outcome, code: ExitCode) -> None:
    """Among others that went well."""
    assert exit_code(_report(Outcome.CREATED, outcome, Outcome.UNCHANGED)) is code


def test_a_failure_outweighs_a_blocked_one() -> None:
    """1, not 5."""
    assert exit_code(_report(Outcome.BLOCKED, Outcome.FAILED)) is ExitCode.ERROR


def test_blocked_ok_forgives_what_is_unfinished_and_no_failure() -> None:
    """--blocked-ok."""
    assert exit_code(_report(Outcome.BLOCKED), blocked_ok=True) is ExitCode.OK
    assert exit_code(_report(Outcome.BLOCKED, Outcome.FAILED), blocked_ok=True) is ExitCode.ERROR


@pytest.mark.parametrize("fields", [{"status_failures": ("a",)}, {"interruption": "stopped"}])
def test_a_status_not_written_and_an_interruption_are_failures(fields: dict[str, Any]) -> None:
    """Even where every Deployment is right."""
    assert exit_code(Report((), **fields)) is ExitCode.ERROR


def test_a_warning_is_none() -> None:
    """It has no effect on the exit code."""
    assert exit_code(Report((), warnings=("careful",))) is ExitCode.OK


@pytest.mark.parametrize(
    ("world", "code"),
    [
        (snapshot(), ExitCode.OK),
        (snapshot(webapp(), deployment()), ExitCode.OK),
        (snapshot(webapp()), ExitCode.PENDING),
        (snapshot(webapp(), deployment(image="old")), ExitCode.PENDING),
        (snapshot(webapp(port=0)), ExitCode.UNFINISHED),
        (snapshot(webapp(), deployment(of=webapp(uid="older"))), ExitCode.UNFINISHED),
        (snapshot(webapp("a"), webapp("b", port=0)), ExitCode.PENDING),
    ],
)
def test_a_plan_has_an_exit_code(world: Snapshot, code: ExitCode) -> None:
    """3 for pending, 5 for blocked or waiting where nothing is pending, 0 for in sync."""
    assert plan_exit_code(make_plan(world), Budget()) is code


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
