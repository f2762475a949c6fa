"""Lists by pages, selectors, reviews of rights, and what is refused to whom."""

from __future__ import annotations

import pytest

from tests.contract.conftest import Server
from tests.double.fields import Obj
from tests.double.kinds import NAMESPACES
from tests.manifests import webapp
from webappctl.cluster import requests
from webappctl.cluster.requests import ACCESS_REVIEWS, DEPLOYMENTS, WEBAPPS
from webappctl.cluster.wire import Resource
from webappctl.core.desired import creation
from webappctl.core.objects import ObjectKey


def _list(server: Server, **query: str) -> tuple[int, Obj]:
    return server.send(requests.list_page(WEBAPPS, server.namespace, query))


def _names(body: Obj) -> list[str]:
    return [item["metadata"]["name"] for item in body["items"]]


def _declare(server: Server, *names: str) -> None:
    for name in names:
        server.others.declare(ObjectKey(server.namespace, name))


def test_a_list_is_sorted_and_says_its_kind(server: Server) -> None:
    """By name, whatever the order of creation."""
    _declare(server, "b", "a")
    status, body = _list(server)
    assert (status, body["kind"], _names(body)) == (200, "WebAppList", ["a", "b", "web"])


def test_an_empty_list_has_items(server: Server) -> None:
    """`items` is a list, never null, and a namespace that is not there is empty too."""
    for namespace in (server.namespace, "nowhere"):
        status, body = server.send(requests.list_page(DEPLOYMENTS, namespace, {"limit": "500"}))
        assert (status, body["kind"], body["items"]) == (200, "DeploymentList", [])


def test_a_page_names_the_next_one(server: Server) -> None:
    """Until the last, whose token is empty or absent."""
    _declare(server, "a", "b")
    _, first = _list(server, limit="2")
    assert (_names(first), first["metadata"]["remainingItemCount"]) == (["a", "b"], 1)
    _, last = _list(server, limit="2", **{"continue": first["metadata"]["continue"]})
    assert (_names(last), last["metadata"].get("continue", "")) == (["web"], "")


def test_the_pages_of_a_list_are_of_one_instant(server: Server) -> None:
    """What is created between two pages is in none of them, and all have the same resourceVersion."""
    _declare(server, "a", "b")
    _, first = _list(server, limit="2")
    _declare(server, "c")
    _, last = _list(server, limit="2", **{"continue": first["metadata"]["continue"]})
    assert _names(last) == ["web"]
    assert last["metadata"]["resourceVersion"] == first["metadata"]["resourceVersion"]


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("team=a", ["a"]),
        ("team==a", ["a"]),
        ("team!=a", ["b", "web"]),
        ("team in (a, b)", ["a", "b"]),
        ("team notin (a)", ["b", "web"]),
        ("team", ["a", "b"]),
        ("!team", ["web"]),
        ("team,team!=b", ["a"]),
    ],
)
def test_a_selector_narrows_a_list(server: Server, selector: str, expected: list[str]) -> None:
    """As kubectl writes selectors."""
    _declare(server, "a", "b")
    for name in ("a", "b"):
        key = ObjectKey(server.namespace, name)
        server.others.patch(WEBAPPS, key, {"metadata": {"labels": {"team": name}}}, manager="kubectl-label")
    assert _names(_list(server, labelSelector=selector)[1]) == expected


def test_a_selector_that_is_none_is_a_400(server: Server) -> None:
    """Never an empty list."""
    status, body = _list(server, labelSelector="team in (")
    assert (status, body["reason"]) == (400, "BadRequest")


@pytest.mark.parametrize("verb", ["list", "get"])
def test_a_missing_right_to_read_is_a_403(server: Server, verb: str) -> None:
    """It names the kind, and the object if there is one."""
    somebody = server.only(("watch", WEBAPPS))
    request = requests.list_page(WEBAPPS, server.namespace, {})
    if verb == "get":
        request = requests.get_one(WEBAPPS, *server.key)
    status, body = somebody.send(request)
    details = {"group": "apps.example.com", "kind": "webapps"} | ({"name": "web"} if verb == "get" else {})
    assert (status, body["reason"], body["details"]) == (403, "Forbidden", details)


def test_creating_by_apply_needs_the_right_to_create(server: Server) -> None:
    """Patch alone is refused where the object is absent, in the words of `create`, without causes."""
    somebody = server.only(("get", DEPLOYMENTS), ("patch", DEPLOYMENTS))
    status, body = somebody.send(requests.apply(DEPLOYMENTS, creation(server.webapp()), force=False))
    details = {"name": "web-deployment", "group": "apps", "kind": "deployments"}
    assert (status, body["reason"], body["details"]) == (403, "Forbidden", details)
    assert "cannot create resource" in body["message"]


def test_a_status_is_a_right_of_its_own(server: Server) -> None:
    """The right to patch WebApps is not that to patch their status."""
    somebody = server.only(("patch", WEBAPPS))
    body = webapp("web", server.namespace, status={})
    status, answer = somebody.send(requests.apply(WEBAPPS, body, force=True, subresource="status"))
    assert status == 403
    assert 'cannot patch resource "webapps/status"' in answer["message"]


@pytest.mark.parametrize(("verb", "allowed"), [("patch", True), ("create", False)])
def test_a_review_tells_what_this_identity_may(server: Server, verb: str, allowed: bool) -> None:
    """Everybody may ask about themselves."""
    somebody = server.only(("patch", DEPLOYMENTS))
    asked = {
        "verb": verb,
        "group": "apps",
        "resource": "deployments",
        "subresource": "",
        "namespace": server.namespace,
    }
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": asked},
    }
    status, body = somebody.send(requests.create(ACCESS_REVIEWS, review))
    assert (status, body["status"]["allowed"]) == (201, allowed)


def test_a_kind_that_is_not_served_is_a_404_without_a_name(server: Server) -> None:
    """So it cannot be taken for an object that is absent."""
    unknown = Resource("nobody.example.com", "v1", "webapps")
    answer = server.wire.exchange(requests.get_one(unknown, server.namespace, "web"), 10)
    assert answer.status == 404
    assert b'"name"' not in answer.body


def test_a_full_quota_looks_like_a_missing_right(server: Server) -> None:
    """A 403 with the same reason and details, and no causes."""
    server.fill()
    status, body = server.apply(dict(creation(server.webapp())), force=False)
    details = {"name": "web-deployment", "group": "apps", "kind": "deployments"}
    assert (status, body["reason"], body["details"]) == (403, "Forbidden", details)


def test_a_namespace_that_ends_takes_nothing_new(server: Server) -> None:
    """A 403 whose cause says so."""
    ending = f"{server.namespace}-ends"
    server.others.namespace(ending)
    server.others.delete(NAMESPACES, ObjectKey("", ending))
    body = dict(creation(server.webapp()))
    status, answer = server.apply(body | {"metadata": body["metadata"] | {"namespace": ending}}, force=False)
    assert (status, [cause["reason"] for cause in answer["details"]["causes"]]) == (403, ["NamespaceTerminating"])
