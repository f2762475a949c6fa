"""What every command runs in: errors become one line and an exit code, signals an orderly end."""

from __future__ import annotations

import functools
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Final, NoReturn, ParamSpec

import typer

from webappctl.errors import Refused, UsageError, WebappctlError

if TYPE_CHECKING:
    from webappctl.cluster import Cluster

P = ParamSpec("P")

GRACE: Final = 10.0
"""Seconds that the writes in flight have to end after a signal."""


def say(line: str) -> None:
    """Talk goes to stderr; stdout is for the result."""
    from webappctl.render import safe

    print(safe(line), file=sys.stderr, flush=True)


def guarded(command: Callable[P, int]) -> Callable[P, None]:
    """A command that returns its exit code, and whose errors are one line on stderr."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            code = command(*args, **kwargs)
        except WebappctlError as error:
            say(f"webappctl: {error}")
            code = _code_of(error)
        except KeyboardInterrupt:
            code = 128 + signal.SIGINT
        raise typer.Exit(code)

    return run


def _code_of(error: WebappctlError) -> int:
    match error:
        case UsageError():
            return 2
        case Refused():
            return 4
        case _:
            return 1


class Interrupts:
    """SIGINT and SIGTERM. While only reading, they end the command at once; while writing, after the writes in flight.

    A second signal ends it at once in any case, and so does GRACE running out. `number` is the signal's, 0 for none.
    """

    def __init__(self) -> None:
        self.stop = threading.Event()
        self.number = 0
        self._writing = False

    @contextmanager
    def handled(self) -> Iterator[None]:
        before = {number: signal.signal(number, self._handle) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    @contextmanager
    def writing(self) -> Iterator[None]:
        self._writing = True
        try:
            yield
        finally:
            self._writing = False

    @property
    def exit_code(self) -> int:
        return 128 + self.number

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        if self.number:
            self._end_now("interrupted again, the outcome of the writes in flight is unknown")
        self.number = number
        if not self._writing:
            self._end_now("interrupted, nothing was written")
        self.stop.set()
        timer = threading.Timer(GRACE, self._end_now, ["the writes in flight did not end, their outcome is unknown"])
        timer.daemon = True
        timer.start()

    def _end_now(self, why: str) -> NoReturn:
        # A thread that waits for a server cannot be ended, and the interpreter would wait for it.
        os.write(sys.stderr.fileno(), f"webappctl: {why}\n".encode())
        os._exit(self.exit_code)


def open_cluster(
    interrupts: Interrupts,
    *,
    kubeconfig: str | None,
    context: str | None,
    workers: int,
    request_timeout: float,
    timeout: float | None = None,
) -> Cluster:
    """The cluster that the options name. `timeout` is in seconds from now, for everything that is asked of it."""
    from webappctl import cluster

    return cluster.open_cluster(
        kubeconfig=kubeconfig,
        context=context,
        workers=workers,
        request_timeout=request_timeout,
        stop=interrupts.stop,
        until=None if timeout is None else time.monotonic() + timeout,
    )
