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
    assert plan_summary(plan) == "1 to create, 0 to update; 1 blocked, 1,200 unchanged"


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


@pytest.mark.parametrize(("failures", "lines"), [(0, 0), (1, 1), (3, 3), (4, 4), (5000, 4)])
def test_many_statuses_not_written_are_a_few_lines(failures: int, lines: int) -> None:
    """The first three, and how many more."""
    assert len([*report_warnings(Report((), ("shop/web: x",) * failures))]) == lines


def test_a_name_that_makes_trouble_elsewhere_is_warned_of() -> None:
    """It is managed all the same."""
    (warning,) = plan_warnings(make_plan(snapshot(webapp("a" * 53), webapp("b"))))
    assert warning.startswith(f"warning: shop/{'a' * 53}: its name has 53 characters")
