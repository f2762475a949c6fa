"""The Lease on the API server, on a connection of its own: no pass may delay its renewal."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, NoReturn, TypeVar

import msgspec

from webappctl.cluster import requests
from webappctl.cluster.answers import ask, typed
from webappctl.cluster.kubeconfig import find_context
from webappctl.cluster.listing import whole_list
from webappctl.cluster.requests import LEASES
from webappctl.cluster.transport import Transport
from webappctl.cluster.wire import Request
from webappctl.core.objects import Json, Page
from webappctl.errors import BadAnswer, ClusterError, Conflict, Forbidden, NotFound, OutOfTime, Unreachable

T = TypeVar("T")

OWN_NAMESPACE: Final = "webappctl"
"""Where the Lease is, outside of a pod; cronjob.yaml makes it."""
LAST_RESORT: Final = "default"
REMEDY: Final = "grant that right, name another namespace with --lease-namespace, or go without the Lease: --no-lock"


def lease_namespaces(given: str | None, of_pod: str) -> tuple[str, ...]:
    """Where the Lease is, and where else when there is no such namespace. `of_pod` is empty outside of one."""
    chosen = given or of_pod
    return (chosen,) if chosen else (OWN_NAMESPACE, LAST_RESORT)


def open_leases(
    *, kubeconfig: str | None, context: str | None, request_timeout: float, namespace: str | None, name: str
) -> Leases:
    """The Lease of that name where kubectl would find it with the same options. Sends nothing yet.

    `namespace`: None for the one by `lease_namespaces`. Raises ConfigError.
    """
    from webappctl.cluster.connect import connect

    found = find_context(kubeconfig, context, os.environ)
    transport: Transport | None = None

    def ends() -> float:
        return transport.until if transport else time.monotonic() + 2 * request_timeout

    wire = connect(kubeconfig=kubeconfig, context=context, workers=1, request_timeout=request_timeout, until=ends).wire
    transport = Transport(wire, request_timeout=request_timeout, stop=threading.Event())
    first, *otherwise = lease_namespaces(namespace, found.namespace if found.in_pod else "")
    return Leases(transport, first, name, otherwise="".join(otherwise))


class Leases:
    """One Lease by its name, and the others of its namespace. One thread at a time uses it, and others wait for it.

    `otherwise`: the namespace that is taken instead when a Lease cannot be created because there is no `namespace`.
    Every method ends within `timeout` seconds, and raises a ClusterError.
    """

    def __init__(self, transport: Transport, namespace: str, name: str, *, otherwise: str = "") -> None:
        self.transport = transport
        self.namespace = namespace
        self.name = name
        self._otherwise = otherwise
        self._using = threading.Lock()

    def get(self, timeout: float) -> Json | None:
        """None: there is none of that name."""
        try:
            return self._ask(requests.get_one(LEASES, self.namespace, self.name), timeout)
        except NotFound:
            return None

    def create(self, manifest: Json, timeout: float) -> Json:
        """Conflict: it is there already, or `namespace` is another one now. NotFound: there is no such namespace."""
        try:
            return self._ask(requests.create(LEASES, manifest), timeout)
        except NotFound as error:
            if self._otherwise:
                gone, self.namespace, self._otherwise = self.namespace, self._otherwise, ""
                raise Conflict(f"there is no namespace {gone}", subject=error.subject) from error
            error.remedy = "create that namespace, or name another with --lease-namespace"
            raise

    def replace(self, manifest: Json, timeout: float) -> Json:
        """Conflict: it is not the one any more that the manifest was made of."""
        try:
            return self._ask(requests.replace(LEASES, manifest), timeout)
        except NotFound as error:
            gone = Conflict("it was deleted meanwhile", code=error.code, subject=error.subject)
            gone.may_have_happened = error.may_have_happened
            raise gone from error

    def list(self, timeout: float) -> tuple[Json, ...]:
        """Every Lease of that namespace; none where there is no such namespace."""
        with self._alone(timeout):
            return tuple(whole_list(self.transport, LEASES, self.namespace, "", read_leases))

    def _ask(self, request: Request, timeout: float) -> Json:
        with self._alone(timeout):
            return ask(self.transport, request, _read_lease)

    @contextmanager
    def _alone(self, timeout: float) -> Iterator[None]:
        ends = time.monotonic() + timeout
        if not self._using.acquire(timeout=max(timeout, 0.0)):
            raise Unreachable("an earlier request for the Lease has no answer yet", subject=self._subject)
        try:
            self.transport.until = ends
            yield
        except Forbidden as error:
            error.remedy = REMEDY
            raise
        except OutOfTime as error:
            self._no_answer(error)
        finally:
            self._using.release()

    def _no_answer(self, error: OutOfTime) -> NoReturn:
        """It is the time for one renewal that is up, not that of the command."""
        last = error.__cause__
        why = last.message if isinstance(last, ClusterError) else f"no answer from {self.transport.server} in time"
        late = Unreachable(why, subject=error.subject or self._subject)
        late.may_have_happened = error.may_have_happened
        raise late from error

    @property
    def _subject(self) -> str:
        return f"{self.namespace}/{self.name}"


class _ListMeta(msgspec.Struct, frozen=True):
    next_token: str = msgspec.field(name="continue", default="")


class _LeaseList(msgspec.Struct, frozen=True):
    kind: str
    items: tuple[dict[str, Any], ...]
    metadata: _ListMeta = _ListMeta()


def read_leases(body: bytes) -> Page[Json]:
    found = typed(body, _LeaseList, "LeaseList")
    if found.kind != "LeaseList":
        raise BadAnswer("the answer is not the LeaseList that was asked for")
    return Page(found.items, found.metadata.next_token)


def _read_lease(body: bytes) -> Json:
    found = typed(body, dict[str, Any], "Lease")
    if found.get("kind") != "Lease" or not isinstance(found.get("metadata"), dict):
        raise BadAnswer("the answer is not the Lease that was asked for")
    return found
