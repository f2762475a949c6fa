"""Metrics as Prometheus reads them."""

from __future__ import annotations

from collections.abc import Iterable

from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

from tests.builders import deployment, row, webapp
from webappctl.core.objects import Deployment, WebApp
from webappctl.core.plan import Action, Change, Obstacle, Plan
from webappctl.core.report import Outcome, Report, Result
from webappctl.metrics import Metrics

PREFIX = "webappctl_"


def families(metrics: Metrics) -> list[Metric]:
    return list(text_string_to_metric_families(metrics.text().decode()))


def samples(metrics: Metrics, name: str) -> dict[tuple[str, ...], float]:
    """The series of that name: the values of its labels, sorted by the labels' names, and its value."""
    found = (sample for family in families(metrics) for sample in family.samples if sample.name == f"{PREFIX}{name}")
    return {tuple(value for _, value in sorted(sample.labels.items())): sample.value for sample in found}


def value(metrics: Metrics, name: str) -> float:
    """Of one without labels."""
    return samples(metrics, name)[()]


def labels(metrics: Metrics) -> dict[str, set[str]]:
    """Of each series of ours, by its name."""
    found: dict[str, set[str]] = {}
    for family in families(metrics):
        for sample in family.samples:
            if sample.name.startswith(PREFIX):
                found.setdefault(sample.name, set()).update(sample.labels)
    return found


def report(*results: Result, **fields: str) -> Report:
    return Report(results, **fields)  # type: ignore[arg-type]


def result(name: str, outcome: Outcome, live: Deployment | None = None, *, namespace: str = "shop") -> Result:
    """Of a WebApp whose Deployment is missing, or is that one."""
    return Result(row(webapp(name, namespace), live), outcome, live)


def in_order(name: str) -> Result:
    found = webapp(name)
    return result(name, Outcome.UNCHANGED, deployment(found))


def blocked(name: str = "web", namespace: str = "shop") -> Result:
    change = Change(webapp(name, namespace), None, Action.BLOCKED, obstacle=Obstacle.FOREIGN_OWNER)
    return Result(change, Outcome.BLOCKED, obstacle=Obstacle.FOREIGN_OWNER)


def plan_of(*rows: tuple[WebApp, Deployment | None]) -> Plan:
    return Plan(tuple(row(wanted, live) for wanted, live in rows))


def create(names: Iterable[str]) -> Plan:
    return plan_of(*((webapp(name), None) for name in names))


def everything() -> Metrics:
    """With a series of every metric that there is."""
    metrics = Metrics(process=False)
    metrics.watch_leader(lambda: True)
    metrics.watch_mirror(lambda: (1.5, True))
    metrics.request("list", "webapps.apps.example.com", "200", 0.1)
    metrics.failed("Unreachable", seconds=30, source="list")
    both = report(blocked(), result("new", Outcome.FAILED))
    metrics.finished(both, seconds=1, source="list", guard=True)
    return metrics
