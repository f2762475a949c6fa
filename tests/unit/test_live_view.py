"""What the live view collects, and how it comes to a terminal and leaves it."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any

import pytest
from rich.console import Console

from tests.builders import deployment, row, webapp
from tests.rendered import NOW
from webappctl.cli import live
from webappctl.cli.live import LiveView
from webappctl.cli.options import Output
from webappctl.core.objects import Scope
from webappctl.core.plan import Plan
from webappctl.core.report import Outcome, Report, Result
from webappctl.errors import Unreachable
from webappctl.render import Target
from webappctl.watch import Finished, Source

HERE = Target("prod-eu", "https://10.0.0.1:6443", Scope())
CREATED = Result(row(webapp("new")), Outcome.CREATED, deployment(webapp("new")), tried=True)
BLOCKED = Result(row(webapp("web")), Outcome.BLOCKED, message="it is so", remedy="do that")


@pytest.fixture
def view() -> LiveView:
    """At the instant 100 of its clock."""
    sources: Any = {"role": lambda: "leading", "next_listing": lambda: 124.0, "clock": lambda: 100.0}
    return LiveView("here", **sources, now=lambda: NOW)


def over(*results: Result, seconds: float = 0.5, guard: tuple[str, ...] = (), **facts: Any) -> Finished:
    return Finished(Plan(()), Report(results, **facts), Source.LIST, seconds, guard)


def seen(view: LiveView) -> str:
    console = Console(file=io.StringIO(), width=100, height=40, markup=False, _environ={})
    with console.capture() as captured:
        console.print(view.drawn(console))
    return captured.get()


def test_a_view_begins_before_the_first_pass(view: LiveView) -> None:
    """With what is known by then."""
    state = view.state()
    assert (state.role, state.next_listing, state.last, state.fleet) == ("leading", 24.0, None, None)
    assert "in 24 s" in seen(view)


def test_a_pass_is_seen_while_it_is_running(view: LiveView) -> None:
    """From its beginning to its end, whatever that is."""
    assert view.state().running is None
    view.began("1")
    assert view.state().running == 0.0
    view.finished(over())
    assert view.state().running is None


def test_a_pass_is_seen_once_it_is_over(view: LiveView) -> None:
    """Its counts, its changes, and what is not in order."""
    view.finished(over(CREATED, BLOCKED))
    said = seen(view)
    assert "11:03:00, list, 0.5 s: 1 created" in said
    assert "1 ready, 1 blocked" in said
    assert "it is so" in said
    assert "shop/new  created" in said


def test_changes_outlive_the_passes_that_did_nothing(view: LiveView) -> None:
    """A pass that did nothing is no change."""
    view.finished(over(CREATED))
    for _ in range(100):
        view.finished(over())
    assert [change.row.name for change in view.state().changes] == ["shop/new"]


def test_only_so_much_is_remembered(view: LiveView) -> None:
    """A watch runs for months."""
    for nth in range(1000):
        view.finished(over(CREATED, seconds=nth))
        view.logged(logging.WARNING, str(nth))
    state = view.state()
    assert (len(state.changes), len(state.log), len(state.durations)) == (50, 50, 60)
    assert (state.log[0].text, state.durations[-1]) == ("999", 999)


def test_what_is_wrong_with_the_whole_pass_is_seen(view: LiveView) -> None:
    """Until a pass for which it is no longer so."""
    view.finished(over(BLOCKED, guard=("too many deletes",), status_failures=("shop/web: 500",), warnings=("no HPAs",)))
    assert view.state().troubles == ("too many deletes", "status not written: shop/web: 500", "warning: no HPAs")
    view.finished(over(BLOCKED))
    assert view.state().troubles == ()


def test_a_pass_that_failed_leaves_what_was_known(view: LiveView) -> None:
    """And says why it did."""
    view.finished(over(BLOCKED))
    view.failed(Unreachable("no answer within 30 s", subject="webapps"), 30.0)
    assert "failed after 30 s" in seen(view)
    assert "webapps: no answer within 30 s" in seen(view)
    assert "1 blocked" in seen(view)


def test_a_pass_that_only_planned_shows_its_plan(view: LiveView) -> None:
    """What would be done, and never that it was."""
    view.finished(Finished(Plan((row(webapp("new")),)), None, Source.LIST, 0.5))
    assert "0.5 s: only planned" in seen(view)
    assert "1 to create" in seen(view)
    assert view.state().changes == ()


def test_the_lines_of_writes_go_when_the_pass_is_over(view: LiveView) -> None:
    """Then they are changes; what was wrong stays."""
    view.logged(logging.INFO, "Creating Deployment")
    view.logged(logging.WARNING, "Something is wrong")
    assert len(view.state().log) == 2
    view.finished(over(CREATED))
    assert [line.text for line in view.state().log] == ["Something is wrong"]


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def columns(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, value in {"TERM": "xterm", "COLUMNS": "80", "LINES": "40"}.items():
        monkeypatch.setenv(variable, value)


@contextmanager
def _shown(stdout: io.StringIO, stderr: io.StringIO, output: Output = Output.TABLE) -> Iterator[list[LiveView]]:
    shown = live.shown(HERE, output, role=lambda: "leading", next_listing=lambda: 0.0)
    with redirect_stdout(stdout), redirect_stderr(stderr), shown as views:
        yield views


def test_on_a_terminal_the_last_picture_stays() -> None:
    """With the cursor below it, for all to see."""
    terminal = _Terminal()
    with _shown(terminal, terminal) as views:
        for view in views:
            view.finished(over(CREATED))
    last = terminal.getvalue().rsplit("\x1b[2K", 1)[-1]
    assert "Watching prod-eu" in last
    assert "none, it was stopped" in last
    assert last.endswith("\n\n\x1b[?25h")


def test_log_lines_go_into_the_view_while_it_is_shown() -> None:
    """Those of what is wrong and of writes; afterwards they go where they went before."""
    logger = logging.getLogger("webappctl")
    before = logger.handlers
    with _shown(_Terminal(), _Terminal()) as views:
        logging.getLogger("webappctl.apply").warning("It is \x1b[31m wrong")
        logging.getLogger("webappctl.watch").info("Pass finished")
        logging.getLogger("webappctl.watch").warning("WebApp is not in order")
        lines = [line.text for view in views for line in view.state().log]
    assert lines == ["It is \\x1b[31m wrong"]
    assert logger.handlers is before


@pytest.mark.parametrize("output", [Output.JSON, Output.YAML])
def test_documents_are_not_drawn_over(output: Output) -> None:
    """They are for programs, also on a terminal."""
    with _shown(_Terminal(), _Terminal(), output) as views:
        assert views == []


@pytest.mark.parametrize(("variable", "value"), [("TERM", "dumb"), ("COLUMNS", "49")])
def test_a_terminal_that_cannot_show_it_gets_log_lines(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    """As in a pipe."""
    monkeypatch.setenv(variable, value)
    with _shown(_Terminal(), _Terminal()) as views:
        assert views == []


@pytest.mark.parametrize("streams", [(_Terminal(), io.StringIO()), (io.StringIO(), _Terminal())])
def test_off_a_terminal_there_are_log_lines(streams: tuple[io.StringIO, io.StringIO]) -> None:
    """Also where just one of the two is none."""
    with _shown(*streams) as views:
        assert views == []
