"""What looks like drift and is none: no row, no write, and nothing of it is undone."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.conftest import Start
from tests.optional_fields import fill_in, foreign_part
from tests.terminal import on_terminal
from tests.world import READS, Audit, World, eventually, until_passes
from webappctl.sandbox import Sandbox

PASSES = 100


@pytest.fixture
def filled_in(world: World) -> World:
    """A Deployment on which somebody has set everything that we do not."""
    world.declare("web", image="nginx:1.25")
    world.converge()
    live = world.deployment("web")
    del live["metadata"]["resourceVersion"], live["status"]
    fill_in(live)
    world.kubectl("replace", "-f", "-", stdin=json.dumps(live))
    return world


def _versions(world: World) -> str:
    """Of all that is there, but for the pods, which are others' business."""
    columns = "custom-columns=:.kind,:.metadata.name,:.metadata.resourceVersion,:.metadata.generation"
    return world.kubectl("get", "webapps,deployments,replicasets,events", "-o", columns).stdout


def test_a_hundred_further_passes_only_read_and_change_nothing(world: World, start: Start, sandbox: Sandbox) -> None:
    """As the objects say, and the API server's own log of requests."""
    world.declare("one", replicas=1)
    world.declare("two", image="nginx")
    world.declare("free", replicas=None)
    world.converge()
    world.settle()
    before, audit = _versions(world), Audit.from_now(sandbox)
    watch = start("watch", "-n", world.namespace, "--interval", "10ms")
    until_passes(watch, PASSES)
    asked = audit.by_webappctl(world.namespace)
    assert _versions(world) == before
    assert asked
    assert {verb for verb, _, _ in asked} <= READS


def test_every_optional_field_filled_in_by_hand_makes_no_row(filled_in: World) -> None:
    """Env, volumes, probes, tolerations, a sidecar before ours: none of it is ours to compare."""
    planned = filled_in.plan()
    assert (planned.returncode, planned.stdout) == (0, "")


def test_every_optional_field_filled_in_by_hand_survives_an_update(filled_in: World) -> None:
    """A new image is written; all that is not ours is as it was."""
    before = filled_in.deployment("web")
    filled_in.declare("web", image="nginx:1.26")
    filled_in.converge()
    after = filled_in.deployment("web")
    app = next(c for c in after["spec"]["template"]["spec"]["containers"] if c["name"] == "app")
    assert app["image"] == "nginx:1.26"
    assert foreign_part(after) == foreign_part(before)


def test_a_changed_number_is_one_row_however_much_there_is_beside_it(filled_in: World) -> None:
    """Not a page of what else the Deployment holds."""
    filled_in.declare("web", image="nginx:1.25", replicas=3)
    (line,) = filled_in.lines(filled_in.plan())
    assert line[1:5] == ["update", "replicas", "2", "3"]
    (row,) = filled_in.rows()
    assert [field["path"] for field in row["fields"]] == ["replicas"]


def test_a_restart_by_hand_during_watch_happens_once_and_is_not_rolled_back(world: World, start: Start) -> None:
    """Its stamp stays, and there is one new set of pods."""
    world.declare("web")
    start("watch", "-n", world.namespace, "--interval", "100ms")
    eventually(lambda: world.exists("deployment", "web-deployment"))
    world.kubectl("rollout", "status", "deployment/web-deployment", "--timeout=60s")
    world.kubectl("rollout", "restart", "deployment/web-deployment")
    restarted = world.deployment("web")
    world.kubectl("rollout", "status", "deployment/web-deployment", "--timeout=60s")
    world.declare("later")
    eventually(lambda: world.exists("deployment", "later-deployment"))
    stamp = restarted["spec"]["template"]["metadata"]["annotations"]
    live = world.deployment("web")
    assert "kubectl.kubernetes.io/restartedAt" in stamp
    assert live["spec"]["template"]["metadata"]["annotations"] == stamp
    assert live["metadata"]["generation"] == restarted["metadata"]["generation"]
    sets = world.kubectl("get", "replicasets", "-l", "app=web", "-o", "name").stdout
    assert len(sets.split()) == 2


def test_a_pull_policy_that_latest_has_left_behind_is_not_chased(world: World) -> None:
    """The API server derives it from the tag when a container is created, and never again."""
    world.declare("web", image="nginx:latest")
    world.converge()
    world.declare("web", image="nginx:1.2")
    (row,) = world.rows()
    assert [field["path"] for field in row["fields"]] == ["image"]
    world.converge()
    (app,) = world.deployment("web")["spec"]["template"]["spec"]["containers"]
    assert (app["image"], app["imagePullPolicy"]) == ("nginx:1.2", "Always")


NOTHING: dict[str, tuple[str, object]] = {
    "annotations": ("/metadata/annotations", None),
    "pod-annotations": ("/spec/template/metadata/annotations", {}),
    "env": ("/spec/template/spec/containers/0/env", []),
    "envFrom": ("/spec/template/spec/containers/0/envFrom", None),
    "resources": ("/spec/template/spec/containers/0/resources", {}),
    "volumes": ("/spec/template/spec/volumes", []),
    "initContainers": ("/spec/template/spec/initContainers", None),
}


@pytest.mark.parametrize("field", NOTHING)
def test_null_and_empty_are_as_good_as_absent(world: World, field: str) -> None:
    """Of a field that is not ours, on the Deployment."""
    world.declare("web")
    world.converge()
    path, value = NOTHING[field]
    world.edit("web", {"op": "add", "path": path, "value": value})
    assert world.rows() == []


def test_null_in_a_webapp_is_as_good_as_absent(world: World, tmp_path: Path) -> None:
    """Labels, annotations and replicas: sent as they are, past what kubectl would drop."""
    spec = {"image": "nginx", "port": 80, "replicas": None}
    metadata = {"name": "web", "labels": None, "annotations": None}
    manifest = {"apiVersion": "apps.example.com/v1", "kind": "WebApp", "metadata": metadata, "spec": spec}
    (tmp_path / "web.json").write_text(json.dumps(manifest))
    path = f"/apis/apps.example.com/v1/namespaces/{world.namespace}/webapps"
    world.kubectl_("create", "--raw", path, "-f", str(tmp_path / "web.json"))
    world.converge()
    world.kubectl("scale", "deployment/web-deployment", "--replicas=4")
    assert world.rows() == []


def _mixed(world: World) -> None:
    """Rows of several kinds, and of several fields."""
    world.kubectl("create", "deployment", "taken-deployment", "--image=nginx")
    for name in ("drifted", "same"):
        world.declare(name)
    world.converge()
    for name in ("new", "taken", "newer"):
        world.declare(name)
    live = {"op": "replace", "path": "/spec/replicas", "value": 7}
    world.edit("drifted", live, {"op": "remove", "path": "/metadata/labels"})


@pytest.mark.parametrize("arguments", [(), ("-o", "json")])
def test_the_plan_is_the_same_bytes_under_any_hash_seed(world: World, arguments: tuple[str, ...]) -> None:
    """Nothing of it comes from the order of a set."""
    _mixed(world)
    command = ("plan", "-n", world.namespace, *arguments)
    plans = {world.webappctl(*command, env={"PYTHONHASHSEED": seed}).stdout for seed in ("0", "1", "2")}
    assert len(plans) == 1
    assert plans != {""}


SIGNS = {"+": "create", "~": "update", "!": "blocked"}


def _table(world: World) -> set[tuple[str, str]]:
    """Name and action of each row that a person sees."""
    command = world.webappctl.command("plan", "-n", world.namespace)
    seen = on_terminal(command, env=world.webappctl.env(), columns=120)
    bare = re.sub(r"\x1b\[[0-9;]*m", "", seen.text)
    rows = re.findall(rf"^([+~!…?=]) +{world.namespace}/(\S+)", bare, flags=re.MULTILINE)
    return {(name, SIGNS[sign]) for sign, name in rows}


def _in_sync(world: World) -> None:
    world.declare("web")
    world.converge()


def _blocked(world: World) -> None:
    _in_sync(world)
    world.kubectl("create", "deployment", "taken-deployment", "--image=nginx")
    world.declare("taken")


@pytest.mark.parametrize(("make", "code"), [(_mixed, 3), (_blocked, 5), (_in_sync, 0)])
def test_table_lines_json_and_exit_code_never_disagree(world: World, make: Callable[[World], None], code: int) -> None:
    """They are four views of one list of changes."""
    make(world)
    lines = world.plan()
    rows = {(row["name"], row["action"]) for row in world.rows()}
    assert lines.returncode == world.plan("-o", "json").returncode == code
    assert {(line[0].removeprefix(f"{world.namespace}/"), line[1]) for line in world.lines(lines)} == rows
    assert _table(world) == rows
    assert any(action in ("create", "update") for _, action in rows) == (code == 3)
    assert bool(rows) == (code != 0)


def _release(folder: Path, version: str) -> dict[str, str]:
    """The environment in which the program is of that version."""
    info = folder / f"webappctl-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: webappctl\nVersion: {version}\n")
    return {"PYTHONPATH": str(folder)}


def test_another_version_that_sets_the_same_fields_makes_no_row_and_no_write(world: World, tmp_path: Path) -> None:
    """The version is in the user agent, and in nothing that is compared or written."""
    old, new = _release(tmp_path / "old", "0.0.1"), _release(tmp_path / "new", "99.0.0")
    assert world.webappctl("--version", env=new).stdout == "webappctl 99.0.0\n"
    world.declare("web")
    apply = ("apply", "--yes", "-n", world.namespace)
    assert world.webappctl(*apply, env=old).returncode == 0
    world.settle()
    before = _versions(world)
    done = world.webappctl(*apply, env=new)
    assert (done.returncode, done.stdout) == (0, "")
    assert _versions(world) == before


def test_a_time_that_was_never_set_is_no_trouble(world: World) -> None:
    """The API server gives it as null, in the condition of some other controller."""
    world.declare("web")
    world.converge()
    condition = {"type": "My", "status": "True", "reason": "x", "message": "y"}
    patch = json.dumps({"status": {"conditions": [condition]}})
    world.kubectl("patch", "deployment", "web-deployment", "--subresource=status", "--type=strategic", "-p", patch)
    times = [found["lastTransitionTime"] for found in world.deployment("web")["status"]["conditions"]]
    assert None in times
    assert (world.plan().returncode, world.plan().stdout) == (0, "")
