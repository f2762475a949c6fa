"""Building the control plane with a Go that only pretends: what is left behind, what is shared, what is said.

The pretended `go` is a program on PATH, as the real one is; everything else is the real code in real processes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from webappctl.errors import SandboxError
from webappctl.sandbox import binaries
from webappctl.sandbox.build import build
from webappctl.sandbox.interrupt import Interruption

NOTHING = Interruption()
OBTAIN = """
from webappctl.sandbox import binaries
from webappctl.sandbox.interrupt import deferred
with deferred() as stop:
    print(binaries.obtain(print, stop).directory)
"""
GO = """#!/bin/sh
here=$(dirname "$0")
case "$1" in
env) echo go1.26.9; exit ;;
list) echo "$here/kwok"; exit ;;
esac
echo "$*" >>"$here/builds"
what="CGO_ENABLED=$CGO_ENABLED GOTOOLCHAIN=$GOTOOLCHAIN GOFLAGS=$GOFLAGS GOOS=$GOOS"
echo "$what GOCACHE=$GOCACHE" >>"$here/environment"
while [ "$1" != -o ]; do shift; done
output=$2
[ -d "$output" ] && for package in "$@"; do targets="$targets $output/${package##*/}"; done
for target in ${targets:-$output}; do printf '#!/bin/sh\\n' >"$target" && chmod +x "$target"; done
echo some/package; echo another/package
%s
"""

LONG = 'sh -c "sleep 60; true" "$here/compile"'  # longer than a test


@pytest.fixture
def go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Puts a `go` on PATH that ends a build with the given shell command; returns its folder."""
    monkeypatch.delenv("KUBEBUILDER_ASSETS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'go'}{os.pathsep}{os.environ['PATH']}")

    def write(ending: str) -> Path:
        for kind in ("node", "pod"):
            stages = tmp_path / "go" / "kwok" / "kustomize" / "stage" / kind / "fast"
            stages.mkdir(parents=True, exist_ok=True)
            (stages / f"{kind}-ready.yaml").write_text(f"kind: {kind}-stage\n")
        (tmp_path / "go" / "go").write_text(GO % ending)
        (tmp_path / "go" / "go").chmod(0o755)
        return tmp_path / "go"

    return write


def child() -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", OBTAIN], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def left_in_cache() -> list[str]:
    return sorted(entry.name for entry in binaries.cached().parent.iterdir())


def running(folder: Path) -> list[str]:
    listed = subprocess.run(["ps", "-e", "-ww", "-o", "args="], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if str(folder) in line]


def wait_for_compiler(folder: Path) -> None:
    deadline = time.monotonic() + 20
    while not running(folder / "compile"):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_build_makes_every_program_and_kwoks_stages(go: Callable[[str], Path]) -> None:
    """In the cache, under the key; a second look builds nothing."""
    folder = go("exit 0")
    made = binaries.obtain(print, NOTHING)
    assert (made.directory, made.missing) == (binaries.cached(), ())
    assert made.stages.read_text() == "kind: node-stage\n\n---\nkind: pod-stage\n"
    assert binaries.obtain(print, NOTHING) == made
    assert len((folder / "builds").read_text().splitlines()) == 3


def test_a_build_downloads_no_toolchain_and_changes_no_pinned_version(
    go: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the user has set for his own work. Where Go's caches are and how busy it may be is his to say."""
    monkeypatch.setenv("GOFLAGS", "-mod=mod -p=1 -tags=his -modcacherw")
    monkeypatch.setenv("GOCACHE", "/his/cache")
    monkeypatch.setenv("GOOS", "plan9")
    folder = go("exit 0")
    binaries.obtain(print, NOTHING)
    settings = set((folder / "environment").read_text().splitlines())
    assert settings == {
        "CGO_ENABLED=0 GOTOOLCHAIN=local GOFLAGS=-mod=readonly -p=1 -modcacherw GOOS= GOCACHE=/his/cache"
    }


def test_progress_says_how_much_is_compiled(go: Callable[[str], Path], capsys: pytest.CaptureFixture[str]) -> None:
    """On stderr, with no control characters off a terminal; and once how long it will take, and where it goes."""
    go("exit 0")
    binaries.obtain(print, NOTHING)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count(f"once for each version: about 7 minutes on 2 cores, into {binaries.cached()}\n") == 1
    assert "[1/3] etcd: 2 packages compiled, 0:00\n" in err
    assert "\x1b" not in err
    assert "\r" not in err


@pytest.mark.parametrize("signal", ["SIGTERM", "SIGINT"])
def test_an_interrupted_build_leaves_nothing(go: Callable[[str], Path], signal: str) -> None:
    """No process, not even go's own children, and no half of a program."""
    folder = go(LONG)
    building = child()
    wait_for_compiler(folder)
    subprocess.run(["kill", f"-{signal.removeprefix('SIG')}", str(building.pid)], check=True)
    building.communicate(timeout=20)
    assert building.returncode != 0
    assert running(folder) == []
    assert left_in_cache() == ["build.lock"]


def test_a_failed_build_shows_gos_last_lines_and_leaves_nothing(go: Callable[[str], Path]) -> None:
    """The reason is in them, below a line that says what failed and what to do."""
    go("echo internal error: no space left on device >&2; exit 2")
    with pytest.raises(SandboxError) as caught:
        binaries.obtain(print, NOTHING)
    first, *others = str(caught.value).splitlines()
    assert first.startswith("[1/3] etcd: go build failed (exit 2); mend what its last lines name, and try again")
    assert others == ["  some/package", "  another/package", "  internal error: no space left on device"]
    assert left_in_cache() == ["build.lock"]


def test_two_builds_at_once_share_one_result(go: Callable[[str], Path]) -> None:
    """The second waits, says so, and finds what the first made."""
    folder = go("sleep 0.5")
    ended = [process.communicate(timeout=60) for process in [child(), child()]]
    assert [out.strip() for out, _ in ended] == [str(binaries.cached())] * 2
    assert sum("Waiting for another build" in err for _, err in ended) == 1
    assert len((folder / "builds").read_text().splitlines()) == 3


def test_what_a_killed_build_left_is_removed_by_the_next(go: Callable[[str], Path]) -> None:
    """It holds no lock, and may be gigabytes."""
    go("exit 0")
    (binaries.cached().parent / ".build-old" / "result").mkdir(parents=True)
    binaries.obtain(print, NOTHING)
    assert left_in_cache() == ["build.lock", binaries.cached().name]


def test_a_go_whose_builder_was_killed_is_ended_by_the_next_build(go: Callable[[str], Path]) -> None:
    """With go's children: they would write into a folder that is deleted."""
    folder = go(LONG)
    building = child()
    wait_for_compiler(folder)
    building.kill()
    building.communicate(timeout=20)
    assert running(folder / "compile")
    go("exit 0")
    binaries.obtain(print, NOTHING)
    assert running(folder) == []
    assert left_in_cache() == ["build.lock", binaries.cached().name]


def test_modules_that_cannot_be_written_are_enough(go: Callable[[str], Path], tmp_path: Path) -> None:
    """As in a system-wide installation."""
    go("exit 0")
    modules = tmp_path / "modules"
    for file in binaries.MODULES.glob("*/go.*"):
        (modules / file.parent.name).mkdir(parents=True, exist_ok=True)
        (modules / file.parent.name / file.name).write_bytes(file.read_bytes())
        (modules / file.parent.name / file.name).chmod(0o400)
    for folder in (*modules.iterdir(), modules):
        folder.chmod(0o500)
    build(tmp_path / "target", NOTHING, modules=modules)
    assert binaries.complete(tmp_path / "target")
