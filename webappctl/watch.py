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
    """What is worth a log line: every pass one, an object only when its trouble begins, changes or ends."""

    def __init__(self) -> None:
        self._error = ""
        self._troubles: Mapping[ObjectKey, str] = {}

    def failed(self, error: WebappctlError) -> None:
        if str(error) != self._error:
            log.error("Pass failed", extra={"keys": {"error": str(error)}})
        self._error = str(error)

    def finished(self, report: Report, seconds: float) -> None:
        if self._error:
            log.info("Passes succeed again")
            self._error = ""
        troubles = {
            result.key: f"{result.outcome.value}: {result.text}" for result in report.results if _is_trouble(result)
        }
        for key in sorted(troubles.keys() | self._troubles.keys()):
            self._log_trouble(key, troubles.get(key, ""), self._troubles.get(key, ""))
        self._troubles = troubles
        for failure in report.status_failures:
            log.warning("Status not written", extra={"keys": {"error": failure}})
        for warning in report.warnings:
            log.warning("Warning", extra={"keys": {"warning": warning}})
        counts = {outcome.value: report.count(outcome) for outcome in Outcome if report.count(outcome)}
        keys = {"pass": uuid.uuid4().hex[:8], "seconds": round(seconds, 3), **counts}
        log.log(logging.WARNING if report.failed else logging.INFO, "Pass finished", extra={"keys": keys})

    @staticmethod
    def _log_trouble(key: ObjectKey, now: str, before: str) -> None:
        if now == before:
            return
        keys = {"namespace": key.namespace, "webapp": key.name}
        if now:
            log.warning("WebApp is not in order", extra={"keys": {**keys, "reason": now}})
        else:
            log.info("WebApp is in order again", extra={"keys": keys})


def _is_trouble(result: Result) -> bool:
    return result.outcome not in SETTLED | {Outcome.GONE}
