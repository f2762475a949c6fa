"""What `webappctl.manifests` makes of a text."""

from __future__ import annotations

import io
from collections.abc import Sequence

from webappctl import crd
from webappctl.core.objects import WebApp
from webappctl.errors import UsageError
from webappctl.manifests import Manifest, read_manifests

SCHEMA = crd.shipped()["spec"]["versions"][0]["schema"]["openAPIV3Schema"]


def manifest(spec: str = "{image: nginx:1.25, port: 80}", metadata: str = "{name: web}") -> str:
    """A WebApp of four lines; metadata is the third, spec the fourth."""
    return f"apiVersion: apps.example.com/v1\nkind: WebApp\nmetadata: {metadata}\nspec: {spec}\n"


def read(text: str | bytes = b"", paths: Sequence[str] = ("-",)) -> tuple[Manifest, ...]:
    """`text` is stdin."""
    data = text.encode() if isinstance(text, str) else text
    stdin = io.TextIOWrapper(io.BytesIO(data), encoding="ascii")
    return read_manifests(paths, schema=SCHEMA, default_namespace="default", stdin=stdin)


def webapps(text: str | bytes) -> list[WebApp]:
    return [manifest.webapp for manifest in read(text)]


def refusal(text: str | bytes = b"", paths: Sequence[str] = ("-",)) -> str:
    """The message, or empty when the text is accepted."""
    try:
        read(text, paths)
    except UsageError as error:
        return str(error)
    return ""
