"""One field that differs, as a value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Final

from webappctl.core.objects import FieldOwner

ROOT: Final = "deployment"
"""The path of a difference that DeepDiff did not name."""


class Cause(Enum):
    """Why a field differs."""

    MISSING = "missing"
    SPEC_CHANGED = "spec-changed"
    LIVE_DRIFT = "live-drift"
    ADOPT = "adopt"
    ORPHAN = "orphan"


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One owned field: `image`, `replicas`, `port`, `labels.app`, `template.labels.app`, `ownerReference`.

    `actual` and `desired` are None where there is no value. `manager` is who set the live value last, empty when
    nobody owns it; `time` is RFC 3339, None where the API server keeps none. `stays` names what is left beside ours,
    `loses` what of others goes with the old value: `name of kubectl-edit`.
    """

    path: str
    actual: str | int | None
    desired: str | int | None
    cause: Cause
    manager: str = ""
    time: str | None = None
    stays: str = ""
    loses: str = ""

    @property
    def essence(self) -> tuple[str, object, object]:
        """What would be written over what, whoever is behind it, and whatever of others is beside it."""
        return self.path, self.actual, self.desired

    @property
    def in_pod_template(self) -> bool:
        """True when the change replaces the pods."""
        return self.path in ("image", "port", ROOT) or self.path.startswith("template.")


def cause_of(owners: Iterable[FieldOwner]) -> tuple[Cause, FieldOwner | None]:
    """Still in our Apply entry: the live value is what we last wrote, so it is the WebApp that changed."""
    owners = tuple(owners)
    if any(owner.ours for owner in owners):
        return Cause.SPEC_CHANGED, None
    return Cause.LIVE_DRIFT, owners[-1] if owners else None


def listed(things: Iterable[str]) -> str:
    """Each once: a port may be there twice."""
    return ", ".join(dict.fromkeys(things))
