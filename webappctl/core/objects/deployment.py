"""Deployment: only what we set, what tells whose it is, and what tells how its rollout goes."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from webappctl.core.objects.meta import Condition, ObjectKey, ObjectMeta


class ContainerPort(msgspec.Struct, frozen=True, rename="camel"):
    container_port: int
    protocol: str = "TCP"


class Container(msgspec.Struct, frozen=True):
    name: str
    image: str | None = None
    ports: tuple[ContainerPort, ...] | None = None


class PodSpec(msgspec.Struct, frozen=True):
    containers: tuple[Container, ...] | None = None


class PodMeta(msgspec.Struct, frozen=True):
    labels: Mapping[str, str] | None = None


class PodTemplate(msgspec.Struct, frozen=True):
    metadata: PodMeta = PodMeta()
    spec: PodSpec = PodSpec()


class Selector(msgspec.Struct, frozen=True, rename="camel"):
    """A label selector. Expressions stay JSON: it is only asked whether there are any."""

    match_labels: Mapping[str, str] | None = None
    match_expressions: tuple[msgspec.Raw, ...] | None = None


class DeploymentSpec(msgspec.Struct, frozen=True):
    replicas: int | None = None
    paused: bool = False
    selector: Selector = Selector()
    template: PodTemplate = PodTemplate()


class DeploymentStatus(msgspec.Struct, frozen=True, rename="camel"):
    observed_generation: int = 0
    replicas: int = 0
    updated_replicas: int = 0
    ready_replicas: int = 0
    available_replicas: int = 0
    conditions: tuple[Condition, ...] | None = None

    def condition(self, kind: str) -> Condition | None:
        return next((condition for condition in self.conditions or () if condition.type == kind), None)


class Deployment(msgspec.Struct, frozen=True):
    metadata: ObjectMeta
    spec: DeploymentSpec = DeploymentSpec()
    status: DeploymentStatus = DeploymentStatus()

    @property
    def key(self) -> ObjectKey:
        return self.metadata.key

    def container(self, name: str) -> Container | None:
        return next((c for c in self.spec.template.spec.containers or () if c.name == name), None)
