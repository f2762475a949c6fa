"""Rows of cells that have a number of lines to fit in. Everything folds; only where it must, a cell ends with `…`.

Rich cuts what is too high in the middle of a row, so heights are known here before anything is set.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from webappctl.core.text import safe
from webappctl.render.table import MAX_NAME_WIDTH

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

GAP: Final = 2
HEADING: Final = 2
"""Lines: the headers, and the rule below them."""
TIGHT: Final = 2
"""Lines of a cell where not all rows have room."""

_IN_ASCII: Final = str.maketrans(dict(zip("▁▂▃▄▅▆▇█", "_.:-=+*#", strict=True)) | {"→": "->", "…": "...", "‖": "||"})

Cells = tuple["Text", ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """`flexible`: the column that has what the others leave, and one that shares that with it, if any.

    `name`: the column that is cut last, and that leaves room for the others. `more`: rows that are not even here.
    `rest`: how the number of those that are not shown goes on; empty: it is not worth a line.
    """

    rows: tuple[Cells, ...]
    flexible: tuple[int, ...]
    headers: tuple[str, ...] = ()
    name: int | None = None
    more: int = 0
    rest: str = ""


class Paper:
    """So many columns, of an encoding that may have no more than ASCII."""

    def __init__(self, width: int, *, ascii_only: bool) -> None:
        from rich.console import Console

        self.width = width
        self._ascii_only = ascii_only
        self._measure = Console(file=io.StringIO(), width=width)  # nothing is printed: it folds

    def text(self, text: str, style: str = "") -> Text:
        from rich.text import Text

        plain = safe(text)
        if self._ascii_only:
            plain = plain.translate(_IN_ASCII).encode("ascii", "backslashreplace").decode()
        return Text(plain, style, overflow="fold")

    def height(self, grid: Grid) -> int:
        """In lines, with all its rows."""
        heading = HEADING if grid.headers and grid.rows else 0
        return heading + sum(self._heights(grid.rows, self._widths(grid))) + (1 if grid.more and grid.rest else 0)

    def low(self, grid: Grid) -> Grid:
        """The same in as few lines as it has rows."""
        widths = self._widths(grid)
        return replace(grid, rows=tuple(self._cropped(row, widths, 1, None) for row in grid.rows))

    def whole(self, grid: Grid) -> Table:
        return _table(grid.rows, grid.headers, self._widths(grid))

    def within(self, grid: Grid, lines: int) -> Iterator[RenderableType]:
        """With a blank line before it, as far as there is room."""
        from rich.text import Text

        if not grid.rows or lines < 1:
            return
        if self.height(grid) < lines:
            yield Text("")
            yield from self._set(grid, grid.rows)
            return
        if lines > HEADING + 2:
            lines -= 1
            yield Text("")
        heading = HEADING if grid.headers and lines >= HEADING + 2 else 0
        rows = tuple(self._fitting(grid, lines - heading))
        yield from self._set(grid, rows, with_heading=bool(heading))

    def _set(self, grid: Grid, rows: Sequence[Cells], *, with_heading: bool = True) -> Iterator[RenderableType]:
        """Each row as given, and how many there are beside them."""
        if rows:
            yield _table(rows, grid.headers if with_heading else (), self._widths(grid))
        more = grid.more + len(grid.rows) - len(rows)
        if more and grid.rest:
            yield self.text(f"… {more:,} {grid.rest}", "dim")

    def _fitting(self, grid: Grid, lines: int) -> Iterator[Cells]:
        """As many of the first rows as have room, none of them too high for it."""
        widths = self._widths(grid)
        left = lines - (1 if grid.rest else 0)
        for nth, row in enumerate(grid.rows):
            cropped = self._cropped(row, widths, TIGHT, grid.name)
            (height,) = self._heights((cropped,), widths)
            if nth == 0 and height > left > 0:
                cropped, height = self._cropped(row, widths, left, None), left
            if height > left:
                return
            left -= height
            yield cropped

    def _widths(self, grid: Grid) -> list[int]:
        """As wide as what is in them, but for those that have sentences in them: they have what the others leave."""
        widest = [max(cell.cell_len for cell in column) for column in zip(*grid.rows, strict=True)]
        widest = [max(pair) for pair in zip(widest, map(len, grid.headers), strict=True)] if grid.headers else widest
        if grid.name is not None:
            widest[grid.name] = min(widest[grid.name], MAX_NAME_WIDTH, self.width // 3)
        first, *second = grid.flexible
        room = self.width - GAP * (len(widest) - 1) - sum(widest) + sum(widest[nth] for nth in grid.flexible)
        for nth in second:
            widest[nth] = max(1, min(widest[nth], max(room * 4 // 10, room - widest[first])))
            room -= widest[nth]
        widest[first] = max(1, min(widest[first], room))
        return widest

    def _heights(self, rows: Sequence[Cells], widths: Sequence[int]) -> list[int]:
        return [max(len(self._folded(cell, width)) for cell, width in zip(row, widths, strict=True)) for row in rows]

    def _folded(self, cell: Text, width: int) -> list[Text]:
        return list(cell.wrap(self._measure, width, overflow="fold")) if cell.cell_len > width else [cell]

    def _cropped(self, row: Cells, widths: Sequence[int], lines: int, name: int | None) -> Cells:
        """With at most so many lines in each cell but the name."""
        return tuple(
            cell if nth == name else self._first_lines(cell, width, lines)
            for nth, (cell, width) in enumerate(zip(row, widths, strict=True))
        )

    def _first_lines(self, cell: Text, width: int, lines: int) -> Text:
        from rich.text import Text

        folded = self._folded(cell, width)
        if len(folded) <= lines:
            return cell
        mark = self.text("…")
        folded[lines - 1].truncate(max(0, width - mark.cell_len), overflow="crop")
        folded[lines - 1].append_text(mark)
        return Text("\n").join(folded[:lines])


def _table(rows: Sequence[Cells], headers: Sequence[str], widths: Sequence[int]) -> Table:
    """The look of the plan's table. All widths are fixed: Rich has nothing to decide."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    gap = GAP - 1 if headers else GAP  # the other one is the box's
    table = Table(
        box=SIMPLE_HEAD if headers else None,
        show_header=bool(headers),
        padding=(0, gap, 0, 0),
        pad_edge=False,
        show_edge=False,
        header_style="bold",
    )
    for nth, width in enumerate(widths):
        table.add_column(headers[nth] if headers else "", overflow="fold", width=width)
    for row in rows:
        table.add_row(*row)
    return table
