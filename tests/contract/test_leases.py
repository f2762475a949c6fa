"""The Lease, as the elector keeps it: created once, replaced only as it was read, and released."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import pytest

from tests.contract.conftest import Server
from webappctl.cluster.leases import Leases
from webappctl.cluster.requests import LEASES, create, delete, merge_patch
from webappctl.cluster.transport import Transport
from webappctl.cluster.wire import Resource, Wire
from webappctl.core.lease import LOCK, created, held, read_lease, released
from webappctl.core.objects import ObjectKey
from webappctl.errors import Conflict, Forbidden, NotFound

SECONDS = 10.0
FIRST, LATER = "2026-01-01T00:00:00.000000Z", "2026-01-01T00:00:02.500000Z"
Json = Mapping[str, Any]


def _leases(wire: Wire, namespace: str, **options: str) -> Leases:
    transport = Transport(wire, request_timeout=SECONDS, stop=threading.Event())
    return Leases(transport, namespace, LOCK, **options)


@pytest.fixture
def leases(server: Server) -> Leases:
    return _leases(server.wire, server.namespace)


def _ours(leases: Leases) -> Json:
    return leases.create(created(leases.namespace, LOCK, "us", 15, FIRST), SECONDS)


def _as(server: Server, *rights: tuple[str, Resource]) -> Leases:
    return _leases(server.login(rights), server.namespace)


def test_there_is_none_at_first(leases: Leases) -> None:
    assert leases.get(SECONDS) is None


def test_what_is_created_is_ours_by_what_is_stored(leases: Leases) -> None:
    """On a whole second, too: the times keep their six digits."""
    _ours(leases)
    stored = leases.get(SECONDS)
    assert stored is not None
    found = read_lease(stored)
    assert (found.holder, found.seconds, found.renewed) == ("us", 15, FIRST)


@pytest.mark.parametrize("time", ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.0000000Z"])
def test_a_time_of_other_than_six_digits_is_not_read(server: Server, time: str) -> None:
    """Hence the care."""
    status, _ = server.send(create(LEASES, created(server.namespace, LOCK, "us", 15, time)))
    assert status == 400


def test_of_two_that_create_it_one_has_a_conflict(leases: Leases) -> None:
    _ours(leases)
    with pytest.raises(Conflict):
        _ours(leases)


def test_a_renewal_keeps_what_others_have_put_on_it(server: Server, leases: Leases) -> None:
    """Labels and annotations of an admin, and whatever else."""
    _ours(leases)
    labels = {"metadata": {"labels": {"team": "a"}, "annotations": {"why": "b"}}}
    server.send(merge_patch(LEASES, server.namespace, LOCK, labels))
    live = leases.get(SECONDS)
    assert live is not None
    renewed = leases.replace(held(live, "us", 15, LATER), SECONDS)
    assert (renewed["metadata"]["labels"], renewed["metadata"]["annotations"]) == ({"team": "a"}, {"why": "b"})
    assert (renewed["spec"]["renewTime"], renewed["spec"]["acquireTime"]) == (LATER, FIRST)


def test_what_moved_since_it_was_read_is_not_replaced(leases: Leases) -> None:
    first = _ours(leases)
    leases.replace(held(first, "us", 15, LATER), SECONDS)
    with pytest.raises(Conflict):
        leases.replace(held(first, "them", 15, LATER), SECONDS)


def test_what_was_deleted_is_not_made_anew_by_a_renewal(server: Server, leases: Leases) -> None:
    """It is a conflict: read again, and decide again."""
    live = _ours(leases)
    meta = live["metadata"]
    gone = delete(LEASES, server.namespace, LOCK, uid=meta["uid"], resource_version=meta["resourceVersion"])
    assert server.send(gone)[0] == 200
    with pytest.raises(Conflict):
        leases.replace(held(live, "us", 15, LATER), SECONDS)
    assert leases.get(SECONDS) is None


def test_a_takeover_is_counted(leases: Leases) -> None:
    taken = leases.replace(held(_ours(leases), "them", 20, LATER), SECONDS)
    assert taken["spec"] == {
        "holderIdentity": "them",
        "leaseDurationSeconds": 20,
        "acquireTime": LATER,
        "renewTime": LATER,
        "leaseTransitions": 1,
    }


def test_a_released_one_has_no_holder(leases: Leases) -> None:
    """The API server takes an empty one, as it does from other programs that release theirs."""
    free = leases.replace(released(_ours(leases), LATER), SECONDS)
    assert read_lease(free).holder == ""
    assert free["spec"]["leaseDurationSeconds"] == 1


@pytest.mark.parametrize("seconds", [0, -1, 2**31])
def test_a_duration_that_makes_no_sense_is_refused(server: Server, seconds: int) -> None:
    """One that is absent or null is stored."""
    spec: dict[str, Any] = {"holderIdentity": "them", "leaseDurationSeconds": seconds}
    metadata = {"namespace": server.namespace, "name": LOCK}
    lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata, "spec": spec}
    assert server.send(create(LEASES, lease))[0] in (400, 422)
    spec["leaseDurationSeconds"] = None
    assert server.send(create(LEASES, lease))[0] == 201


def test_the_list_has_those_of_the_namespace(server: Server, leases: Leases) -> None:
    _ours(leases)
    server.others.create(LEASES, {**created(server.namespace, "another", "them", 15, FIRST)})
    assert [read_lease(live).name for live in leases.list(SECONDS)] == ["another", LOCK]


def test_where_there_is_no_namespace_the_other_is_taken(server: Server) -> None:
    """Which is found out by creating the Lease, so that no right to look at namespaces is needed."""
    leases = _leases(server.wire, "no-such-namespace", otherwise=server.namespace)
    assert leases.get(SECONDS) is None
    with pytest.raises(Conflict, match="no namespace no-such-namespace"):
        _ours(leases)
    _ours(leases)
    assert server.others.send_get(LEASES, ObjectKey(server.namespace, LOCK))[0] == 200


def test_a_namespace_that_was_named_has_to_be_there(server: Server) -> None:
    with pytest.raises(NotFound, match="--lease-namespace"):
        _ours(_leases(server.wire, "no-such-namespace"))


def test_a_missing_right_to_read_it_is_named_with_the_ways_out(server: Server) -> None:
    with pytest.raises(Forbidden, match=r"may not get leases\.coordination\.k8s\.io in namespace .*--no-lock"):
        _as(server, ("create", LEASES)).get(SECONDS)


def test_a_missing_right_to_create_it_is_named_with_the_ways_out(server: Server) -> None:
    leases = _as(server, ("get", LEASES))
    with pytest.raises(Forbidden, match=r"may not create leases\.coordination\.k8s\.io in namespace .*--no-lock"):
        _ours(leases)
