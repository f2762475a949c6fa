"""The change budget: what would be too much is refused, with the numbers and the way to allow it."""

from __future__ import annotations

import json

import pytest

from tests import manifests
from tests.world import World, eventually


def _declare(world: World, count: int) -> None:
    webapps = [
        manifests.webapp(f"w{n:02}", "", {"image": "nginx:1.25", "port": 80, "replicas": 1}) for n in range(count)
    ]
    world.kubectl("apply", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": webapps}))


def _deployments(world: World) -> int:
    return len(world.kubectl("get", "deployments", "-o", "name").stdout.split())


@pytest.fixture
def orphans(world: World) -> World:
    """12 Deployments, 5 of them without their WebApp."""
    _declare(world, 12)
    world.converge()
    world.kubectl("delete", "webapp", *(f"w{n:02}" for n in range(5)), "--cascade=orphan")
    eventually(lambda: "5 orphan" in world.plan().stderr)
    return world


def test_more_changes_than_allowed_are_refused_with_the_numbers(world: World) -> None:
    """Nothing is written, and the plan says the same."""
    _declare(world, 4)
    done = world.apply("--max-changes", "3")
    assert done.returncode == 4
    assert "4 of 4 would be changed, more than --max-changes 3 (allow it with --max-changes 4)" in done.stderr
    assert _deployments(world) == 0
    assert world.plan("--max-changes", "3").returncode == 4
    assert world.plan("--max-changes", "4").returncode == 3


def test_a_percentage_is_of_all_rows(world: World) -> None:
    _declare(world, 4)
    assert world.plan("--max-changes", "99%").returncode == 4
    assert world.plan("--max-changes", "100%").returncode == 3


def test_more_than_a_third_is_never_deleted_unasked(orphans: World) -> None:
    """5 of 12 are more than 30 %."""
    done = orphans.apply("--prune")
    assert done.returncode == 4
    assert "5 of 12 Deployments would be deleted, more than --max-deletes 30%" in done.stderr
    assert _deployments(orphans) == 12


def test_the_flag_that_the_refusal_names_allows_it(orphans: World) -> None:
    orphans.converge("--prune", "--max-deletes", "5")
    eventually(lambda: _deployments(orphans) == 7)


@pytest.mark.parametrize("text", ["x", "-1", "30.5%", "101%", ""])
def test_what_is_no_limit_is_wrong_usage(world: World, text: str) -> None:
    assert world.webappctl("plan", "--max-changes", text).returncode == 2
