"""watch against somebody who sets a field again each time that it is put back."""

from __future__ import annotations

from tests.e2e.conftest import Start
from tests.world import World, eventually


def _scale(world: World) -> None:
    world.kubectl("scale", "deployment", "web-deployment", "--replicas=3")


def _replicas(world: World) -> int:
    return int(world.deployment("web")["spec"]["replicas"])


def test_watch_gives_in_for_a_while_and_says_to_whom(world: World, start: Start) -> None:
    """A condition, and an event that `kubectl describe` shows."""
    world.declare("web")
    world.converge()
    start("watch", "-n", world.namespace, "--interval", "200ms")
    for _ in range(3):
        _scale(world)
        eventually(lambda: _replicas(world) == 2)
    _scale(world)
    eventually(lambda: (world.condition("web", "Stalled") or {}).get("reason") == "Blocked")
    assert _replicas(world) == 3
    said = "replicas was put back 3 times in 5 min, kubectl sets it again"
    assert (world.condition("web", "Contested") or {})["message"] == said
    eventually(lambda: said in world.kubectl("describe", "webapp", "web").stdout.partition("Events:")[2])
