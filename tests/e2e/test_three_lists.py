"""What `plan` asks of the API server, whatever the size of the fleet."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from tests import manifests
from tests.world import World
from webappctl.sandbox import Sandbox


def _asked(world: World, sandbox: Sandbox) -> Counter[str]:
    """Of one `plan`, by the API server's own audit log."""
    assert sandbox.audit_log is not None
    start = sandbox.audit_log.stat().st_size
    assert world.webappctl("plan", "-n", world.namespace).returncode == 0
    with sandbox.audit_log.open() as lines:
        lines.seek(start)
        entries: list[dict[str, Any]] = [json.loads(line) for line in lines]
    ours = [e for e in entries if e["userAgent"].startswith("webappctl/") and e["stage"] == "ResponseComplete"]
    here = [e["objectRef"] | {"verb": e["verb"]} for e in ours if e["objectRef"].get("namespace") == world.namespace]
    return Counter(f"{asked['verb']} {asked['resource']}" for asked in here)


@pytest.mark.parametrize("fleet", [1, 40])
def test_plan_sends_three_lists_whatever_the_number_of_webapps(world: World, sandbox: Sandbox, fleet: int) -> None:
    """And no other request, though every one of them has something to be done."""
    spec = {"image": "nginx:1.25", "port": 80, "replicas": 1}
    webapps = [manifests.webapp(f"w{n:02}", "", spec) for n in range(fleet)]
    world.kubectl("apply", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": webapps}))
    assert _asked(world, sandbox) == {
        "list webapps": 1,
        "list deployments": 1,
        "list horizontalpodautoscalers": 1,
    }
