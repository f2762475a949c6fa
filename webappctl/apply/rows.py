"""Row by row, several at a time: write, and plan again what moved."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Final

from webappctl.apply.refusals import Refusals
from webappctl.apply.replanning import must_be_looked_at, plan_again
from webappctl.apply.results import failed, gone, settled, stale
from webappctl.apply.sending import send
from webappctl.apply.writer import Writer
from webappctl.core.plan import CAUTIOUS, PENDING, Action, Change, Plan, Policy
from webappctl.core.report import OUTCOMES, Outcome, Result
from webappctl.errors import (
    ClusterError,
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    Stopped,
    Unauthorized,
    Unreachable,
)

log = logging.getLogger(__name__)

AS_WANTED: Final = frozenset({Action.NONE, Action.HELD, Action.PAUSED})
MAX_TRIES: Final = 5
"""Of one object that moves each time between reading and writing it."""


@dataclass(frozen=True, slots=True)
class Orders:
    """How to carry out a plan.

    `replan`: an object that moved is planned again; otherwise (a person agreed to this very plan) it is left as
    `stale`. `policy`: that of the plan. `stop`: set from outside to end after the writes in flight. `on_result` hears
    of each result in the plan's order, as soon as all before it are there.
    """

    workers: int = 8
    replan: bool = True
    policy: Policy = CAUTIOUS
    stop: threading.Event = field(default_factory=threading.Event)
    on_result: Callable[[Result], None] = lambda _: None


def apply(
    plan: Plan, writer: Writer, orders: Orders, tell: Callable[[Result], None], now: str = ""
) -> tuple[Result, ...]:
    """A Result for each row, in the plan's order. Raises nothing of one object's.

    `tell` is called by the worker that has tried a write, before it goes on: a row that was begun is also reported,
    whatever ends the pass after it. `now` is RFC 3339, for pauses that have an end; without it, none is over.
    """
    return tuple(_results(plan, _Run(writer, orders, tell, now), orders))


def _results(plan: Plan, run: _Run, orders: Orders) -> Iterator[Result]:
    with ThreadPoolExecutor(orders.workers, thread_name_prefix="apply") as pool:
        written = pool.map(run.carry_out, plan.pending)
        for change in plan.changes:
            result = next(written) if change.action in PENDING else settled(change)
            orders.on_result(result)
            yield result


class _Run:
    """One plan being carried out."""

    def __init__(self, writer: Writer, orders: Orders, tell: Callable[[Result], None], now: str) -> None:
        self._writer = writer
        self._orders = orders
        self._tell = tell
        self._now = now
        self._refusals = Refusals(writer)
        self._server_lost = threading.Event()

    def carry_out(self, change: Change) -> Result:
        if self._orders.stop.is_set() or self._server_lost.is_set():
            return Result(change, Outcome.NOT_TRIED, change.deployment)
        result = self._try_to_write(change)
        if result.tried and not self._server_lost.is_set():
            self._tell(result)
        return result

    def _try_to_write(self, change: Change) -> Result:
        try:
            return self._write_until_settled(change)
        except Stopped as error:
            if error.may_have_happened:
                return failed(change, error)
            return Result(change, Outcome.NOT_TRIED, change.deployment, message=error.message)
        except (Forbidden, Invalid, NotFound) as error:
            return self._refusals.result_of(change, error)
        except (Unreachable, Unauthorized) as error:
            # Every other object would wait for the same time-outs, and say the same.
            self._server_lost.set()
            return failed(change, error)
        except ClusterError as error:
            return failed(change, error)

    def _write_until_settled(self, change: Change) -> Result:
        for _ in range(MAX_TRIES):
            fresh = self._write(change)
            if isinstance(fresh, Result):
                return fresh
            if fresh is None:
                return gone(change)
            if _is_as_wanted(fresh):
                return settled(fresh)
            if not (self._orders.replan or fresh.does_the_same_as(change)):
                return stale(change, fresh.deployment, "it changed after it was planned")
            if fresh.action not in PENDING:
                return settled(fresh)
            change = fresh
        return stale(change, change.deployment, f"it changed at each of {MAX_TRIES} tries")

    def _write(self, change: Change) -> Result | Change | None:
        """A Result; or, when it moved, the object planned again: None when there is nothing left of it."""
        if must_be_looked_at(change, self._writer, self._now):
            return plan_again(change, self._writer, self._orders.policy, self._now)
        try:
            return send(change, self._writer)
        except Conflict as error:
            keys = {"namespace": change.key.namespace, "webapp": change.key.name, "reason": error.message}
            log.info("Object moved, it is planned again", extra={"keys": keys})
            fresh = plan_again(change, self._writer, self._orders.policy, self._now)
            if error.may_have_happened and fresh is not None and _is_as_wanted(fresh):
                # It is as we wanted it: what moved it was our own earlier try, whose answer was lost.
                return Result(change, OUTCOMES[change.action], fresh.deployment, tried=True)
            return fresh


def _is_as_wanted(fresh: Change) -> bool:
    return fresh.action in AS_WANTED and not fresh.withheld
