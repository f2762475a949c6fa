"""An object that moved after it was planned: read both again, and plan that one anew."""

from __future__ import annotations

from dataclasses import replace

from webappctl.apply.writer import Writer
from webappctl.core.objects import NO_AUTOSCALERS, Deployment, ObjectKey, Snapshot, Unreadable, WebApp
from webappctl.core.plan import Action, Change, Policy, make_plan, pause_of, plan_one
from webappctl.errors import NotFound


def must_be_looked_at(change: Change, writer: Writer, now: str) -> bool:
    """True when the world has turned, so that the row must not be carried out as it is.

    A Deployment that vanished may have gone with its WebApp, and the WebApp of an orphan may be back: ask before the
    write, so that a deletion is never undone, and nothing is deleted that has become somebody's again.
    """
    if change.action is not Action.DELETE and not _was_reconciled_before(change):
        return False
    webapp = _webapp(change.key, writer)
    if webapp is None or change.webapp is None:
        return webapp is not change.webapp
    paused, _ = pause_of(webapp.metadata, now)
    return webapp.metadata.terminating or paused is not None or not change.is_of(webapp)


def plan_again(change: Change, writer: Writer, policy: Policy, now: str) -> Change | None:
    """None when there is nothing left that it could be about. `now` is RFC 3339."""
    webapp = _webapp(change.key, writer)
    deployment = _deployment(change.deployment_key, writer)
    if webapp is not None:
        # Whoever moved it may have been an autoscaler that was not there when the plan was made.
        scalable = isinstance(webapp, WebApp) and webapp.spec is not None and webapp.spec.replicas is not None
        autoscalers = writer.autoscalers(change.key.namespace) if scalable and deployment else NO_AUTOSCALERS
        fresh = plan_one(webapp, deployment, autoscalers, policy, now=now)
        return fresh and replace(fresh, contested=change.contested)
    if deployment is None or change.webapp is not None:
        return None
    return next(iter(make_plan(Snapshot((), {deployment.key: deployment}), policy).changes), None)


def _was_reconciled_before(change: Change) -> bool:
    status = change.webapp.status if change.webapp else None
    return change.action is Action.CREATE and status is not None and status.observed_generation is not None


def _webapp(key: ObjectKey, writer: Writer) -> WebApp | Unreadable | None:
    try:
        return writer.get_webapp(key)
    except NotFound:
        return None


def _deployment(key: ObjectKey, writer: Writer) -> Deployment | Unreadable | None:
    try:
        return writer.get_deployment(key)
    except NotFound:
        return None
