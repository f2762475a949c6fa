"""What the Lease says, whatever it says, and what to do about it."""

from __future__ import annotations

from typing import Any

import pytest

from webappctl.core.lease import (
    LOCK,
    Lease,
    Sighting,
    Step,
    created,
    decide,
    held,
    lock_name,
    mode_of,
    read_lease,
    released,
)

OWN = 15.0
NOW = "2026-01-01T12:00:00.000000Z"


def live(**spec: Any) -> dict[str, Any]:
    """As it is stored; None takes a field of an ordinary one away."""
    whole = {
        "holderIdentity": "them",
        "leaseDurationSeconds": 20,
        "acquireTime": "2026-01-01T11:00:00.000000Z",
        "renewTime": "2026-01-01T11:59:58.000000Z",
        "leaseTransitions": 3,
    }
    given = {key: value for key, value in (whole | spec).items() if value is not None}
    return {"kind": "Lease", "metadata": {"namespace": "webappctl", "name": LOCK}, "spec": given}


def sighting(lease: Lease, *, since: float = 100.0) -> Sighting:
    return Sighting(lease, since)


def _wait_of(lease: dict[str, Any]) -> float:
    """Seconds until a follower takes it over."""
    seen = sighting(read_lease(lease))
    waits = [seconds for seconds in range(10_000) if decide(seen, "us", 100.0 + seconds, OWN) is Step.TAKE_OVER]
    return waits[0]


def test_where_there_is_none_it_is_created() -> None:
    assert decide(None, "us", 0, OWN) is Step.CREATE


def test_our_own_is_renewed_however_old_it_is() -> None:
    assert decide(sighting(read_lease(live(holderIdentity="us"))), "us", 10**9, OWN) is Step.RENEW


@pytest.mark.parametrize("holder", ["", None])
def test_one_without_a_holder_is_free_at_once(holder: str | None) -> None:
    assert _wait_of(live(holderIdentity=holder)) == 0


def test_another_ones_is_taken_over_when_it_has_not_changed_for_its_own_duration() -> None:
    """Not for ours."""
    assert _wait_of(live(leaseDurationSeconds=20)) == 20


@pytest.mark.parametrize("seconds", [None, 0, -1, 2**31, 10**300, "15", True, [], {"a": 1}, 3601])
def test_a_duration_that_makes_no_sense_counts_as_ours(seconds: object) -> None:
    assert _wait_of(live(leaseDurationSeconds=seconds)) == OWN


@pytest.mark.parametrize("time", [None, "2027-01-01T12:00:00.000000Z", "1970-01-01T00:00:00Z", "soon", "", 7, []])
def test_what_it_says_of_times_changes_nothing(time: object) -> None:
    """A year ahead, long ago, or nothing at all."""
    assert _wait_of(live(renewTime=time, acquireTime=time)) == 20


@pytest.mark.parametrize("spec", [None, [], "spec", 7, {}])
def test_one_that_says_nothing_is_free(spec: object) -> None:
    assert decide(sighting(read_lease({"metadata": None, "spec": spec})), "us", 0, OWN) is Step.TAKE_OVER


def test_a_renewal_begins_the_wait_anew() -> None:
    renewed = sighting(read_lease(live())).again(read_lease(live(renewTime=NOW)), 119.0)
    assert decide(renewed, "us", 138.9, OWN) is Step.WAIT
    assert decide(renewed, "us", 139.0, OWN) is Step.TAKE_OVER


def test_a_change_that_is_no_renewal_does_not() -> None:
    """Labels that an admin sets must not keep a dead holder alive."""
    labelled = live()
    labelled["metadata"] |= {"labels": {"team": "a"}, "resourceVersion": "8"}
    seen = sighting(read_lease(live())).again(read_lease(labelled), 119.0)
    assert decide(seen, "us", 120.0, OWN) is Step.TAKE_OVER


def test_a_new_one_is_ours_for_the_first_time() -> None:
    spec = created("webappctl", LOCK, "us", 14.2, NOW)["spec"]
    assert spec == {
        "holderIdentity": "us",
        "leaseDurationSeconds": 15,
        "acquireTime": NOW,
        "renewTime": NOW,
        "leaseTransitions": 0,
    }


def test_a_renewal_moves_the_renew_time_alone() -> None:
    ours = live(holderIdentity="us", leaseDurationSeconds=15)
    assert held(ours, "us", 15, NOW)["spec"] == ours["spec"] | {"renewTime": NOW}


def test_a_takeover_is_counted_and_dated() -> None:
    spec = held(live(), "us", 15, NOW)["spec"]
    assert (spec["holderIdentity"], spec["leaseTransitions"], spec["acquireTime"]) == ("us", 4, NOW)


@pytest.mark.parametrize("count", [None, -1, 2**31 - 1, "three", 2.5])
def test_a_count_that_makes_no_sense_begins_anew(count: object) -> None:
    assert held(live(leaseTransitions=count), "us", 15, NOW)["spec"]["leaseTransitions"] == 1


@pytest.mark.parametrize("written", [held(live() | {"more": 1}, "us", 15, NOW), released(live() | {"more": 1}, NOW)])
def test_what_others_have_put_on_it_stays(written: dict[str, Any]) -> None:
    """Metadata is sent back as it was read, with the resourceVersion."""
    assert (written["metadata"], written["more"]) == (live()["metadata"], 1)


@pytest.mark.parametrize("field", ["strategy", "preferredHolder", "ofALaterVersion"])
def test_fields_that_we_do_not_know_stay(field: str) -> None:
    assert held(live(**{field: "x"}), "us", 15, NOW)["spec"][field] == "x"
    assert released(live(**{field: "x"}), NOW)["spec"][field] == "x"


def test_a_released_one_is_free_for_every_program() -> None:
    """For those that know no empty holder, after a second."""
    spec = released(live(holderIdentity="us"), NOW)["spec"]
    assert (spec["holderIdentity"], spec["leaseDurationSeconds"], spec["leaseTransitions"]) == ("", 1, 3)


@pytest.mark.parametrize(("shard", "mode"), [(None, 0), ((0, 1), 1), ((0, 3), 3), ((2, 3), 3), ((11, 120), 120)])
def test_the_name_tells_the_mode(shard: tuple[int, int] | None, mode: int) -> None:
    assert mode_of(lock_name(shard)) == mode


@pytest.mark.parametrize("tail", ["x", "-1", "-1-of", "-3-of-3", "-01-of-3", "-1-of-3-of-4", "-a-of-b", "-1-of-0"])
def test_other_names_are_no_locks_of_ours(tail: str) -> None:
    assert mode_of(LOCK + tail) is None
