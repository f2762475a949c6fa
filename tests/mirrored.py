"""webappctl's mirror on the double, while other people use the cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.double import World
from tests.double.streams import DoubleStream
from tests.double.world import NOW
from tests.world import eventually
from webappctl.apply import Orders
from webappctl.core.objects import Deployment, ObjectKey, Scope, Snapshot
from webappctl.mirror import Mirror, Relisted, Relisting, Remembered, Seen
from webappctl.reconcile import carry_out, plan

QUICKLY = -0.48
"""Instead of a number from 0 to 1: the waits between tries are so much shorter."""
SLOWLY = 1_000.0
"""And so they are as long as can be."""


@dataclass
class Mirrored:
    """A mirror that has caught up. `wakes`: how often it woke the loop since."""

    world: World
    scope: Scope
    wakes: int = 0
    now: float = 0.0
    chance: float = QUICKLY
    mirror: Mirror = field(init=False)

    def __post_init__(self) -> None:
        self.mirror = Mirror(
            self.world.cluster, self.scope, wake=self._woken, clock=lambda: self.now, chance=lambda: self.chance
        )

    def start(self) -> None:
        self.mirror.start()
        soon(lambda: self.mirror.live)
        self.wakes = 0
        self.world.double.log.clear()

    def stream(self, plural: str) -> DoubleStream:
        return self.world.double.streams.of(plural)

    def caught_up(self) -> Snapshot:
        """What it says when its streams have told all that happened up to now."""
        for plural in ("webapps", "deployments", "horizontalpodautoscalers"):
            self.stream(plural).told()
        return self.mirror.snapshot()

    def names(self) -> list[str]:
        return [webapp.key.name for webapp in self.caught_up().webapps]

    def replicas(self, key: ObjectKey) -> int | None:
        found = self.caught_up().deployments[key]
        assert isinstance(found, Deployment)
        return found.spec.replicas

    def differences(self) -> int:
        return self.mirror.compare(self.world.cluster.lists(self.scope))

    def reconcile(self, seen: Seen) -> list[str]:
        """A whole pass through the mirror; what it wrote."""
        self.world.double.log.clear()
        carry_out(plan(seen, self.scope), seen, Orders(stop=self.world.stop), lambda: NOW)
        return self.world.writes

    @property
    def relisted(self) -> Relisted:
        return Relisted(self.world.cluster, self.mirror, Relisting(self.world.cluster, self.mirror, self.scope))

    @property
    def remembered(self) -> Remembered:
        return Remembered(self.world.cluster, self.mirror)

    def _woken(self) -> None:
        self.wakes += 1


@contextmanager
def mirrored(world: World, scope: Scope | None = None) -> Iterator[Mirrored]:
    made = Mirrored(world, scope or Scope())
    made.start()
    try:
        yield made
    finally:
        made.mirror.close()


def soon(true: Callable[[], object]) -> None:
    eventually(true, seconds=20, every=0.005)
