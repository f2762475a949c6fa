"""What each method of Cluster sends."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
import yaml

from tests.builders import deployment
from tests.unit.cluster_fakes import Script, Step, answer, failure
from webappctl import errors
from webappctl.cluster import Cluster, Request, requests
from webappctl.cluster.requests import WEBAPPS
from webappctl.core.objects import ObjectKey, Unreadable

OBJECT = {"metadata": {"namespace": "shop", "name": "web"}}
EVENT = {"metadata": {"namespace": "shop", "name": "web.1"}, "lastTimestamp": "2026-01-02T00:00:00Z", "count": 1}
STORED = answer(200, {"metadata": {"name": "web.1", "resourceVersion": "7"}, "count": 4})
EXISTS = failure(409, reason="AlreadyExists")


def asked(*steps: Step) -> tuple[Cluster, list[Request]]:
    wire = Script(*steps)
    return Cluster(wire.transport(), context="c", workers=1), wire.sent


def body(request: Request) -> Any:
    return json.loads(request.body or b"null")


@pytest.mark.parametrize("force", [True, False])
def test_a_deployment_is_applied_on_the_server(force: bool) -> None:
    """As compact JSON, which is YAML, under our name as the field manager."""
    cluster, sent = asked(answer(201, OBJECT))
    assert cluster.apply_deployment(OBJECT, force=force).metadata.name == "web"
    assert (sent[0].method, sent[0].path) == ("PATCH", "/apis/apps/v1/namespaces/shop/deployments/web")
    assert sent[0].query == {"fieldManager": "webappctl", "force": str(force).lower()}
    assert sent[0].content_type == "application/apply-patch+yaml"
    assert sent[0].body == b'{"metadata":{"namespace":"shop","name":"web"}}'


def test_a_tried_deployment_is_a_dry_run() -> None:
    """Otherwise the same request as the write would be."""
    cluster, sent = asked(answer(201, OBJECT))
    assert cluster.try_deployment(OBJECT, force=True).metadata.name == "web"
    cluster.apply_deployment(OBJECT, force=True)
    assert sent[0] == replace(sent[1], query={**sent[1].query, "dryRun": "All"})


def test_a_try_whose_answer_was_lost_changed_nothing() -> None:
    """Nor one whose answer cannot be read."""
    odd = answer(200, {**OBJECT, "spec": {"replicas": "two"}})
    for step, words in ((errors.Unreachable("no answer"), "no answer"), (odd, "it would be applied, but")):
        cluster, _ = asked(step)
        with pytest.raises(errors.ClusterError, match=words) as caught:
            cluster.try_deployment(OBJECT, force=True)
        assert not caught.value.may_have_happened


def test_a_hand_over_is_bound_to_the_version_that_was_read() -> None:
    """By a JSON patch that sets it: another one is a conflict, and so is a second try of the same."""
    cluster, sent = asked(failure(503), answer(200, OBJECT))
    cluster.hand_over(deployment(), [{"manager": "webappctl"}])
    assert len(sent) == 2
    assert (sent[0].method, sent[0].path) == ("PATCH", "/apis/apps/v1/namespaces/shop/deployments/web-deployment")
    assert sent[0].content_type == "application/json-patch+json"
    assert body(sent[0]) == [
        {"op": "add", "path": "/metadata/managedFields", "value": [{"manager": "webappctl"}]},
        {"op": "replace", "path": "/metadata/resourceVersion", "value": "9"},
    ]


def test_a_deployment_is_deleted_as_it_was_read() -> None:
    """A second try can do no harm; its pods go after it."""
    cluster, sent = asked(failure(503), answer(200, {"kind": "Status"}))
    cluster.delete_deployment(ObjectKey("shop", "web"), uid="u", resource_version="7")
    assert len(sent) == 2
    assert (sent[0].method, sent[0].path) == ("DELETE", "/apis/apps/v1/namespaces/shop/deployments/web")
    assert body(sent[0])["preconditions"] == {"uid": "u", "resourceVersion": "7"}
    assert body(sent[0])["propagationPolicy"] == "Background"


def test_a_deletion_whose_answer_was_lost_may_have_happened() -> None:
    """That there is none then may be our own doing."""
    cluster, _ = asked(errors.Unreachable("no answer"), failure(404, name="web"))
    with pytest.raises(errors.NotFound) as caught:
        cluster.delete_deployment(ObjectKey("shop", "web"), uid="u", resource_version="7")
    assert caught.value.may_have_happened


def test_the_pods_of_a_selector_are_listed() -> None:
    """In that namespace, by pages."""
    pages = [{"kind": "PodList", "items": [OBJECT], "metadata": {"continue": token}} for token in ("t", "")]
    cluster, sent = asked(*(answer(200, page) for page in pages))
    assert [pod.key.name for pod in cluster.pods("shop", "app=web")] == ["web", "web"]
    assert sent[0].path == "/api/v1/namespaces/shop/pods"
    assert [request.query.get("continue", "") for request in sent] == ["", "t"]
    assert {request.query["labelSelector"] for request in sent} == {"app=web"}


def test_a_namespace_is_there_or_absent_or_unknown() -> None:
    """Absent only when the server says so of just that one."""
    cluster, sent = asked(answer(200, {"metadata": {"name": "shop"}}))
    assert cluster.has_namespace("shop")
    assert sent[0].path == "/api/v1/namespaces/shop"
    assert not asked(failure(404, name="shop"))[0].has_namespace("shop")
    for step in (failure(403), answer(404, b"<html>")):
        with pytest.raises(errors.ClusterError):
            asked(step)[0].has_namespace("shop")


def test_a_status_is_forced_onto_the_subresource() -> None:
    """It is ours whoever wrote it before."""
    cluster, sent = asked(answer(200, OBJECT))
    cluster.apply_status(OBJECT)
    assert sent[0].path == "/apis/apps.example.com/v1/namespaces/shop/webapps/web/status"
    assert sent[0].query["force"] == "true"


def test_the_status_of_an_object_that_cannot_be_read_is_merged() -> None:
    """Server-side apply fails on an object that does not fit the schema, a merge patch does not."""
    cluster, sent = asked(answer(200, {**OBJECT, "spec": {"replicas": "two"}}))
    assert isinstance(cluster.merge_status(OBJECT), Unreadable)
    assert sent[0].path == "/apis/apps.example.com/v1/namespaces/shop/webapps/web/status"
    assert sent[0].content_type == "application/merge-patch+json"


def test_a_merged_status_is_tried_again() -> None:
    """It holds the resourceVersion that was read, so that what happened in between is a conflict."""
    cluster, sent = asked(failure(503), answer(200, OBJECT))
    cluster.merge_status(OBJECT)
    assert len(sent) == 2


def test_an_applied_deployment_that_cannot_be_read_is_a_bad_answer() -> None:
    """It was applied, but nothing can be said about it."""
    cluster, _ = asked(answer(200, {**OBJECT, "spec": {"replicas": "two"}}))
    with pytest.raises(errors.BadAnswer, match=r"^shop/web: it was applied") as caught:
        cluster.apply_deployment(OBJECT, force=True)
    assert caught.value.may_have_happened


def test_a_write_whose_answer_is_no_object_may_have_happened() -> None:
    """A 200 of JSON that is something else; a read of it changed nothing."""
    cluster, _ = asked(answer(200, {"kind": "Odd"}))
    with pytest.raises(errors.BadAnswer, match=r"^shop/web: ") as written:
        cluster.apply_status(OBJECT)
    with pytest.raises(errors.BadAnswer, match=r"^shop/web: ") as read:
        cluster.get_deployment(ObjectKey("shop", "web"))
    assert (written.value.may_have_happened, read.value.may_have_happened) == (True, False)


def test_a_new_event_is_one_request() -> None:
    """Events are created under a name that is their content."""
    cluster, sent = asked(answer(201, EVENT))
    cluster.record_event(EVENT)
    assert [(request.method, request.path) for request in sent] == [("POST", "/api/v1/namespaces/shop/events")]


def test_a_recurring_event_is_counted() -> None:
    """The patch holds the resourceVersion that was read, so that nobody else's count is lost."""
    cluster, sent = asked(EXISTS, STORED, answer(200, EVENT))
    cluster.record_event(EVENT)
    assert [request.method for request in sent] == ["POST", "GET", "PATCH"]
    assert sent[2].content_type == "application/merge-patch+json"
    assert body(sent[2]) == {
        "metadata": {"resourceVersion": "7"},
        "count": 5,
        "lastTimestamp": "2026-01-02T00:00:00Z",
    }


def test_an_event_that_expired_meanwhile_is_created() -> None:
    """Events live for an hour only."""
    cluster, sent = asked(EXISTS, failure(404, name="web.1"), answer(201, EVENT))
    cluster.record_event(EVENT)
    assert [request.method for request in sent] == ["POST", "GET", "POST"]


def test_an_event_that_moves_each_time_is_given_up() -> None:
    """After four rounds, with the conflict."""
    cluster, sent = asked(*[EXISTS, STORED, failure(409)] * 4)
    with pytest.raises(errors.Conflict):
        cluster.record_event(EVENT)
    assert len(sent) == 12


@pytest.mark.parametrize("allowed", [True, False])
def test_a_right_is_asked_for_with_all_that_matters(allowed: bool) -> None:
    """The review is about ourselves; its answer is a plain yes or no."""
    cluster, sent = asked(answer(201, {"status": {"allowed": allowed}}))
    assert cluster.may("patch", group="apps", resource="deployments", namespace="shop") is allowed
    attributes = body(sent[0])["spec"]["resourceAttributes"]
    assert attributes == {
        "verb": "patch",
        "group": "apps",
        "resource": "deployments",
        "subresource": "",
        "namespace": "shop",
    }


def test_a_review_may_be_sent_twice() -> None:
    """It changes nothing, although it is a POST."""
    cluster, sent = asked(failure(503), answer(201, {"status": {"allowed": True}}))
    assert cluster.may("list", group="apps", resource="deployments")
    assert len(sent) == 2


@pytest.mark.parametrize("odd", [b"{}", b'{"status":{}}', b'{"status":{"allowed":"yes"}}', b"{]}"])
def test_an_odd_review_is_neither_yes_nor_no(odd: bytes) -> None:
    """It is an error."""
    cluster, _ = asked(answer(201, odd))
    with pytest.raises(errors.BadAnswer, match="SelfSubjectAccessReview"):
        cluster.may("list", group="apps", resource="deployments")


def test_a_crd_that_is_not_there_is_none() -> None:
    """But one that may not be read, or a server that is none, is an error."""
    assert asked(failure(404, name="x"))[0].get_crd("x") is None
    for step in (failure(403), answer(404, b"<html>"), answer(404, b"404 page not found")):
        with pytest.raises(errors.ClusterError):
            asked(step)[0].get_crd("x")


def test_a_crd_is_taken_over() -> None:
    """Whoever installed it before."""
    cluster, sent = asked(answer(200, {"kind": "CustomResourceDefinition"}))
    assert cluster.apply_crd({"metadata": {"name": "x"}}) == {"kind": "CustomResourceDefinition"}
    assert sent[0].path == "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/x"
    assert sent[0].query["force"] == "true"


@pytest.mark.parametrize("odd", ["\x7f", "\x85", "\x9b", "\u2028", "\ufeff", "\uffff", "é", "\U0001f600", "\\", '"'])
def test_what_is_applied_is_json_and_yaml(odd: str) -> None:
    """The API server reads it as YAML, which refuses some characters that JSON has as they are, and folds others."""
    manifest = {"metadata": {"name": "web", "namespace": "shop"}, "status": {"message": f"a{odd}b"}}
    body = requests.apply(WEBAPPS, manifest, force=True).body or b""
    assert json.loads(body) == yaml.safe_load(body.decode()) == manifest
