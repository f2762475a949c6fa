"""The lists that a pass begins with, side by side: whole, or an exception."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from http import HTTPStatus
from typing import TypeVar, assert_never

from webappctl.cluster.listing import whole_listing
from webappctl.cluster.requests import AUTOSCALERS, DEPLOYMENTS, NAMESPACES, WEBAPPS
from webappctl.cluster.transport import Transport
from webappctl.core.objects import (
    ALL_NAMESPACES,
    Autoscaler,
    Deployment,
    Kind,
    Listed,
    Listing,
    Lists,
    Scope,
    Shard,
    Unreadable,
    WebApp,
    of_concern,
    read_autoscalers,
    read_deployments,
    read_namespaces,
    read_webapps,
)
from webappctl.errors import Forbidden, Invalid, NotFound, UsageError

T = TypeVar("T")


def take_lists(transport: Transport, scope: Scope, workers: int) -> Lists:
    """Three lists for each namespace of the scope, or three for all of them; `workers` at a time."""
    namespaces = scope.streamed if scope.shard is None else _namespaces_of(transport, scope)
    pool = ThreadPoolExecutor(max(min(3 * len(namespaces), workers), 1), "list")

    def begun(list_one: Callable[[str], T]) -> dict[str, Future[T]]:
        return {namespace: pool.submit(list_one, namespace) for namespace in namespaces}

    try:
        webapps = begun(lambda namespace: list_webapps(transport, namespace, scope.selector))
        deployments = begun(lambda namespace: list_deployments(transport, namespace))
        autoscalers = begun(lambda namespace: list_autoscalers(transport, namespace))
        return Lists(_done(webapps), _done(deployments), _done(autoscalers))
    finally:
        pool.shutdown(cancel_futures=True)


def _namespaces_of(transport: Transport, scope: Scope) -> tuple[str, ...]:
    """Those of the shard, one that is about to end too."""
    found = whole_listing(transport, NAMESPACES, ALL_NAMESPACES, "", read_namespaces).items
    return tuple(sorted(name for name in found if scope.holds(name)))


def list_shard(transport: Transport, kind: Kind, selector: str, shard: Shard) -> Listing[Listed] | None:
    """Of its namespaces, one after the other; as of when these were looked up, with what came after that.

    A stream from there tells what came into a namespace that is even newer.
    """
    names = whole_listing(transport, NAMESPACES, ALL_NAMESPACES, "", read_namespaces)
    found = [list_kind(transport, kind, name, selector) for name in sorted(names.items) if shard.owns(name)]
    known = [listing for listing in found if listing is not None]
    if len(known) < len(found):
        return None
    items = tuple(item for listing in known for item in listing.items)
    return Listing(items, names.resource_version)


def list_kind(transport: Transport, kind: Kind, namespace: str, selector: str) -> Listing[Listed] | None:
    """None: autoscalers that may not be listed. The selector is for WebApps alone."""
    match kind:
        case Kind.WEBAPPS:
            return list_webapps(transport, namespace, selector)
        case Kind.DEPLOYMENTS:
            return list_deployments(transport, namespace)
        case Kind.AUTOSCALERS:
            return list_autoscalers(transport, namespace)
        case _:
            assert_never(kind)


def list_webapps(transport: Transport, namespace: str, selector: str) -> Listing[WebApp | Unreadable]:
    """In the server's order. NotFound: there is no CRD. UsageError: the selector is none."""
    try:
        return whole_listing(transport, WEBAPPS, namespace, selector, read_webapps)
    except NotFound as error:
        message = f"{transport.server} does not know WebApps: their CRD is not installed"
        remedy = "webappctl crd --install"
        raise NotFound(message, code=error.code, subject=str(WEBAPPS), remedy=remedy) from error
    except Invalid as error:
        if not selector or error.code != HTTPStatus.BAD_REQUEST:
            raise
        raise UsageError(f"--selector {selector!r} cannot be understood: {error.server_message}") from error


def list_deployments(transport: Transport, namespace: str) -> Listing[Deployment | Unreadable]:
    """Those of concern."""
    listed = whole_listing(transport, DEPLOYMENTS, namespace, "", read_deployments)
    return replace(listed, items=tuple(deployment for deployment in listed.items if of_concern(deployment)))


def list_autoscalers(transport: Transport, namespace: str) -> Listing[Autoscaler] | None:
    """None where this identity has not the right to."""
    try:
        return whole_listing(transport, AUTOSCALERS, namespace, "", read_autoscalers)
    except Forbidden:
        return None


def _done(lists: dict[str, Future[T]]) -> dict[str, T]:
    return {namespace: future.result() for namespace, future in lists.items()}
