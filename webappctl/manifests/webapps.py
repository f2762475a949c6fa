"""A YAML document → the WebApps in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from webappctl.core.desired import DNS_LABEL, MAX_LABEL, MAX_NAME, problem_of
from webappctl.core.objects import API_VERSION, GROUP, KIND, Json, ObjectMeta, WebApp, WebAppSpec, annotated
from webappctl.manifests.faults import Fault, shown
from webappctl.manifests.nodes import Node, dotted
from webappctl.manifests.schema import faults

_LISTS: Final = {("v1", "List"), (API_VERSION, f"{KIND}List")}
_DNS_LABEL: Final = re.compile(DNS_LABEL)
_MAX_PREFIX: Final = 253
_PREFIX: Final = re.compile(rf"{_DNS_LABEL.pattern}(\.{_DNS_LABEL.pattern})*")
_LABEL: Final = re.compile("([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?")
_ANYTHING: Final[Json] = {}
_TEXT: Final[Json] = {"type": "string"}
_TEXTS: Final[Json] = {"type": "object", "additionalProperties": _TEXT}
_METADATA: Final[Json] = {
    "type": "object",
    "properties": {
        **dict.fromkeys(["name", "namespace", "generateName"], _TEXT),
        **dict.fromkeys(["labels", "annotations"], _TEXTS),
        # What the API server writes, or a controller: in a manifest that was `kubectl get` it says nothing.
        **dict.fromkeys(["uid", "resourceVersion", "generation", "selfLink", "managedFields"], _ANYTHING),
        **dict.fromkeys(["creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"], _ANYTHING),
        **dict.fromkeys(["ownerReferences", "finalizers"], _ANYTHING),
    },
}


def whole(schema: Json) -> Json:
    """The CRD's schema with that of metadata, which the API server has by itself, and with any status."""
    return {**schema, "properties": {**schema["properties"], "metadata": _METADATA, "status": _ANYTHING}}


def webapps_in(document: Node) -> Iterator[Node | Fault]:
    """The document itself, the items of a list, or nothing when it is of another kind."""
    if document.value is None:
        return
    if not isinstance(document.value, Mapping):
        yield Fault(document.line, f"a document is {document.kind}, not an object", "begin it with apiVersion and kind")
        return
    version, kind = document.get("apiVersion"), document.get("kind")
    if fault := _type_fault(document, "apiVersion", version) or _type_fault(document, "kind", kind):
        yield fault
    elif version and kind:
        yield from _webapps_of(document, version, kind)


def _type_fault(document: Node, field: str, node: Node | None) -> Fault | None:
    if node is None or node.value == "":
        return Fault(document.line, f"{field} is missing", "every object of Kubernetes has one")
    return None if isinstance(node.value, str) else Fault(node.line, f"{field} is {node.kind}", "write text")


def _webapps_of(document: Node, version: Node, kind: Node) -> Iterator[Node | Fault]:
    names = str(version.value), str(kind.value)
    group = names[0].rpartition("/")[0]
    if names in _LISTS:
        yield from _items(document)
    elif names == (API_VERSION, KIND):
        yield document
    elif names[1] == KIND:
        yield Fault(version.line, f"a {KIND} of apiVersion {shown(names[0])}", f"write {API_VERSION}")
    elif group == GROUP:
        yield Fault(kind.line, f"{shown(names[0])} has no kind {shown(names[1])}", f"write {API_VERSION} and {KIND}")


def _items(document: Node) -> Iterator[Node | Fault]:
    items = document.get("items")
    if items is None or not isinstance(items.value, tuple):
        what = "missing" if items is None else items.kind
        yield Fault((items or document).line, f"items is {what}", "it is a list of objects")
        return
    for item in items.value:
        yield from webapps_in(item)


def webapp_of(document: Node, schema: Json, default_namespace: str) -> WebApp | tuple[Fault, ...]:
    """As the API server would store it, or all that is wrong with it. `schema` is a `whole` one.

    Of metadata it has what a developer declares: who made the object, and when, belongs to a stored one.
    """
    found = (*faults(document, schema), *_naming_faults(document), *_label_faults(document))
    if found:
        return tuple(sorted(found, key=lambda fault: fault.line))
    name, namespace = _value(document, "metadata", "name"), _value(document, "metadata", "namespace")
    labels, annotations = _texts(document, "labels"), _texts(document, "annotations")
    image, port, replicas = (_value(document, "spec", field) for field in ("image", "port", "replicas"))
    webapp = WebApp(
        annotated(ObjectMeta(name=name, namespace=namespace or default_namespace, labels=labels or None), annotations),
        WebAppSpec(image, int(port), None if replicas is None else int(replicas)),
    )
    problem = problem_of(webapp)  # only the pattern of the image is left
    return (Fault((document.get("spec", "image") or document).line, problem),) if problem else webapp


def _texts(document: Node, field: str) -> dict[str, str]:
    """Labels or annotations."""
    return {key: node.value or "" for key, node in (_value(document, "metadata", field) or {}).items()}


def _naming_faults(document: Node) -> Iterator[Fault]:
    metadata, name, namespace = (document.get("metadata", *path) for path in ((), ("name",), ("namespace",)))
    if name is None:
        generated = document.get("metadata", "generateName")
        remedy = "a name that the API server generates cannot be planned" if generated else ""
        yield Fault((metadata or document).line, "metadata.name is missing", remedy)
    else:
        yield from _dns_faults("metadata.name", name, MAX_NAME)
    if namespace and namespace.value != "":
        yield from _dns_faults("metadata.namespace", namespace, MAX_LABEL)
    if document.get("spec") is None:
        yield Fault(document.line, "spec is missing", "add spec.image and spec.port")


def _dns_faults(path: str, node: Node, most: int) -> Iterator[Fault]:
    """Of a text; what is wrong with another type, the schema says."""
    text = node.value
    if isinstance(text, str) and len(text) > most:
        yield Fault(node.line, f"{path} has {len(text)} characters, at most {most} are allowed", "choose a shorter one")
    elif isinstance(text, str) and not _DNS_LABEL.fullmatch(text):
        remedy = "write lower case letters, digits and '-', and no '-' at the ends"
        yield Fault(node.line, f'{path} is "{shown(text)}", which is no DNS label', remedy)


def _label_faults(document: Node) -> Iterator[Fault]:
    for field in ("labels", "annotations"):
        members = _value(document, "metadata", field)
        for key, node in members.items() if isinstance(members, Mapping) else ():
            path = dotted(("metadata", field, key))
            if not _is_qualified(key.lower() if field == "annotations" else key):
                yield Fault(node.line, f"{path} cannot be a key", "write team, or example.com/team")
            elif field == "labels" and isinstance(node.value, str) and not _is_label(node.value):
                remedy = f"at most {MAX_LABEL} letters, digits, '-', '_' and '.'"
                yield Fault(node.line, f'{path} is "{shown(node.value)}", which is no value of a label', remedy)


def _is_qualified(key: str) -> bool:
    prefix, slash, name = key.partition("/")
    if not slash:
        prefix, name = "", key
    if slash and not (len(prefix) <= _MAX_PREFIX and _PREFIX.fullmatch(prefix)):
        return False
    return bool(name) and _is_label(name)


def _is_label(text: str) -> bool:
    return len(text) <= MAX_LABEL and bool(_LABEL.fullmatch(text))


def _value(document: Node, *path: str) -> Any:
    node = document.get(*path)
    return None if node is None else node.value
