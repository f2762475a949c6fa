"""The API server goes away, or the CRD does: watch lives, deletes nothing, and goes on when it is back."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.conftest import Kubectl, Webappctl
from tests.watching import watches
from tests.world import Audit, World, eventually
from webappctl import crd
from webappctl import sandbox as sandboxes
from webappctl.sandbox import Sandbox

pytestmark = [pytest.mark.xdist_group("api-server-gone"), pytest.mark.timeout(600)]

LEASE = 4.0
LOCK = ("--lease-duration", f"{LEASE}s", "--renew-deadline", "3s", "--retry-period", "500ms")
NEW = "nginx:1.26"


@pytest.fixture
def own() -> Iterator[Sandbox]:
    """A control plane that nobody else uses."""
    with sandboxes.throwaway("gone", say=lambda _: None, audit=True, crds=[crd.shipped()]) as found:
        yield found


@pytest.fixture
def lone(own: Sandbox) -> World:
    assert own.kubectl is not None
    kubectl = Kubectl(own.kubectl, own.kubeconfig)
    kubectl("create", "namespace", "shop")
    return World("shop", kubectl, Webappctl(own.kubeconfig))


def _image(world: World) -> str:
    return str(world.deployment("web")["spec"]["template"]["spec"]["containers"][0]["image"])


class ApiServer:
    """The API server of a control plane, which can be killed and started again as it was."""

    def __init__(self, of: Sandbox, ending: ExitStack) -> None:
        (self._pid,) = (pid for component, pid, _ in of.processes if component == "kube-apiserver")
        said = subprocess.run(["ps", "-ww", "-o", "args=", "-p", str(self._pid)], capture_output=True, check=True)
        self._command = said.stdout.decode().split()
        self._ending = ending

    @contextmanager
    def silent(self) -> Iterator[None]:
        """It takes connections, and answers nothing."""
        os.kill(self._pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self._pid, signal.SIGCONT)

    @contextmanager
    def down(self) -> Iterator[None]:
        os.kill(self._pid, signal.SIGKILL)
        yield
        again = self._ending.enter_context(subprocess.Popen(self._command, stderr=subprocess.DEVNULL))
        self._ending.callback(again.kill)


@pytest.fixture
def api_server(own: Sandbox) -> Iterator[ApiServer]:
    with ExitStack() as ending:
        yield ApiServer(own, ending)


def test_both_live_through_three_leases_without_an_api_server(
    api_server: ApiServer, lone: World, tmp_path: Path
) -> None:
    """And one leads again."""
    lone.declare("web")
    with watches(lone.webappctl, tmp_path) as started:
        pair = [started.start("--interval", "2s", *LOCK) for _ in range(2)]
        eventually(lambda: any(watch.lines("Pass finished") for watch in pair))
        with api_server.down():
            time.sleep(3 * LEASE)
            assert [watch.process.poll() for watch in pair] == [None, None]
            before = [len(watch.lines("Leading")) for watch in pair]
        eventually(lambda: [len(watch.lines("Leading")) for watch in pair] != before, seconds=60)
        lone.declare("web", image=NEW)
        eventually(lambda: _image(lone) == NEW, seconds=60)


def test_a_crd_that_goes_and_comes_back_costs_no_delete_request(own: Sandbox, lone: World, tmp_path: Path) -> None:
    """The garbage collector deletes what the WebApps owned; watch finds out, waits, and converges."""
    lone.declare("web")
    with watches(lone.webappctl, tmp_path) as started:
        watch = started.start("--interval", "2s", *LOCK)
        eventually(lambda: lone.exists("deployment", "web-deployment"))
        audit = Audit.from_now(own)
        lone.kubectl("delete", "crd", "webapps.apps.example.com")
        watch.until("Pass failed")
        eventually(lambda: not lone.exists("deployment", "web-deployment"), seconds=90)
        assert lone.webappctl("crd", "--install").returncode == 0
        lone.declare("web", image=NEW)
        eventually(lambda: lone.exists("deployment", "web-deployment") and _image(lone) == NEW, seconds=60)
        ours = [entry for entry in audit.writes() if entry["userAgent"].startswith("webappctl/")]
        assert [entry["verb"] for entry in ours if entry["verb"].startswith("delete")] == []
        assert watch.end() == 0


def test_a_signal_ends_it_within_ten_seconds_though_nothing_answers(
    api_server: ApiServer, lone: World, tmp_path: Path
) -> None:
    """Whatever it waits for: a list, a stream, the Lease."""
    with watches(lone.webappctl, tmp_path) as started:
        watch = started.start("--interval", "1s", *LOCK)
        watch.until("Pass finished", times=2)
        with api_server.silent():
            watch.until("Not leading any more")
            began = time.monotonic()
            assert watch.end() == 0
            assert time.monotonic() - began < 10
