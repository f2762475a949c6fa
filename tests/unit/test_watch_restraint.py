"""When a pass would do more than the last one, though nothing changes."""

from __future__ import annotations

import math
import time
from datetime import UTC, datetime, timedelta

import pytest

from tests.builders import deployment, paused, row, snapshot, webapp
from webappctl.core.plan import Budget, make_plan
from webappctl.core.report import Outcome, Report, Result
from webappctl.watch.restraint import AGAIN, Restraint


def _left(restraint: Restraint) -> float:
    """Seconds until then, to the second."""
    left = restraint.due() - time.monotonic()
    return left if math.isinf(left) else round(left)


@pytest.fixture
def restraint() -> Restraint:
    return Restraint(Budget())


def test_of_what_is_in_order_never(restraint: Restraint) -> None:
    restraint.shape(make_plan(snapshot(webapp(), deployment())))
    assert _left(restraint) == math.inf


def test_a_refusal_is_tried_again_though_the_interval_is_an_hour(restraint: Restraint) -> None:
    """After 30 s."""
    refused = Result(row(webapp()), Outcome.BLOCKED, tried=True)
    restraint.learn(Report((refused,)))
    assert _left(restraint) == 30


def test_a_pause_ends_by_itself_though_the_interval_is_an_hour(restraint: Restraint) -> None:
    """A second later at most: its time has whole seconds."""
    until = datetime.now(UTC) + timedelta(seconds=100)
    annotations = paused("moving", f"{until:%Y-%m-%dT%H:%M:%SZ}")
    restraint.shape(make_plan(snapshot(webapp(annotations=annotations), deployment()), now="2026-01-01T00:00:00Z"))
    assert _left(restraint) in (99, 100, 101)


def test_a_pause_without_an_end_is_waited_for_by_nobody(restraint: Restraint) -> None:
    restraint.shape(make_plan(snapshot(webapp(annotations=paused("moving")), deployment())))
    assert _left(restraint) == math.inf


def test_rows_that_a_pass_did_not_come_to_are_tried_soon(restraint: Restraint) -> None:
    """The Lease was lost, say, and is had again: nothing else would wake it."""
    restraint.learn(Report((Result(row(webapp()), Outcome.NOT_TRIED),)))
    assert _left(restraint) == AGAIN
    restraint.learn(Report(()))
    assert _left(restraint) == math.inf
