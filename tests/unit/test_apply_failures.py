"""Plan → Results, on the double: refusals, lost servers and signals; one object's failure stays its own."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.double import Sent, World, answers, key
from tests.double.kinds import DEPLOYMENT, NAMESPACES
from webappctl.cluster.wire import Answer
from webappctl.core.objects import ObjectKey
from webappctl.core.plan import Obstacle, Plan
from webappctl.core.report import Outcome, Report, Result
from webappctl.errors import Unreachable

WEB = key("web")


def _only(report: Report) -> Result:
    (result,) = report.results
    return result


def _drifted(world: World, **spec: object) -> Plan:
    """`web` is there, and its image was changed."""
    world.declare("web", **spec)
    world.settle()
    world.others.respecify(WEB, image="nginx:1.26")
    return world.plan()


def _outcomes(report: Report) -> dict[str, Outcome]:
    return {result.key.name: result.outcome for result in report.results}


def _deny(world: World, name: str) -> None:
    denial = answers.forbidden(DEPLOYMENT, f"{name}-deployment", f"denied by {name}").answer
    world.double.on(f"patch deployments {name}-", lambda _: denial)


def _lost(_: object) -> Answer:
    raise Unreachable("no answer from https://double.test within 5 s")


def _done_but_lost(world: World) -> Callable[[Sent], Answer]:
    """The server does it, and its answer never comes."""

    def act(sent: Sent) -> Answer:
        world.double.answered(sent, denied=())
        return _lost(sent)

    return act


def _stop_and_fail(world: World) -> Callable[[object], Answer]:
    def act(_: object) -> Answer:
        world.stop.set()
        return Answer(503, {}, b"{}")

    return act


def test_a_lost_server_is_not_asked_for_every_object(world: World) -> None:
    """Two tries for the first object, and the rest is left for the next pass."""
    world.declare(*"abcdef")
    world.double.on("patch deployments", _lost, times=100)
    outcomes = _outcomes(world.reconcile(workers=1))
    assert outcomes == {"a": Outcome.FAILED} | dict.fromkeys("bcdef", Outcome.NOT_TRIED)
    assert world.sent["patch deployments"] == 2


def test_a_creation_whose_answer_was_lost_is_known_for_what_it_is(world: World) -> None:
    """The second try is a 409, because of the first: created, not raced."""
    world.declare("web")
    world.double.on("patch deployments", _done_but_lost(world))
    assert _only(world.reconcile()).outcome is Outcome.CREATED


def test_an_update_whose_answer_was_lost_is_known_for_what_it_is(world: World) -> None:
    """Configured, although the second try found a newer resourceVersion."""
    plan = _drifted(world)
    world.double.on("patch deployments", _done_but_lost(world))
    assert _only(world.carry_out(plan)).outcome is Outcome.CONFIGURED


def test_a_write_whose_answer_was_lost_at_the_end_is_not_called_untried(world: World) -> None:
    """A stop leaves no time for another try: it may have happened, and that is said."""
    world.declare("web")

    def lost_and_stopped(sent: Sent) -> Answer:
        world.stop.set()
        return _done_but_lost(world)(sent)

    world.double.on("patch deployments", lost_and_stopped)
    result = _only(world.reconcile())
    assert (result.outcome, "unknown" in result.message) == (Outcome.FAILED, True)


def test_refused_credentials_are_not_tried_for_every_object(world: World) -> None:
    """A 401 is a 401 for all."""
    world.declare(*"abc")
    world.double.on("patch deployments", lambda _: Answer(401, {}, b"{}"), times=100)
    outcomes = _outcomes(world.reconcile(workers=1))
    assert outcomes == {"a": Outcome.FAILED, "b": Outcome.NOT_TRIED, "c": Outcome.NOT_TRIED}


def test_a_stop_ends_after_the_write_in_flight(world: World) -> None:
    """It counts as written; what is left is said."""
    world.declare(*"abc")
    world.double.on("patch deployments b-", lambda _: world.stop.set())
    outcomes = _outcomes(world.reconcile(workers=1))
    assert outcomes == {"a": Outcome.CREATED, "b": Outcome.CREATED, "c": Outcome.NOT_TRIED}


def test_a_stop_before_anything_writes_nothing(world: World) -> None:
    """Every row is named as not tried."""
    world.declare(*"ab")
    plan = world.plan()
    world.stop.set()
    assert set(_outcomes(world.carry_out(plan)).values()) == {Outcome.NOT_TRIED}
    assert world.double.log == []


@pytest.mark.parametrize("verb", ["patch", "create"])
def test_a_missing_right_is_named(world: World, verb: str) -> None:
    """Verb, resource and namespace, after one review for each verb that could be it."""
    world.declare("web")
    world.double.denied = {(verb, "deployments.apps")}
    result = _only(world.reconcile())
    assert (result.outcome, result.obstacle, result.tried) == (Outcome.BLOCKED, Obstacle.MISSING_RIGHT, True)
    assert result.message == f"forbidden: may not {verb} deployments.apps in namespace shop"


def test_an_update_needs_the_right_to_patch_only(world: World) -> None:
    """A missing right to create is nothing to it."""
    plan = _drifted(world)
    world.double.denied = {("create", "deployments.apps")}
    assert _only(world.carry_out(plan)).outcome is Outcome.CONFIGURED


def test_a_new_owner_may_need_the_right_to_delete(world: World) -> None:
    """Where OwnerReferencesPermissionEnforcement is on, that is what the 403 means."""
    world.declare("web")
    world.settle()
    world.others.edit(key("web"), lambda live: live["metadata"].pop("ownerReferences"))
    plan = world.plan()
    world.double.denied = {("delete", "deployments.apps")}
    world.double.on("patch deployments", lambda _: answers.forbidden(DEPLOYMENT, "web-deployment", "no").answer)
    result = _only(world.carry_out(plan))
    assert result.obstacle is Obstacle.MISSING_RIGHT
    assert result.message == "forbidden: may not delete deployments.apps in namespace shop"


def test_a_quota_is_not_taken_for_a_missing_right(world: World) -> None:
    """The same 403: the review allows it, so the server's words are quoted."""
    world.declare("web")
    world.double.store.full = {"shop"}
    result = _only(world.reconcile())
    assert (result.outcome, result.obstacle) == (Outcome.BLOCKED, Obstacle.DENIED)
    assert "exceeded quota" in result.message
    assert "may not" not in result.message


def test_an_update_that_is_refused_is_not_asked_about_creation(world: World) -> None:
    """It has no need of that right."""
    plan = _drifted(world)
    world.double.denied = {("create", "deployments.apps")}
    _deny(world, "web")
    assert "denied by web" in _only(world.carry_out(plan)).message


def test_a_review_that_fails_leaves_the_servers_words(world: World) -> None:
    """It is a help, no more."""
    world.declare("web")
    world.double.store.full = {"shop"}
    world.double.on("create selfsubjectaccessreviews", lambda _: Answer(500, {}, b"{}"), times=100)
    assert "exceeded quota" in _only(world.reconcile()).message


def test_a_stop_during_the_review_leaves_the_refusal(world: World) -> None:
    """What was refused was refused, and the other results are not lost."""
    world.declare("a", "b")
    world.double.store.full = {"shop"}
    world.double.on("create selfsubjectaccessreviews", _stop_and_fail(world))
    assert _outcomes(world.reconcile(workers=1)) == {"a": Outcome.BLOCKED, "b": Outcome.NOT_TRIED}


def test_a_stop_while_asking_for_the_webapp_leaves_the_refusal(world: World) -> None:
    """The namespace is gone, and so may be the WebApp; it is too late to ask."""
    world.declare("web")
    missing = answers.no_namespace("shop").answer
    world.double.on("patch deployments", lambda _: missing)
    world.double.on("get webapps", _stop_and_fail(world))
    assert _only(world.reconcile()).outcome is Outcome.BLOCKED


def test_an_ending_namespace_blocks_without_a_review(world: World) -> None:
    """Its 403 has a cause."""
    world.declare("web")
    plan = world.plan()
    world.others.delete(NAMESPACES, ObjectKey("", "shop"))
    result = _only(world.carry_out(plan))
    assert (result.outcome, result.obstacle) == (Outcome.BLOCKED, Obstacle.TERMINATING_NAMESPACE)
    assert world.sent["create selfsubjectaccessreviews"] == 0


def test_an_admission_denial_blocks(world: World) -> None:
    """422 without a field: it is this object's own trouble."""
    world.declare("web", "good")
    denial = answers.invalid(DEPLOYMENT, "web-deployment", [("", "denied by policy no-web")]).answer
    world.double.on("patch deployments web", lambda _: denial)
    report = world.reconcile()
    assert _outcomes(report) == {"good": Outcome.CREATED, "web": Outcome.BLOCKED}
    assert "denied by policy" in report.results[1].message


@pytest.mark.parametrize("code", [500, 502, 503, 504, 429])
def test_one_failure_never_stops_the_rest(world: World, code: int) -> None:
    """An API server that fails for one object only; the next pass has it done."""
    world.declare(*"abcdef")
    world.double.on("patch deployments c-", lambda _: Answer(code, {}, b"<html>"), times=10_000)
    assert _outcomes(world.reconcile()) == dict.fromkeys("abdef", Outcome.CREATED) | {"c": Outcome.FAILED}


def test_fifty_with_five_impossible_ones(world: World) -> None:
    """45 converge; five are named, each with its own reason."""
    world.declare(*(f"good-{n}" for n in range(45)))
    world.declare("port", port=70000)
    world.declare("image", image=None)
    world.declare("n" * 64)
    for name in ("quota", "policy"):
        world.declare(name)
        _deny(world, name)
    report = world.reconcile()
    assert (report.count(Outcome.CREATED), report.count(Outcome.BLOCKED)) == (45, 5)
    assert all(result.message for result in report.results if result.outcome is Outcome.BLOCKED)
