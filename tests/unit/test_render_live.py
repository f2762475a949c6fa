"""What a terminal of any size shows of `watch`."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from rich.console import Console

from tests.builders import webapp
from tests.rendered import HOSTILE, NOW, column, hostile_plan, hostile_report, obeyed, squeezed
from webappctl.core.plan import Action, Change, Obstacle
from webappctl.core.report import Outcome, Report, Result
from webappctl.render.fleet import happened, planned_fleet, reported_fleet
from webappctl.render.live import LastPass, LiveState, LogLine, live_view, span, sparkline

SIZES = [(width, height) for width in (50, 80, 120) for height in (10, 24, 60)]
LABELS = ("role", "last pass", "next pass", "fleet", "durations")
LAST = LastPass(NOW, 0.42, "list", "1 created")
MESSAGE, REMEDY = "the Deployment is owned by HelmRelease legacy", "delete it there, or rename the WebApp"


def lines_of(state: LiveState, width: int = 80, height: int = 24, *, ascii_only: bool = False) -> list[str]:
    stream = io.StringIO()
    console = Console(file=stream, width=width, markup=False, emoji=False, highlight=False, _environ={})
    console.print(live_view(state, width, height, NOW, ascii_only=ascii_only))
    return stream.getvalue().removesuffix("\n").split("\n")


def blocked(*names: str, message: str = MESSAGE) -> Report:
    rows = (Change(webapp(name), None, Action.BLOCKED, obstacle=Obstacle.FOREIGN_OWNER) for name in names)
    return Report(tuple(Result(row, Outcome.BLOCKED, message=message, remedy=REMEDY) for row in rows))


def created(*names: str) -> Report:
    return Report(tuple(Result(Change(webapp(name), None, Action.CREATE), Outcome.CREATED) for name in names))


def full(report: Report) -> LiveState:
    """Every part of the view has more than enough to say."""
    return LiveState(
        "prod-eu (https://10.0.0.1:6443), all namespaces",
        role="leading",
        mirror="the watch of webapps.apps.example.com was cut off",
        last=LAST,
        fleet=reported_fleet(report),
        troubles=("3 of 9 Deployments would be deleted, and 2 may be",) * 5,
        changes=happened(created(*(f"new-{n}" for n in range(30))), NOW),
        durations=tuple(range(100)),
        log=(LogLine("12:00:00 WARNING Something is wrong"),) * 30,
    )


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_view_fits_the_terminal(width: int, height: int) -> None:
    """However much there is to say: a line too many would be drawn again and again."""
    lines = lines_of(full(blocked(*(f"w{n:04}" for n in range(1000)))), width, height)
    assert len(lines) <= height
    assert max(map(len, lines)) <= width


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_facts_are_always_there(width: int, height: int) -> None:
    """Each on the line where one looks for it, in this order."""
    lines = lines_of(full(blocked(*(f"w{n:04}" for n in range(1000)))), width, height)
    assert lines[0].startswith("Watching prod-eu (")
    assert [label for line in lines for label in LABELS if line.startswith(label)] == list(LABELS)


def test_a_target_that_is_too_long_leaves_the_facts_on_a_small_terminal() -> None:
    """It is cut there, and folds on any other."""
    state = LiveState("x" * 1000, last=LAST)
    assert [line[:9].strip() for line in lines_of(state, 80, 10)[1:6]] == list(LABELS)
    assert "x" * 1000 in squeezed("".join(lines_of(state, 80, 24)))


@pytest.mark.parametrize("width", [80, 120])
def test_nothing_is_cut_where_there_is_room(width: int) -> None:
    """Names, messages and remedies fold."""
    name, image = "a-rather-long-name-for-a-web-application-of-somebody", "registry.example/" + "path/" * 20 + "app:1"
    state = LiveState("here", fleet=reported_fleet(blocked(name, message=image)))
    lines = lines_of(state, width, 60)
    assert column(lines, 1) == f"shop/{name}"
    assert column(lines, 2) == image
    assert column(lines, 4) == squeezed(REMEDY)


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 24), (80, 14)])
def test_a_name_is_whole_where_its_row_is_shown(width: int, height: int) -> None:
    """Where there is little room, messages end early."""
    name = "a-rather-long-name-for-a-web-application-of-somebody"
    state = LiveState("here", fleet=reported_fleet(blocked(name, *"abcdefghi", message="why " * 200)))
    lines = lines_of(state, width, height)
    heading = next(nth for nth, line in enumerate(lines) if "WebApp  " in line)
    start = lines[heading].index("WebApp")
    end = lines[heading].index("Why")
    assert "".join(line[start:end].strip() for line in lines[heading + 2 :]).startswith(f"shop/{name}")


@pytest.mark.parametrize("number", [3, 30, 1000])
def test_what_has_no_room_is_counted(number: int) -> None:
    """The rows shown and those that are not are all there are."""
    lines = lines_of(LiveState("here", fleet=reported_fleet(blocked(*(f"w{n:04}" for n in range(number))))))
    shown = sum("shop/w" in line for line in lines)
    more = sum(int(line.split()[1].replace(",", "")) for line in lines if line.startswith("…"))
    assert shown > 0
    assert shown + more == number


def test_what_only_has_to_be_waited_for_comes_after_what_is_blocked() -> None:
    """A small terminal has no room for the end of the table."""
    waiting = Result(Change(webapp("a"), None, Action.WAITING), Outcome.WAITING, message="its old owner is gone")
    fleet = reported_fleet(Report((waiting, *blocked("b", "c").results)))
    assert [row.name for row in fleet.rows] == ["shop/b", "shop/c", "shop/a"]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("width", [50, 80, 120])
def test_nothing_that_a_terminal_obeys_gets_through(text: str, width: int) -> None:
    """From rows, changes, log lines, and whatever else holds words of others."""
    report = hostile_report(text)
    state = LiveState(
        text, text, text, LAST, fleet=reported_fleet(report), troubles=(text,), changes=happened(report, NOW)
    )
    lines = lines_of(replace(state, log=(LogLine(text),)), width, 200)
    planned = lines_of(LiveState("here", fleet=planned_fleet(hostile_plan(text), NOW)), width, 200)
    assert obeyed("".join((*lines, *planned))) == set()


def test_markup_is_text() -> None:
    """Brackets mean nothing."""
    assert "Watching img[red]:v1 [/b]" in lines_of(LiveState("img[red]:v1 [/b]"))


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_terminal_of_ascii_gets_ascii(width: int, height: int) -> None:
    """What is escaped for it is not too wide either."""
    state = full(blocked("web", message="\N{PARTY POPPER} → ‖ … " * 20))
    lines = lines_of(state, width, height, ascii_only=True)
    assert "".join(line for line in lines if not line.startswith("──")).isascii()
    assert (max(map(len, lines)) <= width, len(lines) <= height) == (True, True)


@pytest.mark.parametrize("state", [LiveState("here"), LiveState("here", fleet=reported_fleet(Report(())))])
def test_what_is_not_there_leaves_no_gap(state: LiveState) -> None:
    """Six lines, and the one that the cursor rests on."""
    assert len(lines_of(state)) == 7


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"next_listing": 24.9}, "in 24 s"),
        ({"next_listing": 0.5}, "now"),
        ({"next_listing": float("-inf")}, "now"),
        ({"next_listing": 312.0, "mirror": ""}, "in 5 min 12 s, or when something changes"),
        ({"next_listing": 312.0, "mirror": "cut off"}, "in 5 min 12 s"),
        ({"running": 3.2}, "running for 3 s"),
        ({"running": 3.2, "role": "following pod-1_ab"}, "once it leads"),
        ({"running": 3.2, "stopped": True}, "none, it was stopped"),
    ],
)
def test_the_next_pass_is_said(facts: dict[str, float], said: str) -> None:
    """When it begins, or why it does not."""
    (line,) = (line for line in lines_of(LiveState("here", **facts)) if line.startswith("next pass"))  # type: ignore[arg-type]
    assert line.split("  ", 1)[1].strip() == said


def test_a_pass_that_failed_says_so_with_its_error_below() -> None:
    """What was known of the fleet before stays."""
    failed = LastPass(NOW, 30.0, "", "", failed=True)
    lines = lines_of(replace(full(blocked("web")), last=failed, mirror=None, troubles=("no answer in 30 s",)), 80, 60)
    assert "last pass  11:03:00, failed after 30 s" in [line.rstrip() for line in lines]
    assert "!  no answer in 30 s" in [line.rstrip() for line in lines]
    assert "1 blocked" in lines[4]


def test_times_are_those_of_the_zone_that_one_is_in() -> None:
    """That of the `now` that it is given."""
    now = datetime(2026, 1, 1, 13, 3, tzinfo=timezone(timedelta(hours=2)))
    console = Console(file=io.StringIO(), width=80, _environ={})
    with console.capture() as captured:
        console.print(live_view(LiveState("here", last=replace(LAST, time=NOW.astimezone(UTC))), 80, 24, now))
    assert "last pass  13:03:00, list, 0.42 s: 1 created" in captured.get()


def test_no_colour_is_no_colour() -> None:
    """NO_COLOR leaves bold and dim."""
    console = Console(file=io.StringIO(), width=80, force_terminal=True, _environ={"NO_COLOR": "1", "TERM": "xterm"})
    with console.capture() as captured:
        console.print(live_view(full(blocked("web")), 80, 24, NOW))
    assert "\x1b[3" not in captured.get()


@pytest.mark.parametrize(
    ("values", "bars"),
    [((), ""), ((0.0, 0.0), "▁▁"), ((1.0,), "█"), ((0.0, 0.5, 1.0), "▁▅█"), ((1, 2, 3, 4, 5, 6, 7, 8), "▂▃▄▅▆▇██")],
)
def test_the_longest_pass_is_the_highest_bar(values: tuple[float, ...], bars: str) -> None:
    """And the others are in proportion."""
    assert sparkline(values) == bars


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0, "0.01 s"), (0.421, "0.42 s"), (3.14, "3.1 s"), (24, "24 s"), (312, "5 min 12 s"), (3_780, "1 h 3 min")],
)
def test_a_span_has_as_many_digits_as_one_reads(seconds: float, said: str) -> None:
    """A pass takes less than a second or several minutes."""
    assert span(seconds) == said
