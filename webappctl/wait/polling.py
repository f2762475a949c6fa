"""Look again and again, until nothing is on its way any more, or it is time to give up."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import wait as wait_for_any
from dataclasses import dataclass
from typing import Final, TypeVar

from webappctl.core.objects import Scope
from webappctl.core.plan import Policy
from webappctl.core.report import Readiness, Result
from webappctl.errors import ClusterError, Stopped
from webappctl.reconcile import Lister, in_seconds, utc_now
from webappctl.wait.standing import INTERRUPTED, TIMED_OUT, Standing, as_written, standings

T = TypeVar("T")

FIRST_PAUSE: Final = 1.0
LONGEST_PAUSE: Final = 5.0
GROWTH: Final = 1.3
SPARSE: Final = 5.0
"""Seconds between two lines that say how far it is."""
NAMED: Final = 3
"""How many such a line names."""
FEW_NAMESPACES: Final = 5
"""More than these are listed all at once, where the pass did so."""
TICK: Final = 0.1
"""Seconds until a signal is seen while a list is on its way."""


@dataclass(frozen=True, slots=True)
class Patience:
    """`ends` is an instant of `clock`, in seconds that only grow. `pause` waits so many seconds, less once `stop` is
    set. `say` is given a line now and then."""

    ends: float
    clock: Callable[[], float]
    pause: Callable[[float], object]
    stop: threading.Event
    say: Callable[[str], None]


def wait_for(
    results: tuple[Result, ...], cluster: Lister, scope: Scope, policy: Policy, patience: Patience
) -> tuple[Standing, ...]:
    """How far each is in the end, in the same order. `scope` and `policy` are those of the pass.

    A look that fails is no end; raises nothing of the cluster's.
    """
    return _Wait(results, cluster, _seen_from(scope, results), policy, patience).run()


def _seen_from(scope: Scope, results: tuple[Result, ...]) -> Scope:
    """Neither selector nor names: a WebApp that has lost its label is not to look like a deleted one."""
    namespaces = tuple(sorted({result.key.namespace for result in results}))
    return Scope(namespaces) if scope.namespaces or len(namespaces) <= FEW_NAMESPACES else Scope(shard=scope.shard)


class _Wait:
    def __init__(
        self, results: tuple[Result, ...], cluster: Lister, scope: Scope, policy: Policy, patience: Patience
    ) -> None:
        self._results = results
        self._cluster = cluster
        self._scope = scope
        self._policy = policy
        self._patience = patience
        self._journal = _Journal(patience)

    def run(self) -> tuple[Standing, ...]:
        now = tuple(map(as_written, self._results))
        before: tuple[Standing, ...] = ()
        pause = FIRST_PAUSE
        while not _is_over(now, before):
            self._journal.so_far(now)
            left = self._patience.ends - self._patience.clock()
            if left <= 0:
                return tuple(standing.ended(TIMED_OUT) for standing in now)
            self._patience.pause(min(pause, left))
            if self._patience.stop.is_set():
                return tuple(standing.ended(INTERRUPTED) for standing in now)
            seen = self._look()
            before, now = (now, seen) if seen else (before, now)
            pause = min(pause * GROWTH, LONGEST_PAUSE)
        return now

    def _look(self) -> tuple[Standing, ...]:
        """Empty when nothing could be seen."""
        try:
            snapshot = _unless_stopped(lambda: self._cluster.snapshot(self._scope), self._patience.stop)
        except Stopped:
            return ()  # by a signal or by the deadline: the loop sees which
        except ClusterError as error:
            self._journal.blind(error)
            return ()
        self._journal.sees_again()
        return standings(self._results, snapshot, self._policy, in_seconds(utc_now))


def _is_over(now: tuple[Standing, ...], before: tuple[Standing, ...]) -> bool:
    """A failure counts when two looks in a row find it: controllers write one condition after the other."""
    if not all(standing.readiness.final for standing in now):
        return False
    return all(standing.readiness.ready for standing in now) or _readiness(now) == _readiness(before)


def _readiness(found: tuple[Standing, ...]) -> list[Readiness]:
    return [standing.readiness for standing in found]


def _unless_stopped(read: Callable[[], T], stop: threading.Event) -> T:
    """A read that nobody waits for any more once `stop` is set, though the server never answers."""
    pool = ThreadPoolExecutor(1, "look")
    try:
        reading = pool.submit(read)
        while not wait_for_any([reading], TICK).done:
            if stop.is_set():
                raise Stopped("stopped before the answer came")
        return reading.result()
    finally:
        pool.shutdown(wait=False)


class _Journal:
    """Lines for people: when something has moved, and not often."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._said = ""
        self._next = patience.clock()
        self._blind = False

    def so_far(self, now: tuple[Standing, ...]) -> None:
        line = _line(now)
        if line != self._said and self._patience.clock() >= self._next:
            self._patience.say(line)
            self._said, self._next = line, self._patience.clock() + SPARSE

    def blind(self, error: ClusterError) -> None:
        if not self._blind:
            self._patience.say(f"cannot see how far it is, and goes on trying: {error}")
        self._blind = True

    def sees_again(self) -> None:
        self._blind = False


def _line(now: tuple[Standing, ...]) -> str:
    """`waiting for 3 of 5: shop/cart (1 of 3 replicas are updated), …`."""
    coming = [standing for standing in now if not standing.readiness.final]
    named = [f"{standing.result.key} ({_how_far(standing.readiness)})" for standing in coming[:NAMED]]
    if len(coming) > NAMED:
        named.append(f"and {len(coming) - NAMED:,} more")
    return f"waiting for {len(coming):,} of {len(now):,}: {', '.join(named)}"


def _how_far(readiness: Readiness) -> str:
    return readiness.message or readiness.reason
