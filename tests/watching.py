"""`webappctl watch` as processes that a test can look at, and stop as it likes."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.conftest import Webappctl, clean
from tests.world import eventually


@dataclass(frozen=True)
class Watch:
    """One of them, and its log."""

    process: subprocess.Popen[bytes]
    log: Path

    def lines(self, message: str = "") -> list[dict[str, Any]]:
        """Those with that message; all without one."""
        lines = [json.loads(line) for line in self.log.read_text().splitlines() if line.startswith("{")]
        return [line for line in lines if message in ("", line["msg"])]

    def until(self, message: str, times: int = 1, *, seconds: float = 60) -> None:
        """Wait until it has said that so often."""

        def said() -> bool:
            assert self.process.poll() is None, f"it ended with {self.process.returncode}:\n{self.log.read_text()}"
            return len(self.lines(message)) >= times

        eventually(said, seconds=seconds, every=0.05)

    def send(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Its exit code."""
        self.send(number)
        return self.process.wait(30)


@dataclass(frozen=True)
class Watches:
    """Starts them; all are killed at the end of the test if they still run."""

    webappctl: Webappctl
    folder: Path
    started: list[Watch]

    def start(self, *arguments: str, kubeconfig: Path | None = None) -> Watch:
        log = self.folder / f"watch-{len(self.started)}.log"
        with log.open("wb") as stderr:
            process = subprocess.Popen(
                self.webappctl.command("watch", *arguments),
                env=clean(self.webappctl.env(None, kubeconfig)),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
            )
        self.started.append(Watch(process, log))
        return self.started[-1]


@contextmanager
def watches(webappctl: Webappctl, folder: Path) -> Iterator[Watches]:
    found = Watches(webappctl, folder, [])
    try:
        yield found
    finally:
        for watch in found.started:
            watch.process.kill()  # also one that is stopped
            watch.process.wait(30)


def as_user(name: str, kubeconfig: Path, folder: Path) -> Path:
    """A kubeconfig with which the admin goes by that name, so that the audit log tells processes apart."""
    config = yaml.safe_load(kubeconfig.read_text())
    config["users"][0]["user"] |= {"as": name, "as-groups": ["system:masters"]}
    path = folder / f"kubeconfig-{name}"
    path.touch(0o600)
    path.write_text(yaml.safe_dump(config))
    return path
