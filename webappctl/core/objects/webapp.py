"""WebApp: what a developer declares."""

from __future__ import annotations

import msgspec

from webappctl.core.objects.meta import Condition, ObjectKey, ObjectMeta


class WebAppSpec(msgspec.Struct, frozen=True):
    """None where a field is absent. Nothing is checked here: desired.py says what is wrong with a spec."""

    image: str | None = None
    port: int | None = None
    replicas: int | None = None


class WebAppStatus(msgspec.Struct, frozen=True, rename="camel"):
    """What webappctl reports. Conditions of types that are not ours are kept as they are."""

    observed_generation: int | None = None
    replicas: int | None = None
    ready_replicas: int | None = None
    selector: str | None = None
    conditions: tuple[Condition, ...] | None = None

    def condition(self, kind: str) -> Condition | None:
        return next((condition for condition in self.conditions or () if condition.type == kind), None)


class WebApp(msgspec.Struct, frozen=True):
    metadata: ObjectMeta
    spec: WebAppSpec | None = None
    status: WebAppStatus | None = None

    @property
    def key(self) -> ObjectKey:
        return self.metadata.key


class WebAppOfOddStatus(WebApp, frozen=True):
    """Its status has a field of a wrong type, and is None here. Server-side apply fails on such an object."""
