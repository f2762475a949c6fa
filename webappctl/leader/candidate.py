"""The state of one that holds the Lease or waits for it: what to do next, and until when it may write."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from webappctl.core.lease import Json, Lease, Sighting, Step, created, decide, held, read_lease, released
from webappctl.errors import ClusterError, Conflict
from webappctl.leader.rivals import Rivals
from webappctl.leader.store import LeaseStore
from webappctl.leader.timing import Timing

LOOKS: Final = 3
"""At a Lease that moves each time between reading and writing it, before the next turn."""


class Candidate:
    """Of one thread; only `fence()`, `end()`, `term`, `awaited`, `seen` and `blind` are for others too.

    `awaited` is the Lease of another that has to end first; `seen` is ours, as it was last seen. `term` counts how
    often we got it: it is another one when it was lost in between, if only for a moment.
    """

    def __init__(
        self,
        store: LeaseStore,
        timing: Timing,
        who: str,
        clock: Callable[[], float],
        now: Callable[[], datetime],
    ) -> None:
        self._store = store
        self._timing = timing
        self._who = who
        self._clock = clock
        self._now = now
        self._rivals = Rivals(store, timing.lease, clock)
        self._unrivalled_in = ""
        """The namespace in which no rival was found before we had the Lease."""
        self._alone = False
        """No rival was found after that."""
        self._live: Json | None = None
        """The Lease as it is stored, where that is known: it must be read again after any trouble."""
        self._sighting: Sighting | None = None
        self._sent: tuple[str, float] = ("", -math.inf)
        """The renewTime of our last write, and when it was sent."""
        self._renewed = -math.inf
        self._ended = False
        self.term = 0
        self.awaited: Lease | None = None

    def fence(self) -> float:
        """Until when we surely have it: it counts from the sending of the last renewal that succeeded."""
        return -math.inf if self._ended else self._renewed + self._timing.renew_deadline

    def end(self) -> None:
        """From here on we have it no more, whatever comes, and a turn that is under way does not take it again."""
        self._ended = True

    @property
    def blind(self) -> str:
        """Why it is not known whether there are rivals, where we go on without; else empty."""
        return self._rivals.blind

    @property
    def seen(self) -> Lease | None:
        return self._sighting.lease if self._sighting else None

    def turn(self, timeout: float) -> float:
        """Acquire, renew, or look whether it can be had; the seconds until the next turn.

        `timeout` is that of each request. Raises Refused when we must not have it, because others run in another
        mode; otherwise a WebappctlError after which the next turn may succeed.
        """
        renewing = self.fence() > self._clock()
        for _ in range(LOOKS):
            if not self._unrivalled(timeout):
                return self._timing.retry
            try:
                pause = self._step(timeout)
            except Conflict:
                self._live = None
                continue
            if renewing:
                self._look_around_once_more(timeout)
            return pause
        return self._timing.retry

    def release(self, timeout: float) -> None:
        """Give it up, and say so if it is ours by what is stored."""
        self.end()
        if not self._sent[0]:
            return
        live = self._store.get(timeout)
        if live is not None and read_lease(live).holder == self._who:
            self._see(self._store.replace(released(live, self._time()), timeout))
        self._live, self._sent = None, ("", -math.inf)

    def _step(self, timeout: float) -> float:
        asked = self._clock()
        if self._live is None:
            self._read(timeout)
        seen, own = self._sighting, self._timing.lease
        step = decide(seen, self._who, asked, own)
        if seen is None or step is not Step.WAIT:
            self._write(step, timeout)
            return self._timing.retry
        self._live, self.awaited = None, seen.lease
        return min(max(seen.left(self._clock(), own), 0.0), self._timing.retry)

    def _write(self, step: Step, timeout: float) -> None:
        """Raises Conflict when it has to be read and decided again."""
        if self._ended:
            return
        store, now, seconds = self._store, self._time(), self._timing.lease
        live, self._live = self._live, None
        self._sent = (now, self._clock())
        try:
            if step is Step.CREATE or live is None:
                stored = store.create(created(store.namespace, store.name, self._who, seconds, now), timeout)
            else:
                stored = store.replace(held(live, self._who, seconds, now), timeout)
        except Conflict:
            raise
        except ClusterError as error:
            if not error.may_have_happened:
                raise
            self._read(timeout)
            if not self._is_in_force(now):
                raise
            return
        self._live = stored
        self._see(stored)

    def _read(self, timeout: float) -> None:
        self._live = self._store.get(timeout)
        if self._live is None:
            self._sighting, self._renewed = None, -math.inf
        else:
            self._see(self._live)

    def _see(self, live: Json) -> None:
        """A record with the renewTime that we sent is our renewal, whatever was answered to it."""
        lease, now = read_lease(live), self._clock()
        self._sighting = self._sighting.again(lease, now) if self._sighting else Sighting(lease, now)
        if lease.holder != self._who:
            self._renewed = -math.inf
        elif self._is_in_force(self._sent[0]):
            if self._sent[1] >= self._renewed + self._timing.renew_deadline:
                self.term += 1  # first: whoever sees the new fence has to see the new term
            self._renewed, self.awaited = max(self._renewed, self._sent[1]), None

    def _is_in_force(self, renewal: str) -> bool:
        seen = self.seen
        return seen is not None and bool(renewal) and (seen.holder, seen.renewed) == (self._who, renewal)

    def _unrivalled(self, timeout: float) -> bool:
        """Before the first acquisition. Where the Lease is kept is known for sure only when there is one."""
        if self._unrivalled_in == self._store.namespace:
            return True
        self.awaited = self._rivals.undecided(timeout)
        if self.awaited is None:
            self._unrivalled_in = self._store.namespace
        return self.awaited is None

    def _look_around_once_more(self, timeout: float) -> None:
        """After the first acquisition: of two that start together, the later one sees the other for certain."""
        if not self._alone:
            self._alone = self._rivals.undecided(timeout) is None

    def _time(self) -> str:
        return self._now().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
