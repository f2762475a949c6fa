"""Build the control plane's programs from the pinned Go modules, once for each machine and version.

Everything happens in a folder of its own beside the target, which one rename puts in place: a target is complete or
absent. One build at a time; who waited for it finds its result.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import msgspec

from webappctl.errors import SandboxError
from webappctl.sandbox import binaries
from webappctl.sandbox.interrupt import Interruption
from webappctl.sandbox.processes import Process, alive, identify, log_tail, stop_group
from webappctl.sandbox.progress import Progress
from webappctl.sandbox.state import lock, write_private
from webappctl.sandbox.toolchain import Go, find_go

_LONGEST = 3600.0  # seconds for one module; a slow machine with a slow network needs minutes
_PROCESS = "go.json"  # in the folder of a build: the go that works there
_HOW = re.compile(r"--?(p=\d+|modcacherw)")  # of GOFLAGS: how to build, not what comes of it
_STAMPED = ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")  # what `--version` answers from
_KUBERNETES = ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl")
# a module's programs in one go: they share most packages, and one links while another compiles
_PROGRAMS = {
    "etcd": {"etcd": "go.etcd.io/etcd/server/v3"},
    "kubernetes": {name: f"k8s.io/kubernetes/cmd/{name}" for name in _KUBERNETES},
    "kwok": {"kwok": "sigs.k8s.io/kwok/cmd/kwok"},
}
_STAGE_FILES = ("node/fast/node-*.yaml", "pod/fast/pod-*.yaml")


@dataclass(frozen=True)
class _Workshop:
    """A build under way. The modules are copied: the installed package may be read-only, and go wants to lock there."""

    folder: Path
    go: Go
    progress: Progress
    stop: Interruption

    @property
    def modules(self) -> Path:
        return self.folder / "modules"

    @property
    def result(self) -> Path:
        return self.folder / "result"

    @property
    def log(self) -> Path:
        return self.folder / "go.log"


def build(target: Path, stop: Interruption, *, modules: Path = binaries.MODULES) -> None:
    """Makes `target` complete. Raises SandboxError with the last lines of go's output, Stopped when interrupted."""
    progress = Progress()
    target.parent.mkdir(parents=True, exist_ok=True)

    def waiting() -> None:
        progress.say("Waiting for another build of the sandbox's control plane …")

    with ExitStack() as undo:
        undo.enter_context(lock(target.parent / "build.lock", stop, seconds=_LONGEST, waiting=waiting))
        if binaries.complete(target):
            return
        for left_behind in target.parent.glob(".build-*"):  # we hold the lock: its builder was killed
            _clear_away(left_behind)
        go = find_go(needed_go(modules))
        folder = Path(tempfile.mkdtemp(prefix=".build-", dir=target.parent))
        undo.callback(shutil.rmtree, folder, ignore_errors=True)
        workshop = _Workshop(folder, go, progress, stop)
        _copy(modules, workshop.modules)
        progress.say(
            f"Building the sandbox's control plane with {go.version}, once for each version: "
            f"about 7 minutes on 2 cores, into {target}"
        )
        _build_all(workshop)
        shutil.rmtree(target, ignore_errors=True)  # what it lacks made it incomplete; a program that runs keeps running
        workshop.result.rename(target)
        progress.say("The sandbox's control plane is built")


def _clear_away(left_behind: Path) -> None:
    """Its go may run on, and write there."""
    record = left_behind / _PROCESS
    if record.exists():
        go = msgspec.json.decode(record.read_bytes(), type=Process)
        if alive(go):
            stop_group(go.pid)
    shutil.rmtree(left_behind, ignore_errors=True)


def _copy(modules: Path, to: Path) -> None:
    """Without the modes: what a read-only package folder holds must be deletable here."""
    for file in modules.glob("*/go.*"):
        (to / file.parent.name).mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, to / file.parent.name / file.name)


def needed_go(modules: Path) -> str:
    """The `go` line of the module that asks most: `1.26.0`."""
    text = (modules / "kubernetes" / "go.mod").read_text(encoding="utf-8")
    match = re.search(r"^go (\S+)$", text, re.MULTILINE)
    if not match:
        raise SandboxError("the kubernetes module's go.mod has no go line", remedy="install webappctl anew")
    return match[1]


def _build_all(workshop: _Workshop) -> None:
    workshop.result.mkdir()
    for number, (module, programs) in enumerate(_PROGRAMS.items(), start=1):
        # a folder as target takes a program's name from its package, and etcd's is "server"
        output = str(workshop.result) if len(programs) > 1 else str(workshop.result / module)
        flags = ["-v", "-trimpath", "-buildvcs=false", "-ldflags", _link_flags(workshop.modules, module)]
        command = ["build", *flags, "-o", output, *programs.values()]
        step = f"[{number}/{len(_PROGRAMS)}] {', '.join(programs)}"
        workshop.progress.begin(step)
        _go(workshop, command, module=module, step=step)
        workshop.progress.end(_summary(workshop.log))
    (workshop.result / binaries.STAGES).write_text(_stages(workshop), encoding="utf-8")


def _link_flags(modules: Path, module: str) -> str:
    """Without debug symbols. Kubernetes learns its version only here: a plain `go build` calls itself v0.0.0-master."""
    if module != "kubernetes":
        return "-s -w"
    version = binaries.version(modules, "kubernetes")
    major, minor, _ = version.removeprefix("v").split(".", 2)
    facts = {"gitVersion": version, "gitMajor": major, "gitMinor": minor, "gitTreeState": "clean"}
    return " ".join(["-s -w", *(f"-X {package}.{k}={v}" for package in _STAMPED for k, v in facts.items())])


def _stages(workshop: _Workshop) -> str:
    """What kwok does to nodes and pods: files inside its module, here as one stream of documents."""
    _go(workshop, ["list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/kwok"], module="kwok", step="kwok's stages")
    folder = Path(workshop.log.read_text().strip().splitlines()[-1]) / "kustomize" / "stage"
    files = [file for pattern in _STAGE_FILES for file in sorted(folder.glob(pattern))]
    if not files:
        raise SandboxError(f"kwok's module has no stages in {folder}")
    return "\n---\n".join(file.read_text(encoding="utf-8") for file in files)


def _go(workshop: _Workshop, arguments: Sequence[str], *, module: str, step: str) -> None:
    """One run of go in a process group of its own, which ends with us; if we are killed, with the next build."""
    with workshop.log.open("wb") as output:
        child = subprocess.Popen(
            [workshop.go.program, *arguments],
            cwd=workshop.modules / module,
            env=_environment(workshop.go.environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            process_group=0,
        )
    try:
        write_private(workshop.folder / _PROCESS, msgspec.json.encode(identify(child.pid)))
        workshop.stop.until(
            lambda: _advance(workshop, child), seconds=_LONGEST, every=0.2, late=lambda: f"{step} took over an hour"
        )
    finally:
        if child.poll() is None:
            stop_group(child.pid)
            child.wait()
    if child.returncode:
        failed = f"go {arguments[0]} failed (exit {child.returncode})"
        what_to_do = "mend what its last lines name, and try again: what is compiled already is kept"
        raise SandboxError(f"{failed}; {what_to_do}:\n{log_tail(workshop.log)}", subject=step)


def _advance(workshop: _Workshop, child: subprocess.Popen[bytes]) -> bool:
    if child.poll() is not None:
        return True
    workshop.progress.update(_summary(workshop.log))
    return False


def _summary(log: Path) -> str:
    """`go build -v` prints a line for each module it downloads and each package it compiles."""
    lines = log.read_text(errors="replace").splitlines()
    downloads = sum(line.startswith("go: downloading") for line in lines)
    compiled = f"{len(lines) - downloads} packages compiled"
    return f"{downloads} modules downloaded, {compiled}" if downloads else compiled


def _environment(extra: Mapping[str, str]) -> dict[str, str]:
    """The user's, as far as it says where caches and proxies are; not where it would change what is built."""
    theirs = [flag for flag in os.environ.get("GOFLAGS", "").split() if _HOW.fullmatch(flag)]
    flags = " ".join(["-mod=readonly", *theirs])
    fixed = {"CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOFLAGS": flags, "GOWORK": "off"}
    dropped = {"GOOS", "GOARCH", "GOEXPERIMENT"}
    return {k: v for k, v in os.environ.items() if k not in dropped} | dict(extra) | fixed
