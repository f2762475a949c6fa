"""The sandbox's ups and downs with its real programs: what is started, what is left behind, and what survives."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.sandboxes import SILENT, client, pids, running
from tests.manifests import webapp
from tests.world import eventually
from webappctl import crd, sandbox
from webappctl.errors import SandboxError
from webappctl.sandbox import Sandbox, binaries, lifecycle, state
from webappctl.sandbox.interrupt import deferred


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A state folder of the test's own, in which nothing runs afterwards."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    yield tmp_path
    for name in state.names():
        sandbox.down(name)
    assert running(tmp_path) == []


def kill_all(found: Sandbox) -> None:
    for pid in pids(found).values():
        os.kill(pid, signal.SIGKILL)
    eventually(lambda: not pids(found))


def child(code: str) -> subprocess.Popen[str]:
    """A Python of its own that may be killed."""
    program = f"from webappctl import sandbox\n{code}"
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", program], stdin=pipe, stdout=pipe, stderr=pipe, text=True)


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
    with pytest.raises(SandboxError) as caught:
        sandbox.up("broken", say=SILENT.append)
    assert str(caught.value).splitlines() == [
        "kube-apiserver ended at once; mend what the end of its log names, and try again:",
        "  unknown flag: --secure-port",
    ]
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


WEBAPPS = "/apis/apps.example.com/v1/namespaces/default/webapps"
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"


def test_the_garbage_collector_knows_the_given_kinds_at_once(home: Path) -> None:
    """Others it would find within 30 s; until then a child outlives its owner."""
    with client(sandbox.up("kinds", say=SILENT.append, crds=[crd.shipped()])) as api:
        web = webapp("web", spec={"image": "nginx:1.25", "port": 80})
        uid = api.send("POST", WEBAPPS, web).body["metadata"]["uid"]
        owner = {"apiVersion": "apps.example.com/v1", "kind": "WebApp", "name": "web", "uid": uid}
        assert api.send("POST", CONFIG_MAPS, {"metadata": {"name": "child", "ownerReferences": [owner]}}).ok
        api.send("DELETE", f"{WEBAPPS}/web?propagationPolicy=Background")
        eventually(lambda: api.get(f"{CONFIG_MAPS}/child").status == 404, seconds=5)


def test_up_starts_one_again_that_lacks_a_given_kind(home: Path) -> None:
    """On the same data; and the one after that finds it running."""
    before = sandbox.up("kinds", say=SILENT.append)
    with client(before) as api:
        assert api.send("POST", CONFIG_MAPS, {"metadata": {"name": "kept"}}).ok
    with client(sandbox.up("kinds", say=SILENT.append, crds=[crd.shipped()])) as api:
        assert (api.get(WEBAPPS).status, api.get(f"{CONFIG_MAPS}/kept").status) == (200, 200)
    started = before.processes
    assert sandbox.up("kinds", say=SILENT.append, crds=[crd.shipped()]).processes == started


def test_a_kind_that_the_api_server_refuses_is_an_error_at_once(home: Path) -> None:
    """With the server's reason, and nothing is left."""
    with pytest.raises(SandboxError, match=r"refuses the CRD webapps\.apps\.example\.com: .*spec\.scope"):
        sandbox.up(
            "kinds", say=SILENT.append, crds=[{**crd.shipped(), "spec": {**crd.shipped()["spec"], "scope": "x"}}]
        )
    assert running(home) == []
    assert list(state.root().iterdir()) == []


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
