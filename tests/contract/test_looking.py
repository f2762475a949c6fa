"""What is looked at beside WebApps and Deployments: autoscalers, pods, namespaces."""

from __future__ import annotations

import pytest

from tests.contract.conftest import Server
from webappctl import errors
from webappctl.cluster.requests import AUTOSCALERS, DEPLOYMENTS, NAMESPACES, PODS, WEBAPPS
from webappctl.core.desired import selector_of
from webappctl.core.objects import REPLICAS_PATH, ObjectKey, Scope, deployment_key

AUTOSCALER = "kube-controller-manager"


def test_an_autoscaler_names_its_deployment(server: Server) -> None:
    """With the bounds of its replicas, in the pass's snapshot and when asked for alone."""
    server.others.autoscale(server.key, 2, 9)
    for found in (
        server.cluster.autoscalers(server.namespace),
        server.cluster.snapshot(Scope(namespaces=(server.namespace,))).autoscalers,
    ):
        (autoscaler,) = found.by_target.values()
        assert list(found.by_target) == [deployment_key(server.key)]
        assert (autoscaler.spec.min_replicas, autoscaler.spec.max_replicas) == (2, 9)


def test_without_a_minimum_it_is_one(server: Server) -> None:
    """The server says so."""
    autoscaler = server.others.autoscale(server.key, 2, 9)
    server.others.patch(AUTOSCALERS, autoscaler, {"spec": {"minReplicas": None}}, manager="kubectl-edit")
    (found,) = server.cluster.autoscalers(server.namespace).by_target.values()
    assert found.spec.min_replicas == 1


def test_a_deleted_autoscaler_is_gone(server: Server) -> None:
    """From the next list."""
    server.others.delete(AUTOSCALERS, server.others.autoscale(server.key, 2, 9))
    assert server.cluster.autoscalers(server.namespace).by_target == {}


def test_autoscalers_that_may_not_be_listed_are_unknown(server: Server) -> None:
    """And no reason to fail; the other two lists are made all the same."""
    somebody = server.cluster_with(("list", WEBAPPS), ("list", DEPLOYMENTS))
    assert somebody.autoscalers(server.namespace).unknown == {server.namespace}
    found = somebody.snapshot(Scope(namespaces=(server.namespace,)))
    assert found.autoscalers.unknown == {server.namespace}
    assert len(found.webapps) == 1


def test_the_autoscalers_number_takes_the_replicas_from_us(server: Server) -> None:
    """Our entry has them no more; theirs is of `scale`, and has no time."""
    server.created()
    server.others.scale(server.key, 5, manager=AUTOSCALER)
    (owner,) = server.managers().owners(REPLICAS_PATH)
    assert (owner.manager, owner.operation, owner.time) == (AUTOSCALER, "Update", None)
    assert not server.managers().owned_by_us(REPLICAS_PATH)


def test_the_autoscalers_number_that_is_ours_leaves_us_the_replicas(server: Server) -> None:
    """Only a change makes an owner."""
    before = server.created()
    server.others.scale(server.key, 3, manager=AUTOSCALER)
    assert server.deployment().metadata == before.metadata
    assert server.managers().owned_by_us(REPLICAS_PATH)


def test_the_pods_of_a_deployment_are_found_by_its_selector(server: Server) -> None:
    """Those and no others; each says why it is not ready."""
    server.created()
    waiting = {"name": "app", "image": "x", "imageID": "", "ready": False, "restartCount": 0}
    waiting |= {"state": {"waiting": {"reason": "ImagePullBackOff", "message": 'Back-off pulling image "x"'}}}
    server.others.start_pod(server.key, "web-1", phase="Pending", containerStatuses=[waiting])
    found = {pod.key.name: pod.trouble for pod in server.cluster.pods(server.namespace, selector_of("web"))}
    assert found["web-1"] == 'ImagePullBackOff: Back-off pulling image "x"'
    assert server.cluster.pods(server.namespace, selector_of("another")) == ()


def test_pods_that_may_not_be_listed_are_an_error(server: Server) -> None:
    """Never none."""
    with pytest.raises(errors.Forbidden, match="may not list pods in namespace"):
        server.cluster_with(("list", DEPLOYMENTS)).pods(server.namespace, "")


def test_a_namespace_is_there_or_not(server: Server) -> None:
    """One that is about to end is there."""
    ending, held = ObjectKey("", f"{server.namespace}-ends"), {"finalizers": ["example.com/hold"]}
    server.others.namespace(ending.name)
    server.others.patch(NAMESPACES, ending, {"metadata": held}, manager="kubectl-edit")
    server.others.delete(NAMESPACES, ending)
    there = [server.cluster.has_namespace(name) for name in (server.namespace, ending.name, "nowhere")]
    server.others.patch(NAMESPACES, ending, {"metadata": {"finalizers": None}}, manager="kubectl-edit")
    assert there == [True, True, False]


def test_a_namespace_that_may_not_be_read_is_unknown(server: Server) -> None:
    """Neither there nor absent."""
    with pytest.raises(errors.Forbidden, match="may not get namespaces"):
        server.cluster_with(("list", PODS)).has_namespace(server.namespace)
