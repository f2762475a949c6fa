"""The mirror of a shard lists its own namespaces, and drops what its streams tell of the others."""

from __future__ import annotations

import pytest

from tests.double import Sent, World
from tests.mirrored import Mirrored, mirrored
from webappctl.core.objects import ObjectKey, Scope, Shard

OWN = Scope(shard=next(shard for shard in (Shard(index, 5) for index in range(5)) if shard.owns("shop")))
"""Of the double's namespaces, `default` is another's."""
ALL = Scope(shard=Shard(0, 1))


def _begin_anew(here: Mirrored) -> None:
    """Each stream, with a list."""
    for plural in ("webapps", "deployments", "horizontalpodautoscalers"):
        here.stream(plural).cut()
        here.stream(plural)


def test_a_sharded_mirror_lists_nothing_of_others(world: World) -> None:
    """Whenever a stream begins: each kind, in its own namespace and nowhere else."""
    with mirrored(world, OWN) as here:
        _begin_anew(here)
        listed = [(str(sent), sent.namespace) for sent in world.double.log if sent.verb == "list"]
    assert sorted(set(listed)) == [
        ("list deployments", "shop"),
        ("list horizontalpodautoscalers", "shop"),
        ("list namespaces", ""),
        ("list webapps", "shop"),
    ]


def test_a_sharded_mirror_holds_its_own_and_drops_what_is_told_of_others(world: World) -> None:
    """Its streams are of all namespaces."""
    world.declare("listed")
    with mirrored(world, OWN) as here:
        world.declare("told")
        world.others.declare(ObjectKey("default", "foreign"))
        assert here.names() == ["listed", "told"]


@pytest.mark.parametrize("kind", ["webapps", "namespaces"])
def test_what_comes_into_a_new_namespace_while_a_shard_is_listed_is_not_missed(world: World, kind: str) -> None:
    """The namespace is in no list; the stream begins before it."""

    def meanwhile(_: Sent) -> None:
        world.others.namespace("blog")
        world.others.declare(ObjectKey("blog", "new"))

    world.double.on(f"list {kind}", meanwhile)
    with mirrored(world, ALL) as here:
        assert here.names() == ["new"]
