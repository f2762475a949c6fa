"""What is tried again, when, and for how long."""

from __future__ import annotations

import pytest

from tests.unit.cluster_fakes import Script, Step, answer, failure
from webappctl import errors
from webappctl.cluster import Request
from webappctl.cluster.requests import DEPLOYMENTS, EVENTS, apply, create, get_one
from webappctl.cluster.wire import NotSent

MANIFEST = {"metadata": {"namespace": "shop", "name": "web"}}
GET = get_one(DEPLOYMENTS, "shop", "web")
APPLY = apply(DEPLOYMENTS, MANIFEST, force=True)
POST = create(EVENTS, MANIFEST)
LOST = errors.Unreachable("no answer")
OK = answer(200)


def test_a_success_is_its_body() -> None:
    """One request, no wait."""
    wire = Script(answer(200, {"kind": "Deployment"}))
    assert wire.transport().send(GET) == b'{"kind": "Deployment"}'
    assert (len(wire.sent), wire.time.waits) == (1, [])


@pytest.mark.parametrize("request_", [GET, APPLY, POST], ids=["get", "apply", "post"])
def test_429_is_tried_again_for_every_verb(request_: Request) -> None:
    """Not even a POST was carried out when the server says that it has no time for it."""
    wire = Script(failure(429), OK)
    wire.transport().send(request_)
    assert len(wire.sent) == 2


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_5xx_is_tried_again_when_the_request_may_be_sent_twice(status: int) -> None:
    """Reads and server-side apply."""
    for request in (GET, APPLY):
        wire = Script(failure(status), OK)
        wire.transport().send(request)
        assert len(wire.sent) == 2


@pytest.mark.parametrize("step", [failure(500), answer(502, b"<html>"), LOST, errors.BadAnswer("cut")])
def test_a_post_is_not_tried_again(step: Step) -> None:
    """It may have been carried out, and would then be done twice."""
    wire = Script(step, OK)
    with pytest.raises(errors.ClusterError):
        wire.transport().send(POST)
    assert len(wire.sent) == 1


@pytest.mark.parametrize("step", [LOST, errors.BadAnswer("cut"), answer(200, b"<html>")])
def test_a_dead_server_gets_two_tries(step: Step) -> None:
    """Each of them may take the whole request timeout."""
    wire = Script(step)
    with pytest.raises((errors.Unreachable, errors.BadAnswer)):
        wire.transport().send(GET)
    assert len(wire.sent) == 2


@pytest.mark.parametrize(
    ("header", "wait"),
    [("1", 1.0), ("7", 7.0), ("0", 0.5), ("-5", 0.5), ("soon", 0.5), ("", 0.5), ("1000000000", 30.0), ("²", 0.5)],
)
def test_retry_after_is_obeyed_up_to_30_seconds(header: str, wait: float) -> None:
    """What makes no sense counts as absent; our own backoff is the least."""
    wire = Script(answer(429, b"", retry_after=header), OK)
    wire.transport().send(GET)
    assert wire.time.waits == [wait]


def test_retry_after_as_a_date_counts_from_the_servers_clock() -> None:
    """Our own wall clock is not asked: it may be an hour off."""
    dates = {"date": "Wed, 21 Oct 2015 07:28:00 GMT", "retry_after": "Wed, 21 Oct 2015 07:28:09 GMT"}
    wire = Script(answer(503, b"", **dates), OK)
    wire.transport().send(GET)
    assert wire.time.waits == [9.0]


@pytest.mark.parametrize("date", ["", "soon", "Wed, 21 Oct 2015 07:28:00 -0000"])
def test_a_date_that_cannot_be_compared_counts_as_absent(date: str) -> None:
    """A server without a clock, or without a zone."""
    wire = Script(answer(429, b"", date=date, retry_after="Wed, 21 Oct 2015 07:28:09 GMT"), OK)
    wire.transport().send(GET)
    assert wire.time.waits == [0.5]


def test_waits_double() -> None:
    """0.5, 1, 2, 4, … seconds, jittered (here by nothing), until the next would end after a minute."""
    wire = Script(failure(503))
    with pytest.raises(errors.ServerFailure):
        wire.transport().send(GET)
    assert wire.time.waits == [0.5, 1, 2, 4, 8, 16]


@pytest.mark.parametrize(("seconds", "limit"), [(30.0, 60.0), (5.0, 60.0), (100.0, 200.0)])
def test_all_tries_together_end_after_a_minute_or_two_timeouts(seconds: float, limit: float) -> None:
    """Each try gets the request timeout, but never more than what is left."""
    wire = Script(failure(503), seconds=seconds)
    with pytest.raises(errors.ServerFailure):
        wire.transport(request_timeout=seconds).send(GET)
    assert wire.time.now - 1000 <= limit
    assert max(wire.timeouts) == seconds


@pytest.mark.parametrize(
    "message",
    [
        "failed to create typed patch object (x)",
        "failed to create typed live object (x)",
        ".a: field not declared in schema",
    ],
)
def test_a_body_that_does_not_fit_the_schema_is_invalid_although_it_is_a_500(message: str) -> None:
    """The server calls it its own error; trying again would never help."""
    wire = Script(failure(500, message))
    with pytest.raises(errors.Invalid) as caught:
        wire.transport().send(APPLY)
    assert (len(wire.sent), caught.value.code) == (1, 500)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 410, 413, 422, 301, 307])
def test_a_refusal_is_not_tried_again(status: int) -> None:
    """It would be refused again."""
    wire = Script(failure(status, name="web"))
    with pytest.raises(errors.ClusterError):
        wire.transport().send(GET)
    assert len(wire.sent) == 1


def test_after_stop_a_first_try_is_sent_and_no_other() -> None:
    """So that a row in progress can be finished: its status and its event come after the write."""
    wire = Script(failure(503))
    wire.time.set()
    with pytest.raises(errors.Stopped):
        wire.transport().send(GET)
    assert len(wire.sent) == 1


def test_stop_ends_a_wait() -> None:
    """The wait is on the stop event, and its end is not another try."""
    wire = Script(failure(429))
    wire.time.set_during_wait = True
    with pytest.raises(errors.Stopped) as caught:
        wire.transport().send(GET)
    assert (len(wire.sent), type(caught.value.__cause__)) == (1, errors.Throttled)


def test_no_try_outlives_the_command() -> None:
    """`until` cuts the timeout of a try, and a try that was cut so is the end of --timeout, not a dead server."""
    wire = Script(LOST, seconds=30)
    with pytest.raises(errors.OutOfTime, match="--timeout"):
        wire.transport(until=1012.0).send(GET)
    assert wire.timeouts == [12.0]


def test_no_wait_outlives_the_command() -> None:
    """What would only end after `until` ends now, with the reason in the message."""
    wire = Script(answer(429, b"", retry_after="20"))
    with pytest.raises(errors.OutOfTime, match="429"):
        wire.transport(until=1012.0).send(GET)
    assert wire.time.waits == []


def test_every_try_is_counted() -> None:
    """By HTTP method."""
    transport = Script(failure(503), LOST, OK).transport()
    transport.send(APPLY)
    assert transport.requests == {"PATCH": 3}


CUT = errors.BadAnswer("cut")
REFUSED = NotSent("connection refused")
CONFLICT = failure(409)


@pytest.mark.parametrize(
    ("request_", "steps", "may"),
    [
        (APPLY, [LOST, CONFLICT], True),
        (APPLY, [CUT, CONFLICT], True),
        (APPLY, [answer(200, b"<html>"), CONFLICT], True),
        (APPLY, [failure(504), CONFLICT], True),
        (APPLY, [LOST, REFUSED], True),
        (APPLY, [LOST], True),
        (POST, [LOST], True),
        (POST, [failure(500)], True),
        (APPLY, [CONFLICT], False),
        (APPLY, [failure(429), CONFLICT], False),
        (APPLY, [REFUSED, CONFLICT], False),
        (APPLY, [failure(500, "failed to create typed patch object")], False),
        (APPLY, [errors.Unauthorized("none")], False),
        (GET, [LOST], False),
    ],
)
def test_a_lost_answer_to_a_write_is_not_forgotten(request_: Request, steps: list[Step], may: bool) -> None:
    """A conflict after it may be with what we wrote ourselves. What was never sent, or was refused, did not happen."""
    with pytest.raises(errors.ClusterError) as caught:
        Script(*steps).transport().send(request_)
    assert caught.value.may_have_happened is may


@pytest.mark.parametrize(("step", "may"), [(LOST, True), (failure(429), False)])
def test_a_write_that_is_stopped_after_a_lost_answer_may_have_happened(step: Step, may: bool) -> None:
    """Whoever stops it: a signal, or the end of --timeout in a try or in a wait."""
    signalled = Script(step)
    signalled.time.set_during_wait = True
    for transport in (signalled.transport(), Script(step).transport(until=1000.1)):
        with pytest.raises(errors.Stopped) as caught:
            transport.send(APPLY)
        assert caught.value.may_have_happened is may


def test_a_write_in_the_air_when_time_is_up_may_have_happened() -> None:
    """It was sent, and its answer did not come in the time that was left."""
    with pytest.raises(errors.OutOfTime) as caught:
        Script(LOST, seconds=30).transport(until=1012.0).send(POST)
    assert caught.value.may_have_happened


def test_a_signal_is_not_the_end_of_timeout() -> None:
    """The two end with different words and exit codes."""
    wire = Script(failure(503))
    wire.time.set()
    with pytest.raises(errors.Stopped) as caught:
        wire.transport().send(GET)
    assert not isinstance(caught.value, errors.OutOfTime)
