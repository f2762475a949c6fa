"""What the WebApps and their readers are told: statuses and events of whole passes, on the double."""

from __future__ import annotations

from collections import Counter

from tests.double import World, answers, key
from tests.double.kinds import DEPLOYMENT
from webappctl.cluster.requests import WEBAPPS
from webappctl.cluster.wire import Answer
from webappctl.core.report import ExitCode, Outcome, exit_code
from webappctl.errors import Unreachable

WEB = key("web")
LISTS = {"list webapps": 1, "list deployments": 1, "list horizontalpodautoscalers": 1}


def _conditions(world: World, name: str = "web") -> dict[str, tuple[str, str]]:
    conditions = world.others.webapp(key(name)).get("status", {}).get("conditions", [])
    return {condition["type"]: (condition["status"], condition["reason"]) for condition in conditions}


def _edit_image(world: World, name: str) -> None:
    world.others.edit(key(name), lambda live: live["spec"]["template"]["spec"]["containers"][0].update(image="x"))


def _lost(_: object) -> Answer:
    raise Unreachable("no answer from https://double.test within 5 s")


def test_the_status_follows_the_rollout(world: World) -> None:
    """Reconciling, then Ready."""
    world.declare("web")
    world.reconcile()
    assert _conditions(world)["Reconciling"] == ("True", "RolloutInProgress")
    world.others.roll_out()
    world.reconcile()
    assert _conditions(world) == {"Available": ("True", "DeploymentReady"), "Ready": ("True", "DeploymentReady")}


def test_a_write_is_told_as_an_event(world: World) -> None:
    """Once for the same words, with a count."""
    world.declare("web")
    world.settle()
    for _ in range(2):
        _edit_image(world, "web")
        world.reconcile()
    (event,) = world.others.events("shop")
    assert (event["message"], event["count"]) == ("Deployment web-deployment updated to 3 replicas", 3)


def test_the_same_refusal_is_one_event_with_a_count(world: World) -> None:
    """However many passes try it again."""
    world.declare("web")
    world.double.store.full = {"shop"}
    for _ in range(10):
        world.reconcile()
    (event,) = world.others.events("shop")
    assert (event["type"], event["reason"], event["count"]) == ("Warning", "Blocked", 10)


def test_what_is_blocked_without_a_try_is_told_once(world: World) -> None:
    """One event, one status, and then reads only; the exit code says it each time."""
    world.declare("web", port=70000)
    world.reconcile()
    assert world.sent == LISTS | {"patch webapps/status": 1, "create events": 1}
    assert exit_code(world.reconcile()) is ExitCode.UNFINISHED
    assert world.sent == LISTS


def test_a_blocked_one_that_is_corrected_converges(world: World) -> None:
    """A failed pass does not latch."""
    world.declare("web", port=70000)
    world.reconcile()
    world.others.respecify(WEB, port=80)
    world.settle()
    assert "Stalled" not in _conditions(world)


def test_a_webapp_that_cannot_be_read_is_told_so(world: World) -> None:
    """Stored under a laxer CRD, where server-side apply fails: its neighbours converge."""
    world.declare("bad", replicas="two")
    world.declare("good")
    report = world.reconcile()
    assert {r.key.name: r.outcome for r in report.results} == {"bad": Outcome.BLOCKED, "good": Outcome.CREATED}
    assert _conditions(world, "bad")["Stalled"] == ("True", "Blocked")
    assert report.status_failures == ()


def test_the_status_of_one_that_cannot_be_read_is_written_once(world: World) -> None:
    """Conditions of others survive the merge patch."""
    world.declare("bad", replicas="two")
    theirs = {"status": {"conditions": [{"type": "Theirs", "status": "True", "reason": "R"}]}}
    world.others.patch(WEBAPPS, key("bad"), theirs, manager="another", sub="status")
    world.reconcile()
    world.reconcile()
    assert world.writes == []
    assert _conditions(world, "bad")["Theirs"] == ("True", "R")


def test_a_status_of_odd_types_is_written_anew(world: World) -> None:
    """Server-side apply fails on it; what the WebApp asks for is done all the same."""
    world.declare("web")
    odd = {"status": {"readyReplicas": "many"}}
    world.others.patch(WEBAPPS, WEB, odd, manager="another", sub="status")
    report = world.reconcile()
    assert (report.count(Outcome.CREATED), report.status_failures) == (1, ())
    assert _conditions(world)["Reconciling"][0] == "True"


def test_a_webapp_that_moved_gets_its_status_all_the_same(world: World) -> None:
    """409: read again, decided again."""
    world.declare("web")

    def label(_: object) -> None:
        world.others.patch(WEBAPPS, WEB, {"metadata": {"labels": {"team": "a"}}}, manager="kubectl-label")

    world.double.on("patch webapps/status", label)
    assert world.reconcile().status_failures == ()
    assert (world.sent["patch webapps/status"], world.sent["get webapps"]) == (2, 1)
    assert _conditions(world)["Ready"][0] == "False"


def test_a_webapp_deleted_before_its_status_is_no_failure(world: World) -> None:
    """There is nobody left to be told."""
    world.declare("web")
    world.double.on("patch webapps/status", lambda _: world.others.delete(WEBAPPS, WEB))
    report = world.reconcile()
    assert exit_code(report) is ExitCode.OK


def test_a_webapp_made_again_before_its_status_is_left_to_the_next_pass(world: World) -> None:
    """The result is about another uid."""
    world.declare("web")

    def again(_: object) -> None:
        world.others.delete(WEBAPPS, WEB)
        world.others.declare(WEB)

    world.double.on("patch webapps/status", again)
    assert exit_code(world.reconcile()) is ExitCode.OK
    assert "status" not in world.others.webapp(WEB)


def test_an_older_crd_is_one_warning(world: World) -> None:
    """The Deployments are right all the same, and no status is tried for each WebApp."""
    world.declare(*(f"w{n}" for n in range(40)))
    world.age_crd("selector")
    report = world.reconcile(workers=2)
    assert (len(report.warnings), report.status_failures, exit_code(report)) == (1, (), ExitCode.OK)
    assert "crd --install" in report.warnings[0]
    assert world.sent["patch deployments"] == 40
    assert world.sent["patch webapps/status"] <= 2


def test_an_older_crd_makes_no_loop(world: World) -> None:
    """Each pass warns again, and writes no Deployment and no event."""
    world.declare("web")
    world.age_crd("selector")
    world.reconcile()
    world.others.roll_out()
    assert len(world.reconcile().warnings) == 1
    assert world.writes == ["patch webapps/status web"]


def test_a_missing_right_to_status_is_a_failure_that_hides_nothing(world: World) -> None:
    """The Deployment is made, the exit code is 1, and the right is named."""
    world.declare("web")
    world.double.denied = {("patch", "webapps.apps.example.com/status")}
    report = world.reconcile()
    assert (report.count(Outcome.CREATED), exit_code(report)) == (1, ExitCode.ERROR)
    (failure,) = report.status_failures
    assert "may not patch webapps.apps.example.com/status in namespace shop" in failure


def test_a_lost_event_is_a_warning(world: World) -> None:
    """It never fails a pass."""
    world.declare("a", "b")
    world.double.denied = {("create", "events")}
    report = world.reconcile()
    assert exit_code(report) is ExitCode.OK
    assert [warning[:32] for warning in report.warnings] == ["2 events could not be recorded, "]


def test_a_server_lost_at_the_statuses_is_not_asked_for_each(world: World) -> None:
    """Two tries for each worker at most."""
    world.declare(*(f"w{n}" for n in range(40)))
    world.double.on("status", _lost, times=1000)
    report = world.reconcile(workers=1)
    assert exit_code(report) is ExitCode.ERROR
    assert world.sent["patch webapps/status"] == 2


def test_a_pass_that_ended_early_tells_nobody(world: World) -> None:
    """What ended it would end the statuses too; the next pass makes up for them."""
    world.declare("a", "b")
    world.double.on("patch deployments a-", _lost, times=2)
    world.reconcile(workers=1)
    assert world.sent["patch webapps/status"] == world.sent["create events"] == 0
    world.settle()
    assert _conditions(world, "a")["Ready"] == ("True", "DeploymentReady")


def test_a_stop_finishes_the_row_in_progress_and_begins_no_other(world: World) -> None:
    """Its status and its event are not lost: the next pass would find the Deployment unchanged, and say nothing."""
    world.declare(*(f"w{n}" for n in range(20)))
    world.double.on("patch deployments", lambda _: world.stop.set())
    report = world.reconcile(workers=1)
    told = {"patch deployments": 1, "patch webapps/status": 1, "create events": 1}
    assert world.sent == Counter({"list webapps": 1, "list deployments": 1, "list horizontalpodautoscalers": 1, **told})
    assert (report.count(Outcome.CREATED), report.count(Outcome.NOT_TRIED)) == (1, 19)
    assert (report.status_failures, report.warnings) == ((), ())


def test_credentials_that_end_in_mid_pass_are_asked_for_once(world: World) -> None:
    """Not once for each status and event that is left: a login may be a program with a browser."""
    world.declare(*(f"w{n}" for n in range(20)))
    world.reconcile()
    world.others.roll_out()
    world.double.on("patch webapps/status", lambda _: Answer(401, {}, b"{}"), times=1000)
    report = world.reconcile(workers=1)
    assert (world.sent["patch webapps/status"], len(report.status_failures)) == (1, 20)


def test_a_full_namespace_is_told_apart_from_a_bad_one(world: World) -> None:
    """Each blocked WebApp has its own words in its own condition."""
    world.declare("full", "policy")
    denied = answers.invalid(DEPLOYMENT, "policy-deployment", [("", "denied by policy")]).answer
    full = answers.forbidden(DEPLOYMENT, "full-deployment", "exceeded quota: q").answer
    world.double.on("patch deployments policy-", lambda _: denied)
    world.double.on("patch deployments full-", lambda _: full)
    world.reconcile()
    for name, words in (("full", "exceeded quota"), ("policy", "denied by policy")):
        conditions = world.others.webapp(key(name))["status"]["conditions"]
        assert [words in c["message"] for c in conditions if c["type"] == "Stalled"] == [True]
