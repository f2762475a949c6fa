"""What every command runs in: errors become one line and an exit code, signals an orderly end."""

from __future__ import annotations

import functools
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Final, NoReturn, ParamSpec, TextIO

import typer

from webappctl.errors import LeaseLost, Refused, Stopped, UsageError, WebappctlError

if TYPE_CHECKING:
    from webappctl.cluster import Cluster

P = ParamSpec("P")

ERROR: Final = 1
USAGE: Final = 2
REFUSED: Final = 4

CODES: Final = ((UsageError, USAGE), (Refused, REFUSED), (LeaseLost, REFUSED))

GRACE: Final = 7.0
"""Seconds that the writes in flight have to end after a signal; a container runtime kills after 10."""
LAST: Final = 2.0
"""Seconds for what has to be done even before an end without any cleaning up."""
GRACE_OF_READS: Final = 0.5
"""Seconds that a loop has to end by itself after a signal, when it writes nothing, or no more."""


def say(line: str) -> None:
    """Talk goes to stderr; stdout is for the result."""
    from webappctl.render import safe

    write(sys.stderr, [safe(line)])


_unwritable: list[str] = []
"""What could not be printed, and why."""


def write(stream: TextIO, lines: Iterable[str]) -> None:
    """Print them. A stream that takes no more is no reason to stop half-way: what is left of it goes nowhere."""
    try:
        stream.writelines(f"{line}\n" for line in lines)
        stream.flush()
    except OSError as error:
        if not isinstance(error, BrokenPipeError):  # of a reader that has gone (`| head`), nobody needs to hear
            _unwritable.append(f"cannot write to {stream.name.strip('<>')}: {error.strerror}")
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def guarded(command: Callable[P, int]) -> Callable[P, None]:
    """A command that returns its exit code, and whose errors are a line on stderr (with log lines after it, if any)."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            code = command(*args, **kwargs)
        except WebappctlError as error:
            for line in f"webappctl: {error}".splitlines():
                say(line)
            code = next((code for kind, code in CODES if isinstance(error, kind)), ERROR)
        except OSError as error:
            say(f"webappctl: {error.filename or 'a file'}: {error.strerror or error}")
            code = ERROR
        except KeyboardInterrupt:
            code = 128 + signal.SIGINT
        for problem in _unwritable:
            say(f"webappctl: {problem}")
            code = code or ERROR
        raise typer.Exit(code)

    return run


def end_login_plugins() -> None:
    """Before an end without any cleaning up."""
    # No import here: the main thread may be in the middle of the same import. Not loaded means none runs.
    plugins = sys.modules.get("webappctl.cluster.plugin")
    if plugins is not None and hasattr(plugins, "kill_login_plugins"):
        plugins.kill_login_plugins()


class Interrupts:
    """SIGINT, SIGTERM, SIGHUP. While reading, they end the command at once; while writing, after the rows in progress.

    `loop`: a command that a signal is the way to end, with 0. A second signal ends any command at once, and so does
    GRACE running out. `number` is the signal's, 0 for none.
    """

    def __init__(self, *, loop: bool = False) -> None:
        self.stop = threading.Event()
        self.number = 0
        self.woken: Callable[[], None] = lambda: None
        """Called after `stop` was set, by the handler of the signal."""
        self.last: Callable[[], None] = lambda: None
        """What has to be done even before an end without any cleaning up, unless writes are in flight."""
        self._loop = loop
        self._writing = False
        self._wrote = False
        self._timer: threading.Timer | None = None

    @contextmanager
    def handled(self) -> Iterator[None]:
        before = {
            number: signal.signal(number, self._handle)
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
            if signal.getsignal(number) is not signal.SIG_IGN  # under nohup, say
        }
        try:
            yield
        except Stopped as error:
            if not self.number:
                raise
            say(f"webappctl: {error}")
            raise typer.Exit(self.exit_code) from None
        finally:
            self._end_soon()
            for number, handler in before.items():
                signal.signal(number, handler)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Also a seal: from here on nobody is told that nothing was written."""
        self._writing = self._wrote = True
        try:
            yield
        finally:
            self._writing = False
            self._end_soon()

    @property
    def exit_code(self) -> int:
        return 128 + self.number

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        if self.number:
            unknown = ", the outcome of the writes in flight is unknown" * self._writing
            self._end_now(f"interrupted again{unknown}", at_once=True)
        self.number = number
        self.stop.set()
        self.woken()
        if self._writing:
            self._end_after(GRACE, "the writes in flight did not end, their outcome is unknown")
        elif self._loop:
            self._end_after(GRACE_OF_READS, "")
        else:
            self._end_now("interrupted" if self._wrote else "interrupted, nothing was written")

    def _end_after(self, seconds: float, why: str) -> None:
        self._timer = threading.Timer(seconds, self._end_now, [why])
        self._timer.daemon = True
        self._timer.start()

    def _end_soon(self) -> None:
        """The writes have ended by themselves. What is left of a loop has to, too: a thread may wait for a server."""
        if self._timer is not None:
            self._timer.cancel()
        if self._loop and self.number:
            self._end_after(GRACE_OF_READS, "")

    def _end_now(self, why: str, *, at_once: bool = False) -> NoReturn:
        """Without a word it is the orderly end of a loop. No other way ends a thread that waits for a server."""
        if not self._writing:  # what is on its way to the server may still be carried out
            # In a thread of its own: this one may hold a lock that it needs.
            last = threading.Thread(target=self.last, name="last", daemon=True)
            last.start()
            last.join(LAST)
        end_login_plugins()
        if why:
            # On a terminal, leave the line of a question or a progress bar first, and show the cursor again.
            ahead = "\r\x1b[K\x1b[?25h" if os.isatty(2) else ""
            with suppress(OSError):  # nobody reads it any more
                os.write(2, f"{ahead}webappctl: {why}\n".encode())
        os._exit(0 if self._loop and not at_once else self.exit_code)


@dataclass(frozen=True, slots=True)
class Reach:
    """Which cluster, and how long to wait for it. Times are in seconds; `timeout` is for everything together."""

    kubeconfig: str | None
    context: str | None
    request_timeout: float
    timeout: float | None = None

    def open(self, interrupts: Interrupts, *, workers: int) -> Cluster:
        from webappctl import cluster

        return cluster.open_cluster(
            kubeconfig=self.kubeconfig,
            context=self.context,
            workers=workers,
            request_timeout=self.request_timeout,
            stop=interrupts.stop,
            until=None if self.timeout is None else time.monotonic() + self.timeout,
        )
