"""What is counted over the life of a process."""

from __future__ import annotations

import threading

import pytest

from tests.unit.measured import (
    blocked,
    create,
    everything,
    families,
    in_order,
    labels,
    report,
    result,
    samples,
    value,
)
from webappctl.core.report import Outcome
from webappctl.metrics import Metrics

NOW = 1_800_000_000.5


@pytest.fixture
def metrics() -> Metrics:
    return Metrics(now=lambda: NOW, process=False)


def test_a_pass_counts_by_its_result_and_source(metrics: Metrics) -> None:
    """What is blocked does not fail it; what failed does, and the rest was done all the same."""
    metrics.finished(report(blocked()), seconds=1, source="mirror")
    metrics.finished(report(result("web", Outcome.FAILED)), seconds=1, source="list")
    metrics.finished(report(status_failures=("no",)), seconds=1, source="list")  # type: ignore[arg-type]
    metrics.finished(report(interruption="a signal"), seconds=1, source="list")
    metrics.failed("Unreachable", seconds=1)
    assert samples(metrics, "passes_total") == {
        ("success", "mirror"): 1,
        ("partial", "list"): 2,
        ("aborted", "list"): 1,
        ("error", "unknown"): 1,
    }


def test_only_a_success_moves_the_time_of_the_last_one(metrics: Metrics) -> None:
    """Before the first it is 0, so that an alert sees a process that never had one."""
    metrics.failed("Unreachable", seconds=1)
    metrics.finished(report(result("web", Outcome.FAILED)), seconds=1, source="list")
    assert value(metrics, "last_success_timestamp_seconds") == 0
    metrics.planned(create(["web"]), seconds=1, source="list")
    assert value(metrics, "last_success_timestamp_seconds") == NOW


def test_durations_are_by_source(metrics: Metrics) -> None:
    """A pass from the mirror takes milliseconds."""
    metrics.finished(report(), seconds=0.02, source="mirror")
    metrics.finished(report(), seconds=2, source="list")
    assert samples(metrics, "pass_duration_seconds_sum") == {("mirror",): 0.02, ("list",): 2}


def test_changes_count_by_action_cause_and_outcome(metrics: Metrics) -> None:
    """Of what was tried: not what is in order, and not what has not had its turn."""
    done = [result(name, Outcome.CREATED) for name in ("a", "b")]
    rest = [in_order("c"), result("d", Outcome.NOT_TRIED), result("e", Outcome.WITHHELD), blocked("f")]
    metrics.finished(report(*done, *rest, result("g", Outcome.FAILED)), seconds=1, source="list")
    assert samples(metrics, "changes_total") == {
        ("create", "missing", "created"): 2,
        ("create", "missing", "failed"): 1,
    }


def test_a_guard_that_trips_is_counted_and_shown_until_it_does_not(metrics: Metrics) -> None:
    """The gauge is for runs that write a file, whose counters begin anew."""
    metrics.finished(report(), seconds=1, source="list", guard=True)
    assert (value(metrics, "guard_trips_total"), value(metrics, "guard_tripped")) == (1, 1)
    metrics.finished(report(), seconds=1, source="list")
    assert (value(metrics, "guard_trips_total"), value(metrics, "guard_tripped")) == (1, 0)


def test_requests_count_by_verb_resource_and_code(metrics: Metrics) -> None:
    """One without an answer has the code none."""
    metrics.request("list", "webapps.apps.example.com", "200", 0.25)
    metrics.request("list", "webapps.apps.example.com", "", 30)
    counted = samples(metrics, "api_requests_total")
    assert counted == {(code, "webapps.apps.example.com", "list"): 1 for code in ("200", "none")}
    seconds = samples(metrics, "api_request_duration_seconds_sum")
    assert seconds == {("webapps.apps.example.com", "list"): 30.25}


def test_the_mirror_is_asked_at_each_scrape(metrics: Metrics) -> None:
    """Nobody has to tell while it grows old."""
    ages = iter([1.0, 2.0])
    metrics.watch_mirror(lambda: (next(ages), False))
    assert [value(metrics, "mirror_age_seconds") for _ in range(2)] == [1, 2]


@pytest.mark.parametrize("name", ["leader", "mirror_age_seconds", "mirror_live", "webapps", "orphans"])
def test_what_is_not_known_has_no_series(metrics: Metrics, name: str) -> None:
    """A process that asks for no Lease is no follower, and one without a pass has no fleet of zero."""
    assert samples(metrics, name) == {}


def test_every_metric_has_a_help_and_a_name_as_prometheus_wants_it() -> None:
    """Units in full, and counters that end in _total."""
    for family in families(everything()):
        assert family.documentation.endswith(".")
        assert not family.name.endswith(("_ms", "_milliseconds", "_count"))
        if family.type == "counter":
            assert all(sample.name.endswith("_total") for sample in family.samples)


def test_no_series_tells_when_a_counter_was_born() -> None:
    """It would double their number."""
    assert not [name for name in labels(everything()) if name.endswith("_created")]


def test_each_has_its_own_registry(metrics: Metrics) -> None:
    """Two in one process, as in tests, know nothing of each other."""
    metrics.difference(3)
    other = Metrics(process=False)
    assert [value(each, "mirror_differences_total") for each in (metrics, other)] == [3, 0]


def test_memory_and_cpu_of_the_process_are_there_when_wanted() -> None:
    """Under the names that every dashboard of processes knows."""
    names = {family.name for family in families(Metrics())}
    assert {"process_resident_memory_bytes", "process_cpu_seconds"} <= names


def test_it_counts_right_when_many_threads_tell(metrics: Metrics) -> None:
    """While it is scraped."""

    def tell() -> None:
        for _ in range(200):
            metrics.request("patch", "deployments.apps", "200", 0.01)
            metrics.finished(report(result("web", Outcome.CREATED)), seconds=1, source="list")

    threads = [threading.Thread(target=tell) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(10):
        families(metrics)
    for thread in threads:
        thread.join()
    assert sum(samples(metrics, "api_requests_total").values()) == 800
    assert sum(samples(metrics, "changes_total").values()) == 800
