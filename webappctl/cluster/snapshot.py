"""The lists that a pass begins with, side by side: whole, or an exception."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from http import HTTPStatus
from typing import Any

from webappctl.cluster.listing import whole_list
from webappctl.cluster.requests import AUTOSCALERS, DEPLOYMENTS, WEBAPPS
from webappctl.cluster.transport import Transport
from webappctl.core.objects import (
    ALL_NAMESPACES,
    MANAGED_BY,
    Autoscaler,
    Autoscalers,
    Deployment,
    Scope,
    Snapshot,
    Unreadable,
    WebApp,
    read_autoscalers,
    read_deployments,
    read_webapps,
)
from webappctl.errors import Forbidden, Invalid, NotFound, UsageError


def take_snapshot(transport: Transport, scope: Scope, workers: int) -> Snapshot:
    """Three lists for each namespace of the scope, or three for all of them; `workers` at a time."""
    namespaces = tuple(dict.fromkeys(scope.namespaces)) or (ALL_NAMESPACES,)
    pool = ThreadPoolExecutor(min(3 * len(namespaces), workers), "list")
    try:
        webapps = [pool.submit(list_webapps, transport, namespace, scope.selector) for namespace in namespaces]
        deployments = [pool.submit(_deployments, transport, namespace) for namespace in namespaces]
        autoscalers = [pool.submit(list_autoscalers, transport, namespace) for namespace in namespaces]
        return Snapshot(
            tuple(sorted((w for w in _all(webapps) if scope.covers(w.key)), key=lambda w: w.key)),
            {deployment.key: deployment for deployment in _all(deployments)},
            known_autoscalers(zip(namespaces, (future.result() for future in autoscalers), strict=True)),
            every_webapp=not scope.selector and not scope.names,
        )
    finally:
        pool.shutdown(cancel_futures=True)


def list_webapps(transport: Transport, namespace: str, selector: str) -> list[WebApp | Unreadable]:
    """In the server's order. NotFound: there is no CRD. UsageError: the selector is none."""
    try:
        return whole_list(transport, WEBAPPS, namespace, selector, read_webapps)
    except NotFound as error:
        message = f"{transport.server} does not know WebApps: their CRD is not installed"
        remedy = "webappctl crd --install"
        raise NotFound(message, code=error.code, subject=str(WEBAPPS), remedy=remedy) from error
    except Invalid as error:
        if not selector or error.code != HTTPStatus.BAD_REQUEST:
            raise
        raise UsageError(f"--selector {selector!r} cannot be understood: {error.server_message}") from error


def list_autoscalers(transport: Transport, namespace: str) -> list[Autoscaler] | None:
    """None where this identity has not the right to."""
    try:
        return whole_list(transport, AUTOSCALERS, namespace, "", read_autoscalers)
    except Forbidden:
        return None


def known_autoscalers(listed: Iterable[tuple[str, list[Autoscaler] | None]]) -> Autoscalers:
    """Of several namespaces, each with its list."""
    lists = dict(listed)
    found = [autoscaler for autoscalers in lists.values() for autoscaler in autoscalers or ()]
    return Autoscalers.of(found, (namespace for namespace, autoscalers in lists.items() if autoscalers is None))


def _deployments(transport: Transport, namespace: str) -> list[Deployment | Unreadable]:
    listed = whole_list(transport, DEPLOYMENTS, namespace, "", read_deployments)
    return [deployment for deployment in listed if _of_concern(deployment)]


def _of_concern(deployment: Deployment | Unreadable) -> bool:
    labels = deployment.metadata.labels or {}
    return deployment.metadata.name.endswith("-deployment") or labels.get("managed-by") == MANAGED_BY


def _all(lists: list[Future[list[Any]]]) -> Iterator[Any]:
    for future in lists:
        yield from future.result()
