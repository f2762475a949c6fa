"""Writes end with the Lease: none is sent after it, none outlives it, and reads are not concerned."""

from __future__ import annotations

import math

import pytest

from tests.unit.cluster_fakes import FakeTime, Script, answer
from webappctl.cluster import Transport
from webappctl.cluster.requests import DEPLOYMENTS, create, get_one
from webappctl.errors import LeaseLost, OutOfTime, ServerFailure, TooSlow, Unreachable

READ = get_one(DEPLOYMENTS, "shop", "web-deployment")
WRITE = create(DEPLOYMENTS, {"metadata": {"namespace": "shop", "name": "web-deployment"}}, repeatable=True)
NOW = FakeTime().now
LEFT = 4.0
SILENT = Unreachable("no answer")


def _transport(script: Script, *, fence: float = NOW + LEFT, until: float | None = None) -> Transport:
    transport = script.transport(until=until)
    transport.fence = lambda: fence
    return transport


def test_without_the_lease_no_write_is_sent() -> None:
    script = Script(answer(200))
    with pytest.raises(LeaseLost):
        _transport(script, fence=-math.inf).send(WRITE)
    assert script.sent == []


def test_a_read_needs_none() -> None:
    script = Script(answer(200))
    _transport(script, fence=-math.inf).send(READ)
    assert script.timeouts == [30]


def test_a_write_has_the_time_that_is_left_of_it() -> None:
    script = Script(answer(200))
    _transport(script).send(WRITE)
    assert script.timeouts == [LEFT]


def test_a_write_that_has_no_answer_when_it_ends_may_have_been_carried_out() -> None:
    script = Script(SILENT, seconds=60)
    with pytest.raises(LeaseLost) as lost:
        _transport(script).send(WRITE)
    assert lost.value.may_have_happened


def test_one_that_is_cut_short_while_the_lease_was_renewed_is_its_own_trouble() -> None:
    """Admission takes its time: the server answers others, who are not to wait for it."""
    time = FakeTime()
    script = Script(SILENT, time=time, seconds=60)
    transport = script.transport()
    transport.fence = lambda: time.now + LEFT
    with pytest.raises(TooSlow) as slow:
        transport.send(WRITE)
    assert slow.value.may_have_happened
    assert len(script.sent) == 1


def test_another_try_may_wait_for_longer_than_the_lease_has_left_now() -> None:
    """It is renewed meanwhile."""
    time = FakeTime()
    script = Script(answer(503, retry_after="9"), answer(200), time=time)
    transport = script.transport()
    transport.fence = lambda: time.now + LEFT
    transport.send(WRITE)
    assert len(script.sent) == 2


def test_another_try_is_not_sent_when_the_lease_was_lost_in_the_wait() -> None:
    script = Script(answer(503, retry_after="9"), answer(200))
    with pytest.raises(LeaseLost):
        _transport(script).send(WRITE)
    assert len(script.sent) == 1


def test_the_time_of_the_command_may_end_first() -> None:
    script = Script(SILENT, seconds=60)
    with pytest.raises(OutOfTime):
        _transport(script, until=NOW + LEFT / 2).send(WRITE)


def test_a_failure_before_it_ends_is_what_it_is() -> None:
    script = Script(answer(500, b"{}"))
    with pytest.raises(ServerFailure):
        _transport(script, fence=math.inf).send(WRITE)
