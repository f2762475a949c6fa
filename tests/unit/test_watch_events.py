"""Lines of a watch as values."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from webappctl.core.objects import (
    Deployment,
    EventType,
    Unreadable,
    WebApp,
    WebAppOfOddStatus,
    kept,
    read_autoscaler_event,
    read_deployment_event,
    read_deployments,
    read_webapp_event,
)
from webappctl.errors import BadAnswer


def line(kind: str, spec: object, version: object = "7", **more: object) -> bytes:
    metadata = {"name": "web", "namespace": "shop", "resourceVersion": version}
    return json.dumps({"type": kind, "object": {"metadata": metadata, "spec": spec, **more}}).encode()


GOOD = {"image": "nginx:1.25", "replicas": 3, "port": 80}


@pytest.mark.parametrize("kind", ["ADDED", "MODIFIED", "DELETED"])
def test_an_event_has_its_type_its_version_and_its_object(kind: str) -> None:
    event = read_webapp_event(line(kind, GOOD))
    assert (event.type, event.resource_version, type(event.object)) == (EventType(kind), "7", WebApp)


@pytest.mark.parametrize(
    ("spec", "more", "expected"),
    [({"replicas": "two"}, {}, Unreadable), (GOOD, {"status": {"readyReplicas": "many"}}, WebAppOfOddStatus)],
)
def test_an_odd_webapp_is_as_in_a_list(spec: object, more: dict[str, Any], expected: type) -> None:
    """Its neighbours are not concerned."""
    assert type(read_webapp_event(line("ADDED", spec, **more)).object) is expected


def test_a_deployment_is_read_as_in_a_list() -> None:
    assert type(read_deployment_event(line("ADDED", {"replicas": 3})).object) is Deployment


def test_a_bookmark_has_a_version_and_no_object() -> None:
    """What else is in its object is nobody's."""
    event = read_deployment_event(line("BOOKMARK", {"replicas": "odd"}))
    assert (event.type, event.resource_version, event.object) == (EventType.BOOKMARK, "7", None)


def test_an_error_keeps_its_status() -> None:
    status = {"kind": "Status", "code": 410}
    event = read_webapp_event(json.dumps({"type": "ERROR", "object": status}).encode())
    assert (event.type, json.loads(event.status)) == (EventType.ERROR, status)


@pytest.mark.parametrize("version", ["", "x", "²", None, 7])
def test_an_event_without_a_version_that_can_be_compared_is_none(version: object) -> None:
    """Nobody could tell what it is older than."""
    with pytest.raises(BadAnswer):
        read_webapp_event(line("ADDED", GOOD, version))


def test_an_autoscaler_that_cannot_be_read_is_an_error() -> None:
    """It may be the one that holds."""
    with pytest.raises(BadAnswer, match="HorizontalPodAutoscaler"):
        read_autoscaler_event(line("ADDED", {"maxReplicas": 3}))


@pytest.mark.parametrize("cut", range(1, 40))
def test_a_line_is_whole_or_an_error(cut: int) -> None:
    """Never half an object."""
    with pytest.raises(BadAnswer):
        read_webapp_event(line("ADDED", GOOD)[:-cut])


def test_what_is_kept_is_the_same() -> None:
    """But not a part of the answer in which it came."""
    labels = {"matchExpressions": [{"key": "a", "operator": "Exists"}]}
    metadata = {"name": "web", "annotations": {"a": "b"}, "managedFields": [{"manager": "m"}]}
    body = {"kind": "DeploymentList", "items": [{"metadata": metadata, "spec": {"selector": labels}}]}
    (found,) = read_deployments(json.dumps(body).encode()).items
    assert isinstance(found, Deployment)
    copy = kept(found)
    assert copy == found
    assert isinstance(copy, Deployment)
    raws = (copy.metadata.annotations, copy.metadata.managed_fields, *(copy.spec.selector.match_expressions or ()))
    assert [raw.copy() is raw for raw in raws] == [True, True, True]


def test_what_is_kept_is_not_a_view() -> None:
    """A view of a page would keep all of it in memory."""
    raw = msgspec.json.decode(b'{"a": {"b": 1}}', type=dict[str, msgspec.Raw])["a"]
    assert raw.copy() is not raw
