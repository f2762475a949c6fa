"""WebApps as their developers write them."""

from __future__ import annotations

from typing import Any


def webapp(name: str, namespace: str = "", spec: Any = None, *, status: Any = None, **metadata: Any) -> dict[str, Any]:
    """A part that is None, or a namespace that is empty, is left out."""
    meta = {"name": name} | ({"namespace": namespace} if namespace else {}) | metadata
    parts = {"spec": spec, "status": status}
    given = {part: value for part, value in parts.items() if value is not None}
    return {"apiVersion": "apps.example.com/v1", "kind": "WebApp", "metadata": meta} | given
