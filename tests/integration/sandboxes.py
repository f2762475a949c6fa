"""What the tests of the sandbox ask of it, and of the machine below."""

from __future__ import annotations

import subprocess
from pathlib import Path

from webappctl.sandbox import Sandbox
from webappctl.sandbox.client import Client

SILENT: list[str] = []


def running(folder: Path) -> list[str]:
    """Command lines that mention the folder: each component's names its sandbox's."""
    listed = subprocess.run(
        ["ps", "-e", "-ww", "-o", "stat=", "-o", "args="], capture_output=True, text=True, check=True
    ).stdout
    return [line for line in listed.splitlines() if str(folder) in line and not line.startswith("Z")]


def pids(found: Sandbox) -> dict[str, int]:
    return {component: pid for component, pid, alive in found.processes if alive}


def client(found: Sandbox) -> Client:
    return Client(found.directory / "pki", int(found.server.rpartition(":")[2]), "admin")
