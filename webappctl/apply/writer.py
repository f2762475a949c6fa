"""What applying needs of the cluster."""

from __future__ import annotations

from typing import Protocol

from webappctl.core.objects import Deployment, Json, ObjectKey, Unreadable, WebApp


class Writer(Protocol):
    """Every method raises the errors of errors.py."""

    def get_webapp(self, key: ObjectKey) -> WebApp | Unreadable: ...
    def get_deployment(self, key: ObjectKey) -> Deployment | Unreadable: ...
    def apply_deployment(self, manifest: Json, *, force: bool) -> Deployment: ...
    def may(self, verb: str, *, group: str, resource: str, subresource: str = "", namespace: str = "") -> bool: ...
