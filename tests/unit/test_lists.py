"""JSON of the API server → values: one odd object never takes its neighbours along."""

from __future__ import annotations

import json
from typing import Any

import pytest

from webappctl.core.objects import (
    Condition,
    Deployment,
    Unreadable,
    WebApp,
    read_autoscalers,
    read_deployment,
    read_deployments,
    read_pods,
    read_webapp,
    read_webapps,
)
from webappctl.errors import BadAnswer

HPAS = "HorizontalPodAutoscalerList"
TARGET = {"kind": "Deployment", "name": "web-deployment", "apiVersion": "apps/v1"}
GOOD = {"image": "nginx:1.25", "port": 80}


def _object(name: str, spec: Any, **fields: Any) -> dict[str, Any]:
    return {"metadata": {"name": name, "namespace": "shop"}, "spec": spec} | fields


def _list(*items: Any, kind: str = "WebAppList", **metadata: Any) -> bytes:
    return json.dumps({"kind": kind, "metadata": metadata, "items": list(items)}).encode()


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        (GOOD | {"replicas": "two"}, "spec.replicas: expected int, got str"),
        (GOOD | {"replicas": 2.5}, "spec.replicas: expected int, got float"),
        (GOOD | {"replicas": True}, "spec.replicas: expected int, got bool"),
        (GOOD | {"port": {}}, "spec.port: expected int, got object"),
        (GOOD | {"image": ["a"]}, "spec.image: expected str, got array"),
        ("none", "spec: expected object, got str"),
        ([], "spec: expected object, got array"),
    ],
)
def test_an_odd_webapp_is_unreadable_among_good_ones(spec: Any, problem: str) -> None:
    """Its neighbours are read, in their order, and it says which field is wrong."""
    page = read_webapps(_list(_object("a", GOOD), _object("odd", spec), _object("z", GOOD)))
    assert [type(item) for item in page.items] == [WebApp, Unreadable, WebApp]
    odd = page.items[1]
    assert isinstance(odd, Unreadable)
    assert (odd.key.name, odd.problem) == ("odd", problem)


@pytest.mark.parametrize(
    "spec",
    [
        {},
        None,
        {"image": None, "replicas": None},
        GOOD | {"unknown": {"a": 1}},
        GOOD | {"replicas": 2_147_483_648},
    ],
)
def test_what_can_be_read_is_read(spec: Any) -> None:
    """Missing, null and unknown fields, and big numbers: whether they are right is said later."""
    (found,) = read_webapps(_list(_object("web", spec))).items
    assert isinstance(found, WebApp)


def test_an_odd_status_is_read_as_absent() -> None:
    """It is no reason to leave a WebApp alone: it is written anew."""
    page = read_webapps(_list(_object("a", GOOD), _object("odd", GOOD, status={"readyReplicas": "many"})))
    odd = page.items[1]
    assert isinstance(odd, WebApp)
    assert odd.status is None


def test_an_unreadable_webapp_keeps_its_status() -> None:
    """So that its condition is not written again in every pass."""
    found = read_webapp(json.dumps(_object("odd", "none", status={"observedGeneration": 4})).encode())
    assert isinstance(found, Unreadable)
    assert found.status is not None
    assert found.status.observed_generation == 4


def test_an_odd_deployment_is_unreadable_among_good_ones() -> None:
    """As a WebApp is."""
    odd = _object("odd", {"replicas": "two"})
    page = read_deployments(_list(_object("a", {"replicas": 2}), odd, kind="DeploymentList"))
    assert [type(item) for item in page.items] == [Deployment, Unreadable]


@pytest.mark.parametrize("empty", [None, [], {}])
def test_null_absent_and_empty_are_the_same(empty: Any) -> None:
    """Of a pod template without containers."""
    containers = {"containers": empty} if empty != {} else {}
    found = read_deployment(json.dumps(_object("x", {"template": {"spec": containers}})).encode())
    assert isinstance(found, Deployment)
    assert not found.spec.template.spec.containers


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"\xff\xfe",
        b"{}",
        b"[]",
        b"null",
        b'{"kind": "WebAppList"}',
        b'{"kind": "WebAppList", "items": null}',
        b'{"kind": "WebAppList", "items": {}}',
        b'{"kind": "WebAppList", "items": [7]}',
        b'{"kind": "WebAppList", "items": [{"spec": {}}]}',
        b'{"kind": "WebAppList", "items": [{"metadata": {"name": 7}}]}',
        b'{"kind": "Status", "items": []}',
        b'{"kind": "DeploymentList", "items": []}',
        _list(_object("web", GOOD))[:-3],
    ],
)
def test_what_is_no_whole_list_is_never_an_empty_one(body: bytes) -> None:
    """Unknown is an error."""
    with pytest.raises(BadAnswer):
        read_webapps(body)


def test_a_page_names_the_next() -> None:
    """As the server says it."""
    page = read_webapps(_list(_object("a", GOOD), remainingItemCount=7, **{"continue": "token"}))
    assert page.next_token == "token"


def test_an_odd_object_does_not_hide_the_next_page() -> None:
    """The token is read on the slow path, too."""
    assert read_webapps(_list(_object("odd", "none"), **{"continue": "token"})).next_token == "token"


def test_autoscalers_are_read_with_their_bounds() -> None:
    """Whatever else they hold: metrics, behavior, status."""
    spec = {"scaleTargetRef": TARGET, "minReplicas": 2, "maxReplicas": 9, "metrics": [{"type": "Resource"}]}
    page = read_autoscalers(_list(_object("web", spec, status={"x": 1}), kind=HPAS, **{"continue": "t"}))
    assert [(found.spec.min_replicas, found.spec.max_replicas) for found in page.items] == [(2, 9)]
    assert page.next_token == "t"


@pytest.mark.parametrize(
    "body",
    [
        b"<html>",
        b"\xff\xfe",
        b"{}",
        _list(kind="DeploymentList"),
        _list(_object("web", {}), kind=HPAS),
        _list(_object("web", {"scaleTargetRef": TARGET, "maxReplicas": "9"}), kind=HPAS),
        _list(_object("web", {"scaleTargetRef": TARGET, "maxReplicas": 9}), kind=HPAS)[:-3],
    ],
)
def test_an_odd_autoscaler_spoils_its_list(body: bytes) -> None:
    """The API server types them: one that does not fit is of no API server, and whose replicas it has is unknown."""
    with pytest.raises(BadAnswer):
        read_autoscalers(body)


def test_pods_are_read_and_nothing_else() -> None:
    """A pod that was not looked at by anybody has no status yet."""
    assert [pod.key.name for pod in read_pods(_list(_object("web-1", {}), kind="PodList")).items] == ["web-1"]
    for odd in (_list(kind="DeploymentList"), b"null"):
        with pytest.raises(BadAnswer):
            read_pods(odd)


NULLS: dict[str, Any] = {
    "metadata": {"name": "web-deployment", "namespace": "shop", "labels": None, "generation": None},
    "spec": {"replicas": None, "paused": None, "template": {"metadata": None, "spec": {"containers": None}}},
    "status": {
        "observedGeneration": None,
        "conditions": [{"type": "My", "status": "True", "lastTransitionTime": None}],
    },
}


def test_null_is_as_good_as_absent() -> None:
    """A time that was never set is given as null."""
    found = read_deployment(json.dumps(NULLS).encode())
    assert isinstance(found, Deployment)
    assert found.status.conditions == (Condition("My", "True"),)


def test_beside_a_null_what_is_really_wrong_is_said() -> None:
    odd = NULLS | {"spec": {"replicas": "two"}}
    found = read_deployment(json.dumps(odd).encode())
    assert isinstance(found, Unreadable)
    assert found.problem == "spec.replicas: expected int, got str"


def test_an_odd_object_may_hold_what_is_nested_deep() -> None:
    """In a field that we do not know. It is unreadable, and no failure of the list."""
    deep = "[" * 600 + "]" * 600
    body = _list(_object("odd", "none", foreign="DEEP"), _object("z", GOOD)).replace(b'"DEEP"', deep.encode())
    assert [type(item) for item in read_webapps(body).items] == [Unreadable, WebApp]


def test_a_pod_that_cannot_be_read_is_left_out() -> None:
    """It is only asked why others are not ready."""
    pods = [
        {"metadata": {"name": "a"}, "status": {"phase": None}},
        {"metadata": {"name": 3}},
        {"metadata": {"name": "b"}},
    ]
    page = read_pods(json.dumps({"kind": "PodList", "items": pods}).encode())
    assert [pod.metadata.name for pod in page.items] == ["a", "b"]


def test_an_autoscaler_that_cannot_be_read_spoils_the_list() -> None:
    """It may be the one that holds."""
    listed = {"kind": "HorizontalPodAutoscalerList", "items": [{"metadata": {"name": "a"}}]}
    with pytest.raises(BadAnswer, match="HorizontalPodAutoscalerList"):
        read_autoscalers(json.dumps(listed).encode())
