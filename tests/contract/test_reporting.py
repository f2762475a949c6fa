"""Statuses of WebApps, and Events."""

from __future__ import annotations

from typing import Any

from tests.builders import NOW
from tests.contract.conftest import Server
from tests.double.fields import Obj
from tests.manifests import webapp
from webappctl.cluster import requests
from webappctl.cluster.requests import EVENTS, WEBAPPS

AVAILABLE = {"type": "Available", "status": "True", "reason": "R", "message": "m", "lastTransitionTime": NOW}
THEIRS = {"type": "Theirs", "status": "True"}


def _report(server: Server, status: Obj, **meta: Any) -> tuple[int, Obj]:
    body = webapp(meta.pop("name", "web"), server.namespace, status=status, **meta)
    return server.send(requests.apply(WEBAPPS, body, force=True, subresource="status"))


def _event(server: Server, **fields: Any) -> tuple[int, Obj]:
    body = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "web.1", "namespace": server.namespace},
        "involvedObject": {"kind": "WebApp", "name": "web", "namespace": server.namespace},
        "type": "Normal",
        "count": 1,
    }
    return server.send(requests.create(EVENTS, body | fields))


def test_a_status_is_written_and_the_generation_stays(server: Server) -> None:
    """The resourceVersion moves."""
    before = server.webapp().metadata
    status, body = _report(server, {"observedGeneration": 1, "conditions": [AVAILABLE]})
    assert (status, body["status"]["conditions"], body["metadata"]["generation"]) == (200, [AVAILABLE], 1)
    assert body["metadata"]["resourceVersion"] != before.resource_version


def test_the_same_status_again_moves_nothing(server: Server) -> None:
    """A no-op leaves the resourceVersion."""
    _report(server, {"observedGeneration": 1, "conditions": [AVAILABLE]})
    before = server.webapp().metadata
    assert _report(server, {"observedGeneration": 1, "conditions": [AVAILABLE]})[0] == 200
    assert server.webapp().metadata == before


def test_a_status_leaves_the_spec_and_the_labels(server: Server) -> None:
    """Whatever else is in the body."""
    _report(server, {"observedGeneration": 1}, labels={"team": "a"})
    found = server.webapp()
    assert (found.metadata.labels, found.spec and found.spec.port) == (None, 80)


def test_a_condition_that_we_leave_out_goes(server: Server) -> None:
    """And those of others stay."""
    stalled = {"type": "Stalled", "status": "True"}
    _report(server, {"conditions": [AVAILABLE, stalled]})
    patch = {"status": {"conditions": [AVAILABLE, stalled, THEIRS]}}
    server.others.patch(WEBAPPS, server.key, patch, manager="another", sub="status")
    _, body = _report(server, {"conditions": [AVAILABLE]})
    assert body["status"]["conditions"] == [AVAILABLE, THEIRS]


def test_a_status_for_a_moved_webapp_is_refused(server: Server) -> None:
    """A stale resourceVersion is a 409 without causes."""
    status, body = _report(server, {"observedGeneration": 1}, resourceVersion="2")
    assert (status, body["reason"], "causes" in body["details"]) == (409, "Conflict", False)


def test_the_uid_of_a_status_is_not_looked_at(server: Server) -> None:
    """Under /status of a custom resource the metadata is ignored, so it is the resourceVersion that guards."""
    status, _ = _report(server, {"observedGeneration": 5}, uid="825783b6-eea4-45d9-8207-e48c3ad3d38c")
    assert status == 200


def test_a_status_never_creates(server: Server) -> None:
    """404 that names the WebApp."""
    status, body = _report(server, {"observedGeneration": 1}, name="nothing")
    assert (status, body["details"]["name"]) == (404, "nothing")


def test_a_field_that_the_crd_does_not_know_is_a_500(server: Server) -> None:
    """Nothing of the status is written."""
    status, body = _report(server, {"observedGeneration": 1, "unknown": 1})
    assert status == 500
    assert "field not declared in schema" in body["message"]
    assert server.webapp().status is None


def test_our_status_is_an_entry_of_its_own(server: Server) -> None:
    """In managedFields, under the subresource."""
    _, body = _report(server, {"observedGeneration": 1})
    entries = {(e["manager"], e["operation"], e.get("subresource", "")) for e in body["metadata"]["managedFields"]}
    assert ("webappctl", "Apply", "status") in entries


def test_an_event_is_created_once(server: Server) -> None:
    """The second of that name is a 409 with the reason AlreadyExists."""
    assert _event(server)[0] == 201
    status, body = _event(server)
    assert (status, body["reason"]) == (409, "AlreadyExists")


def test_an_event_is_counted_by_a_merge_patch(server: Server) -> None:
    """With the resourceVersion that was read; the other fields stay."""
    _, stored = _event(server)
    patch = {"metadata": {"resourceVersion": stored["metadata"]["resourceVersion"]}, "count": 2}
    request = requests.merge_patch(EVENTS, server.namespace, "web.1", patch)
    status, body = server.send(request)
    assert (status, body["count"], body["type"]) == (200, 2, "Normal")
    status, body = server.send(request)
    assert (status, body["reason"]) == (409, "Conflict")


def test_an_event_that_expired_cannot_be_counted(server: Server) -> None:
    """404 that names it."""
    status, body = server.send(requests.merge_patch(EVENTS, server.namespace, "gone", {"count": 2}))
    assert (status, body["details"]) == (404, {"name": "gone", "kind": "events"})


def test_an_event_needs_its_namespace(server: Server) -> None:
    """404 that names the namespace."""
    elsewhere = {
        "metadata": {"name": "web.1", "namespace": "nowhere"},
        "involvedObject": {"kind": "WebApp", "name": "web", "namespace": "nowhere"},
    }
    status, body = _event(server, **elsewhere)
    assert (status, body["details"]) == (404, {"name": "nowhere", "kind": "namespaces"})
