"""Deletions with preconditions, and writes that are only tried."""

from __future__ import annotations

import pytest

from tests.contract.conftest import Server
from webappctl import errors
from webappctl.cluster.requests import DEPLOYMENTS
from webappctl.core.desired import creation, update
from webappctl.core.objects import Container, Deployment, deployment_key

ANOTHER_UID = "825783b6-eea4-45d9-8207-e48c3ad3d38c"


def _is_there(server: Server) -> bool:
    return server.others.send_get(DEPLOYMENTS, deployment_key(server.key))[0] == 200


def _app(live: Deployment) -> Container:
    found = live.container("app")
    assert found is not None
    return found


def test_a_deployment_goes_as_it_was_read(server: Server) -> None:
    """With its uid and resourceVersion."""
    read = server.created().metadata
    server.cluster.delete_deployment(read.key, uid=read.uid, resource_version=read.resource_version)
    assert not _is_there(server)


@pytest.mark.parametrize("stale", [{"uid": ANOTHER_UID}, {"resource_version": "2"}], ids=["uid", "version"])
def test_another_one_stays(server: Server, stale: dict[str, str]) -> None:
    """A 409 without causes when it is of another uid, or moved."""
    read = server.created().metadata
    preconditions = {"uid": read.uid, "resource_version": read.resource_version} | stale
    with pytest.raises(errors.Conflict) as caught:
        server.cluster.delete_deployment(read.key, **preconditions)
    assert (caught.value.reason, caught.value.causes) == ("Conflict", ())
    assert server.deployment().metadata == read


def test_to_delete_what_is_not_there_is_a_404(server: Server) -> None:
    """Whatever the preconditions."""
    with pytest.raises(errors.NotFound):
        server.cluster.delete_deployment(deployment_key(server.key), uid=ANOTHER_UID, resource_version="2")


def test_to_delete_is_a_right_of_its_own(server: Server) -> None:
    """A 403 in the words of `delete`, and it stays."""
    read = server.created().metadata
    somebody = server.cluster_with(("get", DEPLOYMENTS), ("patch", DEPLOYMENTS))
    with pytest.raises(errors.Forbidden, match=r"may not delete deployments\.apps"):
        somebody.delete_deployment(read.key, uid=read.uid, resource_version=read.resource_version)
    assert _is_there(server)


@pytest.mark.parametrize("given", [{}, {"resourceVersion": "1"}], ids=["forced", "create-only"])
def test_a_tried_creation_creates_nothing(server: Server, given: dict[str, str]) -> None:
    """The answer is the Deployment as it would be; of a resourceVersion it knows only what it was given."""
    body = server.projection()
    tried = server.cluster.try_deployment(body | {"metadata": body["metadata"] | given}, force=False)
    assert (_app(tried).image, tried.metadata.generation) == ("nginx:1.25", 1)
    assert tried.metadata.resource_version == given.get("resourceVersion", "")
    assert not _is_there(server)


def test_a_tried_update_changes_nothing(server: Server) -> None:
    """The answer has the new generation, and the resourceVersion of what is there."""
    before = server.created()
    server.others.respecify(server.key, image="nginx:1.26")
    tried = server.cluster.try_deployment(update(server.webapp(), before), force=True)
    assert (_app(tried).image, tried.metadata.generation) == ("nginx:1.26", 2)
    assert tried.metadata.resource_version == before.metadata.resource_version
    assert server.deployment() == before


def test_a_tried_write_is_refused_as_the_write_would_be(server: Server) -> None:
    """Here one that creates what is there."""
    server.created()
    with pytest.raises(errors.Conflict):
        server.cluster.try_deployment(creation(server.webapp()), force=False)


def test_to_try_needs_the_right_to_do(server: Server) -> None:
    """So a reader cannot."""
    somebody = server.cluster_with(("get", DEPLOYMENTS), ("patch", DEPLOYMENTS))
    with pytest.raises(errors.Forbidden):
        somebody.try_deployment(creation(server.webapp()), force=False)
