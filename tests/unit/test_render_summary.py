"""Plan and Report → the line that says it all, and the warnings."""

from __future__ import annotations

import pytest

from tests.builders import deployment, snapshot, webapp
from webappctl.core.plan import Action, Change, Plan, make_plan
from webappctl.core.report import Outcome, Report, Result
from webappctl.render import plan_summary, plan_warnings, report_summary, report_warnings


def test_the_summary_of_a_plan_counts_what_is_to_be_done() -> None:
    """With a comma in thousands."""
    good = [found for n in range(1200) for found in (webapp(f"g{n}"), deployment(webapp(f"g{n}")))]
    plan = make_plan(snapshot(webapp("a"), webapp("b", port=0), *good))
    assert plan_summary(plan) == "1 to create, 0 to update, 0 to delete; 1 blocked, 1,200 unchanged"


def test_the_summary_of_a_plan_has_every_action_that_there_is() -> None:
    """What is to be done before the semicolon, what is not after it."""
    plan = Plan(tuple(Change(webapp(), deployment(), action) for action in Action))
    todo, rest = plan_summary(plan).split("; ")
    assert todo == "1 to create, 1 to update, 1 to adopt, 1 to delete"
    assert rest == "1 held, 1 paused, 1 blocked, 1 waiting, 1 orphan, 1 unchanged"


def test_the_summary_of_nothing_says_so() -> None:
    """An empty plan is not a failed one."""
    assert plan_summary(Plan(())) == "nothing to do: there is no WebApp here"


def test_the_summary_of_a_report_names_what_went_wrong_last() -> None:
    """After what went well."""
    change = Change(webapp(), None, Action.CREATE)
    outcomes = (Outcome.CREATED, Outcome.FAILED, Outcome.NOT_TRIED)
    report = Report(tuple(Result(change, outcome) for outcome in outcomes), ("s",), (), "stopped")
    expected = "1 created, 0 configured, 0 unchanged, 1 failed, 1 not tried, 1 without a new status; stopped"
    assert report_summary(report) == expected


def test_the_summary_of_a_report_has_every_outcome_that_there_is() -> None:
    """What was done first."""
    report = Report(tuple(Result(Change(webapp(), None, Action.CREATE), outcome) for outcome in Outcome))
    assert report_summary(report) == (
        "1 created, 1 configured, 1 adopted, 1 deleted, 1 unchanged, 1 orphan, 1 gone, 1 paused, 1 blocked, 1 waiting, "
        "1 stale, 1 failed, 1 withheld, 1 not tried"
    )


@pytest.mark.parametrize(("failures", "lines"), [(0, 0), (1, 1), (3, 3), (4, 4), (5000, 4)])
def test_many_statuses_not_written_are_a_few_lines(failures: int, lines: int) -> None:
    """The first three, and how many more."""
    assert len([*report_warnings(Report((), ("shop/web: x",) * failures))]) == lines


def test_a_name_that_makes_trouble_elsewhere_is_warned_of() -> None:
    """It is managed all the same."""
    (warning,) = plan_warnings(make_plan(snapshot(webapp("a" * 53), webapp("b"))))
    assert warning.startswith(f"warning: shop/{'a' * 53}: its name has 53 characters")


def test_what_the_plan_could_not_look_at_is_warned_of_first() -> None:
    """Before the names."""
    plan = Plan((Change(webapp(), None, Action.CREATE, warning="odd"),), warnings=("blind",))
    assert [*plan_warnings(plan)] == ["warning: blind", "warning: shop/web: odd"]
