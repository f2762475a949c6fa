"""What went wrong on other tools' command lines: pipes, poor terminals, signals, a scheduler that slept.

Crashes, odd answers and proxies are in test_command_line_failures.py; what test_output.py, test_interrupted.py and
test_dead_server.py show is not shown again.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import uuid
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta

import pytest
import yaml

from tests.conftest import Kubectl, Webappctl, clean, run
from tests.integration.test_cronjob import shipped
from tests.manifests import webapp
from tests.terminal import Seen, on_terminal
from tests.world import World, eventually
from webappctl.cli.options import Output

ESC = "\x1b"
FORMATS = [output.value for output in Output]
NAMES = ("web", "a-name-of-18-chars", "x" * 52)
ENVIRONMENTS: dict[str, dict[str, str]] = {
    "narrow": {"COLUMNS": "20"},
    "dumb": {"TERM": "dumb"},
    "C": {"LC_ALL": "C"},
    "C-to-the-letter": {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
    "ascii": {"PYTHONIOENCODING": "ascii"},
    "no-colour": {"NO_COLOR": "1"},
}


def _create_all(world: World, *names: str) -> None:
    items = [webapp(name, world.namespace, {"image": "nginx", "replicas": 2, "port": 80}) for name in names]
    world.kubectl("create", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))


@pytest.fixture(scope="module")
def drifted(kubectl: Kubectl, webappctl: Webappctl) -> Iterator[World]:
    """Rows with an arrow in them, which ASCII has not got. Only looked at, and so shared."""
    world = World(f"t-{uuid.uuid4().hex[:10]}", kubectl, webappctl)
    kubectl("create", "namespace", world.namespace)
    _create_all(world, *NAMES)
    world.converge()
    world.kubectl("scale", "deployments", "--all", "--replicas=3")
    yield world
    kubectl("delete", "namespace", world.namespace, "--wait=false")


def _in_shell(world: World, line: str, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return run(["sh", "-c", line], env=world.webappctl.env(env), check=False)


def _plan(world: World, *arguments: str) -> list[str]:
    return world.webappctl.command("plan", "-n", world.namespace, *arguments)


@pytest.mark.parametrize("output", FORMATS)
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_every_full_name_can_be_grepped_behind_a_pipe(drifted: World, environment: str, output: str) -> None:
    """`plan | cat`, whatever the environment says of the terminal and of letters."""
    line = f"{shlex.join(_plan(drifted, '-o', output))} | cat"
    done = _in_shell(drifted, line, ENVIRONMENTS[environment])
    assert "Traceback" not in done.stderr
    assert ESC not in done.stdout + done.stderr
    for name in NAMES:
        assert re.search(rf"\b{name}\b", done.stdout)


def _seen(world: World, env: Mapping[str, str]) -> Seen:
    """The plan on a terminal of 100 columns, whatever the environment says."""
    command = ["env", f"TERM={env.get('TERM', 'xterm')}", *_plan(world)]
    return on_terminal(command, env=world.webappctl.env(env), columns=100)


def _names_in(text: str) -> str:
    """The column of names, its folds joined; of plain lines, the text."""
    lines = re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines()
    header = next((line for line in lines if "WebApp" in line and "Change" in line), None)
    if header is None:
        return text
    column = slice(header.index("WebApp"), header.index("Change"))
    return "".join(line[column].strip(" |") for line in lines)


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_every_full_name_can_be_read_on_a_poor_terminal(drifted: World, environment: str) -> None:
    """Folded where its column is too narrow, and never cut; without a traceback."""
    seen = _seen(drifted, ENVIRONMENTS[environment])
    assert seen.returncode == 0
    assert "Traceback" not in seen.text
    for name in NAMES:
        assert f"{drifted.namespace}/{name}" in _names_in(seen.text)


@pytest.mark.parametrize(("environment", "escapes"), [("dumb", r"\x1b"), ("no-colour", r"\x1b\[[0-9;]*3[0-9]")])
def test_a_terminal_gets_no_escape_that_it_did_not_ask_for(drifted: World, environment: str, escapes: str) -> None:
    """None at all on a dumb one, and no colour where NO_COLOR is set."""
    assert re.findall(escapes, _seen(drifted, ENVIRONMENTS[environment]).text) == []


@pytest.mark.parametrize("output", FORMATS)
def test_a_reader_that_wants_one_line_gets_it(drifted: World, output: str) -> None:
    """`plan | head -1` in every format: that line, the exit code of head, and no complaint."""
    done = _in_shell(drifted, f"{shlex.join(_plan(drifted, '-o', output))} | head -1", {})
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 1
    assert "Traceback" not in done.stderr
    assert "Broken pipe" not in done.stderr


def _and_then(world: World, *arguments: str) -> str:
    """A shell line that says how the command ended, and goes on after a signal to the whole group."""
    command = shlex.join(world.webappctl.command(*arguments))
    return f"trap : INT TERM; {command} >/dev/null && echo ok || echo $?"


def _after_a_signal(world: World, number: signal.Signals, when: Callable[[], object], *arguments: str) -> list[str]:
    """What the shell line says after `apply --yes` was interrupted, as by Ctrl-C, as soon as `when` is true."""
    line = _and_then(world, "apply", "--yes", "-n", world.namespace, *arguments)
    with subprocess.Popen(
        ["sh", "-c", line], env=clean(world.webappctl.env()), stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as shell:
        eventually(when, every=0.05)
        os.killpg(shell.pid, number)
        out, _ = shell.communicate(timeout=30)
    return out.split()


SIGNALS = [(signal.SIGINT, "130"), (signal.SIGTERM, "143")]


@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_what_comes_after_an_interrupted_apply_is_not_run(world: World, number: signal.Signals, code: str) -> None:
    """`apply && echo ok` prints nothing, though a part was applied in good order."""
    _create_all(world, *(f"web-{nth:02}" for nth in range(40)))

    def begun() -> bool:
        return world.kubectl("get", "deployments", "-o", "name").stdout.count("\n") > 2

    assert _after_a_signal(world, number, begun, "--workers", "1") == [code]


@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_what_comes_after_an_interrupted_wait_is_not_run(world: World, number: signal.Signals, code: str) -> None:
    """All was applied, and the pods, too big for any node, are still waited for."""
    limit = {"type": "Container", "defaultRequest": {"cpu": "9999"}}
    limits = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "big"}, "spec": {"limits": [limit]}}
    world.kubectl("create", "-f", "-", stdin=json.dumps(limits))
    world.declare("web")
    ended = _after_a_signal(world, number, lambda: world.condition("web", "Reconciling"), "--wait")
    assert ended == [code]


def test_what_comes_after_a_failed_apply_is_not_run(world: World) -> None:
    """Blocked, refused for want of a terminal, and no server: 5, 2 and 1, and never `ok`."""
    world.kubectl("create", "deployment", "taken-deployment", "--image=nginx")
    world.declare("taken")
    apply = ("apply", "-n", world.namespace)
    ended = [_in_shell(world, _and_then(world, *apply, *more), {}).stdout.split() for more in (("--yes",), ())]
    nowhere = {"KUBECONFIG": "/nonexistent", "HOME": "/nonexistent"}
    ended.append(_in_shell(world, _and_then(world, *apply, "--yes"), nowhere).stdout.split())
    assert ended == [["5"], ["2"], ["1"]]


def _slept(kubectl: Kubectl, namespace: str, minutes: int) -> None:
    """As if its controller had been away: the last start was long ago."""
    last = f"{datetime.now(UTC) - timedelta(minutes=minutes):%Y-%m-%dT%H:%M:%SZ}"
    status = ("patch", "cronjob", "webappctl", "-n", namespace, "--subresource=status", "--type=merge", "-p")
    kubectl(*status, json.dumps({"status": {"lastScheduleTime": last}}))


def test_a_cronjob_whose_controller_slept_through_200_starts_runs_again(kubectl: Kubectl, namespace: str) -> None:
    """It has a start deadline, so that only the starts of the last minutes count. Every minute here, not to wait."""
    manifest = shipped(namespace)["CronJob"]
    manifest["spec"] |= {"suspend": True, "schedule": "* * * * *"}
    kubectl("create", "-f", "-", stdin=yaml.safe_dump(manifest))
    _slept(kubectl, namespace, minutes=200)
    kubectl("patch", "cronjob", "webappctl", "-n", namespace, "-p", '{"spec": {"suspend": false}}')
    eventually(lambda: kubectl("get", "jobs", "-n", namespace, "-o", "name").stdout, seconds=90, every=0.5)
    kubectl("delete", "cronjob", "webappctl", "-n", namespace)
