"""What is worth a log line: every pass one, and a trouble only when it begins, changes or ends."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterable, Mapping
from typing import Final

from webappctl.core.objects import ObjectKey
from webappctl.core.report import DONE, SETTLED, Outcome, Report, Result
from webappctl.errors import WebappctlError

log = logging.getLogger(__name__)

NOT_REACHED: Final = frozenset({Outcome.NOT_TRIED, Outcome.WITHHELD})
"""They may be thousands, so the line of the pass counts them, and what was said of them before still holds."""


class Journal:
    def __init__(self) -> None:
        self._error: tuple[type[WebappctlError], str] | None = None
        self._troubles: Mapping[ObjectKey, str] = {}
        self._said: frozenset[str] = frozenset()
        self._guard: tuple[str, ...] = ()

    def failed(self, error: WebappctlError) -> None:
        kind = (type(error), error.subject)
        if kind != self._error:
            log.error("Pass failed", extra={"keys": {"error": str(error)}})
        self._error = kind

    def finished(self, report: Report, guard: tuple[str, ...], seconds: float) -> None:
        """`guard`: why it tripped over the plan of the pass; empty when it did not."""
        if self._error:
            log.info("Passes succeed again")
            self._error = None
        self._log_guard(guard)
        self._log_troubles(report.results)
        self._log_new(report)
        counts = {outcome.value: report.count(outcome) for outcome in Outcome if report.count(outcome)}
        keys = {"pass": uuid.uuid4().hex[:8], "seconds": round(seconds, 3), **counts}
        keys |= {"guard": "; ".join(guard)} if guard else {}
        log.log(logging.WARNING if report.failed else logging.INFO, "Pass finished", extra={"keys": keys})

    def _log_guard(self, guard: tuple[str, ...]) -> None:
        if guard and guard != self._guard:
            log.warning("Guard tripped", extra={"keys": {"reasons": "; ".join(guard)}})
        elif self._guard and not guard:
            log.info("Guard does not trip any more")
        self._guard = guard

    def _log_troubles(self, results: Iterable[Result]) -> None:
        """What was deleted is neither in order nor a trouble any more."""
        troubles = {}
        for result in results:
            before = self._troubles.get(result.key, "")
            now = before if result.outcome in NOT_REACHED else _trouble(result)
            keys = {"namespace": result.key.namespace, "webapp": result.key.name}
            if now and now != before:
                log.warning("WebApp is not in order", extra={"keys": {**keys, "reason": now}})
            elif before and result.outcome in SETTLED:
                log.info("WebApp is in order again", extra={"keys": keys})
            if now:
                troubles[result.key] = now
        self._troubles = troubles

    def _log_new(self, report: Report) -> None:
        for failure in report.status_failures:
            if failure not in self._said:
                log.warning("Status not written", extra={"keys": {"error": failure}})
        for warning in report.warnings:
            if warning not in self._said:
                log.warning("Warning", extra={"keys": {"warning": warning}})
        self._said = frozenset((*report.status_failures, *report.warnings))


def _trouble(result: Result) -> str:
    collected = result.outcome is Outcome.WAITING and result.change.webapp is None
    return "" if collected or result.outcome in DONE else f"{result.outcome.value}: {result.text}"
