"""Watches of an API server in memory, and what may become of them on their way."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator

from tests.double.fields import Obj
from tests.double.happenings import Watched
from webappctl.errors import BadAnswer, ClusterError, Unreachable


class Streams:
    """Those that are open. `plural` names the kind: `webapps`."""

    def __init__(self, moved: threading.Condition) -> None:
        self._moved = moved
        self._open: list[DoubleStream] = []

    def opened(self, watched: Watched) -> DoubleStream:
        stream = DoubleStream(watched, self._moved)
        self._open.append(stream)
        self._moved.notify_all()
        return stream

    def of(self, plural: str, *, seconds: float = 10) -> DoubleStream:
        """The one that is open now, or within that time."""

        def found() -> DoubleStream | None:
            mine = [stream for stream in self._open if stream.plural == plural and not stream.ended]
            return mine[-1] if mine else None

        with self._moved:
            assert self._moved.wait_for(found, seconds), f"there is no stream of {plural}"
            stream = found()
            assert stream is not None
            return stream


class DoubleStream:
    """A Stream as a test would have it.

    `silent`: it tells nothing more, as if the line were dead. `deaf`: it leaves things out, as no API server does.
    """

    def __init__(self, watched: Watched, moved: threading.Condition) -> None:
        self.plural = watched.kind.resource.plural
        self.silent = False
        self.deaf = False
        self.ended = False
        self._watched = watched
        self._moved = moved
        self._idle = False
        self._error: ClusterError | None = None
        self._waiting: list[bytes] = []

    def __enter__(self) -> DoubleStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """As the server ends it in good time, too."""
        with self._moved:
            self.ended = True
            self._moved.notify_all()

    def cut(self) -> None:
        """In the middle of a line."""
        self._fail(BadAnswer("the answer of the double was cut"))

    def lose(self) -> None:
        """The connection breaks, or the wire has had enough of the silence."""
        self._fail(Unreachable("the double has fallen silent"))

    def bookmark(self) -> None:
        """Which comes after all that happened until now."""
        with self._moved:
            self._waiting.append(b"")
            self._moved.notify_all()

    def say(self, line: bytes) -> None:
        """Something that is none of its events."""
        with self._moved:
            self._waiting.append(line)
            self._moved.notify_all()

    def told(self, *, seconds: float = 10) -> None:
        """Wait until all that happened was told, and whoever reads it asks for more."""
        with self._moved:
            self._idle = False
            self._moved.notify_all()
            assert self._moved.wait_for(lambda: self._idle or self.ended, seconds), f"nobody reads {self.plural}"

    def __iter__(self) -> Iterator[bytes]:
        with self._moved:
            too_old = self._watched.too_old()
        if too_old is not None:
            yield _line(too_old)
            return
        ends = time.monotonic() + self._watched.seconds
        while lines := self._next(ends):
            yield from lines
        if self._error is not None:
            raise self._error

    def _next(self, ends: float) -> list[bytes]:
        """Empty: it is over."""
        with self._moved:
            self._idle = False
            while not self.ended:
                lines = self._lines()
                if lines:
                    return lines
                if not self._idle:
                    self._idle = True
                    self._moved.notify_all()
                if not self._moved.wait(max(ends - time.monotonic(), 0.0)):
                    self.ended = True
                    return [_line(self._watched.bookmark())] if self._watched.wants_bookmarks else []
        return []

    def _lines(self) -> list[bytes]:
        if self.silent:
            return []
        news = [_line(event) for event in self._watched.news() if not self.deaf]
        lines = [*news, *(line or _line(self._watched.bookmark()) for line in self._waiting)]
        self._waiting = []
        return lines

    def _fail(self, error: ClusterError) -> None:
        with self._moved:
            self._error = error
            self.close()


def _line(event: Obj) -> bytes:
    return json.dumps(event).encode()
