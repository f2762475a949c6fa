"""The sandbox with its real programs: what is started, what is left behind (nothing), and what survives."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from webappctl import sandbox
from webappctl.errors import SandboxError, UsageError
from webappctl.sandbox import Sandbox, binaries, lifecycle, state
from webappctl.sandbox.client import Client
from webappctl.sandbox.interrupt import deferred

SILENT: list[str] = []
APPS = "/apis/apps/v1/namespaces/default"
LISTENING = "0A"  # in the fourth column of /proc/net/tcp
LOOPBACK = "0100007F"


@pytest.fixture(scope="module", autouse=True)
def _built() -> None:
    """The very first time the programs are built; no test's deadline should pay for that."""
    with deferred() as stop:
        binaries.obtain(SILENT.append, stop)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A state folder of the test's own, in which nothing runs afterwards."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    yield tmp_path
    for name in state.names():
        sandbox.down(name)
    assert running(tmp_path) == []


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """One that the tests below only look at."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("shared")))
        yield sandbox.up("shared", say=SILENT.append, audit=True)
        sandbox.down("shared")


def running(folder: Path) -> list[str]:
    """Command lines that mention the folder: each component's names its sandbox's."""
    listed = subprocess.run(
        ["ps", "-e", "-ww", "-o", "stat=", "-o", "args="], capture_output=True, text=True, check=True
    ).stdout
    return [line for line in listed.splitlines() if str(folder) in line and not line.startswith("Z")]


def pids(found: Sandbox) -> dict[str, int]:
    return {component: pid for component, pid, alive in found.processes if alive}


def kill_all(found: Sandbox) -> None:
    for pid in pids(found).values():
        os.kill(pid, signal.SIGKILL)
    eventually(lambda: not pids(found))


def eventually(true: Callable[[], object], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


def child(code: str) -> subprocess.Popen[str]:
    """A Python of its own that may be killed."""
    program = f"from webappctl import sandbox\n{code}"
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", program], stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def client(found: Sandbox) -> Client:
    return Client(found.directory / "pki", int(found.server.rpartition(":")[2]), "admin")


def deployment(name: str, replicas: int) -> dict[str, object]:
    labels = {"app": name}
    pod = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "app", "image": "nginx:1.25"}]}}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": pod}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}


def assets(folder: Path, **replaced: str) -> Path:
    """The real etcd and API server in a folder without the rest; `replaced` are shell scripts in their place."""
    with deferred() as stop:
        real = binaries.obtain(SILENT.append, stop)
    folder.mkdir()
    for name in ("etcd", "kube-apiserver"):
        script = replaced.get(name.replace("-", "_"))
        if script is None:
            (folder / name).symlink_to(real.needed(name))
        else:
            (folder / name).write_text(f"#!/bin/sh\n{script}\n")
            (folder / name).chmod(0o755)
    return folder


def test_up_twice_is_the_same_sandbox(shared: Sandbox) -> None:
    """The second `up` starts nothing and changes nothing."""
    before = shared.processes
    again = sandbox.up("shared", say=SILENT.append)
    assert (again, again.processes) == (shared, before)
    assert sandbox.find("shared") == shared


def test_pods_of_a_deployment_become_ready(shared: Sandbox) -> None:
    """Controller manager, scheduler and kwok do their parts as soon as `up` returns."""
    with client(shared) as api:
        assert api.send("POST", f"{APPS}/deployments", deployment("ready", 3)).ok
        eventually(lambda: api.get(f"{APPS}/deployments/ready").body["status"].get("readyReplicas") == 3)


def test_the_garbage_collector_removes_what_a_deleted_owner_leaves(shared: Sandbox) -> None:
    """Also when the owner is deleted right after `up`."""
    with client(shared) as api:
        path = f"{APPS}/replicasets?labelSelector=app%3Downer"
        api.send("POST", f"{APPS}/deployments", deployment("owner", 1))
        eventually(lambda: api.get(path).body["items"])
        api.send("DELETE", f"{APPS}/deployments/owner?propagationPolicy=Background")
        eventually(lambda: not api.get(path).body["items"])


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="reads the kernel's list of sockets")
def test_everything_listens_on_loopback_only(shared: Sandbox) -> None:
    """Of all sockets of all components."""
    inodes = set()
    for pid in pids(shared).values():
        links = [str(fd.readlink()) for fd in Path(f"/proc/{pid}/fd").iterdir()]
        inodes |= {link.removeprefix("socket:[").removesuffix("]") for link in links if link.startswith("socket:[")}
    rows = [line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]]
    addresses = [row[1] for row in rows if row[3] == LISTENING and row[9] in inodes]
    assert len(addresses) == 3
    assert {address.partition(":")[0] for address in addresses} == {LOOPBACK}


def test_private_files_are_private(shared: Sandbox) -> None:
    """Nobody else can read a key, a log or the data."""
    entries = [shared.directory, *shared.directory.rglob("*")]
    assert [
        str(entry) for entry in entries if entry.stat().st_mode & 0o077 and entry.parent.stat().st_mode & 0o077
    ] == []
    assert [str(key) for key in shared.directory.rglob("*.key") if key.stat().st_mode & 0o077] == []


def test_etcd_lets_nobody_in_without_a_certificate(shared: Sandbox) -> None:
    """Another user of the machine reaches the port, and nothing behind it."""
    current = state.read(shared.name)
    assert current is not None
    with socket.create_connection(("127.0.0.1", current.ports.etcd), timeout=5) as plain:
        plain.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b"health" not in plain.recv(4096)


def test_the_audit_log_has_the_users_requests_and_not_the_systems(shared: Sandbox) -> None:
    """So that a test can count what a program sent."""
    assert shared.audit_log is not None
    with client(shared) as api:
        api.get("/api/v1/namespaces/kube-public/configmaps?limit=7")
    entries = [json.loads(line) for line in shared.audit_log.read_text().splitlines()]
    assert {entry["user"]["username"] for entry in entries} == {"sandbox-admin"}
    assert entries[-1]["requestURI"].endswith("limit=7")


def test_the_kubeconfig_works_with_kubectl(shared: Sandbox) -> None:
    """As its current context, which is the sandbox's."""
    assert shared.kubectl is not None
    chosen = ["--kubeconfig", str(shared.kubeconfig), "--context", shared.context]
    command = [str(shared.kubectl), *chosen, "get", "nodes", "-o", "name"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    assert answer.stdout == "node/sandbox\n"


def test_down_twice_is_fine_and_leaves_nothing(home: Path) -> None:
    """No process, no file; the second time there was none."""
    started = sandbox.up("brief", say=SILENT.append)
    assert started.healthy
    assert (sandbox.down("brief"), sandbox.down("brief")) == (True, False)
    assert running(home) == []
    assert list(state.root().iterdir()) == []
    assert (started.healthy, started.processes, sandbox.find("brief")) == (False, (), None)


def test_two_ups_at_once_end_in_one_control_plane(home: Path) -> None:
    """Whoever comes second waits, and finds it running."""
    both = [child("print(sandbox.up('one', say=lambda _: None).processes)") for _ in range(2)]
    first, second = (up.communicate(timeout=60)[0] for up in both)
    assert first == second
    assert len(running(home)) == 5


def test_a_sigterm_during_the_start_leaves_nothing(home: Path) -> None:
    """And it ends the program as a SIGTERM does."""
    starting = child("sandbox.up('cut', say=print)")
    eventually(lambda: (current := state.read("cut")) and len(current.processes) >= 2)
    starting.terminate()
    starting.communicate(timeout=60)
    assert starting.returncode == -signal.SIGTERM
    assert running(home) == []
    assert list(state.root().iterdir()) == []


def test_a_component_that_dies_is_reported_with_its_log_and_nothing_is_left(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """etcd, which was up already, ends too."""
    folder = assets(home / "assets", kube_apiserver="echo unknown flag: --secure-port; exit 1")
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(folder))
    with pytest.raises(SandboxError, match=r"(?s)kube-apiserver ended at once.*unknown flag: --secure-port"):
        sandbox.up("broken", say=SILENT.append)
    assert running(state.root()) == []
    assert list(state.root().iterdir()) == []


def test_etcd_and_an_apiserver_are_enough(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is missing is said, with what that means; pods need no service account that nobody makes."""
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(assets(home / "assets")))
    said: list[str] = []
    small = sandbox.up("small", say=said.append)
    assert small.missing == ("kube-controller-manager", "kube-scheduler", "kubectl", "kwok")
    assert any("no kube-controller-manager: no rollouts, no garbage collection" in line for line in said)
    with client(small) as api:
        pod = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "app", "image": "nginx:1.25"}]}}
        assert api.send("POST", "/api/v1/namespaces/default/pods", pod).ok


def test_up_repairs_a_sandbox_whose_apiserver_was_killed(home: Path) -> None:
    """On the same data and the same port."""
    broken = sandbox.up("hurt", say=SILENT.append)
    with client(broken) as api:
        assert api.send("POST", "/api/v1/namespaces/default/configmaps", {"metadata": {"name": "kept"}}).ok
    os.kill(pids(broken)["kube-apiserver"], signal.SIGKILL)
    eventually(lambda: not broken.healthy)
    repaired = sandbox.up("hurt", say=SILENT.append)
    assert (repaired, repaired.healthy) == (broken, True)
    with client(repaired) as api:
        assert api.get("/api/v1/namespaces/default/configmaps/kept").ok


def test_up_takes_another_port_when_its_own_was_taken_meanwhile(home: Path) -> None:
    """After a reboot the old ports may be anybody's."""
    before = sandbox.up("moved", say=SILENT.append)
    kill_all(before)
    port = int(before.server.rpartition(":")[2])
    with socket.create_server(("127.0.0.1", port)):
        after = sandbox.up("moved", say=SILENT.append)
        assert after.healthy
        assert after.server != before.server
        assert after.server in after.kubeconfig.read_text()


def test_a_throwaway_whose_owner_was_killed_is_taken_down_by_the_next_up(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even by one that fails afterwards."""
    owner = child("with sandbox.throwaway('lost', say=print) as s: print(s.name, flush=True); input()")
    assert owner.stdout is not None
    assert "is ready" in owner.stdout.readline()
    owner.kill()
    owner.communicate(timeout=10)
    assert len(running(home)) == 5
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(home))
    with pytest.raises(SandboxError, match="no etcd and no kube-apiserver"):
        sandbox.up("other", say=SILENT.append)
    assert running(home) == []
    assert state.names() == ()


def test_a_throwaway_ends_with_its_block_unless_it_is_to_be_kept(home: Path) -> None:
    """Kept, it is a sandbox like others, which nobody takes down but its user; a failing block does not matter."""
    with pytest.raises(ZeroDivisionError), sandbox.throwaway(say=SILENT.append, keep=lambda: True) as kept:
        raise ZeroDivisionError
    assert kept.healthy
    assert lifecycle.reap() == ()
    with pytest.raises(ZeroDivisionError), sandbox.throwaway(say=SILENT.append) as ended:
        raise ZeroDivisionError
    assert (kept.healthy, ended.healthy, state.names()) == (True, False, (kept.name,))


def test_a_throwaway_is_taken_down_by_sigterm(home: Path) -> None:
    """Where nobody handles it, it would end the program without any `finally`."""
    owner = child("import time\nwith sandbox.throwaway(say=print) as s: print(s.name, flush=True); time.sleep(60)")
    assert owner.stdout is not None
    assert "is ready" in owner.stdout.readline()
    owner.stdout.readline()
    owner.terminate()
    owner.communicate(timeout=30)
    assert owner.returncode == -signal.SIGTERM
    assert running(home) == []
    assert list(state.root().iterdir()) == []


@pytest.mark.parametrize("call", [sandbox.down, sandbox.find, lambda name: sandbox.up(name, say=print)])
def test_a_bad_name_is_a_wrong_usage(call: Callable[[str], object]) -> None:
    """Before anything is looked at."""
    with pytest.raises(UsageError, match="lower-case letters, digits and dashes"):
        call("../up")
