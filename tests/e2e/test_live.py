"""watch on a terminal: a view that goes on, of what is really there."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Protocol

import pytest

from tests.screen import Screen, on_screen
from tests.world import World, eventually

SHOW_CURSOR, HIDE_CURSOR = "\x1b[?25h", "\x1b[?25l"


class Watching(Protocol):
    def __call__(self, *arguments: str, columns: int = 100, lines: int = 40) -> Screen: ...


@pytest.fixture
def watching(world: World) -> Iterator[Watching]:
    """Start watch on a terminal of its own, with a Lease of the test's own."""
    with ExitStack() as stack:

        def begin(*arguments: str, columns: int = 100, lines: int = 40) -> Screen:
            scope = ("-n", world.namespace, "--lease-namespace", world.namespace)
            command = world.webappctl.command("watch", *scope, *arguments)
            return stack.enter_context(on_screen(command, env=world.webappctl.env(), columns=columns, lines=lines))

        yield begin


def test_a_view_shows_what_is_there(world: World, watching: Watching) -> None:
    """Who leads, when the next pass is, what is ready, and what is not in order."""
    world.declare("web")
    world.kubectl("create", "deployment", "legacy-deployment", "--image=httpd")
    world.declare("legacy")
    picture = watching("--interval", "2s").until("1 ready, 1 blocked", "next pass  in", "list,")
    assert picture.startswith("Watching ")
    assert re.search(r"^role +leading$", picture, re.MULTILINE)
    assert re.search(rf"^! +{world.namespace}/legacy ", picture, re.MULTILINE)


def test_a_change_is_shown_when_it_is_made(world: World, watching: Watching) -> None:
    """With what it was about, and who did that."""
    world.declare("web")
    screen = watching("--interval", "1s")
    screen.until("1 ready", "created")
    world.kubectl("scale", "deployment/web-deployment", "--replicas=5")
    picture = screen.until("configured")
    assert "replicas  5 → 2" in picture
    assert "kubectl" in picture


def test_log_lines_are_in_the_view(world: World, watching: Watching) -> None:
    """They would tear it."""
    picture = watching("no-such").until("WARNING No such WebApp", "next pass  in")
    assert picture.startswith("Watching ")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_the_last_picture(world: World, watching: Watching, number: signal.Signals) -> None:
    """And the terminal as it was."""
    screen = watching()
    screen.until("next pass  in")
    seen = screen.end(number)
    assert seen.returncode == 0
    assert seen.text.rfind(SHOW_CURSOR) > seen.text.rfind(HIDE_CURSOR)
    assert seen.text.endswith("\n" + SHOW_CURSOR)
    assert "none, it was stopped" in seen.text


def test_a_follower_names_the_leader(world: World, watching: Watching) -> None:
    """Its own passes wait."""
    watching().until("next pass  in")
    picture = watching().until("following ")
    assert "once it leads" in picture


def test_a_view_fits_a_terminal_that_shrinks(world: World, watching: Watching) -> None:
    """Nothing of what was drawn before is left on it."""
    for name in "abcdefgh":
        world.kubectl("create", "deployment", f"{name}-deployment", "--image=httpd")
        world.declare(name)
    screen = watching(columns=120)
    screen.until("8 blocked")
    screen.resize(20, 60)
    eventually(lambda: max(map(len, screen.until("8 blocked").split("\n"))) <= 60)
    assert screen.until("more (see").count("\n") < 20


@pytest.mark.parametrize("environment", [{"TERM": "dumb"}, {"COLUMNS": "40"}])
def test_a_terminal_that_cannot_show_it_has_log_lines(world: World, environment: dict[str, str]) -> None:
    """In words, one after the other."""
    scope = ("-n", world.namespace, "--lease-namespace", world.namespace)
    command = [
        "env",
        *(f"{key}={value}" for key, value in environment.items()),
        *world.webappctl.command("watch", *scope),
    ]
    with on_screen(command, env=world.webappctl.env()) as screen:
        eventually(lambda: "Pass finished" in screen.text)
        assert HIDE_CURSOR not in screen.text


def test_without_colours_there_are_none(world: World) -> None:
    """NO_COLOR leaves the picture."""
    command = world.webappctl.command("watch", "-n", world.namespace, "--lease-namespace", world.namespace)
    with on_screen(command, env=world.webappctl.env({"NO_COLOR": "1"})) as screen:
        screen.until("next pass  in")
        assert not re.search(r"\x1b\[[0-9;]*3[0-9]", screen.end().text)
