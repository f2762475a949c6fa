"""What wakes the loop, and what a pass that reads the mirror makes of its own writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.double import World, key
from tests.mirrored import Mirrored, mirrored
from webappctl.cluster.requests import AUTOSCALERS, DEPLOYMENTS, WEBAPPS
from webappctl.core.objects import Deployment, Json, Kind, ObjectKey, ObjectMeta, Scope, deployment_key
from webappctl.errors import Unreachable
from webappctl.mirror.shelf import MOST_GRAVES, Shelf

WEB = key("web")
CHILD = deployment_key(WEB)
Act = Callable[[World], object]


@pytest.fixture
def here(world: World) -> Iterator[Mirrored]:
    """With a WebApp `web`, settled."""
    world.declare("web")
    world.settle()
    world.others.autoscale(key("other"), 2, 9)
    with mirrored(world) as here:
        yield here


def _annotate(world: World, plural: str, **annotations: str) -> object:
    resource, name = (WEBAPPS, WEB) if plural == "webapps" else (DEPLOYMENTS, CHILD)
    return world.others.patch(resource, name, {"metadata": {"annotations": annotations}}, manager="kubectl")


def _autoscaler(world: World, patch: Json, sub: str = "") -> object:
    return world.others.patch(AUTOSCALERS, key("other"), dict(patch), manager="kubectl", sub=sub)


def _deployment(world: World, name: str) -> object:
    """Somebody's, without our label."""
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "app", "image": "x"}]}}
    spec = {"selector": {"matchLabels": {"a": "b"}}, "template": template}
    return world.others.create(DEPLOYMENTS, {"metadata": {"name": name, "namespace": "shop"}, "spec": spec})


WAKING: dict[str, Act] = {
    "a new WebApp": lambda world: world.declare("a"),
    "another spec": lambda world: world.others.respecify(WEB, image="nginx:2"),
    "an annotation of a WebApp": lambda world: _annotate(world, "webapps", pause="true"),
    "a WebApp that goes": lambda world: world.others.delete(WEBAPPS, WEB),
    "a Deployment that is scaled": lambda world: world.others.scale(WEB, 5),
    "a rollout that gets on": lambda world: world.others.report(CHILD, readyReplicas=1),
    "a Deployment that goes": lambda world: world.others.delete(DEPLOYMENTS, CHILD),
    "a new autoscaler": lambda world: world.others.autoscale(WEB, 2, 9),
    "an autoscaler with other bounds": lambda world: _autoscaler(world, {"spec": {"maxReplicas": 5}}),
}
NOT_WAKING: dict[str, Act] = {
    "a note of a controller on a Deployment": lambda world: _annotate(world, "deployments", revision="2"),
    "the status of an autoscaler": lambda world: _autoscaler(world, {"status": {"currentReplicas": 3}}, sub="status"),
    "a Deployment of no concern": lambda world: _deployment(world, "postgres"),
    "a Deployment with a name like ours, without a WebApp": lambda world: _deployment(world, "my-deployment"),
}


@pytest.mark.parametrize("what", WAKING)
def test_what_a_pass_looks_at_wakes_it(here: Mirrored, what: str) -> None:
    WAKING[what](here.world)
    here.caught_up()
    assert here.wakes > 0


@pytest.mark.parametrize("what", NOT_WAKING)
def test_what_a_pass_does_not_look_at_lets_it_sleep(here: Mirrored, what: str) -> None:
    NOT_WAKING[what](here.world)
    here.caught_up()
    assert here.wakes == 0


def test_a_bookmark_wakes_nobody(here: Mirrored) -> None:
    here.stream("webapps").bookmark()
    here.caught_up()
    assert here.wakes == 0


def test_what_a_list_after_a_cut_shows_wakes_a_pass(here: Mirrored) -> None:
    """The stream did not tell it, so nothing else would."""
    here.stream("webapps").silent = True
    here.world.declare("a")
    here.stream("webapps").cut()
    here.stream("webapps").told()
    here.names()
    assert here.wakes == 1


def test_a_pass_that_reads_the_mirror_lists_nothing(here: Mirrored) -> None:
    here.world.others.respecify(WEB, image="nginx:2")
    here.caught_up()
    here.reconcile(here.remembered)
    assert "list" not in {sent.verb for sent in here.world.double.log}


def test_a_pass_that_lists_heals_the_mirror(here: Mirrored) -> None:
    """And is about what the lists say."""
    here.stream("webapps").silent = True
    here.world.others.respecify(WEB, image="nginx:2")
    assert "patch deployments web-deployment" in here.reconcile(here.relisted)
    assert here.names() == ["web"]


def test_a_pass_does_not_do_again_what_the_mirror_has_not_heard_of(here: Mirrored) -> None:
    """All streams lag: the answers to the writes are what the next pass sees. One apply, one event."""
    here.world.declare("a")
    here.world.others.respecify(WEB, image="nginx:2")
    here.caught_up()
    for plural in ("webapps", "deployments"):
        here.stream(plural).silent = True
    first, second = here.reconcile(here.remembered), here.reconcile(here.remembered)
    assert sorted(write for write in first if " deployments " in write) == [
        "patch deployments a-deployment",
        "patch deployments web-deployment",
    ]
    assert second == []


def test_a_write_of_our_own_that_comes_back_wakes_nobody(here: Mirrored) -> None:
    """The mirror has had its answer."""
    here.world.others.respecify(WEB, image="nginx:2")
    here.caught_up()
    for plural in ("webapps", "deployments"):
        here.stream(plural).silent = True
    here.wakes = 0
    here.reconcile(here.remembered)
    for plural in ("webapps", "deployments"):
        here.stream(plural).silent = False
    here.caught_up()
    assert here.wakes == 0


def test_an_answer_that_is_older_than_what_is_known_is_ignored(here: Mirrored) -> None:
    """The stream was faster than the answer."""
    old = here.world.cluster.get_deployment(CHILD)
    here.world.others.scale(WEB, 5)
    here.caught_up()
    here.mirror.took(Kind.DEPLOYMENTS, old)
    assert here.replicas(CHILD) == 5


def test_a_deletion_of_our_own_is_known_at_once(here: Mirrored) -> None:
    """And wakes nobody when the stream tells of it."""
    live = here.world.cluster.get_deployment(CHILD).metadata
    here.stream("deployments").silent = True
    here.remembered.delete_deployment(CHILD, uid=live.uid, resource_version=live.resource_version)
    assert dict(here.mirror.snapshot().deployments) == {}
    here.stream("deployments").silent = False
    here.caught_up()
    assert here.wakes == 0


def test_an_answer_about_a_webapp_that_the_selector_may_not_select_adds_none(world: World) -> None:
    """Only lists and streams tell that."""
    world.declare("web")
    with mirrored(world, Scope(selector="team=a")) as here:
        here.remembered.get_webapp(WEB)
        assert here.names() == []


def test_a_mirror_that_does_not_know_every_kind_has_the_pass_list(world: World) -> None:
    """Here it has not been started."""
    world.declare("web")
    unfilled = Mirrored(world, Scope())
    assert [webapp.key for webapp in unfilled.relisted.snapshot(unfilled.scope).webapps] == [ObjectKey("shop", "web")]


def test_a_mirror_that_does_not_know_every_kind_has_nothing_remembered(world: World) -> None:
    """No pass is begun with it, so it is not worth a list either."""
    unfilled = Mirrored(world, Scope())
    with pytest.raises(Unreachable, match="not every kind"):
        unfilled.remembered.snapshot(unfilled.scope)
    assert world.double.log == []


def test_a_webapp_that_has_left_the_selector_is_not_held_by_an_answer_to_us(world: World) -> None:
    """Its status was written between the change of its label and the stream's word of it."""
    world.declare("web")
    world.others.patch(WEBAPPS, WEB, {"metadata": {"labels": {"team": "a"}}}, manager="kubectl")
    with mirrored(world, Scope(selector="team=a")) as here:
        stream = here.stream("webapps")
        stream.silent = True
        world.others.patch(WEBAPPS, WEB, {"metadata": {"labels": {"team": "b"}}}, manager="kubectl")
        here.mirror.took(Kind.WEBAPPS, world.cluster.get_webapp(WEB))
        world.others.patch(WEBAPPS, WEB, {"status": {"replicas": 1}}, manager="us", sub="status")
        here.mirror.took(Kind.WEBAPPS, world.cluster.get_webapp(WEB))
        stream.silent = False
        assert here.names() == []


def test_deployments_of_others_leave_no_trace_for_ever(world: World) -> None:
    """A follower lists nothing for days."""
    shelf = Shelf(lambda _: False)
    for number in range(MOST_GRAVES + 5):
        meta = ObjectMeta(name=f"d-{number}", namespace="shop", resource_version=str(1000 + number))
        shelf.put(Deployment(meta))
    assert len(shelf._graves) == MOST_GRAVES
