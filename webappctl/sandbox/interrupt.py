"""SIGINT, SIGTERM and SIGHUP while processes are being started or stopped: nothing is torn in the middle.

A handler that raises could do so between a child's start and the moment its pid is noted. So handlers here only make a
note; every wait of this package looks at it (`pause`, `check`) and raises Stopped; and when everything is cleaned up
the signal is delivered again to whoever wanted it.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any

from webappctl.errors import SandboxError, Stopped

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

Handlers = Mapping[signal.Signals, Callable[[int, FrameType | None], Any] | int]


class Interruption:
    """The first signal that came (0: none). Waits go through it, and each has a deadline."""

    def __init__(self, former: Handlers | None = None) -> None:
        self.signum = 0
        self._former = former or {}

    def check(self) -> None:
        """Raises Stopped once a signal has come."""
        if self.signum:
            raise Stopped(f"interrupted by {signal.Signals(self.signum).name}")

    def pause(self, seconds: float) -> None:
        """Sleeps, then checks; for polls of fractions of a second."""
        time.sleep(seconds)
        self.check()

    def until(self, true: Callable[[], bool], *, seconds: float, late: Callable[[], str], every: float = 0.02) -> None:
        """Polls `true`; raises SandboxError with the text of `late()` after `seconds`."""
        deadline = time.monotonic() + seconds
        while not true():
            if time.monotonic() > deadline:
                raise SandboxError(late())
            self.pause(every)

    @contextmanager
    def released(self) -> Iterator[None]:
        """The caller's handlers again, for a block of his. One that would kill without `finally` raises Stopped."""
        try:
            _install({s: self._raise if h is signal.SIG_DFL else h for s, h in self._former.items()})
            yield
        finally:
            self.defer()

    def defer(self) -> None:
        _install(dict.fromkeys(self._former, self._note))

    def restore(self) -> None:
        """The caller's handlers for good, and the signal that came meanwhile to them."""
        _install(self._former)
        if self.signum:
            signal.raise_signal(self.signum)

    def _note(self, signum: int, _frame: FrameType | None) -> None:
        self.signum = self.signum or signum

    def _raise(self, signum: int, frame: FrameType | None) -> None:
        self._note(signum, frame)
        self.check()


@contextmanager
def deferred() -> Iterator[Interruption]:
    """Signals only make a note inside; what came is delivered again at the end.

    Outside the main thread, where no handler runs, it does nothing. An ignored signal stays ignored (`nohup`), and so
    does a handler alone that was not installed from Python.
    """
    if threading.current_thread() is not threading.main_thread():
        yield Interruption()
        return
    handlers = {s: signal.getsignal(s) for s in _SIGNALS}
    interruption = Interruption({s: h for s, h in handlers.items() if h is not None and h is not signal.SIG_IGN})
    interruption.defer()
    try:
        yield interruption
    finally:
        interruption.restore()


def _install(handlers: Handlers) -> None:
    for signum, handler in handlers.items():
        signal.signal(signum, handler)
