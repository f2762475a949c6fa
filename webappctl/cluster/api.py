"""What webappctl asks of a cluster: whole lists, single reads, writes with preconditions, events, reviews of rights."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from webappctl.cluster import events, requests
from webappctl.cluster.answers import (
    ACCESS_REVIEW,
    SELF_REVIEW,
    ask,
    read_allowed,
    read_object,
    read_served,
    read_username,
    read_version,
)
from webappctl.cluster.leases import read_leases
from webappctl.cluster.listing import whole_list
from webappctl.cluster.requests import (
    ACCESS_REVIEWS,
    CRDS,
    DEPLOYMENTS,
    DISCOVERY_PATH,
    LEASES,
    NAMESPACES,
    PODS,
    SELF_REVIEWS,
    VERSION_PATH,
    WEBAPPS,
)
from webappctl.cluster.snapshot import list_autoscalers, list_kind, list_shard, list_webapps, take_lists
from webappctl.cluster.stream import Watch, watch_kind
from webappctl.cluster.transport import Transport
from webappctl.cluster.wire import Request
from webappctl.core.objects import (
    Autoscalers,
    Deployment,
    Json,
    Kind,
    Listed,
    Listing,
    Lists,
    ObjectKey,
    Pod,
    Scope,
    Shard,
    Snapshot,
    Unreadable,
    WebApp,
    read_deployment,
    read_pods,
    read_webapp,
)
from webappctl.errors import BadAnswer, NotFound

T = TypeVar("T")


class Cluster:
    """One API server, seen as one identity. Safe to be used by several threads.

    Every method raises a ClusterError (see errors.py for what each class means) or Stopped. The subject of the error
    is `namespace/name`, or for lists `deployments.apps in all namespaces`.
    """

    def __init__(self, transport: Transport, *, context: str, workers: int, namespace: str = "default") -> None:
        self.transport = transport
        self.context = context
        self.namespace = namespace
        self.server = transport.server
        self._workers = workers

    def snapshot(self, scope: Scope) -> Snapshot:
        """Three lists, side by side: whole, or an exception.

        WebApps are narrowed to the scope and sorted by key. Deployments are listed without a selector; those that
        can be nobody's child (another name, and without our label) are left out. Only of autoscalers is it no error
        when they may not be listed. NotFound: there is no CRD.
        """
        return self.lists(scope).snapshot(scope)

    def lists(self, scope: Scope) -> Lists:
        """The lists of which a snapshot is made, as they are."""
        return take_lists(self.transport, scope, self._workers)

    def listing(
        self, kind: Kind, namespace: str, selector: str, *, shard: Shard | None = None
    ) -> Listing[Listed] | None:
        """None: autoscalers that may not be listed. The selector is for WebApps alone. `shard`: of its namespaces."""
        if shard is not None:
            return list_shard(self.transport, kind, selector, shard)
        return list_kind(self.transport, kind, namespace, selector)

    def watch(self, kind: Kind, namespace: str, selector: str, resource_version: str, *, seconds: int) -> Watch[Listed]:
        """What happens to them after that resourceVersion, until the server ends it after so many seconds.

        Gone: the resourceVersion is too old. Raises while it is opened, and while it is read.
        """
        return watch_kind(self.transport, kind, namespace, selector, resource_version, seconds=seconds)

    def autoscalers(self, namespace: str) -> Autoscalers:
        """Those of that namespace, which is `unknown` where they may not be listed."""
        listed = list_autoscalers(self.transport, namespace)
        return Autoscalers.of(listed.items if listed else (), () if listed else (namespace,))

    def pods(self, namespace: str, selector: str) -> tuple[Pod, ...]:
        """Those with that label selector, in the server's order."""
        return tuple(whole_list(self.transport, PODS, namespace, selector, read_pods))

    def has_namespace(self, name: str) -> bool:
        """True of one that is about to end, too."""
        return self._unless_absent(requests.get_one(NAMESPACES, "", name)) is not None

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
        return self._deployment_of(requests.apply(DEPLOYMENTS, manifest, force=force))

    def try_deployment(self, manifest: Json, *, force: bool) -> Deployment:
        """The same, judged and answered as if, and not carried out. It needs the same rights."""
        return self._deployment_of(requests.apply(DEPLOYMENTS, manifest, force=force, dry_run=True))

    def hand_over(self, deployment: Deployment, managed_fields: list[Json]) -> Deployment:
        """Say anew who owns which of its fields; nothing else of it changes. Conflict: it moved since it was read.

        `managed_fields` are whole entries, one for each manager and operation: the API server says nothing when it
        drops all of them because one has no `fieldsType`, or one because another comes after it.
        """
        read = deployment.metadata
        operations: list[Json] = [  # `add` sets it whether there is one or not
            {"op": "add", "path": "/metadata/managedFields", "value": managed_fields},
            {"op": "replace", "path": "/metadata/resourceVersion", "value": read.resource_version},
        ]
        return self._deployment_of(requests.json_patch(DEPLOYMENTS, read.namespace, read.name, operations))

    def delete_deployment(self, key: ObjectKey, *, uid: str, resource_version: str) -> None:
        """Conflict: it moved since it was read, or is another one of that name. NotFound: there is none."""
        request = requests.delete(DEPLOYMENTS, key.namespace, key.name, uid=uid, resource_version=resource_version)
        self.transport.send(request)

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
        events.record_event(self.transport, event)

    def may(self, verb: str, *, group: str, resource: str, subresource: str = "", namespace: str = "") -> bool:
        """A SelfSubjectAccessReview: is this identity allowed to? An empty namespace means in all of them."""
        asked = {"verb": verb, "group": group, "resource": resource, "subresource": subresource, "namespace": namespace}
        review = {"apiVersion": "authorization.k8s.io/v1", "kind": ACCESS_REVIEW, "spec": {"resourceAttributes": asked}}
        return self._send(requests.create(ACCESS_REVIEWS, review, repeatable=True), read_allowed)

    def whoami(self) -> str:
        """The name under which the server knows this identity: a SelfSubjectReview."""
        review = {"apiVersion": "authentication.k8s.io/v1", "kind": SELF_REVIEW}
        return self._send(requests.create(SELF_REVIEWS, review, repeatable=True), read_username)

    def version(self) -> str:
        """Of the API server: `v1.36.3`."""
        return self._send(requests.get_path(VERSION_PATH), read_version)

    def served(self) -> tuple[str, ...]:
        """The resources of our group and version, `webapps/status` among them; empty when the server has none."""
        try:
            return self._send(requests.get_path(DISCOVERY_PATH), read_served)
        except NotFound:
            return ()

    def get_lease(self, namespace: str, name: str) -> Json | None:
        """None: there is none of that name."""
        return self._unless_absent(requests.get_one(LEASES, namespace, name))

    def leases(self, namespace: str) -> tuple[Json, ...]:
        """Every Lease of that namespace."""
        return tuple(whole_list(self.transport, LEASES, namespace, "", read_leases))

    def get_crd(self, name: str) -> Json | None:
        """The CustomResourceDefinition as it is stored; None when there is none of that name."""
        return self._unless_absent(requests.get_one(CRDS, "", name))

    def apply_crd(self, manifest: Json) -> Json:
        """Forced server-side apply: what another tool set is taken over."""
        return self._send(requests.apply(CRDS, manifest, force=True), read_object)

    def webapps(self) -> tuple[WebApp | Unreadable, ...]:
        """Every stored WebApp of the cluster, in the server's order. NotFound: there is no CRD."""
        return list_webapps(self.transport, "", "").items

    def _send(self, request: Request, read: Callable[[bytes], T]) -> T:
        return ask(self.transport, request, read)

    def _deployment_of(self, write: Request) -> Deployment:
        return _readable(self._send(write, read_deployment), write)

    def _unless_absent(self, request: Request) -> Json | None:
        try:
            return self._send(request, read_object)
        except NotFound:
            return None


def _readable(answered: T | Unreadable, write: Request) -> T:
    if isinstance(answered, Unreadable):
        done = "it was applied" if write.writes else "it would be applied"
        unread = BadAnswer(f"{done}, but cannot be read: {answered.problem}", subject=write.purpose.subject)
        unread.may_have_happened = write.writes
        raise unread
    return answered
