"""A sandbox that runs: it works, and it lets nobody in who has no business there."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.integration.sandboxes import SILENT, client, pids
from tests.world import eventually
from webappctl import crd, sandbox
from webappctl.cli.local import sandbox_app
from webappctl.errors import UsageError
from webappctl.sandbox import Sandbox, state

APPS = "/apis/apps/v1/namespaces/default"
LISTENING = "0A"  # in the fourth column of /proc/net/tcp
LOOPBACK = "0100007F"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """One that the tests below only look at."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("shared")))
        yield sandbox.up("shared", say=SILENT.append, audit=True, crds=[crd.shipped()])
        sandbox.down("shared")


def deployment(name: str, replicas: int) -> dict[str, object]:
    labels = {"app": name}
    pod = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "app", "image": "nginx:1.25"}]}}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": pod}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}


def test_up_twice_is_the_same_sandbox(shared: Sandbox) -> None:
    """The second `up` starts nothing and changes nothing, and says so, with less asked for or with the same."""
    before, said = shared.processes, list[str]()
    for crds in ([], [crd.shipped()]):
        again = sandbox.up("shared", say=said.append, crds=crds)
        assert (again, again.processes) == (shared, before)
    assert said == [f"sandbox shared is running already: {shared.server}"] * 2
    assert sandbox.find("shared") == shared


def test_status_of_a_healthy_one_shows_its_components_and_exits_0(shared: Sandbox) -> None:
    """Also without its name, while it is the only one."""
    for chosen in ([], ["--name=shared"]):
        ran = CliRunner().invoke(sandbox_app, ["status", *chosen])
        lines = ran.stdout.splitlines()
        assert (ran.exit_code, lines[0]) == (0, f"shared: healthy, {shared.server}")
        assert [line.split()[0] for line in lines[1:]] == [component for component, _, _ in shared.processes]


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


@pytest.mark.parametrize("call", [sandbox.down, sandbox.find, lambda name: sandbox.up(name, say=print)])
def test_a_bad_name_is_a_wrong_usage(call: Callable[[str], object]) -> None:
    """Before anything is looked at."""
    with pytest.raises(UsageError, match="lower-case letters, digits and dashes"):
        call("../up")
