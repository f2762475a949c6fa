"""Which programs are taken, and under which key built ones are kept."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from webappctl.errors import SandboxError
from webappctl.sandbox import binaries
from webappctl.sandbox.interrupt import Interruption

NOTHING = Interruption()


@pytest.fixture
def modules(tmp_path: Path) -> Path:
    """A copy of what ships."""
    return Path(shutil.copytree(binaries.MODULES, tmp_path / "modules"))


@pytest.fixture
def assets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """A folder with programs of these names, which $KUBEBUILDER_ASSETS names."""

    def make(*names: str) -> Path:
        folder = tmp_path / "assets"
        folder.mkdir()
        for name in names:
            (folder / name).write_text("#!/bin/sh\n")
            (folder / name).chmod(0o755)
        monkeypatch.setenv("KUBEBUILDER_ASSETS", str(folder))
        return folder

    return make


def test_the_key_names_versions_and_platform(modules: Path) -> None:
    """So that people see what a folder of the cache is."""
    assert binaries.key(modules).startswith("etcd3.6.16-kubernetes1.36.3-kwok0.8.0-")
    assert binaries.key(modules) == binaries.key(binaries.MODULES)


@pytest.mark.parametrize("file", ["kubernetes/go.mod", "etcd/go.sum", "kwok/go.mod"])
def test_another_module_file_is_another_key(modules: Path, file: str) -> None:
    """Even when no version of a program changes."""
    before = binaries.key(modules)
    path = modules / file
    path.write_text(path.read_text() + "\n// changed\n")
    assert binaries.key(modules) != before


def test_given_programs_are_taken_and_what_is_missing_is_said(assets: Callable[..., Path]) -> None:
    """With what that means, before anything is started."""
    folder = assets("etcd", "kube-apiserver", "kubectl", "kwok")
    said: list[str] = []
    found = binaries.obtain(said.append, NOTHING)
    assert found.directory == folder
    assert found.missing == ("kube-controller-manager", "kube-scheduler", "kwok")
    assert said[0].startswith("$KUBEBUILDER_ASSETS has no kube-controller-manager: no rollouts, no garbage collection")
    assert said[2] == "$KUBEBUILDER_ASSETS has no kwok (with its kwok-stages.yaml): no node, and no pod becomes Ready"


def test_given_programs_without_an_api_server_are_refused(assets: Callable[..., Path]) -> None:
    """Rather than built: who set the variable does not expect minutes of compiling."""
    assets("etcd")
    with pytest.raises(SandboxError, match=r"KUBEBUILDER_ASSETS: no kube-apiserver in .* \(unset it"):
        binaries.obtain(print, NOTHING)


def test_a_program_that_cannot_be_run_is_missing(assets: Callable[..., Path]) -> None:
    """A file of that name is not enough."""
    folder = assets("etcd", "kube-apiserver")
    (folder / "kubectl").write_text("")
    assert "kubectl" in binaries.obtain(lambda _: None, NOTHING).missing
