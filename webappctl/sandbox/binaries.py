"""The control plane's programs: those of $KUBEBUILDER_ASSETS, else the cache's, else built from the pinned modules."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from webappctl.errors import SandboxError
from webappctl.sandbox import folders
from webappctl.sandbox.interrupt import Interruption

NAMES = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl", "kwok")
STAGES = "kwok-stages.yaml"  # what kwok does to nodes and pods; it does nothing without
MODULES = Path(__file__).with_name("modules")

_NEEDED = ("etcd", "kube-apiserver")
_RECIPE = 1  # part of the cache's key: raise it when a build makes something else of the same modules
_WITHOUT = {
    "kube-controller-manager": "no rollouts, no garbage collection, no autoscaling, no default service accounts",
    "kube-scheduler": "no pod gets a node",
    "kubectl": "use your own",
    "kwok": "no node, and no pod becomes Ready",
}
_PINNED = {"kubernetes": "k8s.io/kubernetes", "etcd": "go.etcd.io/etcd/server/v3", "kwok": "sigs.k8s.io/kwok"}


@dataclass(frozen=True)
class Binaries:
    """A folder that holds at least etcd and kube-apiserver."""

    directory: Path

    def path(self, name: str) -> Path | None:
        """None: it is missing. kwok is missing without its stages."""
        file = self.directory / name
        usable = file.is_file() and os.access(file, os.X_OK) and (name != "kwok" or self.stages.is_file())
        return file if usable else None

    def needed(self, name: str) -> Path:
        """Raises SandboxError when it is missing."""
        file = self.path(name)
        if file is None:
            raise SandboxError(f"there is no program {name} in {self.directory}")
        return file

    @property
    def stages(self) -> Path:
        return self.directory / STAGES

    @property
    def missing(self) -> tuple[str, ...]:
        return tuple(name for name in NAMES if self.path(name) is None)


def obtain(say: Callable[[str], None], stop: Interruption) -> Binaries:
    """Builds them if they are nowhere. Raises SandboxError, Stopped."""
    assets = os.environ.get("KUBEBUILDER_ASSETS")
    if assets:
        return _given(folders.named("KUBEBUILDER_ASSETS", assets), say)
    target = cached()
    if not complete(target):
        from webappctl.sandbox.build import build

        build(target, stop)
    return Binaries(target)


def complete(target: Path) -> bool:
    """Builds put all or nothing there; a file may have been deleted since."""
    return not Binaries(target).missing


def cached() -> Path:
    """Where the programs of the shipped modules belong on this platform."""
    return folders.named("XDG_CACHE_HOME", "~/.cache") / "webappctl" / f"sandbox-{key(MODULES)}"


def key(modules: Path) -> str:
    """Versions and platform, for people; a hash of the recipe and of each go.mod and go.sum, for certainty."""
    digest = hashlib.sha256(str(_RECIPE).encode())
    for file in sorted(modules.glob("*/go.*")):
        digest.update(f"\0{file.relative_to(modules).as_posix()}\0".encode() + file.read_bytes())
    pinned = "-".join(f"{name}{version(modules, name)[1:]}" for name in sorted(_PINNED))
    return f"{pinned}-{sys.platform}-{platform.machine().lower()}-{digest.hexdigest()[:12]}"


def version(modules: Path, name: str) -> str:
    """The version of `kubernetes`, `etcd` or `kwok` that its go.mod pins: `v1.36.3`."""
    text = (modules / name / "go.mod").read_text(encoding="utf-8")
    match = re.search(rf"^\s*(?:require )?{re.escape(_PINNED[name])} (v\S+)", text, re.MULTILINE)
    if not match:
        raise SandboxError(f"{modules / name / 'go.mod'} does not pin {_PINNED[name]}", remedy="install webappctl anew")
    return match[1]


def _given(assets: Path, say: Callable[[str], None]) -> Binaries:
    binaries = Binaries(assets)
    lacking = [name for name in _NEEDED if name in binaries.missing]
    if lacking:
        raise SandboxError(
            f"no {' and no '.join(lacking)} in {assets}",
            subject="$KUBEBUILDER_ASSETS",
            remedy="unset it, and the control plane is built from source",
        )
    for name in binaries.missing:
        detail = f" (with its {STAGES})" if name == "kwok" else ""
        say(f"$KUBEBUILDER_ASSETS has no {name}{detail}: {_WITHOUT[name]}")
    return binaries
