"""Files → WebApps, or everything that is wrong in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TextIO

from webappctl.core.objects import API_VERSION, KIND, Json, ObjectKey, WebApp
from webappctl.core.text import safe
from webappctl.errors import UsageError
from webappctl.manifests.faults import Fault, Unusable
from webappctl.manifests.nodes import Node, documents
from webappctl.manifests.sources import STDIN, sources
from webappctl.manifests.webapps import webapp_of, webapps_in, whole

MAX_TOLD: Final = 20
"""Lines of faults in one message."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """`source` is where the WebApp stands: `shop/web.yaml:12`, `stdin:1`."""

    webapp: WebApp
    source: str


def read_manifests(
    paths: Sequence[str], *, schema: Json, default_namespace: str, stdin: TextIO
) -> tuple[Manifest, ...]:
    """Every WebApp of the files and directories, in their order; `-` is stdin, whose bytes are read.

    `schema` is the openAPIV3Schema of the CRD. The WebApps are as they would be created: without uid, generation and
    status. Raises UsageError with a line for each fault, and when there is no WebApp at all.
    """
    read = tuple(_read(paths, whole(schema), default_namespace, stdin))
    manifests = tuple(found for found in read if isinstance(found, Manifest))
    faults = [found for found in read if isinstance(found, str)]
    faults += _doubles(manifests)
    if faults:
        raise UsageError(_told(faults))
    if not manifests:
        where = ", ".join("stdin" if path == STDIN else safe(path) for path in paths)
        raise UsageError(f"there is no {KIND} in {where}", remedy=f"looked for apiVersion {API_VERSION}, kind {KIND}")
    return manifests


def _read(paths: Sequence[str], schema: Json, default_namespace: str, stdin: TextIO) -> Iterator[Manifest | str]:
    for source, text in sources(paths, stdin):
        if isinstance(text, Fault):
            yield text.at(source)
            continue
        for found in _found(text):
            yield from _judged(found, source, schema, default_namespace)


def _found(text: str) -> Iterator[Node | Fault]:
    try:
        for document in documents(text):
            yield from webapps_in(document)
    except Unusable as error:
        yield error.fault


def _judged(found: Node | Fault, source: str, schema: Json, default_namespace: str) -> Iterator[Manifest | str]:
    if isinstance(found, Fault):
        yield found.at(source)
        return
    webapp = webapp_of(found, schema, default_namespace)
    if isinstance(webapp, WebApp):
        yield Manifest(webapp, f"{safe(source)}:{found.line}")
        return
    for fault in webapp:
        yield fault.at(source)


def _doubles(manifests: Iterable[Manifest]) -> Iterator[str]:
    first: dict[ObjectKey, str] = {}
    for manifest in manifests:
        key = manifest.webapp.key
        if key in first:
            yield f"{manifest.source}: {key} is at {first[key]} already (delete one of the two)"
        first.setdefault(key, manifest.source)


def _told(faults: Sequence[str]) -> str:
    more = len(faults) - MAX_TOLD
    return "\n".join([*faults[:MAX_TOLD], *([f"and {more} more"] if more > 0 else [])])
