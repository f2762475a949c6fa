"""A namespace on the real API server, with the program and kubectl at hand."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests import manifests
from tests.conftest import Kubectl, Webappctl
from webappctl.sandbox import Sandbox

Done = subprocess.CompletedProcess[str]
READS = {"get", "list", "watch"}


@dataclass(frozen=True)
class World:
    namespace: str
    kubectl_: Kubectl
    webappctl: Webappctl

    def kubectl(self, *arguments: str, stdin: str | None = None, check: bool = True) -> Done:
        return self.kubectl_("-n", self.namespace, *arguments, stdin=stdin, check=check)

    def declare(self, name: str, *, image: str = "nginx:1.25", replicas: int | None = 2, port: int = 80) -> None:
        """Create or change a WebApp, as its developers would."""
        spec = {"image": image, "port": port} | ({} if replicas is None else {"replicas": replicas})
        self.kubectl("apply", "-f", "-", stdin=json.dumps(manifests.webapp(name, self.namespace, spec)))

    def get(self, kind: str, name: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.kubectl("get", kind, name, "-o", "json").stdout)
        return found

    def webapp(self, name: str) -> dict[str, Any]:
        return self.get("webapp", name)

    def deployment(self, webapp: str) -> dict[str, Any]:
        return self.get("deployment", f"{webapp}-deployment")

    def edit(self, webapp: str, *operations: dict[str, Any]) -> None:
        """Change its Deployment by hand, with a JSON patch."""
        self.kubectl("patch", "deployment", f"{webapp}-deployment", "--type=json", "-p", json.dumps(operations))

    def exists(self, kind: str, name: str) -> bool:
        return bool(self.kubectl("get", kind, name, "--ignore-not-found", "-o", "name").stdout)

    def condition(self, webapp: str, kind: str) -> dict[str, Any] | None:
        conditions = self.webapp(webapp).get("status", {}).get("conditions", [])
        return next((condition for condition in conditions if condition["type"] == kind), None)

    def plan(self, *arguments: str) -> Done:
        return self.webappctl("plan", "-n", self.namespace, "--exit-code", *arguments)

    def apply(self, *arguments: str) -> Done:
        """After every apply that exits 0, nothing is pending."""
        done = self.webappctl("apply", "-n", self.namespace, "--yes", *arguments)
        if done.returncode == 0 and not {"--blocked-ok", "-l"} & set(arguments):
            after = self.plan()
            assert after.returncode == 0, f"pending after an apply that exited 0:\n{after.stdout}{after.stderr}"
        return done

    def converge(self, *arguments: str) -> None:
        done = self.apply(*arguments)
        assert done.returncode == 0, done.stdout + done.stderr

    def settle(self) -> None:
        """Wait until the rollouts are done, and have the statuses say so."""
        self.kubectl("wait", "deployments", "--all", "--for=condition=Available", "--timeout=60s")
        for name in self.kubectl("get", "deployments", "-o", "name").stdout.split():
            self.kubectl("rollout", "status", name, "--timeout=60s")
        self.converge()

    def rows(self, *arguments: str) -> list[dict[str, Any]]:
        """What the plan shows, as its JSON has it: each row but those of what is unchanged."""
        changes: list[dict[str, Any]] = json.loads(self.plan("-o", "json", *arguments).stdout)["changes"]
        return [change for change in changes if change["action"] != "none"]

    def lines(self, done: Done) -> list[list[str]]:
        return [line.split("\t") for line in done.stdout.splitlines()]


def eventually(true: Callable[[], object], *, seconds: float = 30, every: float = 0.1) -> None:
    """Poll until true; fails the test after `seconds`."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, f"not true within {seconds} s"
        time.sleep(every)


@dataclass(frozen=True)
class Audit:
    """What the API server was asked from some moment on, by its own log."""

    log: Path
    start: int

    @classmethod
    def from_now(cls, sandbox: Sandbox) -> Audit:
        assert sandbox.audit_log is not None
        return cls(sandbox.audit_log, sandbox.audit_log.stat().st_size)

    def by_webappctl(self, namespace: str) -> list[tuple[str, str, str]]:
        """Verb, resource and name of each of its requests in that namespace, the Lease's apart."""
        return [
            (entry["verb"], asked["resource"], asked.get("name", ""))
            for entry in self._entries()
            if entry["userAgent"].startswith("webappctl/") and entry["stage"] == "ResponseComplete"
            if (asked := entry.get("objectRef", {})).get("namespace") == namespace and asked["resource"] != "leases"
        ]

    def writes(self, user: str = "") -> list[dict[str, Any]]:
        """Its entries of every write that was answered, the Lease's apart; of all users, or of one."""
        return [
            entry
            for entry in self._entries()
            if entry["verb"] not in READS and entry["stage"] == "ResponseComplete"
            if entry.get("objectRef", {}).get("resource") != "leases"
            if user in ("", entry.get("impersonatedUser", entry["user"])["username"])
        ]

    def _entries(self) -> Iterator[dict[str, Any]]:
        with self.log.open() as lines:
            lines.seek(self.start)
            yield from map(json.loads, lines)


def until_passes(watch: subprocess.Popen[str], number: int) -> None:
    """Read the log of `watch` until so many more passes have finished."""
    assert watch.stderr is not None
    said = []
    for line in watch.stderr:
        said.append(line)
        number -= "Pass finished" in line
        if not number:
            return
    pytest.fail(f"it ended before it had made its passes\n{''.join(said)}")
