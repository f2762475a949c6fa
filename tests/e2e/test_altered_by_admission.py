"""Admission that makes something else of what we write: no success, no loop, and said with what to do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.conftest import Start
from tests.policies import mirror_images
from tests.world import Audit, World, eventually, until_passes
from webappctl.sandbox import Sandbox


def _remove(world: World, name: str) -> None:
    for kind in ("mutatingadmissionpolicybinding", "mutatingadmissionpolicy"):
        world.kubectl("delete", kind, name, "--ignore-not-found")


def _is_mirrored(world: World) -> bool:
    dry = ("create", "deployment", "any", "--image=nginx", "--dry-run=server", "-o", "json")
    done: dict[str, Any] = json.loads(world.kubectl(*dry).stdout)
    return bool(done["spec"]["template"]["spec"]["containers"][0]["image"] == "mirror/nginx")


@pytest.fixture
def mirrored(world: World) -> Iterator[World]:
    """`web` is declared where every image is rewritten."""
    name = mirror_images(world.kubectl_, world.namespace)
    eventually(lambda: _is_mirrored(world))
    world.declare("web")
    yield world
    _remove(world, name)


def test_what_admission_alters_is_blocked_with_what_to_do(mirrored: World) -> None:
    """It was written, and is not what was asked for."""
    done = mirrored.apply("-o", "json")
    (row,) = json.loads(done.stdout)["results"]
    assert (done.returncode, row["outcome"], row["obstacle"]) == (5, "blocked", "altered-by-admission")
    assert row["message"] == "written, but admission makes image mirror/nginx:1.25 of nginx:1.25"
    stalled = mirrored.condition("web", "Stalled")
    assert stalled is not None
    assert stalled["reason"] == "Blocked"


def test_each_apply_is_5_and_the_plan_says_why(mirrored: World) -> None:
    """For as long as the rule is there."""
    assert [mirrored.apply().returncode for _ in range(2)] == [5, 5]
    done = mirrored.plan()
    assert done.returncode == 3
    assert "the last time: written, but admission makes image mirror/nginx:1.25 of nginx:1.25" in done.stdout


def test_the_event_is_a_warning_that_is_counted(mirrored: World) -> None:
    """And none says that it was updated."""
    for _ in range(2):
        mirrored.apply()
    events = json.loads(mirrored.kubectl("get", "events", "-o", "json").stdout)["items"]
    (event,) = [event for event in events if event["involvedObject"]["kind"] == "WebApp"]
    assert (event["type"], event["reason"], event["count"]) == ("Warning", "Blocked", 2)


def test_a_dry_run_says_it_before(mirrored: World) -> None:
    done = mirrored.plan("--server-side")
    assert "admission would make image mirror/nginx:1.25 of nginx:1.25" in done.stdout


def test_watch_does_not_write_it_again_in_every_pass(mirrored: World, start: Start, sandbox: Sandbox) -> None:
    mirrored.apply()
    audit = Audit.from_now(sandbox)
    watch = start("watch", "-n", mirrored.namespace, "--interval", "100ms")
    until_passes(watch, 10)
    watch.terminate()
    watch.wait()
    asked = [(verb, resource) for verb, resource, _ in audit.by_webappctl(mirrored.namespace)]
    assert asked.count(("patch", "deployments")) == 1


def test_it_converges_when_the_webapp_asks_for_what_admission_makes(mirrored: World) -> None:
    mirrored.apply()
    mirrored.declare("web", image="mirror/nginx:1.25")
    mirrored.converge()


def test_it_converges_when_the_rule_is_gone(mirrored: World) -> None:
    assert mirrored.apply().returncode == 5
    _remove(mirrored, mirrored.namespace)
    eventually(lambda: not _is_mirrored(mirrored))
    mirrored.converge()
    (container,) = mirrored.deployment("web")["spec"]["template"]["spec"]["containers"]
    assert container["image"] == "nginx:1.25"
