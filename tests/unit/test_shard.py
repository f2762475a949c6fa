from __future__ import annotations

from collections import Counter

import pytest

from webappctl.core.objects.shard import Shard

NAMESPACES = [f"team-{number}" for number in range(1000)]


@pytest.mark.parametrize("count", [1, 2, 3, 16])
def test_each_namespace_is_of_exactly_one_shard(count: int) -> None:
    shards = [Shard(index, count) for index in range(count)]
    owners = [[shard for shard in shards if shard.owns(namespace)] for namespace in NAMESPACES]
    assert {len(found) for found in owners} == {1}


def test_shards_are_of_about_the_same_size() -> None:
    sizes = Counter(index for index in range(4) for namespace in NAMESPACES if Shard(index, 4).owns(namespace))
    assert all(200 < size < 300 for size in sizes.values())


def test_whose_a_namespace_is_never_changes() -> None:
    """An old and a new version run side by side while one replaces the other."""
    names = ("default", "shop", "blog", "kube-system", "team-1")
    assert [name for name in names if Shard(0, 3).owns(name)] == ["blog"]
    assert [name for name in names if Shard(1, 3).owns(name)] == ["default", "shop", "kube-system", "team-1"]
