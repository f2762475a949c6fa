"""One row → the requests that carry it out, each with the preconditions of what was planned."""

from __future__ import annotations

import logging
from dataclasses import replace

from webappctl.apply.altered import altered, in_words
from webappctl.apply.results import gone
from webappctl.apply.writer import Writer
from webappctl.core.desired import creation, update
from webappctl.core.objects import Deployment, WebApp
from webappctl.core.plan import Action, Change, Obstacle
from webappctl.core.report import OUTCOMES, Outcome, Result
from webappctl.core.takeover import handed_over
from webappctl.errors import NotFound

log = logging.getLogger(__name__)


def send(change: Change, writer: Writer) -> Result:
    """Raises Conflict when the object is not as it was planned, and what else Writer raises."""
    key = change.deployment_key
    keys = {"namespace": key.namespace, "name": key.name, "webapp": change.key.name}
    match change:
        case Change(action=Action.DELETE, deployment=Deployment() as live):
            log.info("Deleting Deployment", extra={"keys": keys})
            return _delete(change, live, writer)
        case Change(webapp=WebApp() as webapp, deployment=Deployment() as live):
            log.info("Updating Deployment", extra={"keys": {**keys, "fields": [f.path for f in change.fields]}})
            return _done(change, _update(change, webapp, live, writer))
        case Change(webapp=WebApp() as webapp, deployment=None):
            log.info("Creating Deployment", extra={"keys": keys})
            return _done(change, writer.apply_deployment(creation(webapp), force=False))
        case _:
            raise AssertionError("what cannot be read is never planned to be written")


def _done(change: Change, answered: Deployment | None) -> Result:
    """What admission altered is not as it should be, and writing it again would not make it so."""
    fields = altered(change, answered) if answered else ()
    if not fields:
        return Result(change, OUTCOMES[change.action], answered, tried=True)
    message = f"written, but admission makes {in_words(fields)}"
    remedy = "ask for what admission makes of it, or change that rule"
    blocked = Result(change, Outcome.BLOCKED, answered, tried=True, obstacle=Obstacle.ALTERED)
    return replace(blocked, message=message, remedy=remedy)


def _update(change: Change, webapp: WebApp, live: Deployment, writer: Writer) -> Deployment:
    held = change.held is not None
    if change.takeover is not None:
        live = writer.hand_over(live, handed_over(live))
    return writer.apply_deployment(update(webapp, live, held=held), force=True)


def _delete(change: Change, live: Deployment, writer: Writer) -> Result:
    try:
        writer.delete_deployment(live.key, uid=live.metadata.uid, resource_version=live.metadata.resource_version)
    except NotFound:
        return gone(change)
    return _done(change, None)
