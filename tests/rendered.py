"""Plans and reports that hold what a terminal might obey, and how a rendered table is read."""

from __future__ import annotations

import io
import re
import unicodedata
from dataclasses import replace
from datetime import UTC, datetime

from markdown_it import MarkdownIt
from rich.console import Console
from rich.table import Table

from tests.builders import deployment, webapp
from webappctl.core.diff import Cause, FieldChange
from webappctl.core.plan import Action, Answer, Change, Hold, Obstacle, Pause, Plan, Verdict
from webappctl.core.report import OUTCOMES, Outcome, Report, Result
from webappctl.core.takeover import Takeover
from webappctl.render import result_lines, result_wide_lines

NOW = datetime(2026, 1, 1, 11, 3, tzinfo=UTC)
HOSTILE = {
    "ESC": "\x1b[31mred\x1b[0m",
    "OSC 8": "\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\",
    "OSC 52": "\x1b]52;c;ZXZpbA==\x07",
    "C1": "\x9b31m\x85\x90",
    "control": "a\rb\nc\td\x00\x07\x08\x0b\x7f",
    "bidi": "\u202etxt.exe\u202c \u2066a\u2069 \u200f\u061c",
    "zero width": "a\u200bb\u2060c\ufeffd\u00ade",
    "lines": "a\u2028b\u2029c",
    "tags": "\U000e0041\U000e0042",
    "markup": "img[red]:v1 [/b] [link=x]",
    "emoji code": "nginx:tada:v1",
    "pipe": "a|b\\|c||`|",
    "backticks": "`a`` ```b` ` `",
    "html": "<script>alert(1)</script><!-- <img src=x>",
    "mention": "@team #1 www.evil.example https://evil.example *a* _b_ ~~c~~ ![d](e) \\",
    "wide": "\u6f22\u5b57\N{PARTY POPPER}",
}


CELLS = ("tr_open", "th_open", "td_open")


def lines_of(table: Table | None, width: int, *, terminal: bool = False) -> list[str]:
    assert table is not None
    stream = io.StringIO()
    console = Console(
        file=stream, width=width, force_terminal=terminal, markup=False, emoji=False, highlight=False, _environ={}
    )
    console.print(table)
    return stream.getvalue().removesuffix("\n").split("\n")


def column(lines: list[str], number: int) -> str:
    """The text of a column under its heading, its folds joined, without white space."""
    rule = next(number for number, line in enumerate(lines) if line.startswith("──"))
    starts = [0, *(found.start() for found in re.finditer(r"(?<=\s\s)\S", lines[rule - 1]))]
    start, end = starts[number], (*starts, 10_000)[number + 1]
    return "".join("".join(line[start:end].split()) for line in lines[rule + 1 :])


def squeezed(text: str) -> str:
    return "".join(text.split())


def hostile_plan(text: str) -> Plan:
    """The text wherever the cluster can put one."""
    change = FieldChange(text, text, text, Cause.LIVE_DRIFT, text, text, text)
    wanted = webapp(text, text, image=text)
    live = deployment(wanted)
    hold, verdict, pause = Hold(7, 3, text, 2, 9), Verdict(Answer.DENIED, text), Pause(text, text)
    adopted = Change(wanted, live, Action.ADOPT, fields=(change,), takeover=Takeover((text,) * 2, (text,) * 2))
    return Plan(
        (
            Change(wanted, None, Action.CREATE, warning=text),
            Change(wanted, deployment(), Action.UPDATE, fields=(change,), held=hold, verdict=verdict),
            Change(wanted, None, Action.BLOCKED, obstacle=Obstacle.UNOWNED, message=text, remedy=text, pause=pause),
            adopted,
            replace(adopted, verdict=Verdict(Answer.ALTERED, text)),
            Change(None, live, Action.DELETE, message=text),
            Change(wanted, live, Action.HELD, held=hold),
            Change(wanted, live, Action.PAUSED, fields=(change,), message=text, remedy=text, pause=pause),
            Change(wanted, None, Action.PAUSED, message=text, remedy=text, pause=pause),
            *(Change(None, live, action, message=text, remedy=text) for action in (Action.PAUSED, Action.ORPHAN)),
        ),
        warnings=(text,),
    )


def hostile_report(text: str) -> Report:
    """Some went as planned, and of the first rows each went in every way that there is."""
    changes = hostile_plan(text).changes
    failed = [Result(change, outcome, message=text, remedy=text) for change in changes[:3] for outcome in Outcome]
    done = [Result(change, OUTCOMES[change.action]) for change in changes if change.action in OUTCOMES]
    return Report((*failed, *done), (text,) * 5, (text,), text)


def report_lines(report: Report) -> list[str]:
    return [line for result in report.results for line in result_lines(result)]


def report_wide_lines(report: Report) -> list[str]:
    return [line for result in report.results for line in result_wide_lines(result)]


def markdown_parts(document: str) -> tuple[list[list[tuple[str, str]]], list[int]]:
    """Each piece of text as its inline parts (kind, content), and how many cells each row of a table has."""
    tokens = MarkdownIt("commonmark").enable("table").parse(document)
    texts = [[(part.type, part.content) for part in token.children or ()] for token in tokens if token.type == "inline"]
    rows = "".join("r" if token.type == "tr_open" else "c" for token in tokens if token.type in CELLS)
    return texts, [len(row) for row in rows.split("r")[1:]]


def obeyed(line: str) -> set[str]:
    return {char for char in line if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")}
