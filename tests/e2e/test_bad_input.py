"""What nobody can make a Deployment of, or nobody lets: it is named with the remedy, and troubles nothing else.

The names and specs that our CRD refuses are in tests/integration/test_crd.py; stored all the same, in test_lax_crd.py.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.e2e.conftest import Start
from tests.world import READS, Audit, World, until_passes
from webappctl.sandbox import Sandbox

Json = dict[str, Any]


@pytest.mark.parametrize("name", ["n" * 52, "1", "007-agent", "true", "null"])
def test_a_name_that_is_allowed_works_to_the_last_pod(world: World, name: str) -> None:
    """At the limit of 52, starting with a digit, or like a value of YAML: without a warning."""
    world.declare(name, replicas=1)
    done = world.apply()
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr
    world.settle()
    pods = world.kubectl("get", "pods", "-l", f"app={name}", "-o", "name").stdout
    assert len(pods.split()) == 1


def _with_another_selector(world: World) -> None:
    """Ours by owner, and selecting less than we do: somebody has made it again by hand."""
    world.declare("web")
    world.converge()
    live = world.deployment("web")
    owner = live["metadata"]["ownerReferences"]
    world.kubectl("delete", "deployment", "web-deployment", "--wait")
    metadata = {"name": "web-deployment", "labels": live["metadata"]["labels"], "ownerReferences": owner}
    spec = live["spec"] | {"selector": {"matchLabels": {"app": "web"}}}
    again = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}
    world.kubectl("create", "-f", "-", stdin=json.dumps(again))


def test_an_immutable_selector_that_differs_is_blocked_in_the_plan(world: World) -> None:
    """Both selectors are in the row, and what to do; also when something else has changed too."""
    _with_another_selector(world)
    for image in ("nginx:1.25", "nginx:1.26"):
        world.declare("web", image=image)
        assert world.plan().returncode == 5
        (row,) = world.rows()
        assert (row["action"], row["fields"]) == ("blocked", [])
        assert "app=web instead of app=web,managed-by=webapp-operator" in row["message"]
        assert "delete the Deployment" in row["remedy"]


def test_an_immutable_selector_that_differs_is_never_a_retry_loop(world: World, start: Start, sandbox: Sandbox) -> None:
    """No pass tries a write that cannot succeed, and only the first reports it."""
    _with_another_selector(world)
    assert world.apply().returncode == 5
    audit = Audit.from_now(sandbox)
    until_passes(start("watch", "-n", world.namespace, "--interval", "10ms"), 10)
    assert {verb for verb, _, _ in audit.by_webappctl(world.namespace)} <= READS
