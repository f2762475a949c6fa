"""Passes on an interval, until told to stop. One that fails is said once, and the next one begins anew."""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Final

from webappctl.core.objects import ObjectKey
from webappctl.core.report import SETTLED, Outcome, Report, Result
from webappctl.errors import ClusterError, ConfigError, Stopped, WebappctlError

log = logging.getLogger(__name__)

JITTER: Final = 0.1
"""Of the interval, either way, so that many watchers do not list in step."""

Pass = Callable[[], Report]


def watch(run_pass: Pass, *, interval: float, stop: threading.Event, chance: Callable[[], float]) -> None:
    """Run passes until `stop` is set. `interval` is in seconds, from the end of one pass to the start of the next.

    `chance` returns a number from 0 to 1. Raises nothing of a pass: errors are logged, when they begin and when they
    end.
    """
    journal = _Journal()
    while not stop.is_set():
        began = time.monotonic()
        try:
            report = run_pass()
        except Stopped:
            break
        except (ClusterError, ConfigError) as error:
            journal.failed(error)
        else:
            journal.finished(report, time.monotonic() - began)
        stop.wait(interval * (1 + JITTER * (2 * chance() - 1)))
    log.info("Stopped")


class _Journal:
    """What is worth a log line: every pass one, and a trouble only when it begins, changes or ends."""

    def __init__(self) -> None:
        self._error: tuple[type[WebappctlError], str] | None = None
        self._troubles: Mapping[ObjectKey, str] = {}
        self._said: frozenset[str] = frozenset()

    def failed(self, error: WebappctlError) -> None:
        kind = (type(error), error.subject)
        if kind != self._error:
            log.error("Pass failed", extra={"keys": {"error": str(error)}})
        self._error = kind

    def finished(self, report: Report, seconds: float) -> None:
        if self._error:
            log.info("Passes succeed again")
            self._error = None
        self._log_troubles({result.key: _trouble(result) for result in report.results if _is_trouble(result)})
        self._log_new(report)
        counts = {outcome.value: report.count(outcome) for outcome in Outcome if report.count(outcome)}
        keys = {"pass": uuid.uuid4().hex[:8], "seconds": round(seconds, 3), **counts}
        log.log(logging.WARNING if report.failed else logging.INFO, "Pass finished", extra={"keys": keys})

    def _log_troubles(self, troubles: Mapping[ObjectKey, str]) -> None:
        for key in sorted(troubles.keys() | self._troubles.keys()):
            now, before = troubles.get(key, ""), self._troubles.get(key, "")
            keys = {"namespace": key.namespace, "webapp": key.name}
            if now and now != before:
                log.warning("WebApp is not in order", extra={"keys": {**keys, "reason": now}})
            elif before and not now:
                log.info("WebApp is in order again", extra={"keys": keys})
        self._troubles = troubles

    def _log_new(self, report: Report) -> None:
        for failure in report.status_failures:
            if failure not in self._said:
                log.warning("Status not written", extra={"keys": {"error": failure}})
        for warning in report.warnings:
            if warning not in self._said:
                log.warning("Warning", extra={"keys": {"warning": warning}})
        self._said = frozenset((*report.status_failures, *report.warnings))


def _is_trouble(result: Result) -> bool:
    """Not one that was only not reached: the line of the pass counts those."""
    return result.outcome not in SETTLED | {Outcome.GONE, Outcome.NOT_TRIED}


def _trouble(result: Result) -> str:
    return f"{result.outcome.value}: {result.text}"
