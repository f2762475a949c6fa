"""The CRD on a real API server: what it admits, what it says when it refuses, and what it leaves alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.conftest import Kubectl
from tests.manifests import webapp
from webappctl import crd
from webappctl.core.objects import read_webapp

IMAGE = {"image": "nginx:1.25"}
GOOD = {**IMAGE, "port": 80}
REFUSED = [
    (IMAGE, "spec.port: Required value"),
    ({"port": 80}, "spec.image: Required value"),
    ({"image": "", "port": 80}, "spec.image in body should be at least 1 chars long"),
    ({"image": "a" * 513, "port": 80}, "may not be more than 512"),
    ({"image": "nginx 1.25", "port": 80}, "spec.image in body should match"),
    ({"image": "nginx\n", "port": 80}, "spec.image in body should match"),
    ({"image": "nginx\u00a0:1", "port": 80}, "spec.image in body should match"),
    ({"image": "nginx\u2003:1", "port": 80}, "spec.image in body should match"),
    ({**IMAGE, "port": 0}, "spec.port in body should be greater than or equal to 1"),
    ({**IMAGE, "port": 65_536}, "spec.port in body should be less than or equal to 65535"),
    ({**IMAGE, "port": "80"}, "spec.port in body must be of type integer"),
    ({**GOOD, "replicas": 0}, "spec.replicas in body should be greater than or equal to 1"),
    ({**GOOD, "replicas": -1}, "spec.replicas in body should be greater than or equal to 1"),
    ({**GOOD, "replicas": 100_001}, "spec.replicas in body should be less than or equal to 100000"),
    ({**GOOD, "replicas": 2_147_483_648}, "spec.replicas in body should be less than or equal to 100000"),
    ({**GOOD, "replicas": 2.5}, "spec.replicas in body must be of type integer"),
]
"""A spec, and what the API server says against it."""


@pytest.fixture
def attempt(kubectl: Kubectl, namespace: str) -> Callable[..., str]:
    """Creates a WebApp, server-side dry run, and returns what the API server said against it: empty when admitted.

    Our own reading is held to it each time: we too would refuse what is refused, and not what would be stored.
    """

    def attempt(name: str, spec: Mapping[str, Any] | None) -> str:
        body = json.dumps(webapp(name, namespace, spec))
        done = kubectl("create", "--dry-run=server", "-o", "json", "-f", "-", stdin=body, check=False)
        ours = crd.refusal(read_webapp((done.stdout or body).encode()))
        assert bool(ours) == bool(done.stderr), (ours, done.stderr)
        return done.stderr

    return attempt


@pytest.mark.parametrize("name", ["a", "a" * 52, "1-to-1", "42"])
def test_admits_dns_labels_of_at_most_52_characters(attempt: Callable[..., str], name: str) -> None:
    """A digit may come first: the name becomes a label's value and part of a Deployment's name, not a Service's."""
    assert attempt(name, GOOD) == ""


@pytest.mark.parametrize("length", [53, 63, 64])
def test_refuses_longer_names_and_says_the_limit(attempt: Callable[..., str], length: int) -> None:
    """Limit and remedy are in the message, and the field is named."""
    said = attempt("a" * length, GOOD)
    assert "metadata.name: Invalid value: the name of a WebApp has at most 52 characters" in said
    assert "choose a shorter name" in said


def test_refuses_a_dot_in_a_name(attempt: Callable[..., str]) -> None:
    """A name with a dot is a fine object name, but not a DNS label."""
    said = attempt("web.shop", GOOD)
    assert "metadata.name: Invalid value: the name of a WebApp is a DNS label" in said
    assert "without dots" in said


def test_refuses_a_missing_spec(attempt: Callable[..., str]) -> None:
    """The message says what belongs in it."""
    assert "spec: Required value: a WebApp needs a spec: add spec.image and spec.port" in attempt("web", None)


@pytest.mark.parametrize(
    "spec",
    [
        {"image": "a", "port": 1, "replicas": 1},
        {"image": "a" * 512, "port": 65_535, "replicas": 100_000},
        {**GOOD},
        {**GOOD, "replicas": None},
        {**GOOD, "replicas": 3.0},
    ],
    ids=["least", "most", "no replicas", "null replicas", "3.0"],
)
def test_admits_every_value_within_the_limits(attempt: Callable[..., str], spec: Mapping[str, Any]) -> None:
    """Both ends of each range, and replicas left out."""
    assert attempt("web", spec) == ""


@pytest.mark.parametrize(("spec", "said"), REFUSED)
def test_refuses_what_no_deployment_can_be(attempt: Callable[..., str], spec: Mapping[str, Any], said: str) -> None:
    """The field and the limit are named."""
    assert said in attempt("web", spec)


@pytest.mark.parametrize("space", ["\t", "\v", "\x1c", "\x1f", "\x85", "\u1680", "\u2028", "\u3000"])
def test_refuses_every_kind_of_white_space(attempt: Callable[..., str], space: str) -> None:
    """ASCII's and the rest of Unicode's."""
    assert "spec.image in body should match" in attempt("web", {**GOOD, "image": f"nginx{space}1"})


@pytest.fixture
def web(kubectl: Kubectl, namespace: str) -> str:
    declared = webapp("web", namespace, {**GOOD, "replicas": 3}, status={"replicas": 9})
    kubectl("create", "-f", "-", stdin=json.dumps(declared))
    return "web"


def test_status_is_a_subresource(kubectl: Kubectl, namespace: str, web: str) -> None:
    """A status that comes with the object is dropped: only webappctl reports."""
    assert "status" not in json.loads(kubectl("get", "webapp", web, "-n", namespace, "-o", "json").stdout)


def test_kubectl_scale(kubectl: Kubectl, namespace: str, web: str) -> None:
    """Through /scale, as an autoscaler does it; within the limits only."""
    kubectl("scale", "webapp", web, "-n", namespace, "--replicas=7")
    assert kubectl("get", "wa", web, "-n", namespace, "-o", "jsonpath={.spec.replicas}").stdout == "7"
    refused = kubectl("scale", "webapp", web, "-n", namespace, "--replicas=0", check=False)
    assert "spec.replicas in body should be greater than or equal to 1" in refused.stderr


def test_scale_reports_the_pods_and_how_to_find_them(kubectl: Kubectl, namespace: str, web: str) -> None:
    """An autoscaler reads replicas and selector there."""
    status = '{"status": {"replicas": 2, "selector": "app=web,managed-by=webapp-operator"}}'
    kubectl("patch", "webapp", web, "-n", namespace, "--subresource=status", "--type=merge", "-p", status)
    path = f"/apis/apps.example.com/v1/namespaces/{namespace}/webapps/{web}/scale"
    assert json.loads(kubectl("get", "--raw", path).stdout)["status"] == json.loads(status)["status"]


def test_kubectl_get_shows_what_matters(kubectl: Kubectl, namespace: str, web: str) -> None:
    """Image, Desired, Ready, Available, Paused, Age."""
    condition = {"type": "Available", "status": "True", "lastTransitionTime": "2026-11-30T12:00:00Z"}
    status = json.dumps({"status": {"readyReplicas": 2, "conditions": [condition]}})
    kubectl("patch", "webapp", web, "-n", namespace, "--subresource=status", "--type=merge", "-p", status)
    header, row = kubectl("get", "webapps", "-n", namespace).stdout.splitlines()
    assert header.split() == ["NAME", "IMAGE", "DESIRED", "READY", "AVAILABLE", "PAUSED", "AGE"]
    assert row.split()[:-1] == ["web", "nginx:1.25", "3", "2", "True"]


def test_kubectl_get_all_has_webapps(kubectl: Kubectl, namespace: str, web: str) -> None:
    """Category `all`."""
    assert f"webapp.apps.example.com/{web}" in kubectl("get", "all", "-n", namespace, "-o", "name").stdout.split()


def test_kubectl_explain_is_documentation(kubectl: Kubectl) -> None:
    """The limits are in the words of the field."""
    assert "from 1 to 65535" in " ".join(kubectl("explain", "webapp.spec.port").stdout.split())


def test_row_1_and_2_of_the_crd_are_what_the_api_server_serves(kubectl: Kubectl) -> None:
    """Rows 1 and 2: the names, the version, the scope, the subresources, as discovery tells them."""
    resources = json.loads(kubectl("get", "--raw", "/apis/apps.example.com/v1").stdout)["resources"]
    served = {resource["name"]: resource for resource in resources}
    assert set(served) == {"webapps", "webapps/status", "webapps/scale"}
    webapps = served["webapps"]
    names = [webapps[field] for field in ("kind", "singularName", "shortNames", "categories", "namespaced")]
    assert names == ["WebApp", "webapp", ["wa"], ["all"], True]
