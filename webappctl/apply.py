"""Plan → Results, through a Writer. It obeys the plan only, and one object's failure stays its own."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Final, Protocol

from webappctl.core.desired import creation, update
from webappctl.core.objects import Deployment, Json, ObjectKey, Unreadable, WebApp
from webappctl.core.plan import PENDING, Action, Change, Obstacle, Plan, plan_one
from webappctl.core.report import Outcome, Result
from webappctl.errors import (
    ClusterError,
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    Rejected,
    Stopped,
    Unauthorized,
    Unreachable,
)

log = logging.getLogger(__name__)

MAX_TRIES: Final = 5
"""Of one object that moves each time between reading and writing it."""


class Writer(Protocol):
    """What applying needs of the cluster. Every method raises the errors of errors.py."""

    def get_webapp(self, key: ObjectKey) -> WebApp | Unreadable: ...
    def get_deployment(self, key: ObjectKey) -> Deployment | Unreadable: ...
    def apply_deployment(self, manifest: Json, *, force: bool) -> Deployment: ...
    def may(self, verb: str, *, group: str, resource: str, subresource: str = "", namespace: str = "") -> bool: ...


@dataclass(frozen=True, slots=True)
class Orders:
    """How to carry out a plan.

    `replan`: an object that moved is planned again; otherwise (a person agreed to this very plan) it is left as
    `stale`. `stop`: set from outside to end after the writes in flight. `on_result` hears of each result as it comes,
    from several threads.
    """

    workers: int = 8
    replan: bool = True
    stop: threading.Event = field(default_factory=threading.Event)
    on_result: Callable[[Result], None] = lambda _: None


def apply(plan: Plan, writer: Writer, orders: Orders) -> tuple[Result, ...]:
    """A Result for each row, in the plan's order. Raises nothing of one object's."""
    run = _Run(writer, orders)
    with ThreadPoolExecutor(orders.workers, thread_name_prefix="apply") as pool:
        written = pool.map(run.carry_out, plan.pending)
        return tuple(next(written) if change.action in PENDING else _settled(change) for change in plan.changes)


class _Run:
    """One plan being carried out."""

    def __init__(self, writer: Writer, orders: Orders) -> None:
        self._writer = writer
        self._orders = orders
        self._server_lost = threading.Event()

    def carry_out(self, change: Change) -> Result:
        result = self._try_to_write(change)
        self._orders.on_result(result)
        return result

    def _try_to_write(self, change: Change) -> Result:
        if self._orders.stop.is_set() or self._server_lost.is_set():
            return Result(change, Outcome.NOT_TRIED, change.deployment)
        try:
            return self._write_until_settled(change)
        except Stopped as error:
            return Result(change, Outcome.NOT_TRIED, change.deployment, message=error.message)
        except (Forbidden, Invalid, NotFound) as error:
            return self._refused(change, error)
        except (Unreachable, Unauthorized) as error:
            # Every other object would wait for the same time-outs, and say the same.
            self._server_lost.set()
            return _failed(change, error)
        except ClusterError as error:
            return _failed(change, error)

    def _write_until_settled(self, change: Change) -> Result:
        for _ in range(MAX_TRIES):
            fresh = self._write(change)
            if isinstance(fresh, Result):
                return fresh
            if fresh is None:
                return Result(change, Outcome.GONE)
            if not (self._orders.replan or fresh.does_the_same_as(change)):
                return Result(change, Outcome.STALE, fresh.deployment, message="it changed after it was planned")
            if fresh.action not in PENDING:
                return _settled(fresh)
            change = fresh
        return Result(change, Outcome.STALE, change.deployment, message=f"it changed at each of {MAX_TRIES} tries")

    def _write(self, change: Change) -> Result | Change | None:
        """A Result; or, when it moved, the object planned again: None when its WebApp is gone."""
        if _was_reconciled_before(change) and self._has_moved(change):
            return self._plan_again(change.key, change.deployment_key)
        try:
            return self._send(change)
        except Conflict as error:
            log.debug("Object moved", extra={"keys": {"webapp": str(change.key), "reason": error.message}})
            return self._plan_again(change.key, change.deployment_key)

    def _has_moved(self, change: Change) -> bool:
        """A Deployment that vanished may have gone with its WebApp: ask, so that a deletion is never undone."""
        try:
            webapp = self._writer.get_webapp(change.key)
        except NotFound:
            return True
        planned = change.webapp.metadata
        return webapp.metadata.terminating or (webapp.metadata.uid, webapp.metadata.generation) != (
            planned.uid,
            planned.generation,
        )

    def _send(self, change: Change) -> Result:
        assert isinstance(change.webapp, WebApp)  # noqa: S101 - a row to be written was planned from one
        key = change.deployment_key
        keys = {"namespace": key.namespace, "name": key.name, "webapp": change.key.name}
        if isinstance(change.deployment, Deployment):
            log.info("Updating Deployment", extra={"keys": {**keys, "fields": [f.path for f in change.fields]}})
            live = self._writer.apply_deployment(update(change.webapp, change.deployment), force=True)
            return Result(change, Outcome.CONFIGURED, live, tried=True)
        log.info("Creating Deployment", extra={"keys": keys})
        live = self._writer.apply_deployment(creation(change.webapp), force=False)
        return Result(change, Outcome.CREATED, live, tried=True)

    def _plan_again(self, key: ObjectKey, deployment_key: ObjectKey) -> Change | None:
        try:
            webapp = self._writer.get_webapp(key)
        except NotFound:
            return None
        try:
            deployment = self._writer.get_deployment(deployment_key)
        except NotFound:
            return plan_one(webapp, None)
        return plan_one(webapp, deployment)

    def _refused(self, change: Change, error: Rejected) -> Result:
        """The server will not have it. That is this object's own trouble, and stays so in the next passes."""
        if isinstance(error, NotFound) and self._webapp_is_gone(change.key):
            return Result(change, Outcome.GONE)
        message, remedy = f"refused by the API server: {error.server_message or error.message}", ""
        if isinstance(error, Forbidden) and not error.causes:
            missing = self._missing_right(change)
            if missing:
                message = f"forbidden: may not {missing} deployments.apps in namespace {change.key.namespace}"
                remedy = "grant that right to this identity"
        return Result(
            change,
            Outcome.BLOCKED,
            change.deployment,
            tried=True,
            obstacle=Obstacle.REFUSED,
            message=message,
            remedy=remedy,
        )

    def _webapp_is_gone(self, key: ObjectKey) -> bool:
        try:
            return self._writer.get_webapp(key).metadata.terminating
        except NotFound:
            return True
        except (ClusterError, Stopped):
            return False

    def _missing_right(self, change: Change) -> str:
        """Quota and a missing right are the same 403: a SelfSubjectAccessReview tells them apart."""
        verbs = ("patch", "create") if change.action is Action.CREATE else ("patch",)
        try:
            return next(
                (
                    verb
                    for verb in verbs
                    if not self._writer.may(verb, group="apps", resource="deployments", namespace=change.key.namespace)
                ),
                "",
            )
        except (ClusterError, Stopped):
            return ""


def _was_reconciled_before(change: Change) -> bool:
    status = change.webapp.status
    return change.action is Action.CREATE and status is not None and status.observed_generation is not None


def _settled(change: Change) -> Result:
    """A row that needs no write."""
    outcomes = {
        Action.NONE: Outcome.UNCHANGED,
        Action.BLOCKED: Outcome.BLOCKED,
        Action.WAITING: Outcome.WAITING,
    }
    return Result(
        change,
        outcomes[change.action],
        change.deployment,
        obstacle=change.obstacle,
        message=change.message,
        remedy=change.remedy,
    )


def _failed(change: Change, error: ClusterError) -> Result:
    return Result(change, Outcome.FAILED, change.deployment, tried=True, message=error.message, remedy=error.remedy)
