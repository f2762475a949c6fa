"""`plan --server-side`: what admission would say, asked by a dry run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.identities import kubeconfig_of, service_account
from tests.policies import deny
from tests.world import World, eventually
from webappctl.sandbox import Sandbox

LISTS = ("list webapps.apps.example.com", "list deployments.apps", "list horizontalpodautoscalers.autoscaling")


def _verdicts(world: World, *arguments: str, kubeconfig: Path | None = None) -> dict[str, Any]:
    command = ("plan", "-n", world.namespace, "--server-side", "-o", "json", *arguments)
    done = world.webappctl(*command, kubeconfig=kubeconfig)
    assert done.returncode == 0, done.stderr
    return {row["name"]: row["verdict"] for row in json.loads(done.stdout)["changes"]}


@pytest.fixture
def denied(world: World) -> World:
    """No image `evil` may run here."""
    expression = "object.spec.template.spec.containers.all(c, !c.image.startsWith('evil'))"
    message = "evil images are not allowed"
    deny(world.kubectl_, world.namespace, "*", "deployments.apps", expression=expression, message=message)
    return world


def test_a_row_that_admission_would_deny_is_marked(denied: World) -> None:
    """And the others are accepted; nothing is written."""
    denied.declare("good")
    denied.declare("bad", image="evil:1")
    eventually(lambda: _verdicts(denied)["bad"]["answer"] == "denied")
    verdicts = _verdicts(denied)
    assert verdicts["good"] == {"answer": "accepted", "message": ""}
    assert "evil images are not allowed" in verdicts["bad"]["message"]
    assert not denied.exists("deployment", "good-deployment")


def test_a_denied_row_is_still_pending_and_says_so(denied: World) -> None:
    denied.declare("bad", image="evil:1")
    eventually(lambda: _verdicts(denied)["bad"]["answer"] == "denied")
    done = denied.plan("--server-side")
    assert done.returncode == 3
    assert "evil images are not allowed" in done.stdout


def test_a_quota_that_would_be_exceeded_is_marked(world: World) -> None:
    world.kubectl("create", "quota", "none", "--hard=count/deployments.apps=0")
    eventually(lambda: "hard" in world.get("resourcequota", "none").get("status", {}))
    world.declare("web")
    verdict = _verdicts(world)["web"]
    assert verdict["answer"] == "denied"
    assert "exceeded quota" in verdict["message"]


def test_an_update_is_tried_too(denied: World) -> None:
    denied.declare("web")
    denied.converge()
    denied.declare("web", image="evil:1")
    eventually(lambda: _verdicts(denied)["web"]["answer"] == "denied")
    assert denied.deployment("web")["spec"]["template"]["spec"]["containers"][0]["image"] == "nginx:1.25"


def test_without_the_right_to_patch_it_is_a_warning(world: World, sandbox: Sandbox, tmp_path: Path) -> None:
    """Marked on the row, said once, and no failure."""
    world.declare("web")
    kubeconfig = kubeconfig_of(service_account(world.kubectl_, world.namespace, *LISTS), sandbox.kubeconfig, tmp_path)
    assert _verdicts(world, kubeconfig=kubeconfig)["web"]["answer"] == "not-checked"
    done = world.webappctl("plan", "-n", world.namespace, "--server-side", kubeconfig=kubeconfig)
    assert "1 of the rows not checked by the API server" in done.stderr
    assert "may not patch deployments.apps" in done.stderr


def test_what_is_only_in_a_file_is_tried_too(denied: World, tmp_path: Path) -> None:
    """Its owner has no uid yet."""
    file = tmp_path / "web.json"
    meta = {"name": "web", "namespace": denied.namespace}
    webapp = {"apiVersion": "apps.example.com/v1", "kind": "WebApp", "metadata": meta}
    file.write_text(json.dumps(webapp | {"spec": {"image": "evil:1", "port": 80}}))
    eventually(lambda: _verdicts(denied, "-f", str(file))["web"]["answer"] == "denied")
    file.write_text(json.dumps(webapp | {"spec": {"image": "good:1", "port": 80}}))
    assert _verdicts(denied, "-f", str(file))["web"]["answer"] == "accepted"
