"""managedFields handed over from a former manager: what an apply then takes away, and what it leaves."""

from __future__ import annotations

import json

import pytest

from tests.contract.conftest import Server
from tests.double.fields import Obj
from webappctl import errors
from webappctl.cluster.requests import DEPLOYMENTS, json_patch
from webappctl.core.objects import (
    IMAGE_PATH,
    PORTS_PATH,
    Container,
    Deployment,
    FieldPath,
    Json,
    ManagedFields,
    deployment_key,
)
from webappctl.core.takeover import handed_over

FORMER = "manager"
"""The name under which the former operator wrote."""


def _port(number: int) -> str:
    return f'k:{{"containerPort":{number},"protocol":"TCP"}}'


def _theirs(server: Server) -> Deployment:
    """A Deployment that somebody else created, with ports 80 and 9090 in container `app`."""
    body = server.projection()
    body["spec"]["template"]["spec"]["containers"][0]["ports"] = [{"containerPort": 80}, {"containerPort": 9090}]
    server.others.create(DEPLOYMENTS, body, manager=FORMER)
    return server.deployment()


def _cleared(server: Server) -> Deployment:
    _theirs(server)
    server.others.edit(server.key, lambda live: live["metadata"].update(managedFields=[{}]))
    return server.deployment()


def _entries(live: Deployment) -> list[Obj]:
    entries: list[Obj] = json.loads(bytes(live.metadata.managed_fields) or b"[]")
    return entries


def _ours(*ports: int, **changes: object) -> Obj:
    """Our entry, of those ports of container `app`."""
    fields: Obj = {_port(port): {} for port in ports}
    for step in reversed(PORTS_PATH):
        fields = {step: fields}
    entry = {"manager": "webappctl", "operation": "Apply", "apiVersion": "apps/v1", "fieldsType": "FieldsV1"}
    return {key: value for key, value in (entry | {"fieldsV1": fields} | changes).items() if value is not None}


def _without_ports(live: Deployment) -> list[Json]:
    """Their entries but for the ports of container `app`."""
    entries = _entries(live)
    for entry in entries:
        inner = entry["fieldsV1"]
        for step in PORTS_PATH[:-1]:
            inner = inner.get(step, {})
        inner.pop(PORTS_PATH[-1], None)
    return [*entries]


def _ports(live: Deployment) -> list[int]:
    return [port.container_port for port in _app(live).ports or ()]


def _app(live: Deployment) -> Container:
    found = live.container("app")
    assert found is not None
    return found


def _owners(server: Server, path: FieldPath) -> list[tuple[str, str]]:
    return sorted((owner.manager, owner.operation) for owner in server.managers().owners(path))


def _update(server: Server, port: int) -> Deployment:
    """webappctl's, after the port of the WebApp changed."""
    server.others.respecify(server.key, port=port)
    status, answer = server.update()
    assert status == 200, answer
    return server.deployment()


def test_without_a_hand_over_their_ports_stay(server: Server) -> None:
    """So an apply alone cannot take a Deployment over."""
    _theirs(server)
    assert sorted(_ports(_update(server, 8080))) == [80, 8080, 9090]


def test_ports_that_were_handed_over_go(server: Server) -> None:
    """Those that we no longer apply."""
    live = _theirs(server)
    server.cluster.hand_over(live, [_ours(80, 9090), *_without_ports(live)])
    assert _ports(_update(server, 8080)) == [8080]


def test_a_hand_over_changes_nothing_but_the_owners(server: Server) -> None:
    """The spec, the labels and the generation are as before; each entry is as it was given."""
    live = _theirs(server)
    server.cluster.hand_over(live, [_ours(80, 9090), *_without_ports(live)])
    after = server.deployment()
    assert (after.spec, after.metadata.labels, after.metadata.generation) == (live.spec, live.metadata.labels, 1)
    assert _owners(server, (*PORTS_PATH, _port(80))) == [("webappctl", "Apply")]
    assert _owners(server, IMAGE_PATH) == [(FORMER, "Update")]


def test_a_hand_over_of_a_moved_deployment_is_a_conflict(server: Server) -> None:
    """And changes nothing."""
    read = _theirs(server)
    server.others.edit(server.key, lambda live: live["metadata"]["labels"].update(team="a"))
    before = server.deployment()
    with pytest.raises(errors.Conflict) as caught:
        server.cluster.hand_over(read, [_ours(80)])
    assert caught.value.causes == ()
    assert server.deployment().metadata == before.metadata


def test_a_hand_over_that_changes_nothing_moves_nothing(server: Server) -> None:
    """So it can be carried out again."""
    live = _theirs(server)
    server.cluster.hand_over(live, [*_entries(live)])
    assert server.deployment().metadata == live.metadata


def test_after_managed_fields_were_cleared_the_first_apply_takes_nothing_away(server: Server) -> None:
    """All that is there is then said to be of `before-first-apply`."""
    _cleared(server)
    assert sorted(_ports(_update(server, 8080))) == [80, 8080, 9090]
    assert _owners(server, (*PORTS_PATH, _port(80))) == [("before-first-apply", "Update")]


def test_ports_can_be_claimed_where_managed_fields_were_cleared(server: Server) -> None:
    """By an entry of ours where there was none."""
    server.cluster.hand_over(_cleared(server), [_ours(80, 9090)])
    assert _ports(_update(server, 8080)) == [8080]


def test_where_managed_fields_were_cleared_an_update_leaves_no_trace(server: Server) -> None:
    """Until somebody applies, nobody owns anything, whoever writes."""
    _cleared(server)
    server.others.edit(server.key, lambda live: live["metadata"]["labels"].update(team="a"))
    server.others.scale(server.key, 2)
    assert _entries(server.deployment()) == []


@pytest.mark.parametrize("missing", ["fieldsType", "apiVersion", "operation"])
def test_an_entry_that_is_not_whole_hands_nothing_over(server: Server, missing: str) -> None:
    """Without a word: the managedFields are then as before."""
    live = _theirs(server)
    server.cluster.hand_over(live, [_ours(80), *_without_ports(live), _ours(9090, **{missing: None})])
    assert server.deployment().metadata == live.metadata


@pytest.mark.parametrize("odd", [{"apiVersion": "apps/v9"}, {"fieldsV1": {}}])
def test_an_entry_of_no_use_is_dropped(server: Server, odd: Obj) -> None:
    """One of a version that is not served, or without fields; those beside it count."""
    live = _theirs(server)
    after = server.cluster.hand_over(live, [_ours(80, manager="x", **odd), *_without_ports(live), _ours(9090)])
    assert {entry["manager"] for entry in _entries(after)} == {"webappctl", *_managers(live)}


def test_of_two_entries_of_one_manager_the_last_counts(server: Server) -> None:
    """So what is handed over must be one entry."""
    live = _theirs(server)
    server.cluster.hand_over(live, [*_without_ports(live), _ours(80), _ours(9090)])
    assert server.managers().our_list_keys(PORTS_PATH) == ({"containerPort": 9090, "protocol": "TCP"},)


def test_a_json_patch_that_does_not_fit_is_invalid(server: Server) -> None:
    """A `test` that fails is a 422: not to be told from a bad object, so nothing of ours rests on one."""
    _theirs(server)
    test = {"op": "test", "path": "/metadata/uid", "value": "x"}
    status, body = server.send(json_patch(DEPLOYMENTS, *deployment_key(server.key), [test]))
    assert (status, body["reason"]) == (422, "Invalid")


def _managers(live: Deployment) -> set[str]:
    return {entry["manager"] for entry in _entries(live)}


def _named(server: Server) -> None:
    """Somebody gives the port of our container a name."""

    def name(live: Obj) -> None:
        live["spec"]["template"]["spec"]["containers"][0]["ports"][0]["name"] = "http"

    server.others.edit(server.key, name)


def test_a_port_goes_with_its_last_owner_whoever_owns_its_name(server: Server) -> None:
    """Who holds only a field of an item does not keep the item."""
    server.created()
    _named(server)
    server.others.respecify(server.key, port=8080)
    status, body = server.update()
    assert status == 200, body
    (port,) = body["spec"]["template"]["spec"]["containers"][0]["ports"]
    assert port["containerPort"] == 8080


def test_a_port_that_is_handed_over_keeps_the_name_that_another_gave_it(server: Server) -> None:
    """Only what makes the port is ours."""
    live = _theirs(server)
    _named(server)
    live = server.deployment()
    server.cluster.hand_over(live, handed_over(live))
    server.others.respecify(server.key, replicas=5)
    status, body = server.update()
    assert status == 200, body
    ports = body["spec"]["template"]["spec"]["containers"][0]["ports"]
    assert [(port["containerPort"], port.get("name")) for port in ports] == [(80, "http")]


def test_what_is_handed_over_and_not_applied_is_not_ours(server: Server) -> None:
    """A crash between the two requests: the next pass begins anew."""
    live = _theirs(server)
    after = server.cluster.hand_over(live, handed_over(live))
    assert not ManagedFields.read(after.metadata.managed_fields).applied_by_us
    assert handed_over(after) == handed_over(server.deployment())
