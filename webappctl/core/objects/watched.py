"""Lines of a watch → events; and what of an object may be kept in memory for long."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

import msgspec

from webappctl.core.objects.autoscaler import Autoscaler
from webappctl.core.objects.deployment import Deployment
from webappctl.core.objects.listing import Listed
from webappctl.core.objects.lists import read_autoscaler, read_deployment, read_webapp
from webappctl.core.objects.meta import ObjectMeta
from webappctl.core.objects.unreadable import Unreadable
from webappctl.core.objects.webapp import WebApp
from webappctl.errors import BadAnswer

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class EventType(StrEnum):
    ADDED = "ADDED"
    MODIFIED = "MODIFIED"
    DELETED = "DELETED"
    BOOKMARK = "BOOKMARK"
    """Nothing happened; the watch can be taken up again from its resourceVersion."""
    ERROR = "ERROR"


@dataclass(frozen=True, slots=True)
class WatchEvent(Generic[T_co]):
    """`object` is None in a bookmark and an error; of one that was deleted, it is the last state.

    `resource_version`: of the event, so of a deletion its own. `status`: the whole Status of an error.
    """

    type: EventType
    resource_version: str
    object: T_co | None = None
    status: bytes = b""


class _Envelope(msgspec.Struct, frozen=True):
    type: EventType
    object: msgspec.Raw


class _VersionOnly(msgspec.Struct, frozen=True, rename="camel"):
    resource_version: str


class _Versioned(msgspec.Struct, frozen=True):
    metadata: _VersionOnly


_envelope = msgspec.json.Decoder(_Envelope)
_versioned = msgspec.json.Decoder(_Versioned)


def read_webapp_event(line: bytes) -> WatchEvent[WebApp | Unreadable]:
    """Raises BadAnswer for anything but a whole event of an object, a bookmark or an error."""
    return _read(line, read_webapp)


def read_deployment_event(line: bytes) -> WatchEvent[Deployment | Unreadable]:
    """The same of a Deployment."""
    return _read(line, read_deployment)


def read_autoscaler_event(line: bytes) -> WatchEvent[Autoscaler]:
    """The same of an autoscaler; an odd one is a BadAnswer, as it is in a list."""
    return _read(line, read_autoscaler)


def _read(line: bytes, read: Callable[[msgspec.Raw], T]) -> WatchEvent[T]:
    try:
        envelope = _envelope.decode(line)
        if envelope.type is EventType.ERROR:
            return WatchEvent(envelope.type, "", status=bytes(envelope.object))
        version = _versioned.decode(envelope.object).metadata.resource_version
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BadAnswer(f"the watch holds something that is no event: {error}") from error
    if not (version.isdecimal() and version.isascii()):
        raise BadAnswer("the watch holds an event without a resourceVersion")
    return WatchEvent(envelope.type, version, None if envelope.type is EventType.BOOKMARK else read(envelope.object))


def kept(found: Listed) -> Listed:
    """The same, without the whole answer that its JSON parts are views of."""
    metadata = found.metadata
    owned = msgspec.structs.replace(
        metadata, annotations=metadata.annotations.copy(), managed_fields=metadata.managed_fields.copy()
    )
    made = msgspec.structs.replace(found, metadata=owned)
    return _with_own_selector(made) if isinstance(made, Deployment) else made


def _with_own_selector(deployment: Deployment) -> Deployment:
    expressions = deployment.spec.selector.match_expressions
    if not expressions:
        return deployment
    copies = tuple(expression.copy() for expression in expressions)
    selector = msgspec.structs.replace(deployment.spec.selector, match_expressions=copies)
    return msgspec.structs.replace(deployment, spec=msgspec.structs.replace(deployment.spec, selector=selector))


def without_history(metadata: ObjectMeta) -> ObjectMeta:
    """Of two that are equal then, nothing but the resourceVersion and who wrote what is different."""
    return msgspec.structs.replace(metadata, resource_version="", managed_fields=msgspec.Raw())
