"""The port of container `app` among the ports of others."""

from __future__ import annotations

from dataclasses import dataclass

from webappctl.core.diff.change import Cause, FieldChange, cause_of, listed
from webappctl.core.objects import (
    CONTAINER,
    PORTS_PATH,
    Deployment,
    FieldOwner,
    ManagedFields,
    OwnedFields,
    port_path,
)
from webappctl.core.objects.deployment import ContainerPort


def live_port(deployment: Deployment, desired: OwnedFields) -> int | None:
    """Ours, if it is there."""
    return desired.port if any(_is_desired(port, desired) for port in _ports(deployment)) else None


def port_change(deployment: Deployment, desired: OwnedFields, managed: ManagedFields) -> FieldChange:
    """A port that only we hold goes, and is the old value; a port that another holds too stays, and is named."""
    if not managed.applied_by_us:
        return _taken_over(deployment, desired, managed)
    claims = _claims(deployment, managed)
    goes = [each for each in claims if each.goes]
    stays = [each for each in claims if not each.goes]
    names = listed(each.text for each in stays)
    if goes or any(each.ours for each in claims):
        before = goes[0].port.container_port if goes else None
        loses = _loses(goes, managed)
        return FieldChange("port", before, desired.port, Cause.SPEC_CHANGED, stays=names, loses=loses)
    other = next((each.other for each in reversed(stays) if each.other), None)
    manager, time = (other.manager, other.time) if other else ("", None)
    return FieldChange("port", None, desired.port, Cause.LIVE_DRIFT, manager, time, names)


@dataclass(frozen=True, slots=True)
class _Claim:
    """A port that is there instead of the desired one, and who holds it. `other`: the first who is not us."""

    port: ContainerPort
    ours: bool
    other: FieldOwner | None

    @property
    def goes(self) -> bool:
        """With our next apply, because nobody else wants it."""
        return self.ours and self.other is None

    @property
    def text(self) -> str:
        protocol = "" if self.port.protocol == "TCP" else f"/{self.port.protocol}"
        return f"{self.port.container_port}{protocol}" + (f" of {self.other.manager}" if self.other else "")


def _claims(deployment: Deployment, managed: ManagedFields) -> list[_Claim]:
    ours = {(key.get("containerPort"), key.get("protocol", "TCP")) for key in managed.our_list_keys(PORTS_PATH)}
    claims = []
    for port in _ports(deployment):
        # Who holds only its name, say, does not hold the port: it goes with its last owner.
        owners = managed.owners((*port_path(port.container_port, port.protocol), "."))
        other = next((owner for owner in owners if not owner.ours), None)
        claims.append(_Claim(port, (port.container_port, port.protocol) in ours, other))
    return claims


def _loses(goes: list[_Claim], managed: ManagedFields) -> str:
    """What others set of a port goes with it: a Service may know it by its name."""
    return listed(
        f"{field} of {owner.manager}"
        for each in goes
        for field, owner in managed.fields_of_others(port_path(each.port.container_port, each.port.protocol))
        if field not in ("containerPort", "protocol")
    )


def _taken_over(deployment: Deployment, desired: OwnedFields, managed: ManagedFields) -> FieldChange:
    """The first of the ports that fall away is the old value; who set it is behind it."""
    ports = _ports(deployment)
    if not ports:
        return FieldChange("port", None, desired.port, Cause.LIVE_DRIFT)
    cause, owner = cause_of(managed.owners(port_path(ports[0].container_port, ports[0].protocol)))
    manager, time = (owner.manager, owner.time) if owner else ("", None)
    loses = _loses(_claims(deployment, managed), managed)
    return FieldChange("port", ports[0].container_port, desired.port, cause, manager, time, loses=loses)


def _ports(deployment: Deployment) -> tuple[ContainerPort, ...]:
    container = deployment.container(CONTAINER)
    return (container and container.ports) or ()


def _is_desired(port: ContainerPort, desired: OwnedFields) -> bool:
    return port.container_port == desired.port and port.protocol == "TCP"
