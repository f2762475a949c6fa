"""The cluster as a pass of continuous mode sees it: what it reads and writes is noted in the mirror."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TypeVar

from webappctl.core.objects import (
    Autoscalers,
    Deployment,
    Json,
    Kind,
    Listed,
    ObjectKey,
    Scope,
    Snapshot,
    Unreadable,
    WebApp,
)
from webappctl.errors import NotFound, Unreachable
from webappctl.mirror.mirror import Mirror
from webappctl.mirror.relisting import Relisting
from webappctl.mirror.source import Behind

log = logging.getLogger(__name__)

N = TypeVar("N", bound=Listed)


class Seen(ABC):
    """Safe to be used by several threads, as the cluster is."""

    def __init__(self, cluster: Behind, mirror: Mirror) -> None:
        self._cluster = cluster
        self._mirror = mirror

    @abstractmethod
    def snapshot(self, scope: Scope) -> Snapshot:
        """`scope` is that of the mirror."""

    def get_webapp(self, key: ObjectKey) -> WebApp | Unreadable:
        return self._got(Kind.WEBAPPS, key, self._cluster.get_webapp)

    def get_deployment(self, key: ObjectKey) -> Deployment | Unreadable:
        return self._got(Kind.DEPLOYMENTS, key, self._cluster.get_deployment)

    def autoscalers(self, namespace: str) -> Autoscalers:
        return self._cluster.autoscalers(namespace)

    def apply_deployment(self, manifest: Json, *, force: bool) -> Deployment:
        return self._noted(Kind.DEPLOYMENTS, self._cluster.apply_deployment(manifest, force=force))

    def hand_over(self, deployment: Deployment, managed_fields: list[Json]) -> Deployment:
        return self._noted(Kind.DEPLOYMENTS, self._cluster.hand_over(deployment, managed_fields))

    def delete_deployment(self, key: ObjectKey, *, uid: str, resource_version: str) -> None:
        self._cluster.delete_deployment(key, uid=uid, resource_version=resource_version)
        self._mirror.lost(Kind.DEPLOYMENTS, key, uid)

    def may(self, verb: str, *, group: str, resource: str, subresource: str = "", namespace: str = "") -> bool:
        return self._cluster.may(verb, group=group, resource=resource, subresource=subresource, namespace=namespace)

    def apply_status(self, manifest: Json) -> WebApp | Unreadable:
        return self._noted(Kind.WEBAPPS, self._cluster.apply_status(manifest))

    def merge_status(self, manifest: Json) -> WebApp | Unreadable:
        return self._noted(Kind.WEBAPPS, self._cluster.merge_status(manifest))

    def record_event(self, event: Json) -> None:
        self._cluster.record_event(event)

    def _got(self, kind: Kind, key: ObjectKey, get: Callable[[ObjectKey], N]) -> N:
        """Whose absence it is was known before it was asked for: meanwhile there may be another of that name."""
        uid = self._mirror.uid(kind, key)
        try:
            return self._noted(kind, get(key))
        except NotFound:
            self._mirror.lost(kind, key, uid)
            raise

    def _noted(self, kind: Kind, answered: N) -> N:
        self._mirror.took(kind, answered)
        return answered


class Relisted(Seen):
    """For the passes of the interval: everything was listed, and the mirror is healed where it differs."""

    def __init__(self, cluster: Behind, mirror: Mirror, relisting: Relisting) -> None:
        super().__init__(cluster, mirror)
        self._relisting = relisting

    def snapshot(self, scope: Scope) -> Snapshot:
        """The mirror may be ahead of the lists, but not one that does not know every kind: no pass reads that one, so
        none has written since they were begun.
        """
        lists, before = self._relisting.take()
        differences = self._mirror.compare(lists, before)
        if differences:
            log.error("Mirror differed from the lists", extra={"keys": {"objects": differences}})
        try:
            return self._mirror.snapshot()
        except Unreachable:
            return lists.snapshot(scope)


class Remembered(Seen):
    """For the passes between them: nothing is listed. Raises Unreachable where the mirror does not know every kind."""

    def snapshot(self, scope: Scope) -> Snapshot:  # noqa: ARG002 - it is that of the mirror
        return self._mirror.snapshot()
