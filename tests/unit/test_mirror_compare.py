"""Lists against the mirror: what is healed, and what of it is an error of the streams."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.double import World, key
from tests.mirrored import Mirrored, mirrored, soon
from webappctl.cluster.requests import AUTOSCALERS, DEPLOYMENTS, WEBAPPS
from webappctl.core.objects import Kind, Lists, ObjectKey, Scope, deployment_key

WEB = key("web")
CHILD = deployment_key(WEB)


@pytest.fixture
def here(world: World) -> Iterator[Mirrored]:
    """With a WebApp `web`, settled."""
    world.declare("web")
    world.settle()
    with mirrored(world) as here:
        yield here


def _lists(here: Mirrored) -> Lists:
    return here.world.cluster.lists(here.scope)


def _deaf(here: Mirrored, plural: str) -> None:
    """The stream says that it told all, and left out what happens now."""
    stream = here.stream(plural)
    stream.told()
    stream.deaf = True


def test_a_mirror_that_is_right_differs_in_nothing(here: Mirrored) -> None:
    here.world.declare("a")
    here.world.others.scale(WEB, 5)
    here.caught_up()
    assert here.differences() == 0


def test_what_the_stream_has_not_reached_yet_is_healed_and_no_error(here: Mirrored) -> None:
    """It is only late: a new one, a changed one, and one that is gone."""
    here.world.declare("gone")
    here.caught_up()
    here.stream("webapps").silent = True
    here.world.declare("a")
    here.world.others.respecify(WEB, image="nginx:2")
    here.world.others.delete(WEBAPPS, key("gone"))
    assert here.differences() == 0
    assert here.mirror.snapshot() == here.world.cluster.snapshot(Scope())


@pytest.mark.parametrize("change", ["new", "changed", "gone"])
def test_what_the_stream_should_have_told_is_healed_and_an_error(here: Mirrored, change: str) -> None:
    """It told of what came later."""
    _deaf(here, "webapps")
    match change:
        case "new":
            here.world.declare("a")
        case "changed":
            here.world.others.respecify(WEB, image="nginx:2")
        case "gone":
            here.world.others.delete(WEBAPPS, WEB)
    here.stream("webapps").bookmark()
    here.stream("webapps").told()
    assert here.differences() == 1
    assert here.mirror.snapshot() == here.world.cluster.snapshot(Scope())
    assert (here.differences(), here.mirror.differences) == (0, 1)


def test_what_is_newer_than_the_list_stays(here: Mirrored) -> None:
    """The stream was faster than the list."""
    old = _lists(here)
    here.world.declare("a")
    here.world.others.scale(WEB, 5)
    here.caught_up()
    assert here.mirror.compare(old) == 0
    assert (here.names(), here.replicas(CHILD)) == (["a", "web"], 5)


def test_what_is_gone_does_not_come_back_by_an_older_list(here: Mirrored) -> None:
    """The stream was faster than the list."""
    old = _lists(here)
    here.world.others.delete(WEBAPPS, WEB)
    here.caught_up()
    assert here.mirror.compare(old) == 0
    assert here.names() == []


def test_what_is_gone_does_not_come_back_by_an_older_answer(here: Mirrored) -> None:
    """Not even when a list came between, and nothing is remembered of it but that."""
    old = here.world.cluster.get_webapp(WEB)
    here.world.others.delete(WEBAPPS, WEB)
    here.caught_up()
    here.differences()
    here.mirror.took(Kind.WEBAPPS, old)
    assert here.names() == []


def test_one_that_was_made_again_is_another(here: Mirrored) -> None:
    """Of the same name, with another uid."""
    before = here.mirror.uid(Kind.WEBAPPS, WEB)
    here.world.others.delete(WEBAPPS, WEB)
    here.world.declare("web")
    here.caught_up()
    assert here.mirror.uid(Kind.WEBAPPS, WEB) not in ("", before)


def test_one_that_was_made_again_stays_when_its_predecessor_is_said_to_be_gone(here: Mirrored) -> None:
    """The 404 was about the other one."""
    before = here.mirror.uid(Kind.WEBAPPS, WEB)
    here.world.others.delete(WEBAPPS, WEB)
    here.world.declare("web")
    here.caught_up()
    here.mirror.lost(Kind.WEBAPPS, WEB, before)
    assert here.names() == ["web"]


def test_what_we_know_to_be_gone_does_not_come_back_by_a_late_event(here: Mirrored) -> None:
    """Somebody had changed it before it went, and the stream tells of that only now."""
    here.stream("deployments").silent = True
    uid = here.mirror.uid(Kind.DEPLOYMENTS, CHILD)
    here.world.others.scale(WEB, 5)
    here.mirror.lost(Kind.DEPLOYMENTS, CHILD, uid)
    here.stream("deployments").silent = False
    assert list(here.caught_up().deployments) == []


def test_what_was_said_to_be_gone_and_is_not_comes_back_with_the_next_comparison(here: Mirrored) -> None:
    """A finalizer may hold it; that is no error of the stream."""
    here.mirror.lost(Kind.DEPLOYMENTS, CHILD, here.mirror.uid(Kind.DEPLOYMENTS, CHILD))
    assert list(here.mirror.snapshot().deployments) == []
    assert here.differences() == 0
    assert list(here.mirror.snapshot().deployments) == [CHILD]


def test_a_store_that_was_set_back_is_believed(here: Mirrored) -> None:
    """After a restore its resourceVersions begin anew below ours."""
    store = here.world.double.store
    here.world.others.scale(WEB, 5)
    here.caught_up()
    store.set_back(50)
    for plural in ("webapps", "deployments", "horizontalpodautoscalers"):
        here.stream(plural).cut()
    here.world.others.scale(WEB, 4)
    here.stream("deployments")
    assert here.replicas(CHILD) == 4


def test_a_store_that_was_set_back_is_believed_by_a_pass_whose_streams_have_not_noticed(here: Mirrored) -> None:
    """They wait for what comes after a resourceVersion that will not come for a long time."""
    world, mark = here.world, here.mirror.mark
    here.caught_up()
    before = mark()
    for plural in ("webapps", "deployments", "horizontalpodautoscalers"):
        here.stream(plural).silent = True
    world.double.store.set_back(50)
    world.others.delete(WEBAPPS, WEB)
    world.declare("a")
    here.mirror.compare(world.cluster.lists(here.scope), before)
    assert [webapp.metadata.name for webapp in here.mirror.snapshot().webapps] == ["a"]
    world.declare("b")
    soon(lambda: [webapp.metadata.name for webapp in here.mirror.snapshot().webapps] == ["a", "b"])


def test_autoscalers_that_may_no_longer_be_listed_are_unknown(here: Mirrored) -> None:
    """What was known of them is not: it may have changed since."""
    here.world.others.autoscale(WEB, 2, 9)
    here.caught_up()
    here.world.double.denied.add(("list", str(AUTOSCALERS)))
    here.differences()
    found = here.mirror.snapshot().autoscalers
    assert (list(found.by_target), found.unknown) == ([], frozenset(("",)))


def _by_namespace(here: Mirrored, *namespaces: str) -> Lists:
    """As if these had been listed, each by itself."""
    return here.world.cluster.lists(replace(here.scope, namespaces=namespaces))


def test_a_stream_of_all_namespaces_is_compared_with_the_list_of_each(here: Mirrored) -> None:
    here.world.others.declare(ObjectKey("default", "b"))
    _deaf(here, "webapps")
    here.world.declare("a")
    here.stream("webapps").bookmark()
    here.stream("webapps").told()
    assert here.mirror.compare(_by_namespace(here, "default", "shop")) == 1
    assert here.names() == ["b", "a", "web"]


def test_what_is_in_no_listed_namespace_goes_with_the_second_comparison(here: Mirrored) -> None:
    """Its namespace is gone. The first might be of a moment when that was not made yet."""
    assert here.mirror.compare(_by_namespace(here, "default")) == 0
    assert here.names() == ["web"]
    here.mirror.compare(_by_namespace(here, "default"))
    assert here.names() == []


def test_what_is_newer_than_the_last_lists_stays_though_its_namespace_was_not_listed(here: Mirrored) -> None:
    """The namespaces were looked up before that one was made."""
    here.mirror.compare(_by_namespace(here, "shop"))
    here.world.others.namespace("new")
    here.world.others.declare(ObjectKey("new", "b"))
    here.caught_up()
    assert here.mirror.compare(_by_namespace(here, "shop")) == 0
    assert here.names() == ["b", "web"]


def test_an_orphaned_name_is_dropped_where_it_is_no_concern_any_more(here: Mirrored) -> None:
    """A Deployment with a name of its own is ours by its label alone."""
    named = here.world.others.deployment(WEB)
    meta = {"name": "renamed", "namespace": "shop", "labels": named["metadata"]["labels"]}
    here.world.others.create(DEPLOYMENTS, {"metadata": meta, "spec": named["spec"]})
    assert ObjectKey("shop", "renamed") in here.caught_up().deployments
    patch = {"metadata": {"labels": None}}
    here.world.others.patch(DEPLOYMENTS, ObjectKey("shop", "renamed"), patch, manager="kubectl-label")
    assert list(here.caught_up().deployments) == [CHILD]
    assert here.differences() == 0
