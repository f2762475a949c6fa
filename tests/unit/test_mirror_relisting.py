from __future__ import annotations

import threading

import pytest

from tests.double import World
from webappctl.core.objects import Scope
from webappctl.errors import Forbidden
from webappctl.mirror import Mirror, Relisting


def _relisted(world: World) -> Relisting:
    """One whose list is there, or cannot be had."""
    relisting, done = (
        Relisting(world.cluster, Mirror(world.cluster, Scope(), wake=lambda: None), Scope()),
        threading.Event(),
    )
    relisting.done = done.set
    assert not relisting.ready()
    assert done.wait(10)
    return relisting


def test_a_list_is_begun_by_who_asks_for_it(world: World) -> None:
    """And is there when it has said so."""
    world.declare("web")
    relisting = _relisted(world)
    assert relisting.ready()
    assert [webapp.metadata.name for webapp in relisting.take()[0].webapps[""].items] == ["web"]


def test_it_is_good_for_one_pass(world: World) -> None:
    relisting = _relisted(world)
    relisting.take()
    assert not relisting.ready()


def test_who_does_not_wait_for_it_lists_by_himself(world: World) -> None:
    """It is whole all the same."""
    world.declare("web")
    assert (
        len(
            Relisting(world.cluster, Mirror(world.cluster, Scope(), wake=lambda: None), Scope())
            .take()[0]
            .webapps[""]
            .items
        )
        == 1
    )


def test_what_went_wrong_is_raised_where_it_is_taken(world: World) -> None:
    """A pass that fails is said, and the next one lists again."""
    world.double.denied = {("list", "webapps.apps.example.com")}
    relisting = _relisted(world)
    assert relisting.ready()
    with pytest.raises(Forbidden):
        relisting.take()
    world.double.denied = set()
    assert relisting.take()[0].webapps[""].items == ()
