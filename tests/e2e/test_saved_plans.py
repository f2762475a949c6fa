"""plan --out, show, apply --plan: what was agreed to is what is done, later, or nothing is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.world import READS, Audit, Done, World, eventually
from webappctl.sandbox import Sandbox

OLD, NEW = "nginx:1.25", "nginx:1.26"
CONTROLLER = "kube-controller-manager"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "plan.json"


@pytest.fixture
def web(world: World) -> World:
    """`web` runs, and is to have another image."""
    world.declare("web", image=OLD)
    world.converge()
    world.declare("web", image=NEW)
    return world


def _save(world: World, file: Path, *arguments: str) -> Done:
    done = world.webappctl("plan", "-n", world.namespace, "--out", str(file), *arguments)
    assert done.returncode == 0, done.stderr
    return done


def _apply(world: World, file: Path, *arguments: str) -> Done:
    return world.webappctl("apply", "--plan", str(file), "--yes", *arguments)


def _show(world: World, file: Path, *arguments: str) -> Done:
    """Without a cluster, and without a home to look for one."""
    nowhere = {"KUBECONFIG": str(file.with_name("none")), "HOME": str(file.parent)}
    return world.webappctl("show", str(file), *arguments, env=nowhere)


def _image(world: World, webapp: str = "web") -> str:
    image: str = world.deployment(webapp)["spec"]["template"]["spec"]["containers"][0]["image"]
    return image


def test_a_saved_plan_is_carried_out_as_planned_and_nothing_else(web: World, file: Path) -> None:
    """What came after it is not touched, not even its status."""
    web.declare("new")
    _save(web, file)
    web.declare("later")
    done = _apply(web, file)
    assert done.returncode == 0, done.stderr
    assert [line[:2] for line in web.lines(done)] == [
        [f"{web.namespace}/new", "created"],
        [f"{web.namespace}/web", "configured"],
    ]
    assert (_image(web), web.exists("deployment", "new-deployment")) == (NEW, True)
    assert not web.exists("deployment", "later-deployment")
    assert "status" not in web.webapp("later")


def test_a_saved_plan_has_its_own_scope_and_policy(world: World, file: Path) -> None:
    """Neither is given again."""
    for name in ("web", "other"):
        world.declare(name)
    world.converge()
    world.kubectl("delete", "webapp", "web", "--cascade=orphan")
    eventually(lambda: "1 orphan" in world.plan().stderr)
    world.declare("other", image=NEW)
    _save(world, file, "--prune")
    done = _apply(world, file)
    assert done.returncode == 0, done.stderr
    assert not world.exists("deployment", "web-deployment")
    assert _image(world, "other") == NEW


def _again(world: World) -> None:
    """Somebody deletes the Deployment, and puts it back from a backup."""
    live = world.deployment("web")
    for field in ("uid", "resourceVersion", "creationTimestamp", "generation"):
        del live["metadata"][field]
    del live["status"]
    world.kubectl("delete", "deployment", "web-deployment")
    world.kubectl("create", "-f", "-", stdin=json.dumps(live))


def _reborn(world: World) -> None:
    """The WebApp goes without its Deployment, and comes back."""
    world.kubectl("delete", "webapp", "web", "--cascade=orphan")
    world.declare("web", image=NEW)


def _other_image(world: World) -> None:
    world.edit("web", {"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "evil:1"})


MOVES: dict[str, tuple[Callable[[World], object], str]] = {
    "image": (_other_image, f"image is evil:1 now, the plan saw {OLD}"),
    "replicas": (
        lambda world: world.kubectl("scale", "deployment/web-deployment", "--replicas=7"),
        "replicas is 7 now, the plan saw 2",
    ),
    "generation": (
        lambda world: world.declare("web", image="nginx:1.27"),
        "the WebApp was changed (generation 3, the plan saw 2)",
    ),
    "webapp": (_reborn, "the WebApp is another one of that name"),
    "deployment": (_again, "Deployment web-deployment is another one of that name"),
    "done": (lambda world: world.converge(), f"image is {NEW} now, the plan saw {OLD}"),
}


@pytest.mark.parametrize("moved", MOVES)
def test_what_moved_is_named_and_nothing_is_written(web: World, file: Path, sandbox: Sandbox, moved: str) -> None:
    """Not even to the others of the plan: exit 4."""
    move, said = MOVES[moved]
    web.declare("new")
    _save(web, file, "web", "new")
    web.kubectl("delete", "webapp", "new")
    move(web)
    web.declare("new")
    audit = Audit.from_now(sandbox)
    done = _apply(web, file)
    assert (done.returncode, done.stdout) == (4, "")
    assert f"{web.namespace}/web: {said}" in done.stderr
    assert f"{web.namespace}/new: the WebApp is another one of that name" in done.stderr
    assert {verb for verb, _, _ in audit.by_webappctl(web.namespace)} <= READS


def test_an_edited_file_is_refused(web: World, file: Path) -> None:
    """By show and by apply, before anything is asked of the cluster."""
    _save(web, file)
    file.write_text(file.read_text().replace(NEW, "evil:1"))
    for done in (_apply(web, file), _show(web, file)):
        assert (done.returncode, done.stdout) == (4, "")
        assert "this saved plan was edited" in done.stderr
        assert done.stderr.startswith(f"webappctl: {file}: ")
    assert _image(web) == OLD


def test_an_expired_plan_is_shown_and_not_carried_out(web: World, file: Path) -> None:
    """The warning is on stderr."""
    planned = _save(web, file, "--expires", "1s")
    eventually(lambda: f"warning: {file}: it expired at " in _show(web, file).stderr)
    assert _show(web, file).stdout == planned.stdout
    done = _apply(web, file)
    assert (done.returncode, done.stdout) == (4, "")
    assert "it expired at 20" in done.stderr
    assert _image(web) == OLD


def _status(world: World) -> None:
    patch = json.dumps({"status": {"readyReplicas": 0}})
    world.kubectl("patch", "webapp", "web", "--subresource=status", "--type=merge", "-p", patch)


def _foreign_fields(world: World) -> None:
    world.kubectl("annotate", "deployment", "web-deployment", "note=x")
    world.kubectl("label", "deployment", "web-deployment", "team=a")
    world.kubectl("rollout", "restart", "deployment/web-deployment")
    sidecar = {"name": "proxy", "image": "envoy:1"}
    world.edit("web", {"op": "add", "path": "/spec/template/spec/containers/-", "value": sidecar})


@pytest.mark.parametrize("move", [_status, _foreign_fields], ids=["status", "foreign fields"])
def test_what_nobody_agreed_to_may_move(web: World, file: Path, move: Callable[[World], None]) -> None:
    """It stays as it is."""
    _save(web, file)
    move(web)
    done = _apply(web, file)
    assert done.returncode == 0, done.stderr
    assert _image(web) == NEW
    assert web.plan().returncode == 0


def test_an_autoscaler_may_move_its_replicas(web: World, file: Path) -> None:
    """They are left where it has put them."""
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web-deployment"}
    spec = {"scaleTargetRef": target, "minReplicas": 1, "maxReplicas": 9}
    autoscaler = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "web"}}
    web.kubectl("apply", "-f", "-", stdin=json.dumps(autoscaler | {"spec": spec}))
    _save(web, file)
    scaled = ("--subresource=scale", "--type=merge", f"--field-manager={CONTROLLER}", "-p", '{"spec":{"replicas":7}}')
    web.kubectl("patch", "deployment", "web-deployment", *scaled)
    done = _apply(web, file)
    assert done.returncode == 0, done.stderr
    assert (_image(web), web.deployment("web")["spec"]["replicas"]) == (NEW, 7)


@pytest.mark.parametrize("output", ["table", "wide", "json", "yaml", "markdown"])
def test_show_prints_what_plan_printed_without_a_cluster(web: World, file: Path, output: str) -> None:
    """The same bytes on both streams, and the same exit code."""
    web.kubectl("create", "deployment", "taken-deployment", "--image=nginx")
    for name in ("new", "taken"):
        web.declare(name)
    web.edit("web", {"op": "replace", "path": "/spec/replicas", "value": 7})
    _save(web, file)
    planned = web.plan("-o", output)
    shown = _show(web, file, "--exit-code", "-o", output)
    assert (shown.returncode, shown.stdout, shown.stderr) == (3, planned.stdout, planned.stderr)


@pytest.mark.parametrize("command", [("show",), ("apply", "--yes", "--plan")])
def test_what_is_no_saved_plan_is_wrong_usage(web: World, file: Path, command: tuple[str, ...]) -> None:
    """What -o json prints is for reading, and - is no file."""
    file.write_text(web.plan("-o", "json").stdout)
    for name, said in (
        (str(file), f"{file}: this is no saved plan: it is a Plan"),
        (f"{file}.no", f"{file}.no: No such file or directory"),
        ("-", "a saved plan is a file"),
    ):
        done = web.webappctl(*command, name)
        assert (done.returncode, done.stdout) == (2, ""), done.stderr
        assert done.stderr.startswith(f"webappctl: {said}")


def test_a_plan_that_cannot_be_saved_is_an_error(web: World, file: Path) -> None:
    """What was there before is as it was."""
    _save(web, file)
    before = file.read_bytes()
    done = web.plan("--out", f"{file}/plan")
    assert done.returncode == 1
    assert "the plan was not saved: Not a directory" in done.stderr
    assert (file.read_bytes(), list(file.parent.iterdir())) == (before, [file])


def test_all_output_fits_the_schema_that_is_printed(web: World, file: Path) -> None:
    """A plan, saved or not, and a report."""
    schema = json.loads(web.webappctl("schema").stdout)
    planned = _save(web, file, "-o", "json").stdout
    applied = _apply(web, file, "-o", "json").stdout
    for document, kind in ((planned, "Plan"), (file.read_text(), "SavedPlan"), (applied, "Report")):
        assert json.loads(document)["kind"] == kind
        Draft202012Validator(schema).validate(json.loads(document))


def test_a_standing_namespace_of_the_environment_is_no_contradiction(web: World, file: Path) -> None:
    """The file has its own scope; only what is written beside it is refused."""
    _save(web, file)
    command = ("apply", "--plan", str(file))
    assert web.webappctl(*command, "-n", "elsewhere").returncode == 2
    assert web.webappctl(*command, env={"WEBAPPCTL_NAMESPACE": "elsewhere"}).returncode == 0
    assert _image(web) == NEW


def test_a_percentage_is_of_all_rows_and_not_of_the_pending_ones(web: World, file: Path) -> None:
    """One of four is to be changed."""
    for name in ("a", "b", "c"):
        web.declare(name)
    web.webappctl("apply", "--yes", *(f"{web.namespace}/{name}" for name in ("a", "b", "c")))
    _save(web, file)
    assert _apply(web, file, "--max-changes", "20%").returncode == 4
    assert _apply(web, file, "--max-changes", "25%").returncode == 0


@pytest.mark.parametrize("arguments", [("apply", "--yes", "--plan", ""), ("plan", "--out", ""), ("show", "")])
def test_an_empty_file_name_is_no_default(web: World, arguments: tuple[str, ...]) -> None:
    """A shell variable that is not set must not mean "everything"."""
    assert web.webappctl(*arguments).returncode == 2
    assert _image(web) == OLD


def test_a_plan_with_nothing_pending_says_so(web: World, file: Path) -> None:
    web.converge()
    _save(web, file)
    done = _apply(web, file)
    assert (done.returncode, "has nothing pending" in done.stderr) == (0, True)
