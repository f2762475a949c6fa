"""What goes wrong under a command: a crash, an answer that is none, a proxy, a write that hangs.

None of it is ever an empty plan, and none of it shows a token.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.conftest import run
from tests.forwarder import Answer, Forwarder, Rule, forwarding
from tests.identities import kubeconfig_of, service_account
from tests.world import Done, World
from webappctl.cli.options import Output
from webappctl.sandbox import Sandbox

FORMATS = [output.value for output in Output]
RUN = "from webappctl.cli import main; main()"
RENDERING_BREAKS = f"""
from webappctl import render
def broken(*_, **__): raise RuntimeError("cannot draw")
for name in set(render.__all__) - {{"safe", "Target"}}:
    if callable(getattr(render, name)): setattr(render, name, broken)
{RUN}
"""
PLANNING_BREAKS = f"""
import webappctl.core.plan as plan
def broken(*_, **__): raise RuntimeError("cannot plan")
plan.make_plan = broken
{RUN}
"""
SENDING_BREAKS = f"""
import urllib3
def broken(self, method, url, body=None, headers=None, **_): raise RuntimeError("cannot send")
urllib3.HTTPConnectionPool.urlopen = broken
{RUN}
"""


def _crashing(world: World, code: str, *arguments: str, kubeconfig: Path | None = None) -> Done:
    command = [sys.executable, "-c", code, *arguments]
    return run(command, env=world.webappctl.env(None, kubeconfig), check=False)


@pytest.mark.parametrize("output", FORMATS)
@pytest.mark.parametrize("code", [RENDERING_BREAKS, PLANNING_BREAKS], ids=["rendering", "planning"])
def test_a_plan_that_cannot_be_shown_is_never_an_empty_one(world: World, code: str, output: str) -> None:
    """Exit 1 and nothing on stdout, where an empty plan would be exit 0 and nothing on stdout."""
    world.declare("web")
    done = _crashing(world, code, "plan", "--exit-code", "-n", world.namespace, "-o", output)
    assert (done.returncode, done.stdout) == (1, "")
    assert "cannot" in done.stderr


CRASHES = [
    (PLANNING_BREAKS, ("plan",), "cannot plan"),
    (SENDING_BREAKS, ("plan", "-o", "json"), "cannot send"),
    (SENDING_BREAKS, ("apply", "--yes"), "cannot send"),
    (SENDING_BREAKS, ("watch",), "cannot send"),
    (SENDING_BREAKS, ("crd", "--install"), "cannot send"),
]


@pytest.mark.parametrize(("code", "command", "said"), CRASHES)
def test_a_crash_shows_no_token(world: World, tmp_path: Path, code: str, command: tuple[str, ...], said: str) -> None:
    """Not with its traceback, not in a log line, though it is a local variable of half the frames."""
    lists = ("webapps.apps.example.com", "deployments.apps", "horizontalpodautoscalers.autoscaling")
    token = service_account(world.kubectl_, world.namespace, *(f"list {kind}" for kind in lists), everywhere=True)
    done = _crashing(world, code, *command, kubeconfig=kubeconfig_of(token, world.kubectl_.kubeconfig, tmp_path))
    assert done.returncode == 1
    assert said in done.stderr
    for part in token.split("."):
        assert part not in done.stdout + done.stderr


Through = Callable[[Rule], Forwarder]


@pytest.fixture
def through(sandbox: Sandbox, tmp_path: Path) -> Iterator[Through]:
    """Put a forwarder with that rule before the API server."""
    with ExitStack() as stack:
        yield lambda rule: stack.enter_context(forwarding(sandbox, tmp_path, rule))


def _reads_only(_: Forwarder, method: str, path: str) -> Answer | None:
    return None if method == "GET" else (405, "text/plain", b"not allowed")


def test_a_plan_passes_a_proxy_that_fails_every_request_but_get(world: World, through: Through) -> None:
    """It asks for lists, and for nothing else: no review of rights, no dry run."""
    world.declare("web")
    proxy = through(_reads_only)
    done = world.webappctl("plan", "--exit-code", "-n", world.namespace, kubeconfig=proxy.kubeconfig)
    assert done.returncode == 3, done.stderr
    assert f"{world.namespace}/web\tcreate" in done.stdout
    assert set(proxy.methods) == {"GET"}


LISTS_OF_NOTHING: dict[str, Answer] = {
    "html": (200, "text/html", b"<html>please log in</html>"),
    "items-null": (200, "application/json", b'{"kind": "WebAppList", "metadata": {}, "items": null}'),
    "no-items": (200, "application/json", b'{"kind": "WebAppList", "metadata": {}}'),
    "status": (200, "application/json", b'{"kind": "Status", "status": "Failure"}'),
    "cut": (200, "application/json", b'{"kind": "WebAppList", "items": ['),
    "not-served": (404, "text/plain", b"404 page not found\n"),
    "empty": (200, "application/json", b""),
}


@pytest.mark.parametrize("answer", LISTS_OF_NOTHING)
@pytest.mark.parametrize("command", [("plan", "--exit-code"), ("plan", "-o", "json"), ("apply", "--yes", "--no-lock")])
def test_a_list_that_is_none_is_never_an_empty_plan(
    world: World, through: Through, answer: str, command: tuple[str, ...]
) -> None:
    """Exit 1, one line, and nothing on stdout."""
    world.declare("web")

    def no_list(_: Forwarder, method: str, path: str) -> Answer | None:
        return LISTS_OF_NOTHING[answer] if "/webapps" in path else None

    proxy = through(no_list)
    done = world.webappctl(*command, "-n", world.namespace, kubeconfig=proxy.kubeconfig)
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("webappctl: ")
    assert set(proxy.methods) == {"GET"}


def _hangs_on_writes(forwarder: Forwarder, method: str, path: str) -> Answer | None:
    if method == "GET" or "/leases" in path:
        return None
    forwarder.released.wait()
    return 503, "text/plain", b"too late"


def test_an_apply_whose_writes_hang_ends_by_its_deadline(world: World, through: Through) -> None:
    """And says that it does not know what became of them."""
    for name in ("one", "two"):
        world.declare(name)
    proxy = through(_hangs_on_writes)
    command = ("apply", "--yes", "-n", world.namespace, "--timeout", "2s")
    done = world.webappctl(*command, kubeconfig=proxy.kubeconfig)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "--timeout 2s" in done.stderr
