"""What is worth a log line: every pass that lists or did something, and a trouble when it begins, changes or ends."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import Final

from webappctl.core.objects import ObjectKey
from webappctl.core.plan import Action
from webappctl.core.report import DONE, SETTLED, Outcome, Report, Result
from webappctl.errors import WebappctlError
from webappctl.watch.loop import Finished
from webappctl.watch.schedule import Source

log = logging.getLogger(__name__)

NOT_REACHED: Final = frozenset({Outcome.NOT_TRIED, Outcome.WITHHELD})
"""They may be thousands, so the line of the pass counts them, and what was said of them before still holds."""


class Journal:
    def __init__(self) -> None:
        self._error: tuple[type[WebappctlError], str] | None = None
        self._troubles: Mapping[ObjectKey, str] = {}
        self._said: frozenset[str] = frozenset()
        self._guard: tuple[str, ...] = ()
        self._pending: frozenset[tuple[ObjectKey, Action]] = frozenset()

    def began(self, pass_id: str) -> None:
        """Each line says of itself to which pass it belongs."""

    def failed(self, error: WebappctlError, _seconds: float) -> None:
        kind = (type(error), error.subject)
        if kind != self._error:
            log.error("Pass failed", extra={"keys": {"error": str(error)}})
        self._error = kind

    def finished(self, finished: Finished) -> None:
        if self._error:
            log.info("Passes succeed again")
            self._error = None
        self._log_guard(finished.guard)
        report = finished.report
        if report is None:
            self._log_planned(finished)
            return
        self._log_troubles(report.results)
        self._log_new(report)
        if finished.source is Source.LIST or report.failed or any(result.tried for result in report.results):
            self._log_pass(finished, report)

    def _log_pass(self, finished: Finished, report: Report) -> None:
        counts = report.counts
        keys = {**_pass_keys(finished), **{outcome.value: counts[outcome] for outcome in Outcome if counts[outcome]}}
        keys |= {"guard": "; ".join(finished.guard)} if finished.guard else {}
        log.log(logging.WARNING if report.failed else logging.INFO, "Pass finished", extra={"keys": keys})

    def _log_planned(self, finished: Finished) -> None:
        """Of `--plan-only`: when everything was listed, and when what is pending is another than before."""
        pending = frozenset((change.key, change.action) for change in finished.plan.pending)
        if finished.source is Source.LIST or pending != self._pending:
            counts = finished.plan.counts
            keys = _pass_keys(finished) | {action.value: counts[action] for action in Action if counts[action]}
            log.info("Pass planned", extra={"keys": keys})
        self._pending = pending

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
            if not self._troubles and result.outcome in DONE:
                continue  # by far the most, in by far the most passes
            key = result.key
            before = self._troubles.get(key, "")
            now = before if result.outcome in NOT_REACHED else _trouble(result)
            keys = {"namespace": key.namespace, "webapp": key.name}
            if now and now != before:
                log.warning("WebApp is not in order", extra={"keys": {**keys, "reason": now}})
            elif before and result.outcome in SETTLED:
                log.info("WebApp is in order again", extra={"keys": keys})
            if now:
                troubles[key] = now
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


def _pass_keys(finished: Finished) -> dict[str, object]:
    return {"source": finished.source.value, "seconds": round(finished.seconds, 3)}
