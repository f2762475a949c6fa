"""What would the API server say? A dry run of every pending row, with the same body that apply would send."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Final, Protocol

from webappctl.apply.altered import altered, in_words
from webappctl.apply.refusals import Refusals
from webappctl.apply.writer import Writer
from webappctl.core.desired import creation, update
from webappctl.core.objects import Deployment, Json, WebApp
from webappctl.core.plan import PENDING, Action, Answer, Change, Obstacle, Plan, Verdict
from webappctl.errors import ClusterError, Forbidden, Invalid, NotFound, Unauthorized, Unreachable

NO_UID: Final = "00000000-0000-0000-0000-000000000000"
"""For the owner of a WebApp that only a file has: the API server wants one, and does not look it up."""
ACCEPTED: Final = Verdict(Answer.ACCEPTED)


class Trier(Writer, Protocol):
    """Every method raises the errors of errors.py."""

    def try_deployment(self, manifest: Json, *, force: bool) -> Deployment: ...


def tried(plan: Plan, cluster: Trier, workers: int) -> Plan:
    """The same plan, with a Verdict in each pending row that is not a deletion. Nothing is written.

    Raises Unreachable, Unauthorized and Stopped only: what is said of one object stays with it.
    """
    refusals = Refusals(cluster)
    with ThreadPoolExecutor(workers, thread_name_prefix="try") as pool:
        changes = tuple(pool.map(lambda change: _tried(change, cluster, refusals), plan.changes))
    return replace(plan, changes=changes, warnings=(*plan.warnings, *_not_checked(changes)))


def _not_checked(changes: tuple[Change, ...]) -> Iterator[str]:
    rows = [(c.key, c.verdict.message) for c in changes if c.verdict and c.verdict.answer is Answer.NOT_CHECKED]
    for key, message in rows[:1]:
        yield f"{len(rows)} of the rows not checked by the API server, the first one {key}: {message}"


def _tried(change: Change, cluster: Trier, refusals: Refusals) -> Change:
    if change.action not in PENDING or change.action is Action.DELETE:
        return change
    return replace(change, verdict=_verdict(change, cluster, refusals))


def _verdict(change: Change, cluster: Trier, refusals: Refusals) -> Verdict:
    try:
        return _compared(change, cluster.try_deployment(_body(change), force=change.action is not Action.CREATE))
    except (Unreachable, Unauthorized):
        raise
    except (Forbidden, Invalid, NotFound) as error:
        refused = refusals.kind_of(change, error)
        if refused.obstacle in (Obstacle.MISSING_RIGHT, Obstacle.MISSING_NAMESPACE):
            return Verdict(Answer.NOT_CHECKED, refused.message)
        return Verdict(Answer.DENIED, refused.message)
    except ClusterError as error:
        return Verdict(Answer.NOT_CHECKED, error.message)


def _body(change: Change) -> Json:
    match change:
        case Change(webapp=WebApp() as webapp, deployment=None):
            return _with_an_owner(creation(webapp))
        case Change(webapp=WebApp() as webapp, deployment=Deployment() as live):
            return _with_an_owner(update(webapp, live, held=change.held is not None))
        case _:
            raise AssertionError("what cannot be read is never planned to be written")


def _with_an_owner(body: Json) -> Json:
    metadata: dict[str, Any] = body["metadata"]
    owners = [owner | {"uid": owner["uid"] or NO_UID} for owner in metadata["ownerReferences"]]
    return {**body, "metadata": metadata | {"ownerReferences": owners}}


def _compared(change: Change, answered: Deployment) -> Verdict:
    fields = altered(change, answered)
    return Verdict(Answer.ALTERED, f"admission would make {in_words(fields)}") if fields else ACCEPTED
