"""What holds for every cluster."""

from __future__ import annotations

import random
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from tests.double import World, key
from tests.double.fields import Obj
from tests.property.worlds import FOREIGN, MANAGERS, OWNED, SPECS, Edit, few, foreign_part, with_webapp, worlds
from webappctl.cluster import Answer, Request
from webappctl.cluster.requests import AUTOSCALERS, WEBAPPS
from webappctl.core.objects import ObjectKey, Scope
from webappctl.core.plan import Action, Adopt, Budget, Plan
from webappctl.core.report import ExitCode, Outcome, exit_code, plan_exit_code
from webappctl.render import Target, plan_json

WEB = key("web")
TARGET = Target("double", "https://double.test", Scope())


def _writes(world: World) -> list[str]:
    """Each once: taking over is two requests."""
    verbs = ("patch", "delete")
    return sorted({sent.name for sent in world.double.log if sent.verb in verbs and sent.kind == "deployments.apps"})


def _deployments(world: World) -> dict[str, Obj]:
    return {live["metadata"]["name"]: live for live in world.others.deployments()}


def _one_row(plan: Plan) -> set[str]:
    (change,) = plan.changes
    return {field.path for field in change.fields}


@few
@given(worlds())
def test_a_second_pass_has_nothing_to_do(world: World) -> None:
    """Once rollouts have settled, a pass sends its three lists and nothing else."""
    world.settle()
    world.reconcile()
    assert world.sent == {"list webapps": 1, "list deployments": 1, "list horizontalpodautoscalers": 1}


@few
@given(worlds())
def test_after_an_apply_nothing_is_pending(world: World) -> None:
    """But what it said was blocked, waiting or stale."""
    report = world.reconcile()
    assert exit_code(report) in (ExitCode.OK, ExitCode.UNFINISHED)
    assert world.plan().pending == ()


@few
@given(worlds())
def test_pending_is_exit_code_3_is_what_apply_writes(world: World) -> None:
    """The table, the exit code and the requests come from one list."""
    plan = world.plan()
    pending = sorted(change.deployment_key.name for change in plan.pending)
    assert (plan_exit_code(plan, Budget(allow_empty=True)) is ExitCode.PENDING) == bool(pending)
    world.carry_out(plan)
    assert _writes(world) == pending


@few
@given(worlds())
def test_planning_sends_reads_only(world: World) -> None:
    """And changes nothing."""
    before = _deployments(world)
    world.plan()
    assert {sent.verb for sent in world.double.log} == {"list"}
    assert _deployments(world) == before


@few
@given(worlds(), st.integers())
def test_the_order_of_the_lists_does_not_matter(world: World, seed: int) -> None:
    """The plan is the same bytes."""
    order = random.Random(seed)

    class Shuffled:
        server = world.double.server

        def exchange(self, request: Request, timeout: float) -> Answer:
            answer = world.double.exchange(request, timeout)
            body: dict[str, Any] = msgspec.json.decode(answer.body)
            order.shuffle(body.get("items", []))
            return Answer(answer.status, answer.headers, msgspec.json.encode(body))

        stream = world.double.stream

    expected = plan_json(world.plan(), TARGET)
    world.cluster = world.seen_by(Shuffled())
    assert plan_json(world.plan(), TARGET) == expected


@few
@given(worlds())
def test_what_is_not_ours_is_never_written(world: World) -> None:
    """Another controller's, nobody's, a former WebApp's, and what is on its way out: left exactly as they are."""
    before = _deployments(world)
    report = world.reconcile()
    left = [r.change for r in report.results if r.outcome in (Outcome.BLOCKED, Outcome.WAITING)]
    after = _deployments(world)
    for change in left:
        name = change.deployment_key.name
        assert after.get(name) == before.get(name)
    for name, live in before.items():
        if not _is_ours(world, live):
            assert after[name] == live


def _is_ours(world: World, live: Obj) -> bool:
    """Told without webappctl's own code."""
    meta = live["metadata"]
    if "deletionTimestamp" in meta:
        return False
    controllers = [owner["uid"] for owner in meta.get("ownerReferences", ()) if owner.get("controller")]
    if controllers:
        name = meta["name"].removesuffix("-deployment")
        _, webapp = world.others.send_get(WEBAPPS, key(name))
        return bool(controllers == [webapp["metadata"].get("uid")])
    if world.policy.adopt is Adopt.UNOWNED:
        return True
    applied = [e for e in meta.get("managedFields", ()) if (e["manager"], e["operation"]) == ("webappctl", "Apply")]
    return bool(applied or meta.get("ownerReferences"))


@few
@given(worlds())
def test_what_an_autoscaler_has_is_never_scaled(world: World) -> None:
    """Whatever else of that Deployment is written."""
    before = _deployments(world)
    world.reconcile()
    for name, live in _deployments(world).items():
        scaler = ObjectKey("shop", name.removesuffix("-deployment"))
        if name in before and world.others.send_get(AUTOSCALERS, scaler)[0] == 200:
            assert live["spec"]["replicas"] == before[name]["spec"]["replicas"]


@few
@given(worlds())
def test_only_what_lost_its_webapp_is_deleted_and_only_when_asked(world: World) -> None:
    before = _deployments(world)
    world.reconcile()
    for name in before.keys() - _deployments(world).keys():
        assert world.policy.prune
        assert world.others.send_get(WEBAPPS, key(name.removesuffix("-deployment")))[0] == 404
        assert not before[name]["metadata"].get("ownerReferences")


@few
@given(SPECS, st.lists(st.sampled_from(FOREIGN), min_size=1, max_size=6, unique=True), MANAGERS)
def test_a_foreign_change_makes_no_row(spec: dict[str, Any], edits: list[Edit], manager: str) -> None:
    """Sidecars, env, annotations, other labels, defaults: nothing of it is ours."""
    world = with_webapp(**spec)
    for edit in edits:
        world.others.edit(WEB, edit.change, manager)
    assert [change.action for change in world.plan().changes] == [Action.NONE]


@few
@given(SPECS, SPECS, st.lists(st.sampled_from(FOREIGN), min_size=1, max_size=6, unique=True), MANAGERS)
def test_a_foreign_change_survives_an_apply(
    before: dict[str, Any], after: dict[str, Any], edits: list[Edit], manager: str
) -> None:
    """Whatever of our own fields changes at the same time."""
    world = with_webapp(**before)
    for edit in edits:
        world.others.edit(WEB, edit.change, manager)
    theirs = foreign_part(world.others.deployment(WEB), before["port"])
    world.others.respecify(WEB, **after)
    world.settle()
    assert foreign_part(world.others.deployment(WEB), after["port"]) == theirs


@few
@given(SPECS.filter(lambda spec: spec["replicas"]), st.sampled_from(OWNED), st.sampled_from(FOREIGN), MANAGERS)
def test_an_owned_change_makes_exactly_its_rows(spec: dict[str, Any], edit: Edit, foreign: Edit, manager: str) -> None:
    """Among foreign ones."""
    world = with_webapp(**spec)
    world.others.edit(WEB, foreign.change, manager)
    world.others.edit(WEB, edit.change, manager)
    assert _one_row(world.plan()) == edit.paths


@few
@given(SPECS.filter(lambda spec: spec["replicas"]), st.sampled_from(OWNED), MANAGERS)
def test_an_owned_change_is_repaired_by_one_pass(spec: dict[str, Any], edit: Edit, manager: str) -> None:
    """And it does not come back."""
    world = with_webapp(**spec)
    wanted = world.others.deployment(WEB)
    world.others.edit(WEB, edit.change, manager)
    assert [result.outcome for result in world.reconcile().results] == [Outcome.CONFIGURED]
    live = world.others.deployment(WEB)
    assert live["metadata"]["labels"] == wanted["metadata"]["labels"]
    assert live["metadata"]["ownerReferences"] == wanted["metadata"]["ownerReferences"]
    assert live["spec"]["replicas"] == spec["replicas"]
    assert world.plan().pending == ()


@few
@given(SPECS, SPECS)
def test_a_changed_spec_makes_a_row_for_each_changed_field(before: dict[str, Any], after: dict[str, Any]) -> None:
    """Image, port and replicas, and never for a field that stayed."""
    world = with_webapp(**before)
    live = world.others.deployment(WEB)["spec"]["replicas"]
    world.others.respecify(WEB, **after)
    changed = {field for field in ("image", "port") if before[field] != after[field]}
    changed |= {"replicas"} if after["replicas"] not in (None, live) else set()
    assert _one_row(world.plan()) == changed


@few
@given(st.lists(SPECS, min_size=1, max_size=5))
def test_replicas_that_nobody_asks_for_are_never_changed(specs: list[dict[str, Any]]) -> None:
    """However often the rest changes, and whoever set them last."""
    world = with_webapp(**specs[0])
    world.others.respecify(WEB, replicas=None)
    world.settle()
    replicas = world.others.deployment(WEB)["spec"]["replicas"]
    for spec in specs:
        world.others.respecify(WEB, **spec | {"replicas": None})
        world.settle()
        assert world.others.deployment(WEB)["spec"]["replicas"] == replicas
