"""A server that accepts and never answers. Every command ends within its stated limits, with one line and exit 1."""

from __future__ import annotations

import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.conftest import Webappctl
from tests.e2e.conftest import Start
from tests.world import World, eventually
from webappctl.sandbox import Sandbox

SLACK = 10.0
"""Seconds for starting Python on a busy machine."""


class Silence:
    """A TCP server that accepts and keeps silent; `forward` has it pass on everything to another address instead."""

    def __init__(self) -> None:
        self.forward: tuple[str, int] | None = None
        self.accepted = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open = ExitStack()
        self._open.callback(self._listener.close)
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._listener.getsockname()[1]}"

    def close(self) -> None:
        self._open.close()

    def _accept(self) -> None:
        while True:
            try:
                client = self._open.enter_context(self._listener.accept()[0])
            except OSError:
                return
            self.accepted += 1
            if self.forward:
                server = self._open.enter_context(socket.create_connection(self.forward))
                for source, sink in ((client, server), (server, client)):
                    threading.Thread(target=_pump, args=(source, sink), daemon=True).start()


def _pump(source: socket.socket, sink: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        return


@pytest.fixture
def silence() -> Iterator[Silence]:
    server = Silence()
    yield server
    server.close()


@pytest.fixture
def silent_kubeconfig(silence: Silence, sandbox: Sandbox, tmp_path: Path) -> Path:
    """The sandbox's kubeconfig, with the silent server in the API server's place."""
    path = tmp_path / "kubeconfig"
    path.write_text(sandbox.kubeconfig.read_text().replace(sandbox.server.removeprefix("https://"), silence.address))
    return path


ONE_SHOTS = [("plan",), ("plan", "-o", "json"), ("apply", "--yes"), ("crd", "--install")]


@pytest.mark.parametrize("command", ONE_SHOTS)
def test_a_one_shot_gives_up_after_two_tries(
    webappctl: Webappctl, silent_kubeconfig: Path, command: tuple[str, ...]
) -> None:
    """Two tries of --request-timeout each, then one line that says what and where."""
    began = time.monotonic()
    done = webappctl(*command, "--request-timeout", "1s", kubeconfig=silent_kubeconfig)
    assert time.monotonic() - began < 2 * 1 + SLACK
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = [line for line in done.stderr.splitlines() if not line.startswith("Installing")]
    assert line.startswith("webappctl: ")
    assert "no answer from https://127.0.0.1:" in line


@pytest.mark.parametrize("command", ONE_SHOTS)
def test_timeout_ends_a_one_shot_whatever_it_waits_for(
    webappctl: Webappctl, silent_kubeconfig: Path, command: tuple[str, ...]
) -> None:
    """--timeout is for the whole command, and cuts a longer --request-timeout."""
    began = time.monotonic()
    done = webappctl(*command, "--timeout", "1s", kubeconfig=silent_kubeconfig)
    assert time.monotonic() - began < 1 + SLACK
    assert (done.returncode, done.stdout) == (1, "")
    assert "--timeout" in done.stderr


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_while_reading_ends_at_once(
    start: Start, silence: Silence, silent_kubeconfig: Path, number: signal.Signals, code: int
) -> None:
    """A one-shot that has written nothing yet says so."""
    plan = start("plan", env={"KUBECONFIG": str(silent_kubeconfig)})
    eventually(lambda: silence.accepted >= 2)
    plan.send_signal(number)
    _, talk = plan.communicate(timeout=5)
    assert (plan.returncode, talk) == (code, "webappctl: interrupted, nothing was written\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_watch_with_0_though_a_list_is_in_flight(
    start: Start, silence: Silence, silent_kubeconfig: Path, number: signal.Signals
) -> None:
    """At once, and without a word about writes: nothing is being written."""
    watch = start("watch", env={"KUBECONFIG": str(silent_kubeconfig)})
    eventually(lambda: silence.accepted >= 2)
    watch.send_signal(number)
    _, talk = watch.communicate(timeout=5)
    assert watch.returncode == 0
    assert "written" not in talk


def test_a_signal_ends_an_installation_with_130(start: Start, silence: Silence, silent_kubeconfig: Path) -> None:
    """Though it waits for an answer to what may be a write: within the grace period, by the signal's own code."""
    install = start("crd", "--install", "--request-timeout", "2s", env={"KUBECONFIG": str(silent_kubeconfig)})
    eventually(lambda: silence.accepted >= 1)
    install.send_signal(signal.SIGINT)
    assert install.wait(10) == 130


def test_watch_stays_up_says_so_once_and_goes_on_when_the_server_is_back(
    world: World, start: Start, silence: Silence, silent_kubeconfig: Path, sandbox: Sandbox
) -> None:
    """One line says that the Lease, without which there is no pass, cannot be had, and one that it can again."""
    world.declare("web")
    fast = ("--interval", "200ms", "--request-timeout", "300ms")
    watch = start("watch", "-n", world.namespace, *fast, env={"KUBECONFIG": str(silent_kubeconfig)})
    eventually(lambda: silence.accepted >= 12)
    assert watch.poll() is None
    host, _, port = sandbox.server.removeprefix("https://").partition(":")
    silence.forward = (host, int(port))
    eventually(lambda: world.exists("deployment", "web-deployment"))
    watch.terminate()
    _, talk = watch.communicate(timeout=20)
    assert watch.returncode == 0
    said = [talk.count(words) for words in ("Lease cannot be read or written", "Lease can be read and written again")]
    assert said == [1, 1], talk
