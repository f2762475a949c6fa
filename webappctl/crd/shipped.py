"""The files that ship with webappctl."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import yaml

from webappctl.core.objects import GROUP, PLURAL, Json
from webappctl.errors import WebappctlError

NAME: Final = f"{PLURAL}.{GROUP}"


def data(folder: str) -> Path:
    """`crds` or `examples`: inside the package when installed from a wheel, beside it in a source checkout."""
    package = Path(__file__).parents[1]
    for place in (package / "data" / folder, package.parent / folder):
        if place.is_dir():
            return place
    raise WebappctlError(f"the folder {folder} is missing from this installation", remedy="install webappctl again")


def text() -> str:
    """The CRD as YAML, with its comments."""
    return (data("crds") / "webapp.yaml").read_text(encoding="utf-8")


def shipped() -> Json:
    crd: Json = yaml.safe_load(text())
    return crd


def examples() -> Path:
    return data("examples")
