"""Processes of another mode: unsharded beside sharded, or of another number of shards. Both would write the same."""

from __future__ import annotations

from collections.abc import Callable

from webappctl.core.lease import Lease, Sighting, mode_of, read_lease
from webappctl.errors import Forbidden, LeaseHeld, Refused
from webappctl.leader.store import LeaseStore


class Rivals:
    """What is known of their Leases. `own` is our lease duration, for those that say nothing sensible of theirs.

    `blind`: why nothing was seen at the last look, where we go on all the same; else empty.
    """

    def __init__(self, store: LeaseStore, own: float, clock: Callable[[], float]) -> None:
        self._store = store
        self._own = own
        self._clock = clock
        self._mode = mode_of(store.name) or 0
        self._seen: dict[str, Sighting] = {}
        self.blind = ""

    def undecided(self, timeout: float) -> Lease | None:
        """Look at them once: one of which it is not known yet whether its holder lives, None when none of them does.

        Raises LeaseHeld as soon as one is seen to be renewed, Refused where we may not look but have to.
        """
        asked = self._clock()
        leases = [lease for lease in self._held(timeout) if self._is_rival(lease)]
        for lease in leases:
            before = self._seen.get(str(lease))
            if before and before.lease.record != lease.record:
                raise LeaseHeld(_in_words(lease), remedy="end one of the two, or give both the same number of shards")
        now = self._clock()
        self._seen = {str(lease): self._seen.get(str(lease), Sighting(lease, now)) for lease in leases}
        return next((s.lease for s in self._seen.values() if s.left(asked, self._own) > 0), None)

    def _held(self, timeout: float) -> tuple[Lease, ...]:
        """Without the right to list them, a process for all WebApps takes it that nobody shards them."""
        try:
            found = self._store.list(timeout)
        except Forbidden as error:
            if not self._mode:
                self.blind = error.message
                return ()
            raise Refused(f"others may be running without --shard: {error.message}", remedy=error.remedy) from error
        self.blind = ""
        return tuple(lease for lease in map(read_lease, found) if lease.holder)

    def _is_rival(self, lease: Lease) -> bool:
        return mode_of(lease.name) not in (None, self._mode)


def _in_words(lease: Lease) -> str:
    shards = mode_of(lease.name)
    mode = f"with {shards} shards" if shards else "without --shard"
    return f"{lease.holder} runs {mode}, and would write to the same WebApps: it holds the Lease {lease}"
