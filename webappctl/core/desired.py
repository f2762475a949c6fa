"""WebApp → the Deployment it asks for: a small, deterministic projection, and nothing else.

What is not in `OwnedFields` belongs to others: it is never compared, never sent and never drift.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from webappctl.core.objects import (
    API_VERSION,
    CONTAINER,
    KIND,
    MANAGED_BY,
    REPLICAS_PATH,
    Deployment,
    Json,
    ManagedFields,
    OwnedFields,
    OwnerReference,
    WebApp,
    WebAppSpec,
    deployment_key,
)

MAX_IMAGE: Final = 512
MAX_PORT: Final = 65_535
MAX_REPLICAS: Final = 100_000
MAX_NAME: Final = 52
"""Of a new WebApp: service meshes copy the Deployment's name into a label."""
DNS_LABEL: Final = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
"""Of a new WebApp's name; as in the CRD's own rule."""
MAX_LABEL: Final = 63
"""Of a label's value, and so of any WebApp's name: it is the value of the label `app`."""
CREATE_ONLY: Final = "1"
"""A resourceVersion that no object has: applied with it, an absent object is created and a present one is a 409."""


def labels_of(name: str) -> dict[str, str]:
    """On the Deployment, in its selector and on its pods."""
    return {"app": name, "managed-by": MANAGED_BY}


def selector_of(name: str) -> str:
    """The same, as kubectl and an autoscaler write a selector."""
    return ",".join(f"{key}={value}" for key, value in labels_of(name).items())


def owner_of(webapp: WebApp) -> OwnerReference:
    return OwnerReference(
        api_version=API_VERSION,
        kind=KIND,
        name=webapp.metadata.name,
        uid=webapp.metadata.uid,
        controller=True,
        block_owner_deletion=True,
    )


def problem_of(webapp: WebApp) -> str:
    """Why no Deployment can be made from this WebApp; empty when one can.

    The CRD refuses all of these for new objects, but objects stored under a laxer one are there all the same.
    """
    spec = webapp.spec
    if spec is None:
        return "it has no spec"
    return _image_problem(spec) or _number_problem("port", spec.port, MAX_PORT) or _replicas_problem(spec)


def _image_problem(spec: WebAppSpec) -> str:
    if not spec.image:
        return "spec.image is missing"
    if len(spec.image) > MAX_IMAGE:
        return f"spec.image has {len(spec.image)} characters, at most {MAX_IMAGE} are allowed"
    if re.search(r"\s", spec.image):
        return "spec.image has white space in it"
    return ""


def _replicas_problem(spec: WebAppSpec) -> str:
    return "" if spec.replicas is None else _number_problem("replicas", spec.replicas, MAX_REPLICAS)


def _number_problem(field: str, value: int | None, largest: int) -> str:
    if value is None:
        return f"spec.{field} is missing"
    return "" if 1 <= value <= largest else f"spec.{field} is {value}, it must be from 1 to {largest}"


def desired_fields(webapp: WebApp, *, held: bool = False) -> OwnedFields:
    """What its Deployment should have. Only for a WebApp without a problem. `held`: an autoscaler has the replicas."""
    spec = webapp.spec or WebAppSpec()
    labels = labels_of(webapp.metadata.name)
    replicas = None if held else spec.replicas
    return OwnedFields(labels, owner_of(webapp), replicas, labels, spec.image, spec.port)


def creation(webapp: WebApp) -> Json:
    """The body that creates its Deployment, and is refused (409) when one is there."""
    return _manifest(webapp, {"resourceVersion": CREATE_ONLY}, webapp.spec.replicas if webapp.spec else None)


def update(webapp: WebApp, live: Deployment, *, held: bool = False) -> Json:
    """The body that brings `live` to what the WebApp asks for, and is refused (409) when another write came between.

    Replicas that are not ours (not asked for, or `held` by an autoscaler) are left out, except while we still own the
    field: leaving it out then would delete it, and the API server would make it 1. So the live value is sent until
    another manager takes it over.
    """
    replicas = desired_fields(webapp, held=held).replicas
    if replicas is None and ManagedFields.read(live.metadata.managed_fields).owned_by_us(REPLICAS_PATH):
        replicas = live.spec.replicas
    precondition = {"uid": live.metadata.uid, "resourceVersion": live.metadata.resource_version}
    return _manifest(webapp, precondition, replicas)


def _manifest(webapp: WebApp, precondition: Mapping[str, str], replicas: int | None) -> Json:
    """No nulls and no empty maps: under server-side apply both claim the field."""
    desired = desired_fields(webapp)
    key = deployment_key(webapp.key)
    port = {"containerPort": desired.port, "protocol": "TCP"}
    spec: dict[str, Any] = {} if replicas is None else {"replicas": replicas}
    spec["selector"] = {"matchLabels": desired.labels}
    spec["template"] = {
        "metadata": {"labels": desired.pod_labels},
        "spec": {"containers": [{"name": CONTAINER, "image": desired.image, "ports": [port]}]},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": key.name,
            "namespace": key.namespace,
            **precondition,
            "labels": desired.labels,
            "ownerReferences": [msgspec.to_builtins(desired.owner)],
        },
        "spec": spec,
    }
