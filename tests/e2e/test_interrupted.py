"""Signals while something is being written: what was begun is finished and told, and the summary is true."""

from __future__ import annotations

import json
import signal

import pytest

from tests.e2e.conftest import Start
from tests.world import World, eventually

FLEET = 40


@pytest.fixture
def fleet(world: World) -> World:
    """Many WebApps, none of them with its Deployment."""
    items = [
        {
            "apiVersion": "apps.example.com/v1",
            "kind": "WebApp",
            "metadata": {"name": f"web-{number:02}", "namespace": world.namespace},
            "spec": {"image": "nginx", "replicas": 1, "port": 80},
        }
        for number in range(FLEET)
    ]
    world.kubectl("create", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    return world


def _deployments(world: World) -> int:
    return len(world.kubectl("get", "deployments", "-o", "name").stdout.split())


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_an_apply_that_is_interrupted_says_what_it_did(
    fleet: World, start: Start, number: signal.Signals, code: int
) -> None:
    """Each row that it calls created is there, has its status and its event; each other one is not there."""
    apply = start("apply", "--yes", "-n", fleet.namespace, "--workers", "1")
    eventually(lambda: _deployments(fleet) > 2, every=0.05)
    apply.send_signal(number)
    out, talk = apply.communicate(timeout=20)
    assert apply.returncode == code
    created = [line.split("\t")[0] for line in out.splitlines() if line.split("\t")[1] == "created"]
    assert 0 < len(created) == _deployments(fleet) < FLEET
    assert f"{len(created)} created" in talk
    assert f"{FLEET - len(created)} not tried; interrupted by a signal" in talk
    events = fleet.kubectl("get", "events", "--field-selector=reason=Reconciled", "-o", "name").stdout
    assert len(events.split()) == len(created)


def test_the_next_apply_does_the_rest(fleet: World, start: Start) -> None:
    """It remembers nothing, and needs nothing to be remembered."""
    apply = start("apply", "--yes", "-n", fleet.namespace, "--workers", "1")
    eventually(lambda: _deployments(fleet) > 2, every=0.05)
    apply.kill()
    apply.wait()
    fleet.converge()
    assert _deployments(fleet) == FLEET


def test_a_second_signal_ends_at_once(fleet: World, start: Start) -> None:
    """And says that it does not know what became of what was in flight."""
    apply = start("apply", "--yes", "-n", fleet.namespace, "--workers", "1")
    eventually(lambda: _deployments(fleet) > 2, every=0.05)
    apply.send_signal(signal.SIGINT)
    apply.send_signal(signal.SIGINT)
    _, talk = apply.communicate(timeout=5)
    assert apply.returncode == 130
    assert "Traceback" not in talk
