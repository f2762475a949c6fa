"""What the mirror asks of the cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from webappctl.core.objects import (
    Autoscalers,
    Deployment,
    Json,
    Kind,
    Listed,
    Listing,
    Lists,
    ObjectKey,
    Scope,
    Shard,
    Unreadable,
    WatchEvent,
    WebApp,
)


class Stream(Protocol):
    def __enter__(self) -> Stream: ...
    def __exit__(self, *_: object) -> None: ...
    def __iter__(self) -> Iterator[WatchEvent[Listed]]:
        """Until the server, or `close`, ends it; no event has the type ERROR. Raises the errors of errors.py."""

    def close(self) -> None:
        """From any thread."""


class Source(Protocol):
    """Every method raises the errors of errors.py."""

    def listing(
        self, kind: Kind, namespace: str, selector: str, *, shard: Shard | None = None
    ) -> Listing[Listed] | None: ...
    def watch(self, kind: Kind, namespace: str, selector: str, resource_version: str, *, seconds: int) -> Stream: ...


class Behind(Protocol):
    """What a pass needs of the cluster behind the mirror."""

    def lists(self, scope: Scope) -> Lists: ...
    def get_webapp(self, key: ObjectKey) -> WebApp | Unreadable: ...
    def get_deployment(self, key: ObjectKey) -> Deployment | Unreadable: ...
    def autoscalers(self, namespace: str) -> Autoscalers: ...
    def apply_deployment(self, manifest: Json, *, force: bool) -> Deployment: ...
    def hand_over(self, deployment: Deployment, managed_fields: list[Json]) -> Deployment: ...
    def delete_deployment(self, key: ObjectKey, *, uid: str, resource_version: str) -> None: ...
    def may(self, verb: str, *, group: str, resource: str, subresource: str = "", namespace: str = "") -> bool: ...
    def apply_status(self, manifest: Json) -> WebApp | Unreadable: ...
    def merge_status(self, manifest: Json) -> WebApp | Unreadable: ...
    def record_event(self, event: Json) -> None: ...
