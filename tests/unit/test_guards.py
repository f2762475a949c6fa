"""The change budget: which plans it refuses, with which words, and what of them may go on all the same."""

from __future__ import annotations

import pytest

from tests.builders import deployment, snapshot, webapp
from webappctl.core.plan import (
    Action,
    Budget,
    Limit,
    Obstacle,
    Plan,
    Policy,
    make_plan,
    refusals,
    within,
)

PRUNING = Policy(prune=True)


def _plan(*, new: int = 0, drifted: int = 0, same: int = 0, orphans: int = 0) -> Plan:
    """Of so many rows of each kind; by name, the new ones come first."""
    old = [webapp(f"old-{nth}") for nth in range(drifted)]
    kept = [webapp(f"kept-{nth}") for nth in range(same)]
    objects = [webapp(f"new-{nth}") for nth in range(new)]
    objects += [*old, *kept]
    live = [*(deployment(of, image="nginx:1.0") for of in old), *map(deployment, kept)]
    live += [deployment(webapp(f"z-{nth}"), owner_references=()) for nth in range(orphans)]
    return make_plan(snapshot(*objects, *live), PRUNING)


def _limit(text: str) -> Limit:
    return Limit(int(text.rstrip("%")), percent=text.endswith("%"))


def _flags(plan: Plan, budget: Budget) -> list[str]:
    """Those that the refusals name as the way out."""
    return [refusal.rpartition("(allow it with ")[2].rstrip(")") for refusal in refusals(plan, budget)]


@pytest.mark.parametrize(
    ("limit", "refused"),
    [("3", False), ("2", True), ("0", True), ("30%", False), ("29%", True), ("100%", False), ("0%", True)],
)
def test_changes_are_counted_against_a_number_or_a_part_of_all_rows(limit: str, refused: bool) -> None:
    """3 of 10: creations, updates and deletions alike."""
    plan = _plan(new=1, drifted=1, orphans=1, same=7)
    assert bool(refusals(plan, Budget(changes=_limit(limit)))) is refused


@pytest.mark.parametrize("limit", ["0", "0%"])
def test_a_plan_that_does_nothing_is_never_refused(limit: str) -> None:
    """Not even by a budget of nothing."""
    assert refusals(_plan(same=3), Budget(_limit(limit), _limit(limit))) == ()


@pytest.mark.parametrize(
    ("orphans", "same", "refused"),
    [(9, 0, False), (8, 1, False), (3, 7, False), (4, 6, True), (10, 0, True), (6, 14, False), (7, 13, True)],
)
def test_without_a_flag_three_tenths_may_go_of_ten_and_more(orphans: int, same: int, refused: bool) -> None:
    """Of fewer, any number."""
    assert bool(refusals(_plan(orphans=orphans, same=same), Budget(allow_empty=True))) is refused


def test_a_part_of_the_deployments_counts_those_that_are_there() -> None:
    """Ninety WebApps without one do not make it fine to delete all ten."""
    assert _flags(_plan(new=90, orphans=10), Budget()) == ["--max-deletes 10"]


def test_no_webapp_at_all_is_a_refusal_of_its_own() -> None:
    """Of however few deletions: more likely the WebApps are not seen than gone."""
    assert _flags(_plan(orphans=1), Budget()) == ["--allow-empty"]
    assert refusals(_plan(orphans=1), Budget(allow_empty=True)) == ()


def test_webapps_on_their_way_out_are_there() -> None:
    leaving = webapp("leaving", deletion_timestamp="2026-01-01T00:00:00Z")
    orphan = deployment(webapp("z"), owner_references=())
    assert refusals(make_plan(snapshot(leaving, orphan), PRUNING), Budget()) == ()


@pytest.mark.parametrize(
    ("plan", "budget", "allowing"),
    [
        (_plan(new=3), Budget(Limit(2)), Budget(Limit(3))),
        (_plan(same=6, orphans=4), Budget(), Budget(deletes=Limit(4))),
        (_plan(orphans=2), Budget(Limit(1)), Budget(Limit(2), allow_empty=True)),
    ],
    ids=["changes", "deletes", "empty"],
)
def test_what_a_refusal_names_allows_it(plan: Plan, budget: Budget, allowing: Budget) -> None:
    """All the flags together, with their numbers, and no more than those."""
    assert refusals(plan, budget) != ()
    assert refusals(plan, allowing) == ()
    given = {"--max-changes": allowing.changes, "--max-deletes": allowing.deletes, "--allow-empty": ""}
    assert all(flag == f"{flag.split()[0]} {given[flag.split()[0]]}".rstrip() for flag in _flags(plan, budget))


@pytest.mark.parametrize("budget", [Budget(), Budget(Limit(4)), Budget(Limit(100, percent=True))])
def test_a_plan_within_its_budget_is_left_as_it_is(budget: Budget) -> None:
    plan = _plan(new=1, drifted=1, same=9, orphans=2)
    assert within(plan, budget) == plan


BUDGETS = [
    Budget(deletes=Limit(0)),
    Budget(Limit(0)),
    Budget(Limit(3)),
    Budget(Limit(10, percent=True)),
    Budget(Limit(3), Limit(0)),
]


@pytest.mark.parametrize("budget", BUDGETS)
def test_what_is_left_of_a_refused_plan_is_not_refused(budget: Budget) -> None:
    plan = _plan(new=4, drifted=3, same=2, orphans=4)
    assert refusals(plan, budget) != ()
    assert refusals(within(plan, budget), budget) == ()


@pytest.mark.parametrize("budget", BUDGETS)
def test_of_a_refused_plan_nothing_is_deleted(budget: Budget) -> None:
    """Whichever guard it was."""
    assert within(_plan(new=4, drifted=3, same=2, orphans=4), budget).count(Action.DELETE) == 0


@pytest.mark.parametrize(("limit", "left"), [("3", 3), ("5", 5), ("0", 0), ("20%", 2), ("59%", 5)])
def test_the_first_of_the_rest_goes_on_as_far_as_the_budget_reaches(limit: str, left: int) -> None:
    """6 of 10 are pending, in the order of the plan."""
    plan = _plan(new=4, drifted=2, same=4)
    assert within(plan, Budget(_limit(limit))).pending == plan.pending[:left]


def test_too_many_deletions_hold_up_nothing_else() -> None:
    plan = _plan(new=4, drifted=3, same=2, orphans=4)
    rest = tuple(change for change in plan.pending if change.action is not Action.DELETE)
    assert within(plan, Budget(deletes=Limit(0))).pending == rest


def test_a_row_withheld_says_so_with_the_flags_that_allow_it() -> None:
    """It stays a row, with its objects, and is not taken for one that cannot be done."""
    plan = _plan(new=1, orphans=1)
    created, deleted = within(plan, Budget(Limit(0), Limit(0))).changes
    assert {created.obstacle, deleted.obstacle} == {Obstacle.CHANGE_BUDGET}
    assert created.text == "create withheld by a guard (allow it with --max-changes 2 and --max-deletes 1)"
    assert deleted.message == "delete withheld by a guard"
    assert (created.webapp, deleted.deployment) == (plan.changes[0].webapp, plan.changes[1].deployment)
