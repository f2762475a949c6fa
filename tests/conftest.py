"""The control plane of the run, started once, and what tests need to speak to it.

Every test has a namespace of its own, so they run side by side against the same API server.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from webappctl import crd
from webappctl import sandbox as sandboxes
from webappctl.cluster import Cluster, open_cluster
from webappctl.sandbox import Sandbox

NAME_VARIABLE = "WEBAPPCTL_TEST_SANDBOX"
ROOT = Path(__file__).parent.parent
WITHOUT_CONTROL_PLANE = (ROOT / "tests" / "unit", ROOT / "tests" / "property")

_open = ExitStack()


def pytest_sessionstart(session: pytest.Session) -> None:
    """Start the control plane in the main process, where building it the first time can be seen."""
    config = session.config
    if hasattr(config, "workerinput") or config.option.collectonly or not _needs_control_plane(config.args):
        return
    capture = config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        started = _open.enter_context(sandboxes.throwaway("pytest", say=_say, audit=True, crds=[crd.shipped()]))
    os.environ[NAME_VARIABLE] = started.name


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def pytest_unconfigure() -> None:
    _open.close()


def _needs_control_plane(arguments: Sequence[str]) -> bool:
    paths = [Path(argument.partition("::")[0]).resolve() for argument in arguments]
    return not all(any(path.is_relative_to(folder) for folder in WITHOUT_CONTROL_PLANE) for path in paths)


def clean(env: Mapping[str, str]) -> dict[str, str]:
    """The environment without what would lead a program to another cluster or terminal, and with `env`."""
    foreign = ("WEBAPPCTL_", "KUBE", "COLUMNS", "NO_COLOR", "FORCE_COLOR")
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(foreign)}
    return {**inherited, **env}


def run(
    command: Sequence[str],
    *,
    env: Mapping[str, str],
    stdin: str | None = None,
    check: bool = True,
    timeout: float = 120,
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end. With `check`, a failure fails the test and shows what the program said."""
    done = subprocess.run(
        command,
        env=clean(env),
        input=stdin or "",
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout,
    )
    if check and done.returncode != 0:
        pytest.fail(f"{' '.join(map(str, command))} exited {done.returncode}\n{done.stdout}{done.stderr}")
    return done


@dataclass(frozen=True)
class Kubectl:
    """kubectl as the sandbox's admin."""

    program: Path
    kubeconfig: Path

    def __call__(
        self, *arguments: str, stdin: str | None = None, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        return run([str(self.program), *arguments], env={"KUBECONFIG": str(self.kubeconfig)}, stdin=stdin, check=check)


@dataclass(frozen=True)
class Webappctl:
    """The program as its users run it: a process, an exit code, two streams. A failure is the caller's to judge.

    `lease_namespace`: where its Lease is, so that tests that run side by side do not wait for each other.
    """

    kubeconfig: Path
    lease_namespace: str = ""

    def __call__(
        self,
        *arguments: str,
        env: Mapping[str, str] | None = None,
        stdin: str | None = None,
        kubeconfig: Path | None = None,
        timeout: float = 120,
    ) -> subprocess.CompletedProcess[str]:
        return run(self.command(*arguments), env=self.env(env, kubeconfig), stdin=stdin, check=False, timeout=timeout)

    def popen(self, *arguments: str, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command(*arguments),
            env=clean(self.env(env)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "webappctl", *arguments]

    def env(self, env: Mapping[str, str] | None = None, kubeconfig: Path | None = None) -> dict[str, str]:
        lock = {"WEBAPPCTL_LEASE_NAMESPACE": self.lease_namespace} if self.lease_namespace else {}
        return {"KUBECONFIG": str(kubeconfig or self.kubeconfig), **lock, **(env or {})}


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    """The control plane of this run, with the CRD installed."""
    name = os.environ.get(NAME_VARIABLE)
    assert name, "the control plane was not started: name the test's file or folder on the command line"
    found = sandboxes.find(name)
    assert found is not None, f"the control plane {name} of this run is gone"
    return found


@pytest.fixture(scope="session")
def kubectl(sandbox: Sandbox) -> Kubectl:
    assert sandbox.kubectl is not None
    return Kubectl(sandbox.kubectl, sandbox.kubeconfig)


@pytest.fixture(scope="session")
def webappctl(sandbox: Sandbox, kubectl: Kubectl) -> Webappctl:
    """Its Lease is that of this worker, whose tests come one after the other."""
    lease_namespace = f"leases-{uuid.uuid4().hex[:10]}"
    kubectl("create", "namespace", lease_namespace)
    return Webappctl(sandbox.kubeconfig, lease_namespace)


@pytest.fixture
def namespace(kubectl: Kubectl) -> Iterator[str]:
    """A namespace of the test's own. What is in it ends with the control plane."""
    name = f"t-{uuid.uuid4().hex[:10]}"
    kubectl("create", "namespace", name)
    yield name
    kubectl("delete", "namespace", name, "--wait=false")


@pytest.fixture
def cluster(sandbox: Sandbox) -> Cluster:
    """The program's own view of the API server, as admin."""
    return open_cluster(kubeconfig=str(sandbox.kubeconfig), context=None, stop=threading.Event())
