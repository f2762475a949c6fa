"""Candidates on a clock that moves when it is told to: who leads, until when, and who comes next."""

from __future__ import annotations

import pytest

from tests.unit.leases import Stored, Time
from webappctl.errors import Conflict, Unreachable, UsageError
from webappctl.leader.candidate import Candidate
from webappctl.leader.timing import Timing, identity

TIMING = Timing()


class Racing:
    """Two candidates for one Lease, `us` and `them`, each with a turn when it wants one. One may be stopped."""

    def __init__(self) -> None:
        self.time, self.stored = Time(), Stored()
        self.due = {"us": 0.0, "them": 0.0}
        self.us, self.them = self.candidate("us"), self.candidate("them")
        self.stopped: set[str] = set()

    def candidate(self, who: str, name: str = "webapp-operator-lock") -> Candidate:
        return Candidate(self.stored.at(name), TIMING, who, self.time.clock, self.time.now)

    def leads(self, candidate: Candidate) -> bool:
        return candidate.fence() > self.time.seconds

    def run(self, seconds: float) -> None:
        """Never do both lead, at any instant."""
        ends = self.time.seconds + seconds
        while self.time.seconds < ends:
            for who, candidate in (("us", self.us), ("them", self.them)):
                if who not in self.stopped and self.time.seconds >= self.due[who]:
                    self.due[who] = self.time.seconds + candidate.turn(5)
            assert not (self.leads(self.us) and self.leads(self.them))
            self.time.seconds += 0.1


@pytest.fixture
def racing() -> Racing:
    return Racing()


def _unreachable() -> None:
    raise Unreachable("no answer")


def test_the_first_one_has_it_and_keeps_it(racing: Racing) -> None:
    racing.run(100)
    assert racing.leads(racing.us)
    assert racing.stored.spec()["leaseTransitions"] == 0


def test_another_takes_over_within_the_lease_and_three_retries(racing: Racing) -> None:
    """Of the last renewal of one that was killed."""
    racing.run(60)
    racing.stopped.add("us")
    racing.run(TIMING.lease + 3 * TIMING.retry)
    assert racing.leads(racing.them)
    assert racing.stored.spec()["leaseTransitions"] == 1


def test_one_that_was_stopped_knows_by_the_clock_alone_that_it_leads_no_more(racing: Racing) -> None:
    """Before it has asked anybody, and before another leads."""
    racing.run(10)
    racing.stopped.add("us")
    racing.run(TIMING.renew_deadline + TIMING.retry)
    assert not racing.leads(racing.us)
    racing.run(20)
    racing.stopped.clear()
    racing.run(20)
    assert (racing.leads(racing.us), racing.leads(racing.them)) == (False, True)


def test_the_deadline_counts_from_the_sending(racing: Racing) -> None:
    """However late the answer came."""
    racing.us.turn(5)
    sent = racing.time.seconds = 1002.0
    racing.stored.before("replace", lambda: setattr(racing.time, "seconds", 1006.0))
    racing.us.turn(5)
    assert racing.us.fence() == sent + TIMING.renew_deadline


@pytest.mark.parametrize("skew", [3600.0, -3600.0])
def test_a_wall_clock_that_is_an_hour_off_changes_nothing(racing: Racing, skew: float) -> None:
    racing.run(10)
    racing.time.skew = skew
    racing.run(60)
    assert racing.leads(racing.us)
    assert racing.stored.spec()["leaseTransitions"] == 0


@pytest.mark.parametrize("seconds", [None, 0, -1, 2**31])
def test_an_odd_record_of_another_program_is_taken_over_after_a_lease(racing: Racing, seconds: int | None) -> None:
    """Without a renewTime, or with one a year ahead."""
    spec = {"holderIdentity": "go", "leaseDurationSeconds": seconds, "renewTime": "2027-01-01T00:00:00.000000Z"}
    racing.stored.put(spec)
    racing.run(TIMING.lease - 1)
    assert not racing.leads(racing.us)
    racing.run(2)
    assert racing.leads(racing.us)


def test_a_renewal_on_a_whole_second_has_six_digits(racing: Racing) -> None:
    racing.us.turn(5)
    assert racing.stored.spec()["renewTime"] == "2026-01-01T00:16:40.000000Z"


def test_labels_of_an_admin_survive(racing: Racing) -> None:
    """Set between two renewals: the next one is a conflict, and is made anew of what is there."""
    racing.us.turn(5)
    racing.stored.put(racing.stored.spec())
    racing.stored.leases["webapp-operator-lock"]["metadata"]["labels"] = {"team": "a"}
    racing.time.seconds += 2
    racing.us.turn(5)
    assert racing.us.fence() == racing.time.seconds + TIMING.renew_deadline
    assert racing.stored.leases["webapp-operator-lock"]["metadata"]["labels"] == {"team": "a"}


def test_a_renewal_is_one_request(racing: Racing) -> None:
    racing.run(10)
    racing.stored.log.clear()
    racing.time.seconds += 2
    racing.us.turn(5)
    assert racing.stored.log == ["replace"]


@pytest.mark.parametrize("call", ["create", "replace"])
def test_an_acquisition_whose_answer_was_lost_is_read_back(racing: Racing, call: str) -> None:
    if call == "replace":
        racing.stored.put({"holderIdentity": ""})
    racing.stored.lose_answer_to(call)
    racing.us.turn(5)
    assert racing.us.fence() == 1000 + TIMING.renew_deadline


def test_a_renewal_whose_answer_was_lost_counts_from_its_sending_when_it_is_read_back(racing: Racing) -> None:
    """Also when that succeeds only later."""
    racing.us.turn(5)
    racing.time.seconds += 2
    racing.stored.lose_answer_to("replace")
    racing.stored.before("get", _unreachable)
    with pytest.raises(Unreachable):
        racing.us.turn(5)
    assert racing.us.fence() == 1000 + TIMING.renew_deadline
    racing.time.seconds += 2
    racing.stored.before("replace", _unreachable)
    with pytest.raises(Unreachable):
        racing.us.turn(5)
    assert racing.us.fence() == 1002 + TIMING.renew_deadline


def test_a_renewal_that_was_not_carried_out_does_not_count(racing: Racing) -> None:
    racing.us.turn(5)
    racing.time.seconds += 2
    racing.stored.before("replace", _unreachable)
    with pytest.raises(Unreachable):
        racing.us.turn(5)
    assert racing.us.fence() == 1000 + TIMING.renew_deadline


def test_a_conflict_is_read_again_and_decided_again(racing: Racing) -> None:
    """Somebody else has it: no more writes."""
    racing.us.turn(5)
    racing.stored.put({"holderIdentity": "go", "leaseDurationSeconds": 15})
    racing.us.turn(5)
    assert not racing.leads(racing.us)
    assert racing.stored.spec()["holderIdentity"] == "go"
    assert racing.us.seen
    assert racing.us.seen.holder == "go"


def test_one_that_was_deleted_is_created_anew(racing: Racing) -> None:
    racing.us.turn(5)
    racing.stored.leases.clear()
    racing.us.turn(5)
    assert racing.leads(racing.us)


def test_after_an_outage_of_three_leases_one_of_them_leads(racing: Racing) -> None:
    """Nobody did meanwhile."""
    racing.run(10)
    racing.stopped |= {"us", "them"}  # as if no request had an answer
    racing.run(3 * TIMING.lease)
    assert not racing.leads(racing.us)
    racing.stopped.clear()
    racing.run(5)
    assert racing.leads(racing.us) or racing.leads(racing.them)


def test_a_released_one_is_had_at_once(racing: Racing) -> None:
    racing.run(10)
    racing.us.release(5)
    racing.stopped.add("us")
    assert not racing.leads(racing.us)
    racing.run(2 * TIMING.retry)
    assert racing.leads(racing.them)


def test_what_another_has_by_now_is_not_released(racing: Racing) -> None:
    racing.us.turn(5)
    racing.stored.put({"holderIdentity": "them", "leaseDurationSeconds": 15})
    racing.us.release(5)
    assert racing.stored.spec()["holderIdentity"] == "them"


def test_what_we_never_had_is_not_even_asked_for(racing: Racing) -> None:
    racing.us.release(5)
    assert racing.stored.log == []


def test_a_release_can_be_asked_for_twice(racing: Racing) -> None:
    racing.us.turn(5)
    racing.us.release(5)
    racing.stored.log.clear()
    racing.us.release(5)
    assert racing.stored.log == []


def test_a_turn_under_way_takes_nothing_after_the_end(racing: Racing) -> None:
    """It was reading when it ended."""
    racing.stored.before("get", racing.us.end)
    racing.us.turn(5)
    assert racing.stored.log == ["list", "get"]


def test_one_that_has_ended_leads_no_more_whatever_is_answered(racing: Racing) -> None:
    """Its last write was on the way when it ended."""
    racing.stored.before("create", racing.us.end)
    racing.us.turn(5)
    assert racing.us.fence() == -float("inf")


def test_each_acquisition_after_a_loss_is_a_new_term(racing: Racing) -> None:
    """Also when nobody else had it meanwhile; a renewal in time is none."""
    racing.us.turn(5)
    racing.time.seconds += TIMING.renew_deadline - 1
    racing.us.turn(5)
    assert racing.us.term == 1
    racing.time.seconds += TIMING.renew_deadline
    racing.us.turn(5)
    assert (racing.us.term, racing.leads(racing.us)) == (2, True)


def test_a_namespace_that_turns_out_to_be_another_is_decided_about_anew(racing: Racing) -> None:
    """Rivals are looked for there, too."""

    def elsewhere() -> None:
        racing.stored.namespace = "default"
        raise Conflict("there is no namespace webappctl")

    racing.stored.before("create", elsewhere)
    racing.us.turn(5)
    assert racing.leads(racing.us)
    assert racing.stored.log == ["list", "get", "create", "list", "get", "create"]


@pytest.mark.parametrize("times", [(15, 15, 2), (15, 16, 2), (15, 10, 10), (15, 10, 0), (7200, 10, 2)])
def test_times_that_do_not_fit_each_other_are_wrong_usage(times: tuple[float, float, float]) -> None:
    with pytest.raises(UsageError, match="--renew-deadline"):
        Timing(*times)


def test_each_process_has_a_name_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """That of its pod, and more."""
    monkeypatch.setenv("POD_NAME", "webappctl-1")
    first, second = identity(), identity()
    assert first != second
    assert first.startswith("webappctl-1_")
