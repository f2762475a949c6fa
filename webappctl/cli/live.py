"""The live view of `watch`: what its passes tell, drawn again and again on the terminal."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from webappctl.cli.options import Output
from webappctl.cli.show import NARROWEST_TABLE
from webappctl.render import report_warnings, safe
from webappctl.render.fleet import done_counts, happened, planned_fleet, reported_fleet
from webappctl.render.live import LONGEST_SPARKLINE, LastPass, LiveState, LogLine, live_view

if TYPE_CHECKING:
    from rich.console import Console, Group
    from rich.live import Live

    from webappctl.core.report import Report
    from webappctl.errors import WebappctlError
    from webappctl.render import Target
    from webappctl.watch import Finished

EVERY: Final = 1.0
"""Seconds from one picture to the next when nothing happens: there is a countdown on it."""
SHORTEST: Final = 0.25
"""Seconds between two of them, whatever happens."""

LONGEST_END: Final = 0.5
"""Seconds to wait for the last picture; a terminal that takes no more must not hold up the end."""

KEPT: Final = 50
"""Changes and log lines. A terminal has no room for more."""

WRITES: Final = frozenset({"Creating Deployment", "Updating Deployment", "Deleting Deployment"})
"""Log lines that tell how far a pass is. Once it has ended, its changes tell the same."""
IN_THE_TABLE: Final = "WebApp is not in order"
"""There is a row for each of these, for as long as it is so."""
STYLES: Final = {logging.INFO: "dim", logging.WARNING: "yellow", logging.ERROR: "red"}


@contextmanager
def shown(
    target: Target,
    output: Output,
    *,
    role: Callable[[], str],
    next_listing: Callable[[], float],
    mirror: Callable[[], str | None] = lambda: None,
) -> Iterator[list[LiveView]]:
    """Observers to tell of every pass: the view that is on the terminal until the end, or none where it cannot be.

    `role`: `leading`, `following HOLDER`, `unlocked`, `plan only`. `next_listing`: a monotonic instant. `mirror`: what
    is wrong with it, empty for nothing, None without one. Log lines go into the view meanwhile.
    """
    if not (output.for_people and sys.stdout.isatty() and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"):
        yield []
        return
    from rich.console import Console

    console = Console(markup=False, emoji=False, highlight=False)
    if console.width < NARROWEST_TABLE:
        yield []
        return
    view = LiveView(str(target), role=role, next_listing=next_listing, mirror=mirror)
    with _logging_to(view), _drawn(view, console):
        yield [view]


class LiveView:
    """Collects the state to be shown. It hears of passes from one thread and of log lines from any.

    The state is a frozen value that is exchanged as a whole, so the thread that draws it needs no lock.
    """

    def __init__(
        self,
        target: str,
        *,
        role: Callable[[], str],
        next_listing: Callable[[], float],
        mirror: Callable[[], str | None] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now().astimezone(),
    ) -> None:
        self.changed = threading.Event()
        self._state = LiveState(target)
        self._log: tuple[tuple[int, LogLine], ...] = ()
        self._log_lock = threading.Lock()
        self._began: float | None = None
        self._role = role
        self._next_listing = next_listing
        self._mirror = mirror
        self._clock = clock
        self._now = now

    def began(self, _pass_id: str) -> None:
        self._began = self._clock()
        self.changed.set()

    def finished(self, finished: Finished) -> None:
        now, state = self._now(), self._ended(finished.seconds)
        if finished.report is None:
            state, result = replace(state, fleet=planned_fleet(finished.plan, now), troubles=()), "only planned"
        else:
            state, result = _reported(state, finished.report, now), done_counts(finished.report)
        last = LastPass(now, finished.seconds, finished.source.value, result)
        self._state = replace(state, last=last, troubles=(*finished.guard, *state.troubles))
        self._forget_writes()
        self.changed.set()

    def failed(self, error: WebappctlError, seconds: float) -> None:
        """What was known of the fleet before still stands."""
        last = LastPass(self._now(), seconds, "", "", failed=True)
        self._state = replace(self._ended(seconds), last=last, troubles=(str(error),))
        self._forget_writes()
        self.changed.set()

    def logged(self, level: int, line: str) -> None:
        with self._log_lock:
            self._log = ((level, LogLine(line, STYLES.get(level, "red"))), *self._log)[:KEPT]
        self.changed.set()

    def stopped(self) -> None:
        self._began = None
        self._state = replace(self._state, stopped=True)

    def state(self) -> LiveState:
        """As of now."""
        began, log = self._began, tuple(line for _, line in self._log)
        running = None if began is None else self._clock() - began
        due = self._next_listing() - self._clock()
        return replace(
            self._state, role=self._role(), mirror=self._mirror(), running=running, next_listing=due, log=log
        )

    def drawn(self, console: Console) -> Group:
        width, height = console.size
        return live_view(self.state(), width, height, self._now(), ascii_only=console.options.ascii_only)

    def _ended(self, seconds: float) -> LiveState:
        self._began = None
        return replace(self._state, durations=(*self._state.durations, seconds)[-LONGEST_SPARKLINE:])

    def _forget_writes(self) -> None:
        with self._log_lock:
            self._log = tuple((level, line) for level, line in self._log if level >= logging.WARNING)


def _reported(state: LiveState, report: Report, now: datetime) -> LiveState:
    troubles = (*filter(None, [report.interruption]), *report_warnings(report))
    changes = (*happened(report, now), *state.changes)[:KEPT]
    return replace(state, fleet=reported_fleet(report), troubles=troubles, changes=changes)


@contextmanager
def _drawn(view: LiveView, console: Console) -> Iterator[None]:
    """One thread draws, at most four times a second; the last picture stays."""
    from rich.live import Live

    over = threading.Event()
    with Live(console=console, auto_refresh=False, get_renderable=lambda: view.drawn(console)) as live:
        # Rich hides the cursor. A process that is killed, or stopped by Ctrl-Z, could not show it again.
        console.show_cursor(show=True)
        thread = threading.Thread(target=_draw, args=(view, live, over), name="live view", daemon=True)
        thread.start()
        try:
            yield
        finally:
            view.stopped()
            over.set()
            view.changed.set()
            thread.join(LONGEST_END)


def _draw(view: LiveView, live: Live, over: threading.Event) -> None:
    size = live.console.size
    with suppress(OSError):  # the terminal has gone, and a signal says so
        while not over.is_set():
            if size != live.console.size:  # what was drawn is not where it was, nor as many lines
                size = live.console.size
                live.console.clear()
            live.refresh()
            over.wait(SHORTEST)
            view.changed.wait(EVERY - SHORTEST)
            view.changed.clear()


@contextmanager
def _logging_to(view: LiveView) -> Iterator[None]:
    """Instead of to stderr, in the same words."""
    logger = logging.getLogger("webappctl")
    before = logger.handlers
    logger.handlers = [_Handler(view, before[0].formatter if before else None)]
    try:
        yield
    finally:
        logger.handlers = before


class _Handler(logging.Handler):
    def __init__(self, view: LiveView, formatter: logging.Formatter | None) -> None:
        super().__init__()
        self._view = view
        self.setFormatter(formatter)

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if message in WRITES or (record.levelno >= logging.WARNING and message != IN_THE_TABLE):
            self._view.logged(record.levelno, safe(self.format(record)))
