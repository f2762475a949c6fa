"""watch as a process: what is refused waits, a guard holds up deletions only, and each pass is a document."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest
import yaml

from tests.e2e.conftest import Start
from tests.world import Audit, World, eventually, until_passes
from webappctl.sandbox import Sandbox

NEW = "nginx:1.26"


@pytest.fixture
def full(world: World) -> World:
    """Three WebApps, and a quota that is used up by the Deployments of `one` and `two`."""
    world.declare("one")
    world.declare("two")
    world.converge()
    world.kubectl("create", "quota", "two", "--hard=count/deployments.apps=2")
    any_other = ("create", "deployment", "any", "--image=nginx", "--dry-run=server")
    eventually(lambda: "exceeded quota" in world.kubectl(*any_other, check=False).stderr)
    world.declare("three")
    return world


@pytest.fixture
def orphaned(world: World) -> World:
    """Three Deployments, two of them without their WebApp."""
    for name in ("kept", "lost", "gone"):
        world.declare(name)
    world.converge()
    world.kubectl("delete", "webapp", "lost", "gone", "--cascade=orphan")
    eventually(lambda: "2 orphan" in world.plan().stderr)
    return world


def _written(audit: Audit, world: World) -> list[str]:
    """The Deployment of each write to one, also of those that were refused."""
    asked = audit.by_webappctl(world.namespace)
    return sorted(name for verb, resource, name in asked if (verb, resource) == ("patch", "deployments"))


def _image(world: World, name: str) -> str:
    return str(world.deployment(name)["spec"]["template"]["spec"]["containers"][0]["image"])


def _log(watch: subprocess.Popen[str], passes: int) -> list[dict[str, Any]]:
    """Its log up to the end of so many passes."""
    assert watch.stderr is not None
    said: list[dict[str, Any]] = []
    while sum(line["msg"] == "Pass finished" for line in said) < passes:
        said.append(json.loads(watch.stderr.readline()))
    return said


def test_what_a_quota_refuses_is_tried_once_in_ten_passes(full: World, start: Start, sandbox: Sandbox) -> None:
    """The others converge, and it is told once."""
    full.declare("one", image=NEW)
    audit = Audit.from_now(sandbox)
    said = _log(start("watch", "-n", full.namespace, "--interval", "10ms"), 10)
    assert _written(audit, full) == ["one-deployment", "three-deployment"]
    assert _image(full, "one") == NEW
    assert [line["webapp"] for line in said if line["msg"] == "WebApp is not in order"] == ["three"]
    assert [line["blocked"] for line in said if line["msg"] == "Pass finished"] == [1] * 10


def test_what_a_quota_refuses_is_tried_at_once_when_its_webapp_changes(
    full: World, start: Start, sandbox: Sandbox
) -> None:
    """By the pass that sees the change."""
    audit = Audit.from_now(sandbox)
    watch = start("watch", "-n", full.namespace, "--interval", "500ms")
    until_passes(watch, 3)
    full.declare("three", image=NEW)
    until_passes(watch, 3)
    assert _written(audit, full) == ["three-deployment"] * 2


def test_too_many_deletions_leave_the_orphans_and_hold_up_nothing_else(orphaned: World, start: Start) -> None:
    """Said once, and in the line of each pass."""
    orphaned.declare("kept", image=NEW)
    watch = start("watch", "-n", orphaned.namespace, "--prune", "--max-deletes", "1", "--interval", "100ms")
    said = _log(watch, 3)
    assert _image(orphaned, "kept") == NEW
    assert all(orphaned.exists("deployment", f"{name}-deployment") for name in ("lost", "gone"))
    (told,) = [line for line in said if line["msg"] == "Guard tripped"]
    assert told["reasons"].startswith("2 of 3 Deployments would be deleted, more than --max-deletes 1")
    passes = [line for line in said if line["msg"] == "Pass finished"]
    assert [(line["guard"], line["withheld"]) for line in passes] == [(told["reasons"], 2)] * 3


def test_deletions_within_the_budget_are_done(orphaned: World, start: Start) -> None:
    until_passes(start("watch", "-n", orphaned.namespace, "--prune", "--interval", "100ms"), 1)
    eventually(lambda: not any(orphaned.exists("deployment", f"{name}-deployment") for name in ("lost", "gone")))
    assert orphaned.exists("deployment", "kept-deployment")


def test_each_pass_is_one_line_of_json(world: World, start: Start) -> None:
    world.declare("web")
    watch = start("watch", "-n", world.namespace, "-o", "json", "--interval", "100ms")
    assert watch.stdout is not None
    passes = [json.loads(watch.stdout.readline()) for _ in range(3)]
    assert [document["kind"] for document in passes] == ["Report"] * 3
    assert [document["results"][0]["outcome"] for document in passes] == ["created", "unchanged", "unchanged"]


def test_each_pass_is_one_document_of_yaml(world: World, start: Start) -> None:
    """Up to the signal."""
    world.declare("web")
    watch = start("watch", "-n", world.namespace, "-o", "yaml", "--interval", "100ms")
    until_passes(watch, 3)
    watch.terminate()
    out, _ = watch.communicate(timeout=20)
    passes = list(yaml.safe_load_all(out))
    assert len(passes) >= 3
    assert {document["kind"] for document in passes} == {"Report"}


def test_in_a_pipe_a_table_is_nothing(world: World, start: Start) -> None:
    """The log has it all."""
    world.declare("web")
    watch = start("watch", "-n", world.namespace, "--interval", "100ms")
    until_passes(watch, 2)
    watch.terminate()
    assert watch.communicate(timeout=20)[0] == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-o", "markdown"), "no -o markdown"),
        (("--prune", "-l", "a=b"), "--prune cannot be used with names or --selector"),
        (("--prune", "web"), "--prune cannot be used with names or --selector"),
        (("--max-deletes", "101%"), "at most 100%"),
    ],
)
def test_what_makes_no_sense_is_wrong_usage(world: World, arguments: tuple[str, ...], said: str) -> None:
    done = world.webappctl("watch", "-n", world.namespace, *arguments)
    assert done.returncode == 2
    assert said in done.stderr
