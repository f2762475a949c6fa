"""What webappctl asks of a cluster: whole lists, single reads, applies, events and reviews of rights."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from http import HTTPStatus
from typing import Any, Final, TypeVar

import msgspec

from webappctl.cluster import requests
from webappctl.cluster.listing import whole_list
from webappctl.cluster.requests import ACCESS_REVIEWS, CRDS, DEPLOYMENTS, EVENTS, WEBAPPS
from webappctl.cluster.transport import Transport
from webappctl.cluster.wire import Request
from webappctl.core.objects import (
    MANAGED_BY,
    Deployment,
    Json,
    ObjectKey,
    Scope,
    Snapshot,
    Unreadable,
    WebApp,
    read_deployment,
    read_deployments,
    read_webapp,
    read_webapps,
)
from webappctl.errors import BadAnswer, Conflict, Invalid, NotFound, UsageError

T = TypeVar("T")

ACCESS_REVIEW: Final = "SelfSubjectAccessReview"
EVENT_TRIES: Final = 4
"""A recurring event that others count too, or that expires meanwhile, is tried this often."""


class Cluster:
    """One API server, seen as one identity. Safe to be used by several threads.

    Every method raises a ClusterError (see errors.py for what each class means) or Stopped. The subject of the error
    is `namespace/name`, or for lists `deployments.apps in all namespaces`.
    """

    def __init__(self, transport: Transport, *, context: str, workers: int) -> None:
        self.transport = transport
        self.context = context
        self.server = transport.server
        self._workers = workers

    def snapshot(self, scope: Scope) -> Snapshot:
        """Both lists, side by side: whole, or an exception.

        WebApps are narrowed to the scope and sorted by key. Deployments are listed without a selector; those that
        can be nobody's child (another name, and without our label) are left out. NotFound: there is no CRD.
        """
        namespaces = tuple(dict.fromkeys(scope.namespaces)) or ("",)
        pool = ThreadPoolExecutor(min(2 * len(namespaces), self._workers), "list")
        try:
            webapps = [pool.submit(self._webapps, namespace, scope.selector) for namespace in namespaces]
            deployments = [pool.submit(self._deployments, namespace) for namespace in namespaces]
            return Snapshot(
                tuple(sorted((w for w in _all(webapps) if scope.covers(w.key)), key=lambda w: w.key)),
                {deployment.key: deployment for deployment in _all(deployments)},
            )
        finally:
            pool.shutdown(cancel_futures=True)

    def get_webapp(self, key: ObjectKey) -> WebApp | Unreadable:
        """NotFound only when the server knows WebApps and has none of that name; BadAnswer when the CRD is gone."""
        return self._send(requests.get_one(WEBAPPS, key.namespace, key.name), read_webapp)

    def get_deployment(self, key: ObjectKey) -> Deployment | Unreadable:
        """NotFound only when there is none of that name."""
        return self._send(requests.get_one(DEPLOYMENTS, key.namespace, key.name), read_deployment)

    def apply_deployment(self, manifest: Json, *, force: bool) -> Deployment:
        """Server-side apply; the Deployment as it is then.

        Conflict: it moved, exists already, or (without `force`) a cause `FieldManagerConflict`: another manager owns a
        field. NotFound: the namespace is missing.
        """
        request = requests.apply(DEPLOYMENTS, manifest, force=force)
        return _readable(self._send(request, read_deployment), request)

    def apply_status(self, manifest: Json) -> WebApp:
        """Forced server-side apply on `/status`. Conflict: another uid or resourceVersion than the manifest's."""
        request = requests.apply(WEBAPPS, manifest, force=True, subresource="status")
        return _readable(self._send(request, read_webapp), request)

    def merge_status(self, manifest: Json) -> WebApp | Unreadable:
        """The same by a merge patch, for a WebApp that does not fit the schema: server-side apply fails (500) on it."""
        key = ObjectKey(manifest["metadata"]["namespace"], manifest["metadata"]["name"])
        request = requests.merge_patch(WEBAPPS, key.namespace, key.name, manifest, "status", repeatable=True)
        return self._send(request, read_webapp)

    def record_event(self, event: Json) -> None:
        """Create a core/v1 Event; one of the same name is counted, and takes over `lastTimestamp`."""
        for last in (False,) * (EVENT_TRIES - 1) + (True,):
            try:
                self.transport.send(requests.create(EVENTS, event))
            except Conflict:
                if self._count_event(event, last=last):
                    return
            else:
                return

    def may(self, verb: str, *, group: str, resource: str, subresource: str = "", namespace: str = "") -> bool:
        """A SelfSubjectAccessReview: is this identity allowed to? An empty namespace means in all of them."""
        asked = {"verb": verb, "group": group, "resource": resource, "subresource": subresource, "namespace": namespace}
        review = {"apiVersion": "authorization.k8s.io/v1", "kind": ACCESS_REVIEW, "spec": {"resourceAttributes": asked}}
        return self._send(requests.create(ACCESS_REVIEWS, review, repeatable=True), _read_review).status.allowed

    def get_crd(self, name: str) -> Json | None:
        """The CustomResourceDefinition as it is stored; None when there is none of that name."""
        request = requests.get_one(CRDS, "", name)
        try:
            return self._send(request, _read_object)
        except NotFound:
            return None

    def apply_crd(self, manifest: Json) -> Json:
        """Forced server-side apply: what another tool set is taken over."""
        return self._send(requests.apply(CRDS, manifest, force=True), _read_object)

    def webapps(self) -> tuple[WebApp | Unreadable, ...]:
        """Every stored WebApp of the cluster, in the server's order. NotFound: there is no CRD."""
        return tuple(self._webapps("", ""))

    def _send(self, request: Request, read: Callable[[bytes], T]) -> T:
        body = self.transport.send(request)
        try:
            return read(body)
        except BadAnswer as error:
            error.subject, error.may_have_happened = request.purpose.subject, request.writes
            raise

    def _webapps(self, namespace: str, selector: str) -> list[WebApp | Unreadable]:
        try:
            return whole_list(self.transport, WEBAPPS, namespace, selector, read_webapps)
        except NotFound as error:
            message = f"{self.server} does not know WebApps: their CRD is not installed"
            remedy = "webappctl crd --install"
            raise NotFound(message, code=error.code, subject=str(WEBAPPS), remedy=remedy) from error
        except Invalid as error:
            if not selector or error.code != HTTPStatus.BAD_REQUEST:
                raise
            raise UsageError(f"--selector {selector!r} cannot be understood: {error.server_message}") from error

    def _deployments(self, namespace: str) -> list[Deployment | Unreadable]:
        listed = whole_list(self.transport, DEPLOYMENTS, namespace, "", read_deployments)
        return [deployment for deployment in listed if _of_concern(deployment)]

    def _count_event(self, event: Json, *, last: bool) -> bool:
        """False when the stored one moved or expired meanwhile, so that it must be begun again."""
        namespace, name = event["metadata"]["namespace"], event["metadata"]["name"]
        try:
            stored = self._send(requests.get_one(EVENTS, namespace, name), _read_event)
            self.transport.send(requests.merge_patch(EVENTS, namespace, name, _counted(stored, event)))
        except (Conflict, NotFound):
            if last:
                raise
            return False
        return True


def _all(lists: list[Future[list[Any]]]) -> Iterator[Any]:
    for future in lists:
        yield from future.result()


def _of_concern(deployment: Deployment | Unreadable) -> bool:
    labels = deployment.metadata.labels or {}
    return deployment.metadata.name.endswith("-deployment") or labels.get("managed-by") == MANAGED_BY


def _readable(answered: T | Unreadable, request: Request) -> T:
    if isinstance(answered, Unreadable):
        unread = BadAnswer(f"it was applied, but cannot be read: {answered.problem}", subject=request.purpose.subject)
        unread.may_have_happened = True
        raise unread
    return answered


class _EventMeta(msgspec.Struct, frozen=True, rename="camel"):
    resource_version: str


class _Event(msgspec.Struct, frozen=True):
    metadata: _EventMeta
    count: int | None = None


class _ReviewStatus(msgspec.Struct, frozen=True):
    allowed: bool


class _Review(msgspec.Struct, frozen=True):
    status: _ReviewStatus


def _read_object(body: bytes) -> dict[str, Any]:
    return _typed(body, dict[str, Any], "object")


def _read_event(body: bytes) -> _Event:
    return _typed(body, _Event, "Event")


def _read_review(body: bytes) -> _Review:
    return _typed(body, _Review, ACCESS_REVIEW)


def _typed(body: bytes, kind: type[T], name: str) -> T:
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BadAnswer(f"the answer is not the {name} that was asked for") from error


def _counted(stored: _Event, event: Json) -> Json:
    """`resourceVersion` makes the patch fail when somebody else counted in between."""
    return {
        "metadata": {"resourceVersion": stored.metadata.resource_version},
        "count": (stored.count or 1) + 1,
        "lastTimestamp": event["lastTimestamp"],
    }
