"""Why a pod is not ready, in one line."""

from __future__ import annotations

import json
from typing import Any

import pytest

from webappctl.core.objects import Pod, read_pods

STARTING = {"waiting": {"reason": "ContainerCreating"}}
RUNNING: dict[str, Any] = {"running": {"startedAt": "2026-01-01T00:00:00Z"}}
UNREADY = {"type": "Ready", "status": "False", "reason": "ContainersNotReady", "message": "unready: [app]"}


def _pod(*containers: dict[str, Any], init: Any = None, conditions: Any = None, **fields: Any) -> Pod:
    """As the API server sends it."""
    metadata = {"name": "web-1", "namespace": "shop"} | fields.pop("metadata", {})
    status = {"containerStatuses": containers, "initContainerStatuses": init, "conditions": conditions} | fields
    body = {"kind": "PodList", "items": [{"metadata": metadata, "status": status}]}
    (pod,) = read_pods(json.dumps(body).encode()).items
    return pod


def _container(state: Any, *, ready: bool = False, restarts: int = 0, last: str = "", name: str = "app") -> Any:
    ended = {"terminated": {"reason": last, "exitCode": 137}} if last else {}
    return {"name": name, "ready": ready, "restartCount": restarts, "state": state, "lastState": ended}


def _waiting(reason: str, message: str = "") -> dict[str, Any]:
    return {"waiting": {"reason": reason, "message": message}}


def _ended(reason: str, message: str = "") -> dict[str, Any]:
    return {"terminated": {"reason": reason, "message": message, "exitCode": 1}}


def _condition(kind: str, status: str, reason: str = "", message: str = "") -> dict[str, Any]:
    return {"type": kind, "status": status, "reason": reason, "message": message}


IN_TROUBLE = _container(_waiting("ImagePullBackOff", 'Back-off pulling image "x"'))


@pytest.mark.parametrize(
    "pod",
    [
        _pod(),
        _pod(conditions=[UNREADY]),
        _pod(_container(STARTING), conditions=[UNREADY]),
        _pod(_container(_waiting("PodInitializing")), init=[_container(RUNNING)], conditions=[UNREADY]),
        _pod(_container(_waiting("PodInitializing")), init=[_container(_ended("Completed"), ready=True)]),
        _pod(_container(RUNNING, ready=True), conditions=[_condition("Ready", "True")]),
        _pod(_container(RUNNING, ready=True, restarts=3, last="Error"), conditions=[_condition("Ready", "True")]),
        _pod(IN_TROUBLE, metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"}),
    ],
)
def test_there_is_no_trouble(pod: Pod) -> None:
    """Ready, just being started, or on its way out."""
    assert pod.trouble == ""


@pytest.mark.parametrize(
    ("pod", "trouble"),
    [
        (_pod(IN_TROUBLE, conditions=[UNREADY]), 'ImagePullBackOff: Back-off pulling image "x"'),
        (_pod(_container(_waiting("ErrImagePull"))), "ErrImagePull"),
        (
            _pod(_container(_waiting("CrashLoopBackOff", "back-off 10s"), restarts=2, last="OOMKilled")),
            "CrashLoopBackOff: last ended with OOMKilled, back-off 10s",
        ),
        (_pod(_container(_waiting("CrashLoopBackOff", "back-off 10s"))), "CrashLoopBackOff: back-off 10s"),
        (_pod(_container(_ended("Error"))), "Error: container app ended"),
        (_pod(_container(_ended("Error", "no port"))), "Error: no port"),
        (_pod(_container(RUNNING), conditions=[UNREADY]), "ContainersNotReady: unready: [app]"),
        (
            _pod(_container(RUNNING, restarts=2, last="Error"), conditions=[UNREADY]),
            "ContainersNotReady: last ended with Error, container app is not ready",
        ),
        (_pod(_container(RUNNING, ready=True), IN_TROUBLE), 'ImagePullBackOff: Back-off pulling image "x"'),
        (
            _pod(_container(_waiting("PodInitializing")), init=[_container(_ended("Error"), name="migrate")]),
            "Error: container migrate ended",
        ),
        (
            _pod(conditions=[_condition("PodScheduled", "False", "Unschedulable", "0/1 nodes are available")]),
            "Unschedulable: 0/1 nodes are available",
        ),
        (_pod(phase="Failed", reason="Evicted", message="low on memory"), "Evicted: low on memory"),
    ],
)
def test_what_is_wrong_is_said_in_the_words_of_the_cluster(pod: Pod, trouble: str) -> None:
    """Reason and message of what has to be mended first."""
    assert pod.trouble == trouble


def test_a_long_message_is_one_short_line() -> None:
    """A registry's error may be a page of HTML."""
    trouble = _pod(_container(_waiting("ErrImagePull", "an\n  error " * 100))).trouble
    assert trouble.startswith("ErrImagePull: an error an error")
    assert (len(trouble), trouble[-1]) == (len("ErrImagePull: ") + 200, "…")
