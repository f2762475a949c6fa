from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator

import pytest

from webappctl.core.report import Report
from webappctl.errors import Unreachable, WebappctlError
from webappctl.watch import watch

Pass = Callable[[], Report]


def _run(passes: list[Report | WebappctlError]) -> None:
    """Watch until all of them have had their turn."""
    stop, turns = threading.Event(), iter(passes)

    def run_pass() -> Report:
        turn = next(turns)
        if turn is passes[-1]:
            stop.set()
        if isinstance(turn, WebappctlError):
            raise turn
        return turn

    watch(run_pass, interval=0.001, stop=stop, chance=lambda: 0.5)


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
