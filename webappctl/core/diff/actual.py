"""The live value of every field that we set."""

from __future__ import annotations

from collections.abc import Mapping

from webappctl.core.diff.ports import live_port
from webappctl.core.objects import CONTAINER, Deployment, OwnedFields


def actual_fields(deployment: Deployment, desired: OwnedFields) -> OwnedFields:
    """What it has of the fields in `desired`. Containers are found by name, ports by number and protocol."""
    container = deployment.container(CONTAINER)
    owners = deployment.metadata.owner_references or ()
    uid = desired.owner and desired.owner.uid
    return OwnedFields(
        labels=_only(deployment.metadata.labels, desired.labels),
        owner=next((owner for owner in owners if owner.uid == uid), None),
        replicas=deployment.spec.replicas if desired.replicas is not None else None,
        pod_labels=_only(deployment.spec.template.metadata.labels, desired.pod_labels),
        image=container.image if container else None,
        port=live_port(deployment, desired),
    )


def _only(actual: Mapping[str, str] | None, desired: Mapping[str, str | None]) -> Mapping[str, str | None]:
    actual = actual or {}
    return {key: actual.get(key) for key in desired}
