"""What `watch` shows on a terminal: a few lines of facts that are always there, and below them what there is room for.

What is too wide folds. What is too long for the terminal's height ends with how much more there is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from webappctl.render.fleet import Fleet, Happened
from webappctl.render.grid import Grid, Paper
from webappctl.render.rows import SIGNS, Row
from webappctl.render.table import STYLES
from webappctl.render.text import FOR_NOTHING

if TYPE_CHECKING:
    from rich.console import Group, RenderableType
    from rich.text import Text

BARS: Final = "▁▂▃▄▅▆▇█"
LONGEST_SPARKLINE: Final = 60
BESIDE_SPARKLINE: Final = 37
"""Columns, of what is on the line of the durations."""
WIDE_CHANGES: Final = 80
"""Columns of the terminal. On one with fewer, a change is told without why it was made."""

_MINUTE, _HOUR = 60, 3_600

_ROLES: Final = {"leading": "green", "following": "yellow"}
_TITLE: Final = "bold"
_LABEL: Final = "dim"
_TROUBLE: Final = "red"


@dataclass(frozen=True, slots=True)
class LastPass:
    """`result`: its counts in words, or why it failed."""

    time: datetime
    seconds: float
    source: str
    result: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class LogLine:
    text: str
    style: str = ""


@dataclass(frozen=True, slots=True)
class LiveState:
    """All that is shown. Durations are in seconds, the newest last; changes and log lines have the newest first.

    `role`: `leading`, `following HOLDER`, `unlocked`, `plan only`. `mirror`: what is wrong with it; empty: nothing,
    changes are seen at once; None: there is none. `running`: for how long a pass has been; None: none is.
    `next_listing`: until the next pass that lists everything. `troubles`: what was wrong with the last pass as a whole.
    """

    target: str
    role: str = ""
    mirror: str | None = None
    last: LastPass | None = None
    running: float | None = None
    next_listing: float = 0.0
    fleet: Fleet | None = None
    troubles: tuple[str, ...] = ()
    changes: tuple[Happened, ...] = ()
    durations: tuple[float, ...] = ()
    log: tuple[LogLine, ...] = ()
    stopped: bool = False


def live_view(state: LiveState, width: int, height: int, now: datetime, *, ascii_only: bool = False) -> Group:
    """`now` is also for the time zone. `width` and `height` are the terminal's: the view is never larger.

    Its last line is empty. The cursor rests there, so that whoever writes next, after whatever end, has his own line.
    """
    from rich.console import Group
    from rich.text import Text

    paper = Paper(width, ascii_only=ascii_only)
    head = Grid(((paper.text(f"Watching {state.target}", _TITLE),),), (0,))
    facts = Grid(tuple((paper.text(label, _LABEL), value) for label, value in _facts(state, paper, now)), (1,))
    if paper.height(head) + paper.height(facts) >= height:
        head, facts = paper.low(head), paper.low(facts)
    room = height - 1 - paper.height(head) - paper.height(facts)
    return Group(paper.whole(head), paper.whole(facts), *_body(state, paper, now, room), Text(""))


def sparkline(values: Sequence[float]) -> str:
    """A bar for each; the highest is the longest."""
    highest = max(values, default=0.0) or 1.0
    return "".join(BARS[min(int(value / highest * len(BARS)), len(BARS) - 1)] for value in values)


def span(seconds: float) -> str:
    """`0.42 s`, `3.1 s`, `24 s`, `5 min 12 s`, `1 h 3 min`."""
    if seconds < _MINUTE:
        return f"{max(seconds, 0.01):.2g} s"
    minutes, rest = divmod(int(seconds), _MINUTE)
    return f"{minutes} min {rest} s" if seconds < _HOUR else f"{minutes // 60} h {minutes % 60} min"


def _facts(state: LiveState, paper: Paper, now: datetime) -> Iterator[tuple[str, Text]]:
    """The lines that are always there."""
    yield "role", paper.text(state.role, _ROLES.get(state.role.partition(" ")[0], ""))
    yield "last pass", _last(state.last, paper, now)
    yield "next pass", paper.text(_next(state))
    yield "fleet", _fleet(state.fleet, paper)
    yield "durations", paper.text(_durations(state.durations, paper.width - BESIDE_SPARKLINE))


def _last(last: LastPass | None, paper: Paper, now: datetime) -> Text:
    if last is None:
        return paper.text("none yet")
    when = f"{last.time.astimezone(now.tzinfo):%H:%M:%S}"
    if last.failed:
        return paper.text(f"{when}, failed after {span(last.seconds)}", _TROUBLE)
    return paper.text(f"{when}, {last.source}, {span(last.seconds)}: {last.result}")


def _next(state: LiveState) -> str:
    if state.stopped:
        return "none, it was stopped"
    if state.role.startswith("following"):
        return "once it leads"
    if state.running is not None:
        return f"running for {int(state.running)} s"
    due = f"in {span(int(state.next_listing))}" if state.next_listing >= 1 else "now"
    return f"{due}, or when something changes" if state.mirror == "" else due


def _fleet(fleet: Fleet | None, paper: Paper) -> Text:
    if fleet is None:
        return paper.text("not known yet")
    parts = [paper.text(f"{part.number:,} {part.state}", STYLES[part.action]) for part in fleet.counts]
    return paper.text(", ").join(parts) if parts else paper.text("there is no WebApp here")


def _durations(seconds: Sequence[float], room: int) -> str:
    if not seconds:
        return "none yet"
    seconds = seconds[-max(1, min(LONGEST_SPARKLINE, room)) :]
    passes = "1 pass" if len(seconds) == 1 else f"{len(seconds)} passes"
    return f"{sparkline(seconds)}  up to {span(max(seconds))}, {passes}"


def _body(state: LiveState, paper: Paper, now: datetime, room: int) -> Iterator[RenderableType]:
    """Troubles first, then what is not in order; changes and log lines have a share of what is left for sure."""
    grids = (
        _troubles(state, paper),
        _rows(state.fleet, paper, room),
        _changes(state.changes[: max(0, room)], paper, now),
        Grid(tuple((paper.text(line.text, line.style),) for line in state.log[: max(0, room)]), (0,)),
    )
    wanted = [paper.height(grid) + 1 if grid.rows else 0 for grid in grids]
    for grid, lines in zip(grids, _shares(wanted, room), strict=True):
        yield from paper.within(grid, lines)


def _shares(wanted: Sequence[int], room: int) -> tuple[int, int, int, int]:
    """Lines for each. What the last two need not of their share is the table's, and what that needs not is theirs."""
    troubles, table, changes, log = wanted
    troubles = min(troubles, room // 3)
    room -= troubles
    log_share, changes_share = min(log, room // 5), min(changes, room // 3)
    table = min(table, room - log_share - changes_share)
    changes = min(changes, room - table - log_share)
    return troubles, table, changes, min(log, room - table - changes)


def _troubles(state: LiveState, paper: Paper) -> Grid:
    troubles = (*state.troubles, f"mirror: {state.mirror}") if state.mirror else state.troubles
    return Grid(
        tuple((paper.text("!", _TROUBLE), paper.text(text, _TROUBLE)) for text in troubles), (1,), rest="more troubles"
    )


def _rows(fleet: Fleet | None, paper: Paper, room: int) -> Grid:
    """No row is lower than a line, so there is no need to look at more of them than there are lines."""
    if fleet is None:
        return Grid((), (0,))
    rows = fleet.rows[: max(1, room)]
    more = fleet.more + len(fleet.rows) - len(rows)
    first, second = fleet.sentences
    cells = tuple(_row(row, paper) for row in rows)
    return Grid(cells, (first + 1, second + 1), ("", *fleet.headers), 1, more, "more (see `webappctl plan`)")


def _row(row: Row, paper: Paper) -> tuple[Text, ...]:
    style, dim = STYLES[row.action], "dim" if row.action in FOR_NOTHING else ""
    first = (paper.text(SIGNS[row.action], style), paper.text(row.name, style))
    return (*first, *(paper.text(cell, dim) for cell in row.cells))


def _changes(changes: Sequence[Happened], paper: Paper, now: datetime) -> Grid:
    """Without a heading: what is in it goes without saying."""
    cells, flexible = (None, (4, 5)) if paper.width >= WIDE_CHANGES else (-1, (4,))
    rows = (
        (paper.text(f"{change.time.astimezone(now.tzinfo):%H:%M:%S}", "dim"), *_row(change.row, paper)[:cells])
        for change in changes
    )
    return Grid(tuple(rows), flexible, name=2)
