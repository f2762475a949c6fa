"""When the next pass is due, and what it reads: everything anew on the interval, what the mirror has when it was woken.

A wake-up says "look now", never what to do. Many of them are one pass: after a pass there is a gap, half as long as it
took.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Final

JITTER: Final = 0.1
"""Of the interval, either way, so that many watchers do not list in step."""
SHORTEST_GAP: Final = 0.1
"""Seconds between a pass and one that it was woken for meanwhile."""
LONGEST_GAP: Final = 10.0
GAP: Final = 0.5
"""Of what the pass took, so that at most two thirds of the time go into passes, however fast the changes come."""
GLANCE: Final = 1.0
"""Seconds; a signal's handler may ring in the very moment before the wait, and is heard that much later."""


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
        ends = time.monotonic() + seconds
        with self._changed:
            while not self._rung and (left := ends - time.monotonic()) > 0:
                self._changed.wait(min(left, GLANCE))
            self._rung = False


def _always() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Conditions:
    """`may_run`: not while another has the Lease. `listed`: there is a list for the pass that is due, or else one is
    being made, and rings the alarm when it is there. `remembers`: there is something to read for one that was woken.
    """

    may_run: Callable[[], bool] = _always
    listed: Callable[[], bool] = _always
    remembers: Callable[[], bool] = _always


ALWAYS: Final = Conditions()


class Schedule:
    """The times of the passes of one `watch`. `interval` is in seconds, from the end of a pass that lists to the start
    of the next; `chance` returns a number from 0 to 1.
    """

    def __init__(
        self,
        interval: float,
        *,
        stop: threading.Event,
        chance: Callable[[], float],
        conditions: Conditions = ALWAYS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.alarm = Alarm()
        self._interval = interval
        self._stop = stop
        self._chance = chance
        self._conditions = conditions
        self._clock = clock
        self._woken = threading.Event()
        self._listing_due = -math.inf
        self._quiet_until = -math.inf
        self._wake_at = math.inf

    @property
    def next_listing(self) -> float:
        """The instant of the clock at which everything is listed again."""
        return self._listing_due

    def wake(self) -> None:
        """Something may have changed."""
        self._woken.set()
        self.alarm.ring()

    def wake_at(self, instant: float) -> None:
        """Then something can be done that could not be done before. It takes the place of the last such instant."""
        self._wake_at = instant

    def begin_anew(self) -> None:
        """It has not run for a while: it acts on what is remembered, and everything is listed."""
        self._listing_due = -math.inf
        self.wake()

    def next(self) -> Source | None:
        """Wait until a pass is due. None: it is time to stop."""
        while not self._stop.is_set():
            if not self._conditions.may_run():
                self.alarm.wait(math.inf)
                continue
            until_listing, until_woken = self._until_listing(), self._until_woken()
            if until_listing <= 0:
                return self._begin(Source.LIST)
            if until_woken <= 0:
                return self._begin(Source.MIRROR)
            self.alarm.wait(min(until_listing, until_woken))
        return None

    def ended(self, source: Source, seconds: float) -> None:
        """A pass is over that took so long, whatever came of it."""
        now = self._clock()
        self._quiet_until = now + min(max(GAP * seconds, SHORTEST_GAP), LONGEST_GAP)
        if source is Source.LIST:
            self._listing_due = now + self._interval * (1 + JITTER * (2 * self._chance() - 1))

    def _begin(self, source: Source) -> Source:
        # Before it reads: what changes from here on is for the next pass.
        self._woken.clear()
        self._wake_at = math.inf
        return source

    def _until_listing(self) -> float:
        """Seconds. What is being listed rings when it is there."""
        left = self._listing_due - self._clock()
        return left if left > 0 or self._conditions.listed() else math.inf

    def _until_woken(self) -> float:
        """Seconds. What cannot be remembered yet wakes again when it can."""
        if not self._conditions.remembers():
            return math.inf
        woken_at = -math.inf if self._woken.is_set() else self._wake_at
        return max(woken_at, self._quiet_until) - self._clock()
