"""`apply --wait` on the double, with a clock that moves only while it pauses."""

from __future__ import annotations

from collections.abc import Callable

from tests.double import World, key
from tests.double.world import ALL, NOW
from webappctl.apply import Orders
from webappctl.core.objects import deployment_key
from webappctl.core.plan import CAUTIOUS
from webappctl.core.report import Report
from webappctl.wait import Patience, awaited, concluded, wait_for

Act = Callable[[World], object]


class Awaiting:
    """In each pause one of `acts` happens, None being nothing; after the last one nothing happens any more.

    `seconds` is the longest that it waits.
    """

    def __init__(self, world: World, *acts: Act | None, seconds: float = 600) -> None:
        self._world = world
        self._acts = list(acts)
        self._seconds = seconds
        self.now = 0.0
        self.pauses: list[float] = []
        self.said: list[str] = []

    def apply(self) -> Report:
        """Afterwards `sent` and `writes` of the world are those of the wait alone."""
        world = self._world
        report = world.reconcile()
        world.double.log.clear()
        patience = Patience(self._seconds, lambda: self.now, self._pause, world.stop, self.said.append)
        standings = wait_for(awaited(report), world.cluster, ALL, CAUTIOUS, patience)
        return concluded(report, standings, world.cluster, Orders(stop=world.stop), lambda: NOW)

    @property
    def looks(self) -> int:
        return self._world.sent["list webapps"]

    def _pause(self, seconds: float) -> None:
        self.now += seconds
        self.pauses.append(seconds)
        act = self._acts.pop(0) if self._acts else None
        if act is not None:
            act(self._world)


def rolled_out(world: World) -> None:
    """The controllers have done all that they are asked for."""
    world.others.roll_out()


def reported(name: str = "web", replicas: int = 3, **status: object) -> Act:
    """The Deployment controller has seen the newest spec, has so many pods ready, and says the rest of `status`."""

    def act(world: World) -> None:
        generation = world.others.deployment(key(name))["metadata"]["generation"]
        counts = dict.fromkeys(("replicas", "updatedReplicas", "readyReplicas", "availableReplicas"), replicas)
        world.others.report(deployment_key(key(name)), **{"observedGeneration": generation} | counts | status)

    return act


def condition(kind: str, state: str, **fields: str) -> list[dict[str, str]]:
    return [{"type": kind, "status": state, **fields}]
