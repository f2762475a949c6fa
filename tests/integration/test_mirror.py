"""The mirror beside a real API server."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.conftest import Kubectl, Webappctl
from tests.identities import kubeconfig_of, service_account
from tests.world import World, eventually
from webappctl import crd
from webappctl import sandbox as sandboxes
from webappctl.cluster import Cluster, open_cluster
from webappctl.core.objects import ObjectKey, Scope, deployment_key
from webappctl.mirror import Mirror
from webappctl.sandbox import Sandbox

LISTS = ("list webapps.apps.example.com", "list deployments.apps", "list horizontalpodautoscalers.autoscaling")


@contextmanager
def _mirrored(cluster: Cluster, scope: Scope) -> Iterator[Mirror]:
    mirror = Mirror(cluster, scope, wake=lambda: None)
    mirror.start()
    try:
        yield mirror
    finally:
        mirror.close()


@pytest.fixture
def world(namespace: str, kubectl: Kubectl, sandbox: Sandbox) -> World:
    return World(namespace, kubectl, Webappctl(sandbox.kubeconfig))


def _names(mirror: Mirror) -> list[str]:
    return [webapp.key.name for webapp in mirror.snapshot().webapps] if mirror.filled else []


def test_the_mirror_follows_what_people_and_controllers_do(cluster: Cluster, world: World) -> None:
    """Creations, edits and deletions, a rollout and the garbage collector; in the end it is what a list would be."""
    scope = Scope(namespaces=(world.namespace,))
    with _mirrored(cluster, scope) as mirror:
        eventually(lambda: mirror.live)
        world.declare("gone")
        world.declare("web")
        world.converge()
        world.settle()
        world.declare("web", image="nginx:1.26")
        world.kubectl("delete", "webapp", "gone", "--wait=false")
        key = deployment_key(ObjectKey(world.namespace, "gone"))
        eventually(lambda: _names(mirror) == ["web"] and key not in mirror.snapshot().deployments, seconds=60)
        eventually(lambda: mirror.snapshot() == cluster.snapshot(scope))
        assert (mirror.compare(cluster.lists(scope)), mirror.live) == (0, True)


def test_a_mirror_of_all_namespaces_differs_in_nothing_while_others_are_busy(cluster: Cluster, world: World) -> None:
    """Lists and streams of an API server agree on what came before what."""
    with _mirrored(cluster, Scope()) as mirror:
        eventually(lambda: mirror.live)
        for number in range(10):
            world.declare(f"web-{number}")
            mirror.compare(cluster.lists(Scope()))
        assert mirror.differences == 0


def test_a_mirror_without_the_right_to_watch_says_so(
    sandbox: Sandbox, kubectl: Kubectl, namespace: str, tmp_path: Path
) -> None:
    """It is filled, and not live."""
    token = service_account(kubectl, namespace, *LISTS)
    config = kubeconfig_of(token, sandbox.kubeconfig, tmp_path)
    with _mirrored(_cluster(config), Scope(namespaces=(namespace,))) as mirror:
        eventually(lambda: mirror.filled and mirror.trouble)
        assert f"in namespace {namespace}" in mirror.trouble
        assert ("may not watch" in mirror.trouble, mirror.live) == (True, False)


@pytest.mark.timeout(600)
def test_a_mirror_lives_through_a_restart_of_the_api_server() -> None:
    """It is down meanwhile, says so, and misses nothing."""
    with sandboxes.throwaway("mirror", say=lambda _: None, crds=[crd.shipped()]) as own:
        assert own.kubectl is not None
        pids = {component: pid for component, pid, _ in own.processes}
        with _mirrored(_cluster(own.kubeconfig), Scope()) as mirror:
            eventually(lambda: mirror.live)
            os.kill(pids["kube-apiserver"], signal.SIGKILL)
            eventually(lambda: not mirror.live)
            sandboxes.up(own.name, say=lambda _: None)
            World("default", Kubectl(own.kubectl, own.kubeconfig), Webappctl(own.kubeconfig)).declare("web")
            eventually(lambda: mirror.live and _names(mirror) == ["web"], seconds=60)


def _cluster(kubeconfig: Path) -> Cluster:
    return open_cluster(kubeconfig=str(kubeconfig), context=None, stop=threading.Event())
