"""When passes run: on the interval, on wake-ups, in bursts, and not while another has the Lease."""

from __future__ import annotations

import threading

from webappctl.watch.schedule import LONGEST_GAP, SHORTEST_GAP, Alarm, Conditions, Schedule, Source

INTERVAL = 30.0


class Times:
    """A schedule on a clock that its own waits move on, and whether it may run."""

    def __init__(self) -> None:
        self.now, self.stop = 1000.0, threading.Event()
        self.may_run = self.listed = self.remembers = True
        self.schedule = Schedule(
            INTERVAL,
            stop=self.stop,
            conditions=Conditions(lambda: self.may_run, lambda: self.listed, lambda: self.remembers),
            chance=lambda: 0.5,
            clock=lambda: self.now,
        )
        self.schedule.alarm = self  # type: ignore[assignment]

    def wait(self, seconds: float) -> None:
        assert seconds < float("inf"), "it would wait for ever"
        self.now += seconds

    def ring(self) -> None:
        """Nobody waits in another thread."""

    def passed(self, seconds: float) -> Source | None:
        """The next pass, which takes so long."""
        source = self.schedule.next()
        self.now += seconds
        if source is not None:
            self.schedule.ended(source, seconds)
        return source


def test_the_first_pass_lists_and_is_due_at_once() -> None:
    times = Times()
    assert (times.schedule.next(), times.now) == (Source.LIST, 1000)


def test_without_wake_ups_everything_is_listed_on_the_interval() -> None:
    """From the end of a pass to the start of the next."""
    times = Times()
    times.passed(5)
    assert (times.schedule.next(), times.now) == (Source.LIST, 1005 + INTERVAL)


def test_a_wake_up_long_after_a_pass_is_heeded_at_once() -> None:
    times = Times()
    times.passed(1)
    times.now += 10
    times.schedule.wake()
    assert (times.schedule.next(), times.now) == (Source.MIRROR, 1011)


def test_many_wake_ups_are_one_pass() -> None:
    times = Times()
    times.passed(1)
    for _ in range(100):
        times.schedule.wake()
    assert [times.passed(0.5), times.passed(0.5)] == [Source.MIRROR, Source.LIST]


def test_a_wake_up_during_a_pass_is_not_lost() -> None:
    """Whatever the pass had read by then."""
    times = Times()
    assert times.schedule.next() is Source.LIST
    times.schedule.wake()
    times.schedule.ended(Source.LIST, 1)
    assert times.schedule.next() is Source.MIRROR


def test_the_gap_after_a_pass_grows_with_its_cost() -> None:
    """Half as long, so that two thirds of the time at most go into passes, however fast the changes come."""
    gaps = []
    for cost in (0.001, 2.0, 60.0):
        times = Times()
        times.passed(cost)
        ended = times.now
        times.schedule.wake()
        assert times.schedule.next() is Source.MIRROR
        gaps.append(times.now - ended)
    assert [round(gap, 3) for gap in gaps] == [SHORTEST_GAP, 1.0, LONGEST_GAP]


def test_woken_passes_do_not_put_off_the_next_listing() -> None:
    times = Times()
    times.passed(1)
    due = times.schedule.next_listing
    times.now += 10
    times.schedule.wake()
    times.passed(1)
    assert times.schedule.next_listing == due


def test_a_follower_passes_when_it_leads_and_not_before() -> None:
    """At once, then."""
    times = Times()
    times.may_run = False
    times.schedule.wake()

    def lead(seconds: float) -> None:
        assert seconds == float("inf")
        times.may_run = True

    times.wait = lead  # type: ignore[method-assign]
    assert (times.schedule.next(), times.now) == (Source.LIST, 1000)


def test_passes_are_woken_while_everything_is_being_listed() -> None:
    """A list of a big fleet takes seconds."""
    times = Times()
    times.passed(1)
    times.now, times.listed = times.schedule.next_listing + 1, False
    times.schedule.wake()
    assert times.passed(0.1) is Source.MIRROR
    times.listed = True
    assert times.passed(0.1) is Source.LIST


def test_what_cannot_be_remembered_is_listed() -> None:
    """As long as the streams are down, say: on the interval."""
    times = Times()
    times.passed(1)
    times.remembers = False
    times.schedule.wake()
    assert (times.schedule.next(), times.now) == (Source.LIST, 1001 + INTERVAL)


def test_what_can_be_done_from_an_instant_on_is_done_then() -> None:
    """A refusal that may be tried again, a pause that ends: nothing else would wake it."""
    times = Times()
    times.passed(1)
    times.schedule.wake_at(times.now + 7)
    assert (times.schedule.next(), times.now) == (Source.MIRROR, 1008)


def test_an_instant_is_heeded_once() -> None:
    times = Times()
    times.passed(1)
    times.schedule.wake_at(times.now + 7)
    assert [times.passed(0.1), times.passed(0.1)] == [Source.MIRROR, Source.LIST]


def test_one_that_begins_to_lead_acts_on_what_it_remembers_while_it_lists() -> None:
    """At once, though it has listed a moment ago."""
    times = Times()
    times.passed(1)
    times.now += 5
    times.listed = False
    times.schedule.begin_anew()
    assert (times.schedule.next(), times.now) == (Source.MIRROR, 1006)


def test_nothing_is_due_once_it_is_to_stop() -> None:
    times = Times()
    times.stop.set()
    times.schedule.wake()
    assert times.schedule.next() is None


def test_an_alarm_that_rang_before_the_wait_is_heard() -> None:
    """And once only."""
    alarm = Alarm()
    alarm.ring()
    alarm.wait(float("inf"))
    alarm.wait(0.001)


def test_an_alarm_may_be_rung_by_a_signal_handler_of_the_waiting_thread() -> None:
    """Which interrupts it anywhere, also while it holds what protects the alarm."""
    alarm = Alarm()
    with alarm._changed:
        alarm.ring()
    alarm.wait(float("inf"))
