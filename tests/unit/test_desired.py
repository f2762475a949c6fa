"""WebApp → the Deployment it asks for."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.builders import applied_entry, deployment, entry, managed, webapp
from webappctl.core.desired import creation, problem_of, selector_of, update
from webappctl.core.objects import FIELD_MANAGER


def test_a_creation_is_the_whole_projection_and_nothing_else() -> None:
    """Labels three times, one controller reference, one container with image and port; no null, no empty map."""
    labels = {"app": "web", "managed-by": "webapp-operator"}
    body = json.loads(json.dumps(creation(webapp())))
    reference = body["metadata"].pop("ownerReferences")[0]
    assert reference["controller"] is reference["blockOwnerDeletion"] is True
    assert body["metadata"] == {
        "name": "web-deployment",
        "namespace": "shop",
        "resourceVersion": "1",
        "labels": labels,
    }
    app = {"name": "app", "image": "nginx:1.25", "ports": [{"containerPort": 80, "protocol": "TCP"}]}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [app]}}
    assert body["spec"] == {"replicas": 3, "selector": {"matchLabels": labels}, "template": template}


def test_the_owner_is_the_webapp_of_that_uid() -> None:
    """Name, kind and group too, so that the garbage collector finds it."""
    reference = creation(webapp())["metadata"]["ownerReferences"][0]
    found = (reference["apiVersion"], reference["kind"], reference["name"], reference["uid"])
    assert found == ("apps.example.com/v1", "WebApp", "web", "uid-of-web")


def test_replicas_that_are_not_asked_for_are_not_created() -> None:
    """The API server has the say then."""
    assert "replicas" not in creation(webapp(replicas=None))["spec"]


def test_an_update_overrides_only_what_was_read() -> None:
    """Uid and resourceVersion of the Deployment that the plan saw."""
    metadata = update(webapp(), deployment())["metadata"]
    assert (metadata["uid"], metadata["resourceVersion"]) == ("uid-of-web-deployment", "9")


def test_an_update_sends_the_replicas_that_are_asked_for() -> None:
    """Whatever the live number is."""
    assert update(webapp(replicas=5), deployment(replicas=2))["spec"]["replicas"] == 5


def test_replicas_that_we_still_own_are_sent_as_they_are() -> None:
    """Leaving them out would delete the field, and make it 1."""
    assert update(webapp(replicas=None), deployment(replicas=7))["spec"]["replicas"] == 7


def test_replicas_of_another_owner_are_left_out() -> None:
    """Sending them would take them back."""
    theirs = entry("kube-controller-manager", {"f:spec": {"f:replicas": {}}}, time=None)
    live = deployment(replicas=7, managed_fields=managed(applied_entry(without=("replicas",)), theirs))
    assert "replicas" not in update(webapp(replicas=None), live)["spec"]


def test_an_update_by_our_name_is_not_our_apply_entry() -> None:
    """`webappctl`/Update owns nothing that an apply could lose."""
    ours = entry(FIELD_MANAGER, {"f:spec": {"f:replicas": {}}}, operation="Update")
    live = deployment(replicas=7, managed_fields=managed(ours))
    assert "replicas" not in update(webapp(replicas=None), live)["spec"]


def test_the_selector_as_text_is_that_of_the_deployment() -> None:
    """An autoscaler that targets the WebApp finds the pods by it."""
    assert selector_of("web") == "app=web,managed-by=webapp-operator"


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"spec": None}, "it has no spec"),
        ({"image": None}, "spec.image is missing"),
        ({"image": ""}, "spec.image is missing"),
        ({"image": "a" * 513}, "spec.image has 513 characters, at most 512 are allowed"),
        ({"image": "nginx: 1"}, "spec.image has white space in it"),
        ({"image": "nginx\u2003"}, "spec.image has white space in it"),
        ({"port": None}, "spec.port is missing"),
        ({"port": 0}, "spec.port is 0, it must be from 1 to 65535"),
        ({"port": 70000}, "spec.port is 70000, it must be from 1 to 65535"),
        ({"replicas": 0}, "spec.replicas is 0, it must be from 1 to 100000"),
        ({"replicas": 2_147_483_648}, "spec.replicas is 2147483648, it must be from 1 to 100000"),
    ],
)
def test_a_spec_that_no_deployment_can_be_made_of_is_said(fields: dict[str, Any], problem: str) -> None:
    """In one sentence that names the field and the limit."""
    assert problem_of(webapp(**fields)) == problem


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"replicas": None},
        {"image": "a" * 512, "port": 65535, "replicas": 100_000},
        {"image": "i", "port": 1, "replicas": 1},
    ],
)
def test_a_spec_at_the_limits_is_fine(fields: dict[str, Any]) -> None:
    """And replicas may be left to somebody else."""
    assert problem_of(webapp(**fields)) == ""
