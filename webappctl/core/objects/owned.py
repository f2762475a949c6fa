"""The fields of a Deployment that are webappctl's, and their names in managedFields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from webappctl.core.objects.managed import FieldPath
from webappctl.core.objects.meta import OwnerReference
from webappctl.core.objects.names import CONTAINER

CONTAINERS_PATH: Final[FieldPath] = ("f:spec", "f:template", "f:spec", "f:containers")
CONTAINER_PATH: Final[FieldPath] = (*CONTAINERS_PATH, f'k:{{"name":"{CONTAINER}"}}')
REPLICAS_PATH: Final[FieldPath] = ("f:spec", "f:replicas")
IMAGE_PATH: Final[FieldPath] = (*CONTAINER_PATH, "f:image")
PORTS_PATH: Final[FieldPath] = (*CONTAINER_PATH, "f:ports")


def label_path(label: str) -> FieldPath:
    return ("f:metadata", "f:labels", f"f:{label}")


def pod_label_path(label: str) -> FieldPath:
    return ("f:spec", "f:template", "f:metadata", "f:labels", f"f:{label}")


def owner_path(uid: str) -> FieldPath:
    return ("f:metadata", "f:ownerReferences", f'k:{{"uid":"{uid}"}}')


def container_path(name: str) -> FieldPath:
    return (*CONTAINERS_PATH, f'k:{{"name":"{name}"}}')


def port_path(number: int, protocol: str) -> FieldPath:
    """Of a port of our container."""
    return (*PORTS_PATH, f'k:{{"containerPort":{number},"protocol":"{protocol}"}}')


class OwnedFields(msgspec.Struct, frozen=True):
    """Every field of a Deployment that webappctl sets, as wished or as found.

    As found, it has only what the wish has: a label that is not ours is not in it. `replicas` is None when they are
    not ours to set. `image` and `port` (TCP) are those of container `app`; None where it has not got them.
    """

    labels: Mapping[str, str | None]
    owner: OwnerReference | None
    replicas: int | None
    pod_labels: Mapping[str, str | None]
    image: str | None
    port: int | None
