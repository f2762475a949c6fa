"""What a `watch` tells of itself by HTTP."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from webappctl.core.report import Outcome
from webappctl.metrics import Metrics, serve

if TYPE_CHECKING:
    from webappctl.cli.continuous import Operation
    from webappctl.cluster import Request, Transport
    from webappctl.errors import WebappctlError
    from webappctl.mirror import Mirror
    from webappctl.watch import Finished

log = logging.getLogger(__name__)


class Measuring:
    """An Observer that measures the passes, and what is sent for them."""

    def __init__(self, transport: Transport) -> None:
        self.metrics = Metrics()
        self._mirror: Mirror | None = None
        self._differences = 0
        transport.heard = self.heard

    def follow(self, operation: Operation) -> None:
        mirror = self._mirror = operation.mirror
        self.metrics.watch_mirror(lambda: (mirror.age(), mirror.live))
        if operation.locked:
            self.metrics.watch_leader(operation.may_run)

    def began(self, pass_id: str) -> None:
        """Nothing can be measured yet."""

    def finished(self, finished: Finished) -> None:
        self._count_differences()
        seconds, source, guard = finished.seconds, finished.source.value, bool(finished.guard)
        if finished.report is None:
            self.metrics.planned(finished.plan, seconds=seconds, source=source, guard=guard)
            return
        complete = not finished.report.count(Outcome.NOT_TRIED)
        self.metrics.finished(finished.report, seconds=seconds, source=source, guard=guard, complete=complete)

    def failed(self, error: WebappctlError, seconds: float) -> None:
        self.metrics.failed(type(error).__name__, seconds=seconds)

    def heard(self, request: Request, status: str, seconds: float) -> None:
        """For `Transport.heard`."""
        self.metrics.request(request.purpose.verb, request.purpose.resource, status, seconds)

    def _count_differences(self) -> None:
        found = self._mirror.differences if self._mirror else 0
        self.metrics.difference(found - self._differences)
        self._differences = found


@contextmanager
def served(address: str | None, measuring: Measuring | None, operation: Operation) -> Iterator[tuple[Measuring, ...]]:
    """Observers to tell of every pass. Raises UsageError and ConfigError for an address that cannot be had."""
    if address is None or measuring is None:
        yield ()
        return
    measuring.follow(operation)
    with serve(address, measuring.metrics, operation.ailing, operation.unready) as server:
        log.info("Serving metrics", extra={"keys": {"port": server.port}})
        yield (measuring,)
