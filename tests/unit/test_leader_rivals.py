"""Processes of another mode, unsharded or of another number of shards: both would write to the same WebApps."""

from __future__ import annotations

import pytest

from tests.unit.leases import Stored, Time
from webappctl.core.lease import LOCK, lock_name
from webappctl.errors import Forbidden, LeaseHeld, Refused
from webappctl.leader.candidate import Candidate
from webappctl.leader.timing import Timing

TIMING = Timing()
SHARD = lock_name((0, 3))


class Beside:
    """A candidate for the Lease of that name, and what is there already."""

    def __init__(self, name: str = LOCK) -> None:
        self.time, self.stored = Time(), Stored()
        self.candidate = self.another(name, "us")

    def another(self, name: str, who: str) -> Candidate:
        return Candidate(self.stored.at(name), TIMING, who, self.time.clock, self.time.now)

    @property
    def leads(self) -> bool:
        return self.candidate.fence() > self.time.seconds

    def turn(self) -> None:
        self.time.seconds += self.candidate.turn(5)


def _forbidden() -> None:
    raise Forbidden("forbidden: may not list leases.coordination.k8s.io in namespace webappctl", code=403)


@pytest.mark.parametrize(
    ("ours", "theirs"), [(LOCK, SHARD), (SHARD, LOCK), (SHARD, lock_name((0, 4))), (SHARD, lock_name((1, 2)))]
)
def test_beside_a_live_one_of_another_mode_it_is_refused(ours: str, theirs: str) -> None:
    """As soon as it renews; nothing is written until then."""
    beside = Beside(ours)
    other = beside.another(theirs, "them")
    other.turn(5)
    beside.turn()
    other.turn(5)
    with pytest.raises(LeaseHeld, match=f"them runs .* it holds the Lease webappctl/{theirs}"):
        beside.turn()
    assert ours not in beside.stored.leases


@pytest.mark.parametrize("theirs", [lock_name((1, 3)), "some-other-lock", f"{LOCK}-2"])
def test_other_shards_and_other_locks_are_no_rivals(theirs: str) -> None:
    beside = Beside(SHARD)
    beside.stored.put({"holderIdentity": "them", "leaseDurationSeconds": 15}, theirs)
    beside.turn()
    assert beside.leads


def test_a_released_one_is_no_rival() -> None:
    beside = Beside(SHARD)
    beside.stored.put({"holderIdentity": "", "leaseDurationSeconds": 1}, LOCK)
    beside.turn()
    assert beside.leads


def test_a_dead_one_is_waited_for_and_then_no_rival() -> None:
    """For as long as it says that it lasts."""
    beside = Beside(SHARD)
    beside.stored.put({"holderIdentity": "them", "leaseDurationSeconds": 6}, LOCK)
    began = beside.time.seconds
    while not beside.leads:
        beside.turn()
    assert 6 <= beside.time.seconds - began <= 6 + 2 * TIMING.retry


def test_it_names_whom_it_waits_for() -> None:
    beside = Beside(SHARD)
    beside.stored.put({"holderIdentity": "them", "leaseDurationSeconds": 6}, LOCK)
    beside.turn()
    assert beside.candidate.awaited
    assert (str(beside.candidate.awaited), beside.candidate.awaited.holder) == (f"webappctl/{LOCK}", "them")


def test_two_that_start_together_are_caught_at_the_next_renewals() -> None:
    """Neither saw the other before it had its own Lease."""
    beside = Beside(SHARD)
    other = beside.another(LOCK, "them")
    beside.turn()
    beside.stored.put({"holderIdentity": "them", "leaseDurationSeconds": 15, "renewTime": "a"}, LOCK)
    beside.turn()
    beside.stored.put({"holderIdentity": "them", "leaseDurationSeconds": 15, "renewTime": "b"}, LOCK)
    with pytest.raises(LeaseHeld, match="without --shard"):
        beside.turn()
    assert other.seen is None


def test_when_nobody_else_is_there_it_is_not_asked_again() -> None:
    beside = Beside(SHARD)
    for _ in range(10):
        beside.turn()
    assert beside.stored.log.count("list") == 2


def test_without_the_right_to_list_an_unsharded_one_goes_on() -> None:
    beside = Beside(LOCK)
    beside.stored.before("list", _forbidden)
    beside.turn()
    assert beside.leads


def test_without_the_right_to_list_a_sharded_one_does_not() -> None:
    """It names the right."""
    beside = Beside(SHARD)
    beside.stored.before("list", _forbidden)
    with pytest.raises(Refused, match=r"may not list leases\.coordination\.k8s\.io in namespace webappctl"):
        beside.turn()
