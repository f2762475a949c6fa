"""The mirror follows the cluster: what its streams tell, in whatever order."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from tests.double import World, key
from tests.mirrored import Mirrored, mirrored, soon
from webappctl.cluster.requests import AUTOSCALERS, DEPLOYMENTS, WEBAPPS
from webappctl.core.objects import ObjectKey, Scope, deployment_key

WEB = key("web")
CHILD = deployment_key(WEB)


@pytest.fixture
def here(world: World) -> Iterator[Mirrored]:
    """With a WebApp `web`, settled."""
    world.declare("web")
    world.settle()
    with mirrored(world) as here:
        yield here


def test_a_mirror_is_what_a_snapshot_would_be(here: Mirrored) -> None:
    """Of the same instant, to the last field."""
    here.world.declare("b", "a")
    here.world.others.autoscale(WEB, 2, 9)
    here.world.others.scale(WEB, 5)
    assert here.caught_up() == here.world.cluster.snapshot(Scope())


def test_following_sends_no_further_request(here: Mirrored) -> None:
    here.world.declare("a")
    assert (here.names(), here.world.double.log) == (["a", "web"], [])


def test_what_did_not_change_is_the_same_object(here: Mirrored) -> None:
    """So a pass costs next to nothing while nothing happens."""
    before = here.caught_up()
    here.world.others.autoscale(WEB, 2, 9)
    after = here.caught_up()
    assert after.webapps is before.webapps
    assert after.deployments is before.deployments


def test_a_snapshot_does_not_move_once_it_was_taken(here: Mirrored) -> None:
    before = here.caught_up()
    here.world.others.delete(DEPLOYMENTS, CHILD)
    assert (list(here.caught_up().deployments), list(before.deployments)) == ([], [CHILD])


def test_a_deployment_may_go_before_its_webapp_is_said_to(here: Mirrored) -> None:
    """Streams are not in step: a pass between the two asks for the WebApp, and creates nothing."""
    here.stream("webapps").silent = True
    here.world.others.delete(WEBAPPS, WEB)
    here.world.others.delete(DEPLOYMENTS, CHILD)
    here.stream("deployments").told()
    assert here.reconcile(here.remembered) == []
    assert here.mirror.snapshot().webapps == ()


def test_autoscalers_that_may_not_be_listed_are_unknown_and_no_trouble(world: World) -> None:
    """No stream is opened for them."""
    world.double.denied.add(("list", str(AUTOSCALERS)))
    with mirrored(world) as here:
        assert here.mirror.snapshot().autoscalers.unknown == {""}
        assert (here.mirror.trouble, world.sent["watch horizontalpodautoscalers"]) == ("", 0)


def test_autoscalers_are_followed_once_a_list_shows_that_they_may_be(world: World) -> None:
    world.declare("web")
    world.double.denied.add(("list", str(AUTOSCALERS)))
    with mirrored(world) as here:
        world.double.denied.clear()
        here.differences()
        here.stream("horizontalpodautoscalers")
        world.others.autoscale(WEB, 2, 9)
        assert (list(here.caught_up().autoscalers.by_target), here.mirror.snapshot().autoscalers.unknown) == (
            [CHILD],
            frozenset(),
        )


def test_a_selector_narrows_the_webapps_and_not_the_deployments(world: World) -> None:
    """One that leaves the selection is gone from the mirror, one that enters it is there."""
    world.declare("a", "b")
    world.settle()
    _label(world, "a", team="x")
    with mirrored(world, Scope(selector="team=x")) as here:
        _label(world, "a", team="y")
        _label(world, "b", team="x")
        assert (here.names(), len(here.mirror.snapshot().deployments)) == (["b"], 2)


def test_names_narrow_what_is_shown(world: World) -> None:
    world.declare("a", "b")
    with mirrored(world, Scope(names=(ObjectKey("", "b"),))) as here:
        assert (here.names(), here.mirror.snapshot().every_webapp) == (["b"], False)


def test_each_namespace_of_the_scope_has_its_streams(world: World) -> None:
    world.declare("a")
    with mirrored(world, Scope(namespaces=("shop", "default"))) as here:
        world.others.declare(ObjectKey("default", "b"))
        soon(lambda: [str(webapp.key) for webapp in here.mirror.snapshot().webapps] == ["default/b", "shop/a"])


def test_a_mirror_that_was_never_started_can_be_closed(world: World) -> None:
    Mirrored(world, Scope()).mirror.close()


def test_closing_ends_every_thread(world: World) -> None:
    """Though each of them waits for what never comes."""
    with mirrored(world):
        pass
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("mirror-")] == []


def _label(world: World, name: str, **labels: str) -> None:
    world.others.patch(WEBAPPS, key(name), {"metadata": {"labels": labels}}, manager="kubectl-label")
