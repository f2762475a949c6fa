"""Series of how things stand now: made anew for each scrape, so that those of what has gone are not there."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from webappctl.core.text import safe
from webappctl.metrics.now import Now

MirrorState = Callable[[], tuple[float, bool]]
"""Seconds since its quietest stream was heard, and whether all streams are up."""


class Current(Collector):
    """What is not known has no series: before the first pass, of a follower, without a Lease or a mirror."""

    def __init__(self) -> None:
        self.mirror: MirrorState | None = None
        self.leads: Callable[[], bool] | None = None
        self._lock = threading.Lock()
        self._now: Now | None = None

    def set(self, now: Now) -> None:
        with self._lock:
            self._now = now

    def collect(self) -> Iterator[Metric]:
        leader = self.leads() if self.leads else None
        with self._lock:
            if leader is False:
                self._now = None  # its leader says how things stand, also after this process leads again
            now = self._now
        yield _one(
            "webappctl_leader",
            "1 for the process that has the Lease, 0 for one that waits for it.",
            None if leader is None else float(leader),
        )
        age, live = self.mirror() if self.mirror else (None, None)
        yield _one("webappctl_mirror_age_seconds", "Since the quietest stream of the mirror said anything.", age)
        yield _one(
            "webappctl_mirror_live",
            "1 if passes can read from the mirror, 0 if a stream is down.",
            None if live is None else float(live),
        )
        yield from _standing(now)


def _standing(now: Now | None) -> Iterator[Metric]:
    yield _family(
        "webappctl_webapps",
        "WebApps, by how they stood after the last pass.",
        ("state",),
        (((state.value,), count) for state, count in now.webapps.items()) if now else (),
    )
    yield _one(
        "webappctl_orphans", "Deployments left behind by a WebApp, and left alone.", now.orphans if now else None
    )
    yield _family(
        "webappctl_drift",
        "Changes that are pending, by what is to be done, and why.",
        ("namespace", "action", "cause"),
        now.drift.items() if now else (),
    )
    yield _family(
        "webappctl_blocked",
        "Rows that nothing can be done about before somebody acts, by what is in the way.",
        ("namespace", "obstacle"),
        now.blocked.items() if now else (),
    )
    yield _family(
        "webappctl_webapp_not_in_order",
        "1 for each WebApp that is pending, blocked, waiting or failed.",
        ("namespace", "name", "reason"),
        (((*key, reason), 1) for key, reason in now.not_in_order) if now else (),
    )
    yield _one(
        "webappctl_webapps_left_out",
        "WebApps that are not in order and have no series of their own, because of their number.",
        now.left_out if now else None,
    )


def _one(name: str, text: str, value: float | None) -> Metric:
    return GaugeMetricFamily(name, text, value=value)


def _family(name: str, text: str, labels: Sequence[str], samples: Iterable[tuple[Sequence[str], int]]) -> Metric:
    family = GaugeMetricFamily(name, text, labels=labels)
    for values, value in samples:
        family.add_metric([safe(each) for each in values], value)
    return family
