"""One stream: list, then watch from there, and again, until it is closed. A thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from webappctl.core.objects import Kind, Listed, Listing, Shard, WatchEvent
from webappctl.errors import BadAnswer, Forbidden, NotFound, Throttled, Unreachable, WebappctlError
from webappctl.mirror.source import Source, Stream

FIRST_WAIT: Final = 0.5
LONGEST_WAIT: Final = 30.0
LONGEST_WAIT_FOR_OTHERS: Final = 300.0
"""Seconds until the next try where somebody has to grant a right, or to install the CRD."""
LIVED: Final = 5.0
"""Seconds after which a stream that told nothing was one all the same."""
SHORTEST_WATCH: Final = 240.0
"""Seconds; up to half as much is added by chance, so that not all streams end at once."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What a stream is about. An empty namespace: all of them."""

    kind: Kind
    namespace: str
    selector: str = ""
    shard: Shard | None = None
    """Only its namespaces are listed; a stream is of all of them."""


class Reader(Protocol):
    """Who is told, in the follower's thread."""

    def listed(self, subject: Subject, listing: Listing[Listed]) -> None: ...
    def forbidden(self, subject: Subject) -> None:
        """It may not be listed, and that is no failure. It is tried again after `try_again`."""

    def connected(self, subject: Subject) -> None: ...
    def happened(self, subject: Subject, event: WatchEvent[Listed]) -> None: ...
    def failed(self, subject: Subject, error: WebappctlError) -> None: ...
    def crashed(self, subject: Subject, error: Exception) -> None: ...


class Follower:
    """`chance` returns a number from 0 to 1."""

    def __init__(
        self,
        source: Source,
        subject: Subject,
        reader: Reader,
        clock: Callable[[], float],
        chance: Callable[[], float],
    ) -> None:
        self._source = source
        self._subject = subject
        self._reader = reader
        self._clock = clock
        self._chance = chance
        self._position = ""
        self._failures = 0
        self._lock = threading.Lock()
        self._bell = threading.Event()
        self._closed = False
        self._lost = False
        self._stream: Stream | None = None
        name = f"mirror-{subject.kind}"
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """No more is told. The thread ends at once, or with the request that it is sending."""
        with self._lock:
            self._closed = True
            stream = self._stream
        self._bell.set()
        if stream is not None:
            stream.close()

    def join(self, seconds: float) -> None:
        if self._thread.ident is not None:
            self._thread.join(seconds)

    def try_again(self) -> None:
        """Now, if it waits."""
        self._bell.set()

    def begin_anew(self) -> None:
        """With a list: where it was is no place any more."""
        with self._lock:
            self._lost = True
            stream = self._stream
        self._bell.set()
        if stream is not None:
            stream.close()

    def _run(self) -> None:
        """A fault of our own ends the thread, and must not leave behind what looks like a stream."""
        try:
            while not self._closed:
                self._follow_once()
        except Exception as error:  # noqa: BLE001 - whoever reads the mirror has to know
            self._reader.crashed(self._subject, error)

    def _follow_once(self) -> None:
        try:
            self._follow()
        except WebappctlError as error:
            if not self._closed:
                self._fail(error)

    def _follow(self) -> None:
        if self._lost:
            self._lost, self._position = False, ""
        if not self._position:
            subject = self._subject
            listing = self._source.listing(subject.kind, subject.namespace, subject.selector, shard=subject.shard)
            if listing is None:
                self._reader.forbidden(self._subject)
                self._wait(None)
                return
            self._begin_at(listing)
        if self._watched():
            self._failures = 0
        else:
            self._failures += 1
            self._wait(self._backoff(LONGEST_WAIT))

    def _begin_at(self, listing: Listing[Listed]) -> None:
        if not listing.resource_version:
            raise BadAnswer("the list has no resourceVersion", subject=str(self._subject.kind))
        if not self._closed:
            self._reader.listed(self._subject, listing)
            self._position = listing.resource_version

    def _watched(self) -> bool:
        """Until the stream ends as it should. False: it was none worth the name."""
        seconds = round(SHORTEST_WATCH * (1 + self._chance() / 2))
        subject = self._subject
        watch = self._source.watch(subject.kind, subject.namespace, subject.selector, self._position, seconds=seconds)
        with watch as stream:
            if not self._takes(stream):
                return True
            began, told = self._clock(), False
            self._reader.connected(subject)
            for event in stream:
                self._tell(event)
                told = True
        return told or self._clock() - began >= LIVED

    def _takes(self, stream: Stream) -> bool:
        with self._lock:
            self._stream = stream
            return not (self._closed or self._lost)

    def _tell(self, event: WatchEvent[Listed]) -> None:
        if not self._closed:
            self._reader.happened(self._subject, event)
            self._position, self._failures = event.resource_version, 0

    def _fail(self, error: WebappctlError) -> None:
        """After a lost connection it goes on where it was; what was refused, or cannot be read, begins with a list."""
        if not isinstance(error, Unreachable | Throttled):
            self._position = ""
        self._reader.failed(self._subject, error)
        self._failures += 1
        for_others = isinstance(error, Forbidden | NotFound)
        self._wait(self._backoff(LONGEST_WAIT_FOR_OTHERS if for_others else LONGEST_WAIT))

    def _backoff(self, longest: float) -> float:
        return max(0.0, min(FIRST_WAIT * 2.0 ** min(self._failures - 1, 10) * (0.5 + self._chance()), longest))

    def _wait(self, seconds: float | None) -> None:
        self._bell.wait(seconds)
        if not self._closed:
            self._bell.clear()
