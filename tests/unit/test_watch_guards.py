"""Guards in `watch`: passes on the double that do what they may of a plan that would do too much, and their log."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.double import World, answers, key
from tests.double.kinds import DEPLOYMENT
from webappctl.cluster.requests import DEPLOYMENTS, WEBAPPS
from webappctl.core.objects import deployment_key
from webappctl.core.plan import Budget, Limit, Policy
from webappctl.core.report import Outcome, Report
from webappctl.watch import Journal, Schedule, Shape, Source, watch

Act = Callable[[World], object]
TRIPPED = "Guard tripped"
ENDED = "Guard does not trip any more"


class Watched:
    """What a `watch` on the double reported and logged."""

    def __init__(self, caplog: pytest.LogCaptureFixture) -> None:
        self.reports: list[Report] = []
        self._caplog = caplog

    def run(self, world: World, budget: Budget, *acts: Act | None) -> None:
        """A pass after each act; None: nothing happens before it."""
        turns, stop = iter(acts), threading.Event()

        def run_pass(_: Source, shape: Shape) -> Report:
            act = next(turns)
            if act is not None:
                act(world)
            self.reports.append(world.carry_out(shape(world.plan())))
            if len(self.reports) == len(acts):
                stop.set()
            return self.reports[-1]

        with self._caplog.at_level(logging.INFO, logger="webappctl.watch"):
            schedule = Schedule(0.001, stop=stop, chance=lambda: 0.5)
            watch(run_pass, schedule, budget=budget, observers=[Journal()])

    def counts(self, *outcomes: Outcome) -> list[int]:
        return [report.count(*outcomes) for report in self.reports]

    @property
    def said(self) -> list[str]:
        return [record.message for record in self._caplog.records]

    def keys(self, line: str) -> list[Any]:
        """Of each such line."""
        return [getattr(record, "keys", {}) for record in self._caplog.records if record.message == line]


@pytest.fixture
def watched(caplog: pytest.LogCaptureFixture) -> Watched:
    return Watched(caplog)


def _orphan(world: World, name: str) -> None:
    """`kubectl delete webapp --cascade=orphan`."""
    world.others.delete(WEBAPPS, key(name))
    world.others.replace(DEPLOYMENTS, deployment_key(key(name)), lambda live: live["metadata"].pop("ownerReferences"))


@pytest.fixture
def orphaned(world: World) -> World:
    """Two WebApps, and two Deployments that lost theirs; `a` was changed since."""
    world.policy = Policy(prune=True)
    world.declare(*"abcd")
    world.settle()
    for name in "cd":
        world.others.delete(WEBAPPS, key(name))
        world.others.replace(
            DEPLOYMENTS, deployment_key(key(name)), lambda live: live["metadata"].pop("ownerReferences")
        )
    world.others.respecify(key("a"), image="nginx:1.26")
    return world


def _deny(*names: str) -> Act:
    def act(world: World) -> None:
        for name in names:
            world.double.on(f"patch deployments {name}-", lambda _: answers.forbidden(DEPLOYMENT, "", "denied").answer)

    return act


def test_each_pass_changes_as_much_as_it_may(world: World, watched: Watched) -> None:
    """Five WebApps, two a pass."""
    world.declare(*"abcde")
    watched.run(world, Budget(Limit(2)), None, None, None)
    assert watched.counts(Outcome.CREATED) == [2, 2, 1]
    assert watched.counts(Outcome.WITHHELD) == [3, 1, 0]


def test_too_many_deletions_stay_and_the_rest_is_done(orphaned: World, watched: Watched) -> None:
    watched.run(orphaned, Budget(deletes=Limit(1)), None)
    assert watched.counts(Outcome.CONFIGURED) == [1]
    assert watched.counts(Outcome.WITHHELD) == [2]
    assert len(orphaned.others.deployments()) == 4


def test_deletions_within_the_budget_are_done(orphaned: World, watched: Watched) -> None:
    watched.run(orphaned, Budget(), None)
    assert len(orphaned.others.deployments()) == 2


def test_a_guard_that_trips_is_said_once_with_its_reasons(orphaned: World, watched: Watched) -> None:
    """Not for each row, nor in each pass."""
    watched.run(orphaned, Budget(deletes=Limit(1)), None, None, None)
    (told,) = watched.keys(TRIPPED)
    assert told["reasons"].startswith("2 of 4 Deployments would be deleted, more than --max-deletes 1")
    assert watched.said == [TRIPPED, *["Pass finished"] * 3, "Stopped"]


def test_each_pass_that_trips_a_guard_says_so_in_its_line(orphaned: World, watched: Watched) -> None:
    """With how much it withheld."""
    watched.run(orphaned, Budget(deletes=Limit(1)), None, None)
    first, second = watched.keys("Pass finished")
    assert first["guard"] == second["guard"] == watched.keys(TRIPPED)[0]["reasons"]
    assert (first["configured"], second["unchanged"], second["withheld"]) == (1, 2, 2)


def test_other_reasons_are_said_too_and_the_end_of_it(orphaned: World, watched: Watched) -> None:
    """A third orphan; then all of them have their WebApps again."""
    watched.run(
        orphaned,
        Budget(deletes=Limit(1)),
        *(None, lambda world: _orphan(world, "b"), lambda world: world.declare(*"bcd")),
    )
    assert [told["reasons"][:6] for told in watched.keys(TRIPPED)] == ["2 of 4", "3 of 4"]
    assert watched.said[-3:] == [ENDED, "Pass finished", "Stopped"]
    assert "guard" not in watched.keys("Pass finished")[-1]


@pytest.mark.parametrize(("allow_empty", "left"), [(False, 2), (True, 0)])
def test_without_any_webapp_nothing_is_deleted_unasked(
    orphaned: World, watched: Watched, allow_empty: bool, left: int
) -> None:
    """Two orphans, of two."""
    for name in "ab":
        orphaned.others.delete(WEBAPPS, key(name))
    orphaned.others.collect_garbage()
    watched.run(orphaned, Budget(allow_empty=allow_empty), None)
    assert ["--allow-empty" in told["reasons"] for told in watched.keys(TRIPPED)] == [True] * (not allow_empty)
    assert len(orphaned.others.deployments()) == left


def test_what_waits_after_a_refusal_takes_nothing_from_the_budget(world: World, watched: Watched) -> None:
    """Two that are refused do not keep two others out for ever."""
    world.declare(*"abcd")
    watched.run(world, Budget(Limit(2)), _deny("a", "b"), None)
    assert watched.counts(Outcome.CREATED) == [0, 2]


def test_no_status_and_no_event_tells_of_what_is_withheld(world: World, watched: Watched) -> None:
    """It is nothing that a developer could do anything about, and may be done in the next pass."""
    world.declare("web")
    watched.run(world, Budget(Limit(0)), None)
    assert world.writes == []
