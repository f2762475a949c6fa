"""Once rollouts have settled and nothing is pending, a pass only reads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.world import World
from webappctl.sandbox import Sandbox

READS = {"get", "list", "watch"}
PASSES = 10


def _audited(log: Path, start: int) -> Iterator[dict[str, Any]]:
    with log.open() as lines:
        lines.seek(start)
        yield from map(json.loads, lines)


def _versions(world: World) -> list[str]:
    columns = "custom-columns=:.kind,:.metadata.name,:.metadata.resourceVersion,:.metadata.generation"
    return world.kubectl("get", "webapps,deployments", "-o", columns).stdout.splitlines()


def _fleet(world: World) -> None:
    world.declare("one", replicas=1)
    world.declare("three", replicas=3, image="nginx")
    world.declare("scaled", replicas=None)
    world.converge()
    world.kubectl("scale", "deployment", "scaled-deployment", "--replicas=2")
    world.kubectl("rollout", "restart", "deployment", "one-deployment")
    world.settle()


def test_ten_passes_over_a_settled_fleet_change_nothing(world: World) -> None:
    """No resourceVersion, no generation, no event."""
    _fleet(world)
    before, events = _versions(world), world.kubectl("get", "events", "-o", "name").stdout
    for _ in range(PASSES):
        world.converge()
    assert _versions(world) == before
    assert world.kubectl("get", "events", "-o", "name").stdout == events


def test_ten_passes_over_a_settled_fleet_send_nothing_but_reads(world: World, sandbox: Sandbox) -> None:
    """As the API server's own audit log has it, the Lease apart."""
    assert sandbox.audit_log is not None
    _fleet(world)
    start = sandbox.audit_log.stat().st_size
    for _ in range(PASSES):
        world.converge()
    ours = [
        entry["verb"]
        for entry in _audited(sandbox.audit_log, start)
        if entry["userAgent"].startswith("webappctl/")
        and entry.get("objectRef", {}).get("namespace") == world.namespace
        and entry["objectRef"]["resource"] != "leases"
        and entry["stage"] == "ResponseComplete"
    ]
    assert len(ours) == 2 * 3 * PASSES, "three lists for each apply, and three for the plan after it"
    assert set(ours) <= READS


def test_a_restart_by_hand_is_not_rolled_back(world: World) -> None:
    """`kubectl rollout restart` is nobody's drift: its stamp stays, and the pods are replaced once."""
    world.declare("web")
    world.converge()
    world.settle()
    world.kubectl("rollout", "restart", "deployment", "web-deployment")
    restarted = world.deployment("web")["metadata"]["generation"]
    assert world.plan().stdout == ""
    world.settle()
    assert world.deployment("web")["metadata"]["generation"] == restarted
