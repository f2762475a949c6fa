"""A shard looks its namespaces up, lists those, and nothing of the others."""

from __future__ import annotations

import pytest

from tests.contract.conftest import Server
from webappctl.cluster.requests import AUTOSCALERS, DEPLOYMENTS, WEBAPPS
from webappctl.core.objects import Scope, Shard
from webappctl.errors import Forbidden

COUNT = 3


def _scope(server: Server, *, ours: bool) -> Scope:
    """That of the shard which has the test's namespace, or of another one."""
    owner = next(index for index in range(COUNT) if Shard(index, COUNT).owns(server.namespace))
    return Scope(shard=Shard(owner if ours else (owner + 1) % COUNT, COUNT))


def test_what_is_in_its_namespaces_is_in_the_snapshot(server: Server) -> None:
    made = server.created()
    found = server.cluster.snapshot(_scope(server, ours=True))
    assert server.key in [webapp.key for webapp in found.webapps]
    assert made.key in found.deployments


def test_what_is_in_others_is_not(server: Server) -> None:
    server.created()
    found = server.cluster.snapshot(_scope(server, ours=False))
    assert server.namespace not in {key.namespace for key in (*(w.key for w in found.webapps), *found.deployments)}


def test_each_of_its_namespaces_is_listed_for_each_kind(server: Server) -> None:
    """And where autoscalers are listed, is known of each."""
    lists = server.cluster.lists(_scope(server, ours=True))
    assert server.namespace in lists.webapps
    assert lists.webapps.keys() == lists.deployments.keys() == lists.autoscalers.keys()
    assert None not in lists.autoscalers.values()


def test_rights_to_list_are_of_no_use_without_the_one_to_list_namespaces(server: Server) -> None:
    """In that very namespace, that is: a shard has to see them all."""
    cluster = server.cluster_with(*(("list", resource) for resource in (WEBAPPS, DEPLOYMENTS, AUTOSCALERS)))
    with pytest.raises(Forbidden, match="may not list namespaces"):
        cluster.lists(_scope(server, ours=True))
