"""The fields of a Deployment that are webappctl's, and their names in managedFields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from webappctl.core.objects.managed import FieldPath
from webappctl.core.objects.meta import OwnerReference
from webappctl.core.objects.names import CONTAINER

CONTAINERS_PATH: Final[FieldPath] = ("f:spec", "f:template", "f:spec", "f:containers")
_CONTAINER_PATH: Final = (*CONTAINERS_PATH, f'k:{{"name":"{CONTAINER}"}}')
REPLICAS_PATH: Final[FieldPath] = ("f:spec", "f:replicas")
IMAGE_PATH: Final[FieldPath] = (*_CONTAINER_PATH, "f:image")
PORTS_PATH: Final[FieldPath] = (*_CONTAINER_PATH, "f:ports")


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
