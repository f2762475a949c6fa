"""A candidate in a thread of its own, for a command that ends or for one that does not."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from webappctl.core.lease import Lease
from webappctl.errors import Forbidden, LeaseHeld, Refused, Stopped, Unreachable, WebappctlError
from webappctl.leader.candidate import Candidate
from webappctl.leader.store import LeaseStore
from webappctl.leader.timing import Timing

log = logging.getLogger(__name__)

RELEASE: Final = 2.0
"""Seconds that giving it up may take; then it ends by itself, some seconds later."""
OVERDUE: Final = 8
"""Lease durations; every request has an end long before."""
GLANCE: Final = 0.2
"""Seconds between looks at `stop`, while a one-shot waits for the Lease."""


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Elector:
    """`on_change` is called, by the elector's thread, whenever `leading`, `holder`, `awaited` or `conflict` may differ.

    All that is sent comes from that thread, one after the other, the release as the last: nothing can take the Lease
    after it. Whoever writes under the Lease calls `release` when the writing has ended, also after a `conflict`.
    `trouble` is the last error while there is one, and `conflict` why we may never have the Lease: both are one line.
    `crash` is what ended the thread before its time.
    """

    def __init__(
        self,
        store: LeaseStore,
        timing: Timing,
        who: str,
        *,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = _utc_now,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        self.who = who
        self.trouble = ""
        self.conflict = ""
        self.crash: Exception | None = None
        self.on_change = on_change
        self._store = store
        self._timing = timing
        self._clock = clock
        self._candidate = Candidate(store, timing, who, clock, now)
        self._ended = threading.Event()
        """We are no candidate any more, and hold nothing."""
        self._work_ended = threading.Event()
        """What was written under it is done, so that others may have it."""
        self._turned = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lease", daemon=True)
        self._error: WebappctlError | None = None
        self._told: tuple[object, ...] = (False, "", None, "")
        self._acquire_until = -math.inf
        self._turned_at = math.inf
        self._told_blind = False

    @property
    def overdue(self) -> bool:
        """It does not even look at the Lease any more, which it does however little the API server answers."""
        return self._clock() - self._turned_at > OVERDUE * self._timing.lease and not self._ended.is_set()

    @property
    def lease(self) -> str:
        """`namespace/name`."""
        return f"{self._store.namespace}/{self._store.name}"

    @property
    def leading(self) -> bool:
        return self.fence() > self._clock()

    @property
    def holder(self) -> str:
        """Who holds it, as last seen; empty when it is free, or nobody knows."""
        seen = self._candidate.seen
        return seen.holder if seen else ""

    @property
    def awaited(self) -> Lease | None:
        """The Lease of another that has to end before we can have ours."""
        return self._candidate.awaited

    def fence(self) -> float:
        """The instant of the clock until which we surely hold it; long ago when we do not."""
        return self._candidate.fence()

    @property
    def term(self) -> int:
        """Another number each time that we got it, so that it is known of a loss which nobody noticed."""
        return self._candidate.term

    def campaign(self) -> None:
        """Be a candidate until `release`, whatever the API server does."""
        self._thread.start()

    def acquire(self, within: float, stop: threading.Event) -> None:
        """Have it within so many seconds, and renew it until `release`.

        Raises LeaseHeld when another has it all the time, or others run in another mode; Stopped when `stop` is set;
        any other error as soon as there is one.
        """
        self._acquire_until = self._clock() + within
        self._thread.start()
        try:
            while not self.leading:
                self._wait_for_a_turn(stop)
        except Exception:
            self.release()
            raise
        self._acquire_until = -math.inf

    def release(self) -> None:
        """End, and give it up if we have it: for others it is free at once. May be called at any time, and again.

        When a turn is under way that takes too long, it is given up as soon as that has ended, if we live as long.
        """
        self._end()
        self._work_ended.set()
        if self._thread.ident is not None:
            self._thread.join(RELEASE)

    def _end(self) -> None:
        self._candidate.end()
        self._ended.set()

    def _wait_for_a_turn(self, stop: threading.Event) -> None:
        if stop.is_set():
            raise Stopped("stopped while waiting for the Lease", subject=self.lease)
        left = self._acquire_until - self._clock()
        if left <= 0:
            raise self._not_in_time()
        self._turned.wait(min(left, GLANCE))
        self._turned.clear()
        if self.crash is not None:
            raise self.crash
        if self._error is not None:
            raise self._error

    def _not_in_time(self) -> WebappctlError:
        lease = self.awaited
        if lease is None:
            return Unreachable("the Lease could not be acquired in time", subject=self.lease)
        since = f" since {lease.acquired}" if lease.acquired else ""
        remedy = "wait until it is done, wait longer with --lock-timeout, or go without the Lease with --no-lock"
        return LeaseHeld(f"the Lease is held by {lease.holder}{since}", subject=str(lease), remedy=remedy)

    def _run(self) -> None:
        try:
            while not self._ended.is_set():
                pause = self._turn()
                self._turned_at = self._clock()
                self._tell()
                self._turned.set()
                self._ended.wait(self._until_fence(pause))
        except Exception as error:  # noqa: BLE001 - a bug; whoever waits for this thread would wait in vain
            self.crash = error
            self._turned.set()
            self.on_change()
        self._work_ended.wait()
        self._give_back()

    def _give_back(self) -> None:
        keys = {"lease": self.lease}
        try:
            self._candidate.release(RELEASE / 2)
        except Forbidden as error:
            keys["error"] = str(error)
            log.warning("Lease not released, others wait until it has run out", extra={"keys": keys})
        except WebappctlError as error:
            keys["error"] = str(error)
            log.debug("Lease not released", extra={"keys": keys})

    def _turn(self) -> float:
        try:
            pause = self._candidate.turn(self._patience())
        except Refused as error:
            self._error, self.conflict = error, str(error)
            self._end()
        except WebappctlError as error:
            self._begin_trouble(error)
        else:
            self._end_trouble()
            return pause
        return self._timing.retry

    def _patience(self) -> float:
        """A one-shot that waits for the Lease has nearly all of its time for one request: an error is told in time."""
        left = self._acquire_until - self._clock()
        return max(left - 1.0, 1.0) if left > 0 else self._timing.patience

    def _until_fence(self, pause: float) -> float:
        """As short as that, so that the loss of it is noticed when it happens."""
        left = self.fence() - self._clock()
        return min(pause, left) if left > 0 else pause

    def _begin_trouble(self, error: WebappctlError) -> None:
        before, self._error, self.trouble = self._error, error, str(error)
        waiting = self._acquire_until > self._clock() and not self.leading  # then the command says it
        if not waiting and (type(error), error.subject) != (type(before), before.subject if before else ""):
            log.warning("Lease cannot be read or written", extra={"keys": {"lease": self.lease, "error": str(error)}})

    def _end_trouble(self) -> None:
        if self.trouble:
            log.info("Lease can be read and written again", extra={"keys": {"lease": self.lease}})
        self._error, self.trouble = None, ""

    def _tell(self) -> None:
        now = (self.leading, self.holder, self.awaited, self.conflict)
        before, self._told = self._told, now
        was_leading, last_holder = before[:2]
        keys = {"lease": self.lease, "holder": self.holder}
        if now[0] and not was_leading:
            log.info("Leading", extra={"keys": keys})
        elif was_leading and not now[0]:
            log.warning("Not leading any more", extra={"keys": keys})
        if now[0]:
            self._tell_if_blind()
        if self.holder not in ("", self.who, last_holder):
            log.info("Following", extra={"keys": keys})
        if now != before:
            self.on_change()

    def _tell_if_blind(self) -> None:
        """Once. Before we lead there is nothing at risk, and what we may not do may end us anyway."""
        if self._candidate.blind and not self._told_blind:
            self._told_blind = True
            keys = {"lease": self.lease, "error": self._candidate.blind}
            log.warning("Shards that write to the same WebApps would not be noticed", extra={"keys": keys})
