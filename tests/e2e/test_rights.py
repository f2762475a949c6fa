"""Each command needs no more than it says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.world import World

As = Callable[..., Path]


@pytest.fixture
def kubeconfig_with(world: World, tmp_path: Path) -> As:
    """A kubeconfig of a new ServiceAccount that may do just what is given, as `verb resource.group`."""

    def make(*rules: str) -> Path:
        name = f"{world.namespace}-tester"
        world.kubectl("create", "serviceaccount", "tester")
        role = {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRole",
            "metadata": {"name": name},
            "rules": [_rule(rule) for rule in rules],
        }
        world.kubectl("create", "-f", "-", stdin=json.dumps(role))
        subject = f"--serviceaccount={world.namespace}:tester"
        world.kubectl("create", "clusterrolebinding", name, f"--clusterrole={name}", subject)
        token = world.kubectl("create", "token", "tester").stdout.strip()
        path = tmp_path / "kubeconfig"
        path.write_text(world.kubectl_.kubeconfig.read_text())
        settings = ("config", "--kubeconfig", str(path))
        world.kubectl(*settings, "set-credentials", "tester", f"--token={token}")
        world.kubectl(*settings, "set-context", "--current", "--user=tester")
        return path

    return make


def _rule(rule: str) -> dict[str, list[str]]:
    verb, resource = rule.split()
    plural, _, group = resource.partition(".")
    return {"verbs": [verb], "resources": [plural], "apiGroups": [group]}


LISTS = ("list webapps.apps.example.com", "list deployments.apps")


def test_plan_needs_only_to_list(world: World, kubeconfig_with: As) -> None:
    """A ServiceAccount that may list WebApps and Deployments, and nothing else, gets the whole plan."""
    world.declare("web")
    done = world.webappctl("plan", "--exit-code", kubeconfig=kubeconfig_with(*LISTS))
    assert done.returncode == 3, done.stderr
    assert f"{world.namespace}/web\tcreate" in done.stdout


def test_a_list_that_is_forbidden_is_unknown_and_never_empty(world: World, kubeconfig_with: As) -> None:
    """Without the right to list Deployments there is no plan at all: nothing counts as missing."""
    world.declare("web")
    done = world.webappctl("plan", kubeconfig=kubeconfig_with(LISTS[0]))
    assert (done.returncode, done.stdout) == (1, "")
    assert "may not list deployments.apps in all namespaces" in done.stderr


def test_a_missing_right_is_named_and_blocks_only_what_needs_it(world: World, kubeconfig_with: As) -> None:
    """apply without the right to patch Deployments says so for each, in the result and by exit code 5."""
    world.declare("web")
    rights = (*LISTS, "patch webapps/status.apps.example.com", "create events")
    done = world.webappctl("apply", "--yes", "-n", world.namespace, kubeconfig=kubeconfig_with(*rights))
    assert done.returncode == 5, done.stderr
    assert f"may not patch deployments.apps in namespace {world.namespace}" in done.stdout
    stalled = world.condition("web", "Stalled")
    assert stalled is not None
    assert "may not patch deployments.apps" in stalled["message"]
