"""The wheel, installed alone in a clean environment, is the whole program."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.conftest import ROOT, clean
from tests.integration.sandboxes import running

pytestmark = pytest.mark.xdist_group("package")

HELP_SECONDS = 0.2
"""CPU time of --help, the median of some runs."""
DEMO_SECONDS = 60
"""Of the whole demo, once its programs are built."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the checkout as `pip install .` does it."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, timeout=300)
    (built,) = folder.glob("webappctl-*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel, what it depends on, and nothing else."""
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder, with_pip=True)
    subprocess.run([folder / "bin" / "pip", "install", "--quiet", str(wheel)], check=True, timeout=600)
    return folder / "bin" / "webappctl"


def test_the_wheel_carries_what_it_needs_and_no_tests(wheel: Path) -> None:
    """The CRD, the examples and the pinned Go modules are inside."""
    names = zipfile.ZipFile(wheel).namelist()
    assert "webappctl/data/crds/webapp.yaml" in names
    assert "webappctl/data/examples/my-service.yaml" in names
    modules = {f"webappctl/sandbox/modules/{name}/go.sum" for name in ("etcd", "kubernetes", "kwok")}
    assert modules <= set(names)
    assert not [name for name in names if name.startswith("tests/")]


def test_help_is_quick(installed: Path, tmp_path: Path) -> None:
    """Nothing heavy is imported for it."""
    runs = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([installed, "--help"], check=True, cwd=tmp_path, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        runs.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert sorted(runs)[2] < HELP_SECONDS


def test_the_demo_tells_its_story(installed: Path, tmp_path: Path) -> None:
    """From an empty folder: plan, apply, drift, repair and garbage collection, and nothing left behind."""
    done, took = _timed([str(installed), "demo"], tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    deleted = 'webapp.apps.example.com "comments" deleted'
    for said in ("9 to create, 0 to update", "0 to create, 2 to update", "shop/cart\tconfigured\timage", deleted):
        assert said in done.stdout + done.stderr
    left = done.stdout.partition("$ kubectl get deployments --namespace=blog\n")[2]
    assert ("frontpage-deployment" in left, "comments-deployment" in left) == (True, False)
    assert took < DEMO_SECONDS
    sandboxes = tmp_path / "webappctl" / "sandboxes"
    assert (running(sandboxes), list(sandboxes.glob("demo-*"))) == ([], [])


def _timed(command: Sequence[str], folder: Path) -> tuple[subprocess.CompletedProcess[str], float]:
    """Run it in that folder, which holds its state too, with the control plane's programs of this run."""
    assets = {key: value for key, value in os.environ.items() if key == "KUBEBUILDER_ASSETS"}
    environment = clean({"XDG_STATE_HOME": str(folder)} | assets)
    began = time.monotonic()
    done = subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, check=False, timeout=200
    )
    return done, time.monotonic() - began
