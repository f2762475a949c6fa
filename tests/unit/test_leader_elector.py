"""The elector's thread: for a one-shot that needs the Lease soon, and for a loop that is a candidate for ever."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.unit.leases import Stored
from tests.world import eventually
from webappctl.cli.locking import Hold
from webappctl.core.lease import LOCK, lock_name
from webappctl.errors import Forbidden, LeaseHeld, Refused, Stopped, Unreachable
from webappctl.leader import Elector, Timing

FAST = Timing(lease=0.8, renew_deadline=0.5, retry=0.05)
NEVER = threading.Event()
Begin = Callable[..., Elector]


@pytest.fixture
def stored() -> Stored:
    return Stored()


@pytest.fixture
def begin(stored: Stored) -> Iterator[Begin]:
    """An elector on that store, which ends with the test."""
    with ExitStack() as stack:

        def make(who: str = "us", name: str = LOCK) -> Elector:
            elector = Elector(stored.at(name), FAST, who)
            stack.callback(elector.release)
            return elector

        yield make


def _unreachable() -> None:
    raise Unreachable("no answer", subject="webappctl/lock")


def _forbidden() -> None:
    raise Forbidden("may not list leases", code=403)


def _may_not_update() -> None:
    raise Forbidden("may not update leases", code=403)


def _broken() -> None:
    raise ZeroDivisionError


def _as_held(stored: Stored, who: str = "them") -> None:
    stored.put({"holderIdentity": who, "leaseDurationSeconds": 60, "acquireTime": "2026-01-01T00:00:00.000000Z"})


def test_a_one_shot_has_it_and_renews_it(stored: Stored, begin: Begin) -> None:
    elector = begin()
    elector.acquire(5, NEVER)
    assert elector.leading
    eventually(lambda: stored.log.count("replace") > 3, seconds=10, every=0.01)
    assert elector.leading


def test_a_one_shot_gives_it_back(stored: Stored, begin: Begin) -> None:
    """And has it no more, by its own fence."""
    elector = begin()
    elector.acquire(5, NEVER)
    elector.release()
    assert stored.spec()["holderIdentity"] == ""
    assert (elector.leading, elector.fence()) == (False, -float("inf"))


def test_a_one_shot_that_waits_in_vain_names_the_holder(stored: Stored, begin: Begin) -> None:
    """The Lease, the holder, since when, and the ways out."""
    _as_held(stored)
    with pytest.raises(LeaseHeld) as held:
        begin().acquire(0.2, NEVER)
    assert str(held.value).startswith(
        f"webappctl/{LOCK}: the Lease is held by them since 2026-01-01T00:00:00.000000Z (wait"
    )
    assert "--lock-timeout" in held.value.remedy
    assert "--no-lock" in held.value.remedy


def test_what_was_never_had_is_not_released(stored: Stored, begin: Begin) -> None:
    _as_held(stored)
    with pytest.raises(LeaseHeld):
        begin().acquire(0.2, NEVER)
    assert set(stored.log) == {"list", "get"}


def test_a_one_shot_that_is_stopped_ends(stored: Stored, begin: Begin) -> None:
    _as_held(stored)
    stop = threading.Event()
    stop.set()
    with pytest.raises(Stopped):
        begin().acquire(60, stop)


def test_an_error_ends_a_one_shot_that_waits(stored: Stored, begin: Begin) -> None:
    """It is the error of the request."""
    stored.before("get", _unreachable)
    with pytest.raises(Unreachable, match="no answer"):
        begin().acquire(60, NEVER)


def test_a_one_shot_beside_another_mode_is_refused(stored: Stored, begin: Begin) -> None:
    begin("them", lock_name((0, 2))).campaign()
    eventually(lambda: stored.leases, every=0.01)
    with pytest.raises(LeaseHeld, match="them runs with 2 shards"):
        begin().acquire(5, NEVER)


def test_a_candidate_lives_through_what_the_api_server_does(stored: Stored, begin: Begin) -> None:
    """`trouble` says what is wrong as long as it lasts."""
    for _ in range(3):
        stored.before("get", _unreachable)
    elector, troubles = begin(), []
    elector.on_change = lambda: troubles.append(elector.trouble)
    elector.campaign()
    eventually(lambda: elector.leading, every=0.01)
    assert elector.trouble == ""


def test_a_trouble_is_logged_when_it_begins_and_when_it_ends(
    stored: Stored, begin: Begin, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(3):
        stored.before("get", _unreachable)
    elector = begin()
    with caplog.at_level("INFO", "webappctl"):
        elector.campaign()
        eventually(lambda: elector.leading, every=0.01)
        eventually(lambda: "Leading" in caplog.messages, every=0.01)
    assert caplog.messages == ["Lease cannot be read or written", "Lease can be read and written again", "Leading"]


def test_a_follower_leads_when_the_other_ends(stored: Stored, begin: Begin) -> None:
    """It is told of each change."""
    leader, follower = begin("them"), begin("us")
    leader.campaign()
    eventually(lambda: leader.leading, every=0.01)
    seen: list[tuple[bool, str]] = []
    follower.on_change = lambda: seen.append((follower.leading, follower.holder))
    follower.campaign()
    eventually(lambda: seen == [(False, "them")], every=0.01)
    leader.release()
    eventually(lambda: follower.leading, every=0.01)
    eventually(lambda: (True, "us") in seen, every=0.01)


def test_one_that_loses_it_is_told_and_is_a_candidate_again(stored: Stored, begin: Begin) -> None:
    elector = begin()
    elector.campaign()
    eventually(lambda: elector.leading, every=0.01)
    with stored.lock:
        _as_held(stored)
    eventually(lambda: not elector.leading and elector.holder == "them", every=0.01)
    with stored.lock:
        _as_held(stored, who="")
    eventually(lambda: elector.leading, every=0.01)


def test_a_candidate_beside_another_mode_ends_with_a_conflict(stored: Stored, begin: Begin) -> None:
    begin("them", LOCK).campaign()
    eventually(lambda: stored.leases, every=0.01)
    elector, told = begin("us", lock_name((0, 2))), threading.Event()
    elector.on_change = told.set
    elector.campaign()
    eventually(lambda: elector.conflict, every=0.01)
    assert "them runs without --shard" in elector.conflict
    assert told.wait(10)
    assert lock_name((0, 2)) not in stored.leases


def _refused(stored: Stored, elector: Elector) -> Elector:
    """It leads a shard, and then sees one for everything that began together with it renew."""
    stored.before("create", lambda: _as_held(stored))
    elector.campaign()
    eventually(lambda: len(stored.leases) == 2, every=0.01)

    def refused_when_the_other_renews() -> bool:
        with stored.lock:
            stored.put({**stored.spec(LOCK), "renewTime": str(stored.revision)})
        return bool(elector.conflict)

    eventually(refused_when_the_other_renews, every=0.1)
    return elector


def test_a_leader_that_meets_another_mode_writes_no_more(stored: Stored, begin: Begin) -> None:
    """Two that start together: neither saw the other at first."""
    elector = _refused(stored, begin("us", lock_name((0, 2))))
    assert (elector.leading, elector.fence()) == (False, -float("inf"))


def test_a_leader_that_meets_another_mode_does_not_release_while_its_writes_are_in_flight(
    stored: Stored, begin: Begin
) -> None:
    """Nobody else has it until they have ended, which is when `release` is called."""
    elector = _refused(stored, begin("us", lock_name((0, 2))))
    eventually(lambda: not elector.leading, every=0.01)
    assert stored.spec(lock_name((0, 2)))["holderIdentity"] == "us"
    elector.release()
    assert stored.spec(lock_name((0, 2)))["holderIdentity"] == ""


def test_a_turn_that_is_under_way_does_not_keep_what_is_released_meanwhile(stored: Stored, begin: Begin) -> None:
    """The API server answers only after the release has stopped waiting for that."""
    asked, answer = threading.Event(), threading.Event()

    def slowly() -> None:
        asked.set()
        answer.wait(30)

    stored.before("create", slowly)
    elector = begin()
    elector.campaign()
    asked.wait(30)
    elector.release()
    answer.set()
    eventually(lambda: stored.log == ["list", "get", "create", "get", "replace"], every=0.01)
    assert stored.spec()["holderIdentity"] == ""


def test_a_lease_that_was_lost_and_had_again_is_another_term(stored: Stored, begin: Begin) -> None:
    elector = begin()
    elector.acquire(5, NEVER)
    term = elector.term
    with stored.lock:
        _as_held(stored, who="")
    eventually(lambda: stored.spec()["holderIdentity"] == "us", every=0.01)
    eventually(lambda: elector.leading and elector.term == term + 1, every=0.01)


def test_what_was_lost_and_had_again_before_anybody_looked_is_lost_for_good(stored: Stored, begin: Begin) -> None:
    """Between two writes of a one-shot, as while it waits for a Retry-After."""
    elector = begin()
    elector.acquire(5, NEVER)
    hold = Hold(elector)
    assert hold.fence() > 0
    with stored.lock:
        _as_held(stored, who="")
    eventually(lambda: elector.leading and elector.term == 2, every=0.01)
    assert (hold.fence(), hold.lost) == (-float("inf"), True)


def _warnings(caplog: pytest.LogCaptureFixture, message: str) -> list[str]:
    """The error of each."""
    return [record.keys["error"] for record in caplog.records if record.getMessage() == message]  # type: ignore[attr-defined]


def test_one_that_cannot_see_shards_says_so_once(
    stored: Stored, begin: Begin, caplog: pytest.LogCaptureFixture
) -> None:
    """It looks twice."""
    for _ in range(2):
        stored.before("list", _forbidden)
    begin().campaign()
    eventually(lambda: stored.log.count("replace") > 2, every=0.01)
    assert _warnings(caplog, "Shards that write to the same WebApps would not be noticed") == ["may not list leases"]


def test_one_that_never_leads_does_not_warn_of_shards_that_it_cannot_see(
    stored: Stored, begin: Begin, caplog: pytest.LogCaptureFixture
) -> None:
    """What it may not do is told by the error that ends it."""
    stored.before("list", _forbidden)
    stored.before("get", _unreachable)
    with pytest.raises(Unreachable):
        begin().acquire(60, NEVER)
    assert caplog.messages == []


def test_a_release_that_is_forbidden_names_the_right(
    stored: Stored, begin: Begin, caplog: pytest.LogCaptureFixture
) -> None:
    """As of one that may create the Lease and not update it."""
    elector = begin()
    elector.acquire(5, NEVER)
    stored.before("get", lambda: stored.before("replace", _may_not_update))
    elector.release()
    told = _warnings(caplog, "Lease not released, others wait until it has run out")
    assert told == ["may not update leases"]


def test_a_shard_that_may_not_list_leases_names_the_right(stored: Stored, begin: Begin) -> None:
    stored.before("list", _forbidden)
    with pytest.raises(Refused, match="may not list leases"):
        begin("us", lock_name((0, 2))).acquire(5, NEVER)


def test_a_release_lets_no_error_out(stored: Stored, begin: Begin) -> None:
    elector = begin()
    elector.acquire(5, NEVER)
    stored.before("get", _unreachable)
    elector.release()
    assert not elector.leading


def test_a_bug_in_its_thread_ends_the_wait_of_a_one_shot(stored: Stored, begin: Begin) -> None:
    """It is raised where somebody sees it."""
    stored.before("get", _broken)
    with pytest.raises(ZeroDivisionError):
        begin().acquire(60, NEVER)


def test_a_loop_is_told_of_a_bug_in_its_thread(stored: Stored, begin: Begin) -> None:
    """A follower for ever would look like one that is well."""
    told = threading.Event()
    stored.before("get", _broken)
    elector = begin()
    elector.on_change = told.set
    elector.campaign()
    assert told.wait(10)
    assert isinstance(elector.crash, ZeroDivisionError)
