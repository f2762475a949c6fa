"""What a build of some minutes says on stderr: one line kept current on a terminal, else a line now and then."""

from __future__ import annotations

import os
import sys
import time
from typing import TextIO

_EVERY = 30.0  # seconds between two lines off a terminal


class Progress:
    """`begin`, any number of `update`, `end`; `say` for a whole line in between."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._live = self._stream.isatty() and os.environ.get("TERM") != "dumb"
        self._step = ""
        self._began = self._spoke = 0.0

    def say(self, line: str) -> None:
        self._stream.write(f"{self._clear()}{line}\n")
        self._stream.flush()

    def begin(self, step: str) -> None:
        self._step = step
        self._began = self._spoke = time.monotonic()
        if not self._live:
            self.say(f"{step} …")

    def update(self, detail: str) -> None:
        """`detail` says how far the step is."""
        now = time.monotonic()
        if self._live:
            self._stream.write(f"{self._clear()}{self._line(detail)}"[: _columns() + len(self._clear()) - 1])
            self._stream.flush()
        elif now - self._spoke >= _EVERY:
            self._spoke = now
            self.say(self._line(detail))

    def end(self, detail: str) -> None:
        self.say(self._line(detail))

    def _line(self, detail: str) -> str:
        minutes, seconds = divmod(int(time.monotonic() - self._began), 60)
        return f"{self._step}: {detail}, {minutes}:{seconds:02}"

    def _clear(self) -> str:
        return "\r\x1b[K" if self._live else ""


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError):
        return 80
