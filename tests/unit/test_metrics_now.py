"""How things stand now: by the last pass, and nothing of the passes before it."""

from __future__ import annotations

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.builders import applied_entry, autoscaler, deployment, managed, scale_entry, snapshot, webapp
from tests.unit.measured import blocked, create, in_order, plan_of, report, result, samples, value
from webappctl.core.plan import Action, Change, Obstacle, make_plan
from webappctl.core.report import Outcome, Result
from webappctl.metrics import Metrics

NOT_IN_ORDER = "webapp_not_in_order"


@pytest.fixture
def metrics() -> Metrics:
    return Metrics(process=False)


def _pass(metrics: Metrics, *results: Result, **fields: str) -> None:
    metrics.finished(report(*results, **fields), seconds=1, source="list")


def test_the_series_of_a_deleted_webapp_goes_away(metrics: Metrics) -> None:
    """It is not in the next report, and nothing else remembers it."""
    _pass(metrics, blocked("web"), blocked("cart", "blog"))
    _pass(metrics, blocked("web"))
    assert samples(metrics, NOT_IN_ORDER) == {("web", "shop", "foreign-owner"): 1}
    assert samples(metrics, "blocked") == {("shop", "foreign-owner"): 1}


def test_the_series_of_a_mended_webapp_goes_away(metrics: Metrics) -> None:
    """And it counts as in order."""
    _pass(metrics, blocked("web"))
    _pass(metrics, in_order("web"))
    assert (samples(metrics, NOT_IN_ORDER), samples(metrics, "blocked")) == ({}, {})
    assert samples(metrics, "webapps")["in-order",] == 1


@pytest.mark.parametrize(
    ("outcome", "state"),
    [
        (Outcome.CREATED, "in-order"),
        (Outcome.PAUSED, "paused"),
        (Outcome.BLOCKED, "blocked"),
        (Outcome.WITHHELD, "blocked"),
        (Outcome.WAITING, "waiting"),
        (Outcome.STALE, "pending"),
        (Outcome.NOT_TRIED, "pending"),
        (Outcome.FAILED, "failed"),
    ],
)
def test_each_webapp_counts_once_by_its_outcome(metrics: Metrics, outcome: Outcome, state: str) -> None:
    """The other states are there too, as zero, so that no sum is without data."""
    _pass(metrics, result("web", outcome))
    found = samples(metrics, "webapps")
    assert (len(found), sum(found.values()), found[state,]) == (7, 1, 1)


@pytest.mark.parametrize("outcome", [Outcome.GONE, Outcome.DELETED])
def test_what_has_gone_counts_as_nothing(metrics: Metrics, outcome: Outcome) -> None:
    """Its WebApp was deleted meanwhile, or the Deployment that it left behind was."""
    _pass(metrics, result("web", outcome))
    assert sum(samples(metrics, "webapps").values()) == 0


def test_a_plan_tells_what_is_pending_and_why(metrics: Metrics) -> None:
    """Nothing is written, so that is the drift."""
    web, cart = webapp("web"), webapp("cart")
    metrics.planned(plan_of((web, None), (cart, deployment(cart, image="nginx:1.24"))), seconds=1, source="list")
    assert set(samples(metrics, "drift")) == {("create", "missing", "shop"), ("update", "spec-changed", "shop")}
    assert samples(metrics, NOT_IN_ORDER) == {("cart", "shop", "update"): 1, ("web", "shop", "create"): 1}


def test_held_replicas_are_no_drift(metrics: Metrics) -> None:
    """An autoscaler has them."""
    web = webapp("web")
    plan = make_plan(snapshot(web, deployment(web, replicas=7), autoscaler()))
    metrics.planned(plan, seconds=1, source="list")
    assert (samples(metrics, "drift"), samples(metrics, "webapps")["held",]) == ({}, 1)


def test_an_orphan_is_no_webapp(metrics: Metrics) -> None:
    """It is counted for itself, and as drift where it is to be deleted."""
    _pass(metrics, Result(Change(None, deployment(), Action.ORPHAN), Outcome.ORPHAN))
    assert (value(metrics, "orphans"), sum(samples(metrics, "webapps").values())) == (1, 0)


def test_what_a_pass_carried_out_is_no_drift_any_more(metrics: Metrics) -> None:
    """But what it could not is."""
    _pass(metrics, result("web", Outcome.CREATED), result("cart", Outcome.FAILED))
    assert samples(metrics, "drift") == {("create", "missing", "shop"): 1}


def test_what_an_aborted_pass_did_not_reach_is_still_pending(metrics: Metrics) -> None:
    """A report has every row, so nothing else has to be remembered."""
    both = report(result("web", Outcome.CREATED), result("cart", Outcome.NOT_TRIED))
    metrics.finished(both, seconds=1, source="list", complete=False)
    assert samples(metrics, NOT_IN_ORDER) == {("cart", "shop", "not-tried"): 1}
    assert samples(metrics, "passes_total") == {("aborted", "list"): 1}


def test_after_a_pass_that_failed_all_stands_as_it_was_known(metrics: Metrics) -> None:
    """It has seen nothing."""
    _pass(metrics, blocked())
    metrics.failed("Unreachable", seconds=30)
    assert samples(metrics, "blocked") == {("shop", "foreign-owner"): 1}


def test_a_follower_does_not_say_how_things_stand(metrics: Metrics) -> None:
    """Nor does its last pass, which ended when the Lease was lost already: its leader says it."""
    metrics.watch_leader(lambda: False)
    _pass(metrics, blocked())
    assert (samples(metrics, "blocked"), samples(metrics, "webapps"), value(metrics, "leader")) == ({}, {}, 0)


def test_a_new_leader_says_nothing_until_its_first_pass(metrics: Metrics) -> None:
    """What it saw when it led before is old."""
    leads = [True, False, True]
    metrics.watch_leader(lambda: leads.pop(0))
    _pass(metrics, blocked())
    assert [bool(samples(metrics, "blocked")) for _ in range(3)] == [True, False, False]


def test_a_fleet_in_which_all_is_wrong_has_a_bounded_number_of_series(metrics: Metrics) -> None:
    """The rest is counted."""
    metrics.planned(create(f"w{number:05}" for number in range(1_234)), seconds=1, source="list")
    assert (len(samples(metrics, NOT_IN_ORDER)), value(metrics, "webapps_left_out")) == (1_000, 234)
    assert samples(metrics, "drift") == {("create", "missing", "shop"): 1_234}


def test_drift_by_others_weighs_more_than_a_changed_spec(metrics: Metrics) -> None:
    """A row has one cause, so that the sum over causes is a number of rows."""
    web = webapp("web", image="nginx:1.26")
    others = managed(applied_entry(without=("replicas",)), scale_entry("kubectl"))
    live = deployment(web, image="nginx:1.25", replicas=9, managed_fields=others)
    metrics.planned(plan_of((web, live)), seconds=1, source="list")
    assert samples(metrics, "drift") == {("update", "live-drift", "shop"): 1}


def test_what_a_guard_holds_back_is_blocked(metrics: Metrics) -> None:
    """Until somebody allows it."""
    change = Change(webapp("web"), None, Action.BLOCKED, obstacle=Obstacle.CHANGE_BUDGET)
    _pass(metrics, Result(change, Outcome.WITHHELD, obstacle=Obstacle.CHANGE_BUDGET))
    assert samples(metrics, "blocked") == {("shop", "change-budget"): 1}


@pytest.mark.parametrize(
    "name", ['"', "\\", "a\nb", "\x1b[31m", '\\"', 'x"} 1\nwebappctl_leader 1', "\ud800", "\u2028"]
)
def test_hostile_names_come_out_well_formed(metrics: Metrics, name: str) -> None:
    """As one series, with no control character in it."""
    _pass(metrics, blocked(name, name))
    text = metrics.text().decode()
    assert text.replace("\n", "").isprintable()
    families = {family.name: family.samples for family in text_string_to_metric_families(text)}
    assert len(families["webappctl_webapp_not_in_order"]) == 1
    assert families["webappctl_leader"] == []
