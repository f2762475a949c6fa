"""`plan -f`: WebApps that are not applied yet, next to what is in the cluster."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import manifests
from tests.identities import kubeconfig_of, service_account
from tests.world import World
from webappctl.sandbox import Sandbox

LISTS = ("list webapps.apps.example.com", "list deployments.apps", "list horizontalpodautoscalers.autoscaling")
SPEC = {"image": "nginx:1.25", "port": 80, "replicas": 2}


def _file(folder: Path, *webapps: dict[str, Any]) -> str:
    path = folder / "webapps.yaml"
    path.write_text(yaml.safe_dump_all(webapps))
    return str(path)


def test_a_new_one_is_a_creation_and_nothing_is_written(world: World, tmp_path: Path) -> None:
    done = world.plan("-f", _file(tmp_path, manifests.webapp("web", world.namespace, SPEC)))
    assert (done.returncode, world.lines(done)[0][:2]) == (3, [f"{world.namespace}/web", "create"])
    assert not world.exists("webapp", "web")


def test_a_changed_one_is_planned_as_if_it_were_applied(world: World, tmp_path: Path) -> None:
    """Beside the one that only the cluster has."""
    world.declare("web")
    world.declare("other")
    world.converge()
    file = _file(tmp_path, manifests.webapp("web", world.namespace, SPEC | {"image": "nginx:1.26"}))
    rows = json.loads(world.plan("-f", file, "-o", "json").stdout)["changes"]
    assert [(row["name"], row["action"], [f["path"] for f in row["fields"]]) for row in rows] == [
        ("other", "none", []),
        ("web", "update", ["image"]),
    ]


def test_an_unchanged_one_makes_no_row(world: World, tmp_path: Path) -> None:
    world.declare("web")
    world.converge()
    done = world.plan("-f", _file(tmp_path, manifests.webapp("web", world.namespace, SPEC)))
    assert (done.returncode, done.stdout) == (0, "")


def test_stdin_is_read_and_a_webapp_without_a_namespace_goes_where_the_option_says(world: World) -> None:
    text = yaml.safe_dump(manifests.webapp("web", "", SPEC))
    done = world.webappctl("plan", "-n", world.namespace, "-f", "-", stdin=text)
    assert world.lines(done)[0][:2] == [f"{world.namespace}/web", "create"]


def test_a_namespace_that_is_missing_is_said(world: World, tmp_path: Path) -> None:
    file = _file(tmp_path, manifests.webapp("web", "no-such-namespace", SPEC))
    done = world.webappctl("plan", "-f", file, "--exit-code", "no-such-namespace/web")
    assert done.returncode == 3
    assert "(namespace missing)" in done.stdout


@pytest.fixture
def reader(world: World, sandbox: Sandbox, tmp_path: Path) -> Path:
    """May list, everywhere, and nothing else."""
    return kubeconfig_of(
        service_account(world.kubectl_, world.namespace, *LISTS, everywhere=True), sandbox.kubeconfig, tmp_path
    )


def test_without_the_right_to_look_a_namespace_is_not_checked(world: World, reader: Path, tmp_path: Path) -> None:
    file = _file(tmp_path, manifests.webapp("web", "no-such-namespace", SPEC))
    done = world.webappctl("plan", "-f", file, kubeconfig=reader)
    assert done.returncode == 0
    assert "(namespace not checked)" in done.stdout


def test_what_is_wrong_in_a_file_is_said_with_its_line(world: World, tmp_path: Path) -> None:
    file = _file(tmp_path, manifests.webapp("web", world.namespace, {"image": 1.25, "prt": 80}))
    done = world.plan("-f", file)
    assert done.returncode == 2
    assert f"{file}:7: spec.image is a number (write it in quotes)" in done.stderr
    assert "spec.prt is unknown (did you mean port?)" in done.stderr


def test_a_file_for_another_namespace_than_asked_for_is_wrong_usage(world: World, tmp_path: Path) -> None:
    done = world.plan("-f", _file(tmp_path, manifests.webapp("web", "elsewhere", SPEC)))
    assert done.returncode == 2
    assert "elsewhere/web is not in namespace" in done.stderr


@pytest.mark.parametrize("option", [("--out", "x.plan"), ("-l", "a=b")])
def test_what_does_not_go_with_files_is_wrong_usage(world: World, tmp_path: Path, option: tuple[str, str]) -> None:
    file = _file(tmp_path, manifests.webapp("web", world.namespace, SPEC))
    assert world.plan("-f", file, *option).returncode == 2


def test_the_examples_are_planned_on_an_empty_cluster(world: World) -> None:
    """A Namespace and an autoscaler beside the WebApps are no fault."""
    done = world.webappctl("plan", "-f", "examples")
    assert done.returncode == 0
    assert "shop/checkout\tcreate" in done.stdout
