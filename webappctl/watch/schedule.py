"""When the next pass is due, and what it reads: everything anew on the interval, what the mirror has when it was woken.

A wake-up says "look now", never what to do. Many of them are one pass: after a pass there is a gap, as long as it took.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from enum import Enum
from typing import Final

JITTER: Final = 0.1
"""Of the interval, either way, so that many watchers do not list in step."""
SHORTEST_GAP: Final = 0.1
"""Seconds between a pass and one that it was woken for meanwhile."""
LONGEST_GAP: Final = 10.0


class Source(Enum):
    """What a pass reads."""

    LIST = "list"
    MIRROR = "mirror"


class Alarm:
    """Wakes the one that waits for it. May be rung from any thread, and by a handler of signals."""

    def __init__(self) -> None:
        # Reentrant: a signal's handler may ring while the thread that it interrupts is about to wait.
        self._changed = threading.Condition(threading.RLock())
        self._rung = False

    def ring(self) -> None:
        with self._changed:
            self._rung = True
            self._changed.notify_all()

    def wait(self, seconds: float) -> None:
        """Until it rings, at most so long. It need not ring again for what it rang for."""
        with self._changed:
            if not self._rung:
                self._changed.wait(None if seconds == math.inf else max(seconds, 0.0))
            self._rung = False


class Schedule:
    """The times of the passes of one `watch`. `interval` is in seconds, from the end of a pass that lists to the start
    of the next; `may_run`: not while another has the Lease; `chance` returns a number from 0 to 1.
    """

    def __init__(
        self,
        interval: float,
        *,
        stop: threading.Event,
        may_run: Callable[[], bool] = lambda: True,
        chance: Callable[[], float],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.alarm = Alarm()
        self._interval = interval
        self._stop = stop
        self._may_run = may_run
        self._chance = chance
        self._clock = clock
        self._woken = threading.Event()
        self._listing_due = -math.inf
        self._quiet_until = -math.inf

    @property
    def next_listing(self) -> float:
        """The instant of the clock at which everything is listed again."""
        return self._listing_due

    def wake(self) -> None:
        """Something may have changed."""
        self._woken.set()
        self.alarm.ring()

    def next(self) -> Source | None:
        """Wait until a pass is due. None: it is time to stop."""
        while not self._stop.is_set():
            now = self._clock()
            pause = self._pause(now)
            if pause <= 0:
                # Before it reads: what changes from here on is for the next pass.
                self._woken.clear()
                return Source.LIST if now >= self._listing_due else Source.MIRROR
            self.alarm.wait(pause)
        return None

    def ended(self, source: Source, seconds: float) -> None:
        """A pass is over that took so long, whatever came of it."""
        now = self._clock()
        self._quiet_until = now + min(max(seconds, SHORTEST_GAP), LONGEST_GAP)
        if source is Source.LIST:
            self._listing_due = now + self._interval * (1 + JITTER * (2 * self._chance() - 1))

    def _pause(self, now: float) -> float:
        if not self._may_run():
            return math.inf
        until_woken = self._quiet_until - now if self._woken.is_set() else math.inf
        return min(self._listing_due - now, until_woken)
