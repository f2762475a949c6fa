"""What comes out: on a terminal, off one, as JSON, and where nothing can be written."""

from __future__ import annotations

import json
import re
import shlex
import subprocess

import pytest

from tests.conftest import clean
from tests.terminal import on_terminal
from tests.world import World, eventually

ESC = "\x1b"


def _shell(world: World, *arguments: str, tail: str) -> subprocess.CompletedProcess[str]:
    """The program in a shell, with `tail` after its arguments."""
    line = f"{shlex.join(world.webappctl.command(*arguments, '-n', world.namespace))} {tail}"
    environment = clean(world.webappctl.env())
    return subprocess.run(line, shell=True, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("columns", [80, 120])
def test_a_table_folds_and_never_cuts(world: World, columns: int) -> None:
    """Every character of the longest name is in its column."""
    name = "long-" * 10 + "er"
    world.declare(name)
    seen = on_terminal(
        world.webappctl.command("plan", "-n", world.namespace), env=world.webappctl.env(), columns=columns
    )
    lines = re.sub(r"\x1b\[[0-9;]*m", "", seen.text).splitlines()
    (header,) = [line for line in lines if "WebApp" in line and "Change" in line]
    column = slice(header.index("WebApp"), header.index("Change"))
    assert f"{world.namespace}/{name}" in "".join(line[column].strip() for line in lines)


def test_a_terminal_too_narrow_for_a_table_gets_plain_lines(world: World) -> None:
    """With 20 columns, every name can still be found with grep."""
    world.declare("web")
    command = world.webappctl.command("plan", "-n", world.namespace)
    seen = on_terminal(command, env=world.webappctl.env(), columns=20)
    assert f"{world.namespace}/web\tcreate" in seen.text


def test_output_off_a_terminal_has_no_escape_and_is_not_cut(world: World) -> None:
    """Even where the environment says that there are 20 columns."""
    world.declare("web", image="registry.example.com/a/long/path/of/an/image:v1.2.3")
    done = world.webappctl("plan", "-n", world.namespace, env={"COLUMNS": "20", "TERM": "dumb", "LC_ALL": "C"})
    assert ESC not in done.stdout + done.stderr
    (line,) = world.lines(done)
    assert line[0] == f"{world.namespace}/web"
    assert "registry.example.com/a/long/path/of/an/image:v1.2.3" in line[4]


def test_hostile_text_of_the_cluster_reaches_no_terminal(world: World) -> None:
    """Markup is text, and what moves a cursor is shown escaped, in every format."""
    image = "img[red]:v1[/b]:tada:\u202e\x1b]8;;x\x07"
    world.declare("web", image=image)
    for arguments in ((), ("-o", "json")):
        done = world.webappctl("plan", "-n", world.namespace, *arguments)
        assert done.returncode == 0, done.stderr
        assert not {ESC, "\x07", "\u202e"} & set(done.stdout + done.stderr)
    seen = on_terminal(world.webappctl.command("plan", "-n", world.namespace), env=world.webappctl.env())
    assert "img[red]:v1[/b]:tada:" in seen.text.replace("\r\n", "")
    assert "\u202e" not in seen.text


def test_json_is_one_versioned_document_on_stdout(world: World) -> None:
    """Everything else goes to stderr, so that it can be piped."""
    world.declare("web")
    planned = json.loads(world.plan("-o", "json").stdout)
    assert (planned["schemaVersion"], planned["kind"], planned["summary"]["pending"]) == (1, "Plan", 1)
    applied = json.loads(world.apply("-o", "json").stdout)
    assert (applied["schemaVersion"], applied["kind"]) == (1, "Report")
    assert [(r["name"], r["outcome"]) for r in applied["results"]] == [("web", "created")]


def test_a_reader_that_goes_away_is_no_traceback(world: World) -> None:
    """`plan | head -1` reads a line and leaves."""
    for name in ("one", "two", "three"):
        world.declare(name)
    done = _shell(world, "plan", tail="| head -1")
    assert done.stdout.startswith(f"{world.namespace}/one\tcreate")
    assert "Traceback" not in done.stderr


def test_a_reader_that_goes_away_does_not_stop_an_apply_half_way(world: World) -> None:
    """`apply --yes | head -1` writes everything, and its summary is on stderr."""
    for name in ("one", "two", "three"):
        world.declare(name)
    done = _shell(world, "apply", "--yes", tail="| head -1")
    assert "3 created, 0 configured" in done.stderr
    assert "Traceback" not in done.stderr
    assert world.plan().returncode == 0


def test_a_closed_stdin_is_no_terminal_and_no_traceback(world: World) -> None:
    """As a service manager may start it."""
    done = _shell(world, "apply", tail="<&-")
    assert (done.returncode, done.stderr) == (2, "webappctl: there is no terminal to ask on (add --yes)\n")


@pytest.mark.parametrize("tail", ["2>&1 >/dev/null | true", ">&- 2>&-", ">/dev/full 2>/dev/full"])
def test_an_apply_that_nobody_can_hear_is_done_all_the_same(world: World, tail: str) -> None:
    """Deployments, statuses and events: what it says is not what it does."""
    for name in ("one", "two", "three"):
        world.declare(name)
    _shell(world, "apply", "--yes", tail=tail)
    eventually(lambda: world.plan().returncode == 0)
    assert world.webapp("three")["status"]["observedGeneration"] == 1
    events = world.kubectl("get", "events", "--field-selector=reason=Reconciled", "-o", "name").stdout
    assert len(events.split()) == 3


def test_a_full_disk_is_one_line_and_exit_1(world: World) -> None:
    """What could not be printed is an error of its own, and no traceback."""
    world.declare("web")
    done = _shell(world, "plan", tail=">/dev/full")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "webappctl: cannot write to stdout: No space left on device"


def test_a_long_apply_has_a_progress_bar_on_a_terminal(world: World) -> None:
    """And leaves the terminal as it was: with a cursor."""
    for number in range(25):
        world.declare(f"web-{number}", replicas=1)
    command = world.webappctl.command("apply", "--yes", "-n", world.namespace)
    seen = on_terminal(command, env=world.webappctl.env())
    assert seen.returncode == 0
    assert "Applying" in seen.text
    assert seen.text.count(f"{ESC}[?25l") == seen.text.count(f"{ESC}[?25h")
