from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator

import pytest

from tests.builders import deployment, row, snapshot, webapp
from webappctl.core.plan import Budget, make_plan
from webappctl.core.report import Outcome, Report, Result
from webappctl.errors import Unreachable, WebappctlError
from webappctl.watch import Journal, Schedule, Shape, Source, watch


def _run(passes: list[Report | WebappctlError]) -> None:
    """Watch until all of them have had their turn."""
    stop, turns = threading.Event(), iter(passes)

    def run_pass(_: Source, shape: Shape) -> Report:
        turn = next(turns)
        if turn is passes[-1]:
            stop.set()
        if isinstance(turn, WebappctlError):
            raise turn
        return turn

    schedule = Schedule(0.001, stop=stop, chance=lambda: 0.5)
    watch(run_pass, schedule, budget=Budget(), observers=[Journal()])


def _report(*outcomes: Outcome) -> Report:
    """Of WebApps named `a`, `b`, … in that order."""
    found = (webapp(name) for name in "abcdef")
    pairs = zip(found, outcomes, strict=False)
    return Report(tuple(Result(row(of, deployment(of)), outcome, message="why") for of, outcome in pairs))


@pytest.fixture
def said(caplog: pytest.LogCaptureFixture) -> Iterator[Callable[[], list[str]]]:
    with caplog.at_level(logging.INFO, logger="webappctl.watch"):
        yield lambda: [record.message for record in caplog.records]


def test_failing_passes_are_said_once_though_each_has_other_words(said: Callable[[], list[str]]) -> None:
    """The same trouble with another number in its text is the same trouble."""
    _run([Unreachable(f"no answer within {29 + tenth / 10} s", subject="webapps") for tenth in range(5)])
    assert said() == ["Pass failed", "Stopped"]


def test_the_end_of_the_trouble_is_said_once(said: Callable[[], list[str]]) -> None:
    """A failed pass does not latch."""
    _run([Unreachable("no answer", subject="webapps"), Report(()), Report(())])
    assert said() == ["Pass failed", "Passes succeed again", "Pass finished", "Pass finished", "Stopped"]


def test_another_trouble_is_said_too(said: Callable[[], list[str]]) -> None:
    """First no answer to one list, then to the other."""
    _run([Unreachable("no answer", subject="webapps"), Unreachable("no answer", subject="deployments")])
    assert said() == ["Pass failed", "Pass failed", "Stopped"]


def test_a_status_that_cannot_be_written_is_said_once(said: Callable[[], list[str]]) -> None:
    """Not at every pass of the night."""
    report = Report((), status_failures=("shop/web: forbidden",), warnings=("an old CRD",))
    _run([report, report, Report(()), report, Report(())])
    assert (said().count("Status not written"), said().count("Warning")) == (2, 2)


def test_a_trouble_of_a_webapp_is_said_when_it_begins_and_when_it_ends(said: Callable[[], list[str]]) -> None:
    """With the passes themselves between."""
    blocked, fine = _report(Outcome.BLOCKED, Outcome.UNCHANGED), _report(Outcome.CONFIGURED, Outcome.UNCHANGED)
    _run([blocked, blocked, fine, fine])
    assert [line for line in said() if line.startswith("WebApp")] == [
        "WebApp is not in order",
        "WebApp is in order again",
    ]


@pytest.mark.parametrize("outcome", [Outcome.NOT_TRIED, Outcome.WITHHELD])
def test_a_trouble_that_was_not_reached_has_neither_begun_nor_ended(
    said: Callable[[], list[str]], outcome: Outcome
) -> None:
    """What was said of it still holds, so it is not said again."""
    blocked, not_reached = _report(Outcome.BLOCKED), _report(outcome, outcome)
    _run([blocked, not_reached, blocked, Report(())])
    assert said().count("WebApp is not in order") == 1
    assert "WebApp is in order again" not in said()


@pytest.mark.parametrize("outcome", [Outcome.DELETED, Outcome.ORPHAN, Outcome.GONE])
def test_what_is_gone_is_no_trouble_and_not_in_order_either(said: Callable[[], list[str]], outcome: Outcome) -> None:
    _run([_report(outcome), _report(Outcome.BLOCKED), _report(outcome), Report(())])
    assert [line for line in said() if line.startswith("WebApp")] == ["WebApp is not in order"]


def test_a_deployment_that_the_garbage_collector_removes_is_no_trouble(said: Callable[[], list[str]]) -> None:
    """It needs nothing, and there is no WebApp that could be in order."""
    (dangling,) = make_plan(snapshot(deployment())).changes
    _run([Report((Result(dangling, Outcome.WAITING, message=dangling.message),)), Report(())])
    assert said() == ["Pass finished", "Pass finished", "Stopped"]
