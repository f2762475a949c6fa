"""Sends a request until it is answered, or it is time to give up. All waiting and all retrying is here.

What is tried again: 429 for every verb; 5xx, a lost connection and an answer that cannot be understood only for what
may be sent twice (reads, server-side apply, writes with preconditions). A dead server gets two tries.
"""

from __future__ import annotations

import math
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, NoReturn

from webappctl.cluster.refusal import refusal
from webappctl.cluster.retry_after import LONGEST_WAIT, retry_after
from webappctl.cluster.wire import Answer, NotSent, Request, Stream, Wire
from webappctl.errors import (
    BadAnswer,
    ClusterError,
    LeaseLost,
    OutOfTime,
    ServerFailure,
    Stopped,
    Throttled,
    TooSlow,
    Unreachable,
)

ALL_TRIES: Final = 60.0
"""Seconds for one request with all its tries, unless twice the request timeout is more."""
FIRST_WAIT: Final = 0.5
TRIES_OF_A_DEAD_SERVER: Final = 2


@dataclass(frozen=True, slots=True)
class _Failure:
    """`final`: the server would say the same again. `cut_short`: `until` came before an answer."""

    error: ClusterError
    retry_after: float = 0.0
    final: bool = False
    cut_short: bool = False


@dataclass(slots=True)
class _Tries:
    """Those of one request that failed. `lost`: without an answer. `uncertain`: one may have been carried out."""

    request: Request
    ends: float
    failed: int = 0
    lost: int = 0
    uncertain: bool = False

    def add(self, error: ClusterError) -> None:
        lost = isinstance(error, Unreachable | BadAnswer)
        self.failed += 1
        self.lost += lost
        if self.request.writes and (lost or isinstance(error, ServerFailure)) and not isinstance(error, NotSent):
            self.uncertain = True


Fence = Callable[[], float]
"""The instant of `clock` until which writes may be sent."""
Heard = Callable[[Request, str, float], None]
"""Of each try: its request, the HTTP status (empty without an answer), and the seconds that it took."""


class Transport:
    """`until` is an instant of `clock` at which the whole command ends: no try and no wait outlives it.

    It may be moved while nothing is sent. `fence`: no write outlives that instant either, nor is one sent after it;
    it holds while the Lease is surely ours. `heard` is told of each try; several threads may tell at once.
    """

    def __init__(
        self,
        wire: Wire,
        *,
        request_timeout: float,
        stop: threading.Event,
        until: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._wire = wire
        self._request_timeout = request_timeout
        self._stop = stop
        self.until = math.inf if until is None else until
        self.fence: Fence = _no_fence
        self.heard: Heard = _unheard
        self._clock = clock
        self._jitter = jitter
        self._counts: Counter[str] = Counter()
        self._counting = threading.Lock()

    @property
    def server(self) -> str:
        return self._wire.server

    @property
    def requests(self) -> Mapping[str, int]:
        """How many were sent, by HTTP method; every try counts."""
        with self._counting:
            return dict(self._counts)

    def send(self, request: Request) -> bytes:
        """The body of a 2xx, which is a JSON object.

        Raises a ClusterError when there is none and no try is left, Stopped instead of another try when `stop` is set
        (a first one is always sent: what was begun may be finished), OutOfTime when `until` has come; each with
        `may_have_happened`.
        """
        tries = _Tries(request, self._clock() + max(ALL_TRIES, 2 * self._request_timeout))
        try:
            return self._send(tries)
        except (ClusterError, Stopped) as error:
            error.may_have_happened = tries.uncertain
            raise

    def stream(self, request: Request, *, timeout: float, quiet: float) -> Stream:
        """The lines of a 200; one try. `timeout` and `quiet` are those of Wire.stream.

        Raises what `send` raises.
        """
        self._go_on(request)
        started, left = self._clock(), self._limit(request) - self._clock()
        self._count(request)
        try:
            opened = self._wire.stream(
                request, opening=min(self._request_timeout, left), timeout=min(timeout, left), quiet=quiet
            )
        except ClusterError as error:
            self.heard(request, "", self._clock() - started)
            error.subject = error.subject or request.purpose.subject
            raise
        status = opened.status if isinstance(opened, Answer) else HTTPStatus.OK
        self.heard(request, str(int(status)), self._clock() - started)
        if not isinstance(opened, Answer):
            return opened
        judged = self._judge(opened, request)
        raise self._no_json(request) if isinstance(judged, bytes) else judged.error

    def _send(self, tries: _Tries) -> bytes:
        request = tries.request
        while True:
            self._go_on(request)
            result = self._try(request, tries.ends)
            if isinstance(result, bytes):
                return result
            tries.add(result.error)
            if result.cut_short:
                self._end(request, result.error)
            pause = max(result.retry_after, self._backoff(tries.failed))
            pointless = result.final or tries.lost >= TRIES_OF_A_DEAD_SERVER or not _may_repeat(request, result.error)
            if pointless or self._clock() + pause >= tries.ends:
                raise result.error
            self._wait(pause, request, result.error)

    def _try(self, request: Request, ends: float) -> bytes | _Failure:
        started, limit = self._clock(), self._limit(request)
        timeout = min(self._request_timeout, ends - started, limit - started)
        self._count(request)
        try:
            answer = self._wire.exchange(request, timeout)
        except ClusterError as error:
            self.heard(request, "", self._clock() - started)
            error.subject = error.subject or request.purpose.subject
            return _Failure(error, cut_short=self._clock() >= limit)
        self.heard(request, str(answer.status), self._clock() - started)
        return self._judge(answer, request)

    def _count(self, request: Request) -> None:
        with self._counting:
            self._counts[request.method] += 1

    def _limit(self, request: Request) -> float:
        return min(self.until, self.fence()) if request.writes else self.until

    def _judge(self, answer: Answer, request: Request) -> bytes | _Failure:
        if not HTTPStatus.OK <= answer.status < HTTPStatus.MULTIPLE_CHOICES:
            error = refusal(answer, request.purpose, self.server)
            final = not isinstance(error, Throttled | ServerFailure)
            return _Failure(error, retry_after(answer.headers), final)
        if answer.body[:1] == b"{" and answer.body.rstrip()[-1:] == b"}":
            return answer.body
        return _Failure(self._no_json(request))

    def _no_json(self, request: Request) -> BadAnswer:
        return BadAnswer(
            f"{self.server} answered with something that is not JSON",
            subject=request.purpose.subject,
            remedy="is this the address of an API server?",
        )

    def _backoff(self, tries: int) -> float:
        return min(FIRST_WAIT * 2.0 ** min(tries - 1, 10) * (0.5 + self._jitter()), LONGEST_WAIT)

    def _wait(self, pause: float, request: Request, because: ClusterError) -> None:
        """The fence may have moved on by then, so it is looked at after the wait."""
        if self._clock() + pause >= self.until:
            _time_is_up(request, because)
        if self._stop.wait(pause):
            raise Stopped("stopped before another try", subject=request.purpose.subject) from because

    def _go_on(self, request: Request) -> None:
        if self._clock() >= self._limit(request):
            self._end(request, None)

    def _end(self, request: Request, because: ClusterError | None) -> NoReturn:
        """Of the two limits, the one that came first. The fence may have moved on since the write was cut short."""
        now, subject = self._clock(), request.purpose.subject
        if request.writes and self.fence() <= now and self.fence() < self.until:
            raise LeaseLost("the Lease is not held any more", subject=subject) from because
        if now < self.until:
            raise TooSlow("no answer in the time that the Lease leaves to a write", subject=subject) from because
        _time_is_up(request, because)


def _may_repeat(request: Request, error: ClusterError) -> bool:
    if isinstance(error, Throttled):
        return True
    return request.repeatable and isinstance(error, ServerFailure | Unreachable | BadAnswer)


def _time_is_up(request: Request, because: ClusterError | None) -> NoReturn:
    last = f"; the last try: {because.message}" if because else ""
    raise OutOfTime(f"the time of --timeout is up{last}", subject=request.purpose.subject) from because


def _no_fence() -> float:
    return math.inf


def _unheard(_request: Request, _status: str, _seconds: float) -> None:
    """Nobody listens."""
