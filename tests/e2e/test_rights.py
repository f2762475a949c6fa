"""Each command needs no more than it says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.identities import kubeconfig_of, service_account
from tests.world import World

As = Callable[..., Path]


@pytest.fixture
def kubeconfig_with(world: World, tmp_path: Path) -> As:
    """A kubeconfig of a new ServiceAccount that may do just what is given, as `verb resource.group`."""

    def make(*rights: str) -> Path:
        token = service_account(world.kubectl_, world.namespace, *rights, everywhere=True)
        return kubeconfig_of(token, world.kubectl_.kubeconfig, tmp_path)

    return make


LISTS = (
    "list webapps.apps.example.com",
    "list deployments.apps",
    "list horizontalpodautoscalers.autoscaling",
)
LEASE = tuple(f"{verb} leases.coordination.k8s.io" for verb in ("get", "list", "create", "update"))


def test_plan_needs_only_to_list(world: World, kubeconfig_with: As) -> None:
    """A ServiceAccount that may list the three kinds, and nothing else, gets the whole plan."""
    world.declare("web")
    done = world.webappctl("plan", "--exit-code", kubeconfig=kubeconfig_with(*LISTS))
    assert done.returncode == 3, done.stderr
    assert f"{world.namespace}/web\tcreate" in done.stdout


def test_plan_does_without_the_autoscalers(world: World, kubeconfig_with: As) -> None:
    """Without the right to list them, managedFields tell what they have scaled."""
    world.declare("web")
    done = world.webappctl("plan", "--exit-code", kubeconfig=kubeconfig_with(*LISTS[:2]))
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
    rights = (*LEASE, *LISTS, "patch webapps/status.apps.example.com", "create events")
    done = world.webappctl("apply", "--yes", "-n", world.namespace, kubeconfig=kubeconfig_with(*rights))
    assert done.returncode == 5, done.stderr
    assert f"may not patch deployments.apps in namespace {world.namespace}" in done.stdout
    stalled = world.condition("web", "Stalled")
    assert stalled is not None
    assert "may not patch deployments.apps" in stalled["message"]
