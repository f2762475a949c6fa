"""A program that draws on a terminal of its own: what it shows just now, and signals for it."""

from __future__ import annotations

import os
import pty
import re
import signal
import struct
import termios
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from fcntl import ioctl

import pytest

from tests.conftest import clean
from tests.terminal import Seen
from tests.world import eventually

DRAWN_OVER = re.compile(r"\r\x1b\[2K(?:\x1b\[1A\x1b\[2K)*|\x1b\[H\x1b\[2J|\x1b\[2J\x1b\[H")
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Screen:
    """The terminal of the process `pid`. It is read all the time, so that nothing has to wait for us."""

    def __init__(self, pid: int, terminal: int) -> None:
        self._pid = pid
        self._terminal = terminal
        self._text = b""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def text(self) -> str:
        """Everything that came, with escape sequences."""
        return self._text.decode(errors="replace")

    @property
    def pictures(self) -> list[str]:
        """Each that it drew as a whole, the newest last, with escape sequences; what was there before is the first."""
        return DRAWN_OVER.split(self.text.replace("\r\n", "\n"))[:-1]

    def until(self, *said: str, seconds: float = 60) -> str:
        """Wait for a picture with all of that in it; without escape sequences, or blanks at ends of lines."""
        found = ""

        def shown() -> bool:
            nonlocal found
            lines = ESCAPES.sub("", next(reversed(self.pictures), "")).split("\n")
            found = "\n".join(line.rstrip() for line in lines)
            return all(text in found for text in said)

        try:
            eventually(shown, seconds=seconds)
        except AssertionError:
            pytest.fail(f"never {said}, but\n{found}\n{self.text[-2000:]!r}")
        return found

    def resize(self, lines: int, columns: int) -> None:
        ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def end(self, number: signal.Signals = signal.SIGINT) -> Seen:
        """Send it the signal; what was on the terminal up to its end."""
        os.kill(self._pid, number)
        self._reader.join(30)
        _, status = os.waitpid(self._pid, 0)
        self._pid = 0
        return Seen(os.waitstatus_to_exitcode(status), self.text)

    def close(self) -> None:
        if self._pid:
            self.end(signal.SIGKILL)
        os.close(self._terminal)

    def _read(self) -> None:
        with suppress(OSError):  # the program has closed its end
            while some := os.read(self._terminal, 65536):
                self._text += some


@contextmanager
def on_screen(
    command: Sequence[str], *, env: Mapping[str, str], columns: int = 100, lines: int = 40
) -> Iterator[Screen]:
    """The program, in the background; it is killed at the end if it still runs."""
    environment = {key: value for key, value in clean(env).items() if key != "LINES"}  # a test runner's
    pid, terminal = pty.fork()
    if pid == 0:
        ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        os.execvpe(command[0], list(command), {**environment, "TERM": "xterm-256color"})
    screen = Screen(pid, terminal)
    try:
        yield screen
    finally:
        screen.close()
