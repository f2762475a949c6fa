"""The mirror as a whole: its streams fill it, passes read it, compare it with lists, and tell it what they wrote."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from typing import Final

from webappctl.core.objects import Kind, Listed, Listing, Lists, ObjectKey, Scope, Snapshot, WatchEvent
from webappctl.errors import Unreachable, WebappctlError
from webappctl.mirror.contents import Contents, Mark
from webappctl.mirror.follower import Follower, Subject
from webappctl.mirror.source import Source

LONGEST_END: Final = 5.0
"""Seconds that all threads together get to end."""


class Mirror:
    """Safe to be used by several threads. Nothing is sent before `start`.

    `wake` is called, in the threads of the mirror, when something changed that a pass looks at; not for what the mirror
    was told by `took` and `lost`. `chance` returns a number from 0 to 1.
    """

    def __init__(
        self,
        source: Source,
        scope: Scope,
        *,
        wake: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.crash: Exception | None = None
        """The bug that ended one of its threads; who is woken has to look."""
        self._wake = wake
        self._clock = clock
        self._lock = threading.Lock()
        self._contents = Contents(scope, clock())
        subjects = self._contents.standings
        self._followers = {subject: Follower(source, subject, self, clock, chance) for subject in subjects}
        self._differences = 0

    def start(self) -> None:
        for follower in self._followers.values():
            follower.start()

    def close(self) -> None:
        """A thread that is sending a request ends with it, and is not waited for any longer than a moment."""
        ends = time.monotonic() + LONGEST_END
        for follower in self._followers.values():
            follower.close()
        for follower in self._followers.values():
            follower.join(max(0.0, ends - time.monotonic()))

    @property
    def filled(self) -> bool:
        """Each kind was listed, and is served since."""
        with self._lock:
            return self._contents.filled

    @property
    def live(self) -> bool:
        """It is filled, and no stream is down. Autoscalers that may not be listed need none."""
        with self._lock:
            return self._contents.filled and all(standing.well for standing in self._contents.standings.values())

    @property
    def trouble(self) -> str:
        """The newest error of a stream that is down, as one line; empty when none is."""
        with self._lock:
            down = [standing for standing in self._contents.standings.values() if standing.trouble]
            return max(down, key=lambda standing: standing.failed_at).trouble if down else ""

    @property
    def differences(self) -> int:
        """All that `compare` found so far."""
        with self._lock:
            return self._differences

    def age(self) -> float:
        """Seconds since the stream that has been silent for longest said anything."""
        with self._lock:
            now, standings = self._clock(), self._contents.standings.values()
            return max((now - standing.heard_at for standing in standings if not standing.forbidden), default=0.0)

    def snapshot(self) -> Snapshot:
        """Raises Unreachable where a kind is unknown: that must not be taken for empty."""
        with self._lock:
            if not self._contents.filled:
                raise Unreachable("not every kind could be listed so far", subject="mirror")
            return self._contents.snapshot()

    def mark(self) -> Mark:
        """For `compare`: to be taken before anything is listed."""
        with self._lock:
            return self._contents.mark()

    def compare(self, lists: Lists, before: Mark | None = None) -> int:
        """Heal what differs; how many of the differences the streams should have told before.

        Lists are compared in the order in which they were made. `before`: the mark of the moment before they were.
        """
        with self._lock:
            set_back = self._contents.set_back(lists, before or {})
            found = self._contents.compare(lists)
            self._differences += found
            worth_a_try = self._contents.worth_a_try(lists)
        for subject in set_back:
            self._followers[subject].begin_anew()
        for subject in worth_a_try:
            self._followers[subject].try_again()
        return found

    def uid(self, kind: Kind, key: ObjectKey) -> str:
        """Of the object that it holds; empty when it holds none."""
        with self._lock:
            held = self._contents.held(kind, key)
            return "" if held is None else held.metadata.uid

    def took(self, kind: Kind, found: Listed) -> None:
        """The cluster answered a read or a write with this state of an object."""
        with self._lock:
            self._contents.took(kind, found)

    def lost(self, kind: Kind, key: ObjectKey, uid: str) -> None:
        """The cluster has the object of that uid no more."""
        with self._lock:
            self._contents.lost(kind, key, uid)

    def listed(self, subject: Subject, listing: Listing[Listed]) -> None:
        """For followers, as are the four below."""
        with self._lock:
            worth_it = self._contents.listed(subject, listing, self._clock())
        self._wake_if(worth_it=worth_it)

    def forbidden(self, subject: Subject) -> None:
        with self._lock:
            worth_it = self._contents.forbidden(subject, self._clock())
        self._wake_if(worth_it=worth_it)

    def connected(self, subject: Subject) -> None:
        with self._lock:
            self._contents.standings[subject].connected(self._clock())

    def happened(self, subject: Subject, event: WatchEvent[Listed]) -> None:
        with self._lock:
            worth_it = self._contents.happened(subject, event, self._clock())
        self._wake_if(worth_it=worth_it)

    def crashed(self, subject: Subject, error: Exception) -> None:
        self.crash = error
        self.failed(subject, WebappctlError(f"its thread has ended by a fault of this program: {type(error).__name__}"))
        self._wake()

    def failed(self, subject: Subject, error: WebappctlError) -> None:
        with self._lock:
            self._contents.failed(subject, error, self._clock())

    def _wake_if(self, *, worth_it: bool) -> None:
        if worth_it:
            self._wake()
