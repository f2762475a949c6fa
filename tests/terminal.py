"""Run a program on a terminal of its own, as a person would see it."""

from __future__ import annotations

import os
import pty
import select
import signal
import struct
import termios
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fcntl import ioctl

import pytest

from tests.conftest import clean


@dataclass(frozen=True)
class Seen:
    returncode: int
    text: str
    """Everything on the terminal, stdout and stderr as they came, with escape sequences."""


def on_terminal(
    command: Sequence[str], *, env: Mapping[str, str], columns: int = 100, answer: str = "", timeout: float = 60
) -> Seen:
    """`answer` is typed when the program asks its question; empty closes the input (Ctrl-D) there.

    A program that does not end in time is killed, and the test fails with what was seen.
    """
    pid, terminal = pty.fork()
    if pid == 0:
        ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        os.execvpe(command[0], list(command), {**clean(env), "TERM": "xterm-256color"})
    text, ended = _watched(terminal, answer, time.monotonic() + timeout)
    if not ended:
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    if not ended:
        pytest.fail(f"{' '.join(command)} did not end within {timeout} s\n{text}")
    return Seen(os.waitstatus_to_exitcode(status), text)


def _watched(terminal: int, answer: str, deadline: float) -> tuple[str, bool]:
    """What came until the program closed its end, and whether it did."""
    text, answered = b"", False
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                text += os.read(terminal, 65536)
            except OSError:  # the program has closed its end
                return text.decode(), True
        if b"[y/N]" in text and not answered:
            os.write(terminal, f"{answer}\n".encode() if answer else b"\x04")
            answered = True
    return text.decode(errors="replace"), False
