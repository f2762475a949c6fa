"""The few requests that webappctl makes, and for which of them it is safe to be sent twice."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from webappctl.cluster.wire import APPLY_PATCH, DRY_RUN, JSON, JSON_PATCH, MERGE_PATCH, Purpose, Request, Resource
from webappctl.core.objects import FIELD_MANAGER, GROUP, PLURAL, VERSION, Json

WEBAPPS: Final = Resource(GROUP, VERSION, PLURAL)
DEPLOYMENTS: Final = Resource("apps", "v1", "deployments")
AUTOSCALERS: Final = Resource("autoscaling", "v2", "horizontalpodautoscalers")
NAMESPACES: Final = Resource("", "v1", "namespaces")
PODS: Final = Resource("", "v1", "pods")
EVENTS: Final = Resource("", "v1", "events")
LEASES: Final = Resource("coordination.k8s.io", "v1", "leases")
CRDS: Final = Resource("apiextensions.k8s.io", "v1", "customresourcedefinitions")
_NOT_IN_YAML: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
ACCESS_REVIEWS: Final = Resource("authorization.k8s.io", "v1", "selfsubjectaccessreviews")
SELF_REVIEWS: Final = Resource("authentication.k8s.io", "v1", "selfsubjectreviews")
VERSION_PATH: Final = "/version"
DISCOVERY_PATH: Final = f"/apis/{GROUP}/{VERSION}"


def get_one(resource: Resource, namespace: str, name: str) -> Request:
    purpose = Purpose("get", str(resource), namespace, name)
    return Request("GET", resource.path(namespace, name), purpose=purpose, repeatable=True)


def get_path(path: str) -> Request:
    """Of what the server says of itself."""
    return Request("GET", path, purpose=Purpose("get", path), repeatable=True)


def list_page(resource: Resource, namespace: str, query: Mapping[str, str]) -> Request:
    purpose = Purpose("list", str(resource), namespace)
    return Request("GET", resource.path(namespace), query, purpose=purpose, repeatable=True)


def watch(resource: Resource, namespace: str, selector: str, resource_version: str, seconds: int) -> Request:
    """What happens after that resourceVersion, for so many seconds. Bookmarks tell from where to go on."""
    query = {
        "watch": "true",
        "allowWatchBookmarks": "true",
        "resourceVersion": resource_version,
        "timeoutSeconds": str(seconds),
    }
    query |= {"labelSelector": selector} if selector else {}
    return Request("GET", resource.path(namespace), query, purpose=Purpose("watch", str(resource), namespace))


def apply(resource: Resource, manifest: Json, *, force: bool, subresource: str = "", dry_run: bool = False) -> Request:
    """Server-side apply of that manifest, to the object that it names."""
    namespace, name = manifest["metadata"].get("namespace", ""), manifest["metadata"]["name"]
    asked = f"{resource}/{subresource}" if subresource else str(resource)
    return Request(
        "PATCH",
        resource.path(namespace, name, subresource),
        {"fieldManager": FIELD_MANAGER, "force": "true" if force else "false"} | (DRY_RUN if dry_run else {}),
        _as_yaml(manifest),
        APPLY_PATCH,
        Purpose("patch", asked, namespace, name),
        repeatable=True,
    )


def _as_yaml(manifest: Json) -> bytes:
    """JSON that is YAML too: as such the API server reads what is applied, and it allows fewer raw characters."""
    text = msgspec.json.encode(manifest).decode()
    return _NOT_IN_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode()


def create(resource: Resource, manifest: Json, *, repeatable: bool = False) -> Request:
    metadata = manifest.get("metadata", {})
    namespace, name = metadata.get("namespace", ""), metadata.get("name", "")
    purpose = Purpose("create", str(resource), namespace, name)
    body = msgspec.json.encode(manifest)
    query = {"fieldManager": FIELD_MANAGER}
    return Request("POST", resource.path(namespace), query, body, JSON, purpose, repeatable)


def replace(resource: Resource, manifest: Json) -> Request:
    """The whole of an object that was read: its uid and resourceVersion make that it can only be carried out once."""
    namespace, name = manifest["metadata"].get("namespace", ""), manifest["metadata"]["name"]
    purpose = Purpose("update", str(resource), namespace, name)
    body, query = msgspec.json.encode(manifest), {"fieldManager": FIELD_MANAGER}
    return Request("PUT", resource.path(namespace, name), query, body, JSON, purpose, repeatable=True)


def merge_patch(
    resource: Resource, namespace: str, name: str, patch: Json, subresource: str = "", *, repeatable: bool = False
) -> Request:
    asked = f"{resource}/{subresource}" if subresource else str(resource)
    purpose = Purpose("patch", asked, namespace, name)
    body = msgspec.json.encode(patch)
    query = {"fieldManager": FIELD_MANAGER}
    path = resource.path(namespace, name, subresource)
    return Request("PATCH", path, query, body, MERGE_PATCH, purpose, repeatable)


def json_patch(resource: Resource, namespace: str, name: str, operations: Sequence[Json]) -> Request:
    """One that sets the resourceVersion to the one that was read, so that it can only be carried out once."""
    purpose = Purpose("patch", str(resource), namespace, name)
    body = msgspec.json.encode(operations)
    query = {"fieldManager": FIELD_MANAGER}
    return Request("PATCH", resource.path(namespace, name), query, body, JSON_PATCH, purpose, repeatable=True)


def delete(resource: Resource, namespace: str, name: str, *, uid: str, resource_version: str) -> Request:
    """Of just that object, as it was read. What it owns goes after it, by the garbage collector."""
    options = {
        "apiVersion": "v1",
        "kind": "DeleteOptions",
        "preconditions": {"uid": uid, "resourceVersion": resource_version},
        "propagationPolicy": "Background",
    }
    purpose = Purpose("delete", str(resource), namespace, name)
    path, body = resource.path(namespace, name), msgspec.json.encode(options)
    return Request("DELETE", path, {}, body, JSON, purpose, repeatable=True)
