"""HorizontalPodAutoscaler: whose replicas it sets, and between which bounds. KEDA's are no others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

import msgspec

from webappctl.core.objects.meta import ObjectKey, ObjectMeta

ALL_NAMESPACES: Final = ""


class ScaleTarget(msgspec.Struct, frozen=True, rename="camel"):
    kind: str
    name: str
    api_version: str = ""


class AutoscalerSpec(msgspec.Struct, frozen=True, rename="camel"):
    scale_target_ref: ScaleTarget
    max_replicas: int
    min_replicas: int = 1


class Autoscaler(msgspec.Struct, frozen=True):
    """autoscaling/v2."""

    metadata: ObjectMeta
    spec: AutoscalerSpec

    @property
    def deployment(self) -> ObjectKey | None:
        """The Deployment that it scales; None when it scales something else, as the WebApp itself."""
        target = self.spec.scale_target_ref
        if target.kind != "Deployment" or target.api_version.partition("/")[0] != "apps":
            return None
        return ObjectKey(self.metadata.namespace, target.name)


@dataclass(frozen=True, slots=True)
class Autoscalers:
    """Which Deployments an autoscaler has the replicas of.

    `rivals`: the names of all, for a Deployment that has several. `unknown`: namespaces in which they may not be
    listed, ALL_NAMESPACES for all. There managedFields must tell.
    """

    by_target: Mapping[ObjectKey, Autoscaler] = field(default_factory=dict)
    unknown: frozenset[str] = frozenset()
    rivals: Mapping[ObjectKey, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, listed: Iterable[Autoscaler], unknown: Iterable[str] = ()) -> Autoscalers:
        """Of two for the same Deployment the first by name counts, whatever the order of the list."""
        found: dict[ObjectKey, list[Autoscaler]] = {}
        for autoscaler in sorted(listed, key=lambda autoscaler: autoscaler.metadata.key):
            if autoscaler.deployment is not None:
                found.setdefault(autoscaler.deployment, []).append(autoscaler)
        rivals = {key: tuple(each.metadata.name for each in several) for key, several in found.items() if several[1:]}
        return cls({key: several[0] for key, several in found.items()}, frozenset(unknown), rivals)

    def unknown_in(self, namespace: str) -> bool:
        return not self.unknown.isdisjoint((ALL_NAMESPACES, namespace))


NO_AUTOSCALERS: Final = Autoscalers()
