"""The few requests that webappctl makes, and for which of them it is safe to be sent twice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from webappctl.cluster.wire import APPLY_PATCH, JSON, MERGE_PATCH, Purpose, Request, Resource
from webappctl.core.objects import FIELD_MANAGER, GROUP, PLURAL, VERSION, Json

WEBAPPS: Final = Resource(GROUP, VERSION, PLURAL)
DEPLOYMENTS: Final = Resource("apps", "v1", "deployments")
EVENTS: Final = Resource("", "v1", "events")
CRDS: Final = Resource("apiextensions.k8s.io", "v1", "customresourcedefinitions")
ACCESS_REVIEWS: Final = Resource("authorization.k8s.io", "v1", "selfsubjectaccessreviews")


def get_one(resource: Resource, namespace: str, name: str) -> Request:
    purpose = Purpose("get", str(resource), namespace, name)
    return Request("GET", resource.path(namespace, name), purpose=purpose, repeatable=True)


def list_page(resource: Resource, namespace: str, query: Mapping[str, str]) -> Request:
    purpose = Purpose("list", str(resource), namespace)
    return Request("GET", resource.path(namespace), query, purpose=purpose, repeatable=True)


def apply(resource: Resource, manifest: Json, *, force: bool, subresource: str = "") -> Request:
    """Server-side apply of that manifest, to the object that it names."""
    namespace, name = manifest["metadata"].get("namespace", ""), manifest["metadata"]["name"]
    asked = f"{resource}/{subresource}" if subresource else str(resource)
    return Request(
        "PATCH",
        resource.path(namespace, name, subresource),
        {"fieldManager": FIELD_MANAGER, "force": "true" if force else "false"},
        msgspec.json.encode(manifest),
        APPLY_PATCH,
        Purpose("patch", asked, namespace, name),
        repeatable=True,
    )


def create(resource: Resource, manifest: Json, *, repeatable: bool = False) -> Request:
    metadata = manifest.get("metadata", {})
    namespace, name = metadata.get("namespace", ""), metadata.get("name", "")
    purpose = Purpose("create", str(resource), namespace, name)
    body = msgspec.json.encode(manifest)
    query = {"fieldManager": FIELD_MANAGER}
    return Request("POST", resource.path(namespace), query, body, JSON, purpose, repeatable)


def merge_patch(
    resource: Resource, namespace: str, name: str, patch: Json, subresource: str = "", *, repeatable: bool = False
) -> Request:
    asked = f"{resource}/{subresource}" if subresource else str(resource)
    purpose = Purpose("patch", asked, namespace, name)
    body = msgspec.json.encode(patch)
    query = {"fieldManager": FIELD_MANAGER}
    path = resource.path(namespace, name, subresource)
    return Request("PATCH", path, query, body, MERGE_PATCH, purpose, repeatable)
