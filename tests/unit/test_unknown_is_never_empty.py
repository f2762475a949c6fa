"""A list that failed, was cut, forbidden or not found is unknown: nothing is deleted because of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.double import World, answers, key
from tests.double.kinds import WEBAPP
from webappctl.cluster import Answer
from webappctl.cluster.requests import CRDS, DEPLOYMENTS, WEBAPPS
from webappctl.core.objects import ObjectKey, deployment_key
from webappctl.core.plan import Policy
from webappctl.core.report import Outcome
from webappctl.crd import NAME
from webappctl.errors import ClusterError


@pytest.fixture
def world() -> World:
    """`kept` lives, `lost` is an orphan, and orphans are to be deleted."""
    world = World()
    world.policy = Policy(prune=True)
    world.declare("kept", "lost")
    world.settle()
    world.others.delete(WEBAPPS, key("lost"))
    world.others.replace(DEPLOYMENTS, deployment_key(key("lost")), lambda live: live["metadata"].pop("ownerReferences"))
    return world


def _fail(answer: Answer) -> Callable[[World], None]:
    return lambda world: world.double.on("list webapps", lambda _: answer, times=1000)


def _later_page(world: World) -> None:
    """The first page is there, the second fails."""
    world.double.store.longest_page = 1
    world.declare("more")
    world.double.on("list webapps", lambda _: None)
    world.double.on("list webapps", lambda _: answers.forbidden(WEBAPP, "", "no").answer, times=1000)


def _expired_token(world: World) -> None:
    """At every start."""
    world.double.store.longest_page = 1
    world.declare("more")
    gone = Answer(410, {}, b'{"kind": "Status", "code": 410, "reason": "Expired", "metadata": {"continue": "x"}}')
    for _ in range(20):
        world.double.on("list webapps", lambda _: None)
        world.double.on("list webapps", lambda _: gone)


CUT = Answer(200, {}, b'{"kind": "WebAppList", "items": [')
NO_ITEMS = Answer(200, {}, b'{"kind": "WebAppList", "items": null}')
FAILURES: dict[str, Callable[[World], None]] = {
    "forbidden": _fail(answers.forbidden(WEBAPP, "", "no").answer),
    "failed": _fail(Answer(500, {}, b"{}")),
    "cut": _fail(CUT),
    "without items": _fail(NO_ITEMS),
    "a page of a proxy": _fail(Answer(200, {}, b"<html>")),
    "a later page forbidden": _later_page,
    "a token that expires": _expired_token,
    "the CRD is gone": lambda world: world.others.delete(CRDS, ObjectKey("", NAME)),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_nothing_is_deleted(world: World, failure: str) -> None:
    FAILURES[failure](world)
    world.double.log.clear()
    with pytest.raises(ClusterError):
        world.reconcile()
    assert [str(sent) for sent in world.double.log if sent.verb not in ("list", "get")] == []


def test_without_a_failure_the_orphan_alone_is_deleted(world: World) -> None:
    outcomes = {result.key.name: result.outcome for result in world.reconcile().results}
    assert outcomes == {"kept": Outcome.UNCHANGED, "lost": Outcome.DELETED}


def test_a_webapp_that_comes_back_at_the_last_moment_keeps_its_deployment(world: World) -> None:
    """It is asked for before the deletion."""
    plan = world.plan()
    world.declare("lost")
    report = world.carry_out(plan)
    assert [result.outcome for result in report.results if result.key.name == "lost"] == [Outcome.CONFIGURED]


def test_a_deployment_that_moved_is_looked_at_again_before_it_is_deleted(world: World) -> None:
    """Somebody took it: it has another owner now."""
    plan = world.plan()
    theirs = {"apiVersion": "v1", "kind": "ConfigMap", "name": "x", "uid": "u"}
    world.others.edit(key("lost"), lambda live: live["metadata"].update(ownerReferences=[theirs]))
    world.carry_out(plan)
    assert world.others.send_get(DEPLOYMENTS, deployment_key(key("lost")))[0] == 200
