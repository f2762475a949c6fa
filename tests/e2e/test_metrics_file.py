"""--metrics-file: what a run that nobody can scrape leaves behind, whatever its end was."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.identities import kubeconfig_of, service_account
from tests.world import World

Series = Mapping[str, float]
LAST_SUCCESS = "last_success_timestamp_seconds"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "webappctl.prom"


def _series(file: Path) -> Series:
    """Each of ours, as `name{values of its labels by their names}`."""
    families = text_string_to_metric_families(file.read_text())
    found = (sample for family in families for sample in family.samples)
    return {
        sample.name.removeprefix("webappctl_") + ",".join(["", *(sample.labels[k] for k in sorted(sample.labels))]): (
            sample.value
        )
        for sample in found
    }


def test_plan_tells_what_is_pending_and_writes_nothing_else(world: World, file: Path) -> None:
    """With the rights to list, and no others."""
    world.declare("web")
    assert world.plan("--metrics-file", str(file)).returncode == 3
    found = _series(file)
    assert found[f"drift,create,missing,{world.namespace}"] == 1
    assert found["passes_total,success,list"] == 1
    assert found["api_requests_total,200,webapps.apps.example.com,list"] == 1
    assert found[LAST_SUCCESS] > 0
    assert not [name for name in found if name.startswith(("process_", "leader", "mirror_age"))]


def test_apply_tells_what_it_did(world: World, file: Path) -> None:
    """The file may be named by the environment, as a CronJob does it."""
    world.declare("web")
    env = {"WEBAPPCTL_METRICS_FILE": str(file)}
    assert world.webappctl("apply", "-n", world.namespace, "--yes", env=env).returncode == 0
    found = _series(file)
    assert (found["changes_total,create,missing,created"], found["webapps,in-order"]) == (1, 1)
    assert found["api_requests_total,201,deployments.apps,patch"] == 1
    assert not [name for name in found if name.startswith("drift")]


def test_a_refusal_tells_of_the_guard_and_of_what_is_pending(world: World, file: Path) -> None:
    """And it is no success."""
    world.declare("web")
    assert world.apply("--max-changes", "0", "--metrics-file", str(file)).returncode == 4
    found = _series(file)
    assert (found["guard_tripped"], found["guard_trips_total"], found["passes_total,error,list"]) == (1, 1, 1)
    assert (found["pass_errors_total,Refused"], found[f"drift,create,missing,{world.namespace}"]) == (1, 1)
    assert found[LAST_SUCCESS] == 0


def test_a_failure_keeps_the_time_of_the_last_success(world: World, file: Path, tmp_path: Path) -> None:
    """So an alert can tell for how long it has been failing."""
    world.converge("--metrics-file", str(file))
    before = _series(file)[LAST_SUCCESS]
    token = service_account(world.kubectl_, world.namespace)
    nobody = kubeconfig_of(token, world.webappctl.kubeconfig, tmp_path)
    done = world.webappctl("plan", "-n", world.namespace, "--metrics-file", str(file), kubeconfig=nobody)
    found = _series(file)
    assert (done.returncode, found["pass_errors_total,Forbidden"], found[LAST_SUCCESS]) == (1, 1, before)
    assert found["api_requests_total,403,webapps.apps.example.com,list"] == 1


def test_what_is_blocked_is_named(world: World, file: Path) -> None:
    """With what is in the way; the run is a success all the same, as it exits 5 and not 1."""
    world.declare("web")
    world.kubectl("create", "deployment", "web-deployment", "--image=nginx")
    assert world.apply("--metrics-file", str(file)).returncode == 5
    found = _series(file)
    assert found[f"webapp_not_in_order,web,{world.namespace},unowned"] == 1
    assert found["passes_total,success,list"] == 1


def test_a_file_that_cannot_be_is_said_before_anything_is_done(world: World, tmp_path: Path) -> None:
    """Wrong usage, in one line."""
    world.declare("web")
    done = world.apply("--metrics-file", str(tmp_path / "none" / "webappctl.prom"))
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert not world.exists("deployment", "web-deployment")


def test_a_file_that_cannot_be_written_at_the_end_is_an_error(world: World, file: Path) -> None:
    """Though all else was done, and was shown."""
    world.declare("web")
    file.symlink_to("none/webappctl.prom")
    done = world.apply("--metrics-file", str(file))
    assert (done.returncode, world.exists("deployment", "web-deployment")) == (1, True)
    assert done.stderr.splitlines()[-1] == f"webappctl: {file}: the metrics were not written: No such file or directory"
