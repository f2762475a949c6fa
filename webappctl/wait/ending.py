"""What is done once, when the wait is over: ask the pods why, bring the statuses up to date, report."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Final, Protocol

from webappctl import reconcile
from webappctl.apply import Orders
from webappctl.core.desired import selector_of
from webappctl.core.objects import ObjectKey, Pod
from webappctl.core.report import WRITTEN, Report, Result
from webappctl.errors import ClusterError, Forbidden, Stopped
from webappctl.reconcile import Clock, utc_now
from webappctl.wait.standing import OF_PODS, Standing

TROUBLES: Final = 3
"""Different ones of the pods of one Deployment; more would not help."""


class Cluster(reconcile.Cluster, Protocol):
    """What a wait needs of the cluster, beside what a pass does."""

    def pods(self, namespace: str, selector: str) -> tuple[Pod, ...]: ...


def concluded(
    report: Report, standings: tuple[Standing, ...], cluster: Cluster, orders: Orders, clock: Clock = utc_now
) -> Report:
    """The report, with how far each is that was awaited. After a signal nothing is asked or told any more."""
    if orders.stop.is_set():
        return _with_readiness(report, standings)
    with ThreadPoolExecutor(orders.workers, thread_name_prefix="ask") as pool:
        explained = tuple(pool.map(lambda standing: _explained(standing, cluster), standings))
    newest = [standing.newest for standing in explained if standing.newest]
    told = reconcile.tell_again(newest, cluster, orders, clock)
    again = tuple(f"{result.key}: " for result in newest)
    failures = (*(one for one in report.status_failures if not one.startswith(again)), *told.status_failures)
    warnings = tuple(dict.fromkeys((*report.warnings, *told.warnings)))
    return replace(_with_readiness(report, explained), status_failures=failures, warnings=warnings)


def _with_readiness(report: Report, standings: tuple[Standing, ...]) -> Report:
    found = {standing.result.key: standing for standing in standings}
    results = (_with_standing(r, found[r.key]) if r.outcome in WRITTEN else r for r in report.results)
    return replace(report, results=tuple(results))


def _with_standing(result: Result, standing: Standing) -> Result:
    newest = standing.newest or result
    return replace(result, deployment=newest.deployment, readiness=standing.readiness)


def _explained(standing: Standing, cluster: Cluster) -> Standing:
    readiness = standing.readiness
    if readiness.ready or readiness.reason not in OF_PODS:
        return standing
    return replace(standing, readiness=replace(readiness, pods=_reasons(standing.result.key, cluster)))


def _reasons(key: ObjectKey, cluster: Cluster) -> tuple[str, ...]:
    try:
        pods = cluster.pods(key.namespace, selector_of(key.name))
    except Forbidden:
        return ("reason unknown: pods may not be listed",)
    except (ClusterError, Stopped) as error:
        return (f"reason unknown: {error.message}",)
    return tuple(_troubles(pods))[:TROUBLES]


def _troubles(pods: tuple[Pod, ...]) -> Iterator[str]:
    """One pod for each trouble that there is."""
    in_trouble: dict[str, list[str]] = defaultdict(list)
    for pod in pods:
        if pod.trouble:
            in_trouble[pod.trouble].append(pod.key.name)
    for trouble, names in in_trouble.items():
        others = f" and {len(names) - 1} more" if len(names) > 1 else ""
        yield f"pod {names[0]}{others}: {trouble}"
