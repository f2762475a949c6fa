"""Events: created once, and counted from then on."""

from __future__ import annotations

from typing import Final

import msgspec

from webappctl.cluster import requests
from webappctl.cluster.answers import ask, typed
from webappctl.cluster.requests import EVENTS
from webappctl.cluster.transport import Transport
from webappctl.core.objects import Json
from webappctl.errors import Conflict, NotFound

EVENT_TRIES: Final = 4
"""A recurring event that others count too, or that expires meanwhile, is tried this often."""


class _EventMeta(msgspec.Struct, frozen=True, rename="camel"):
    resource_version: str


class _Event(msgspec.Struct, frozen=True):
    metadata: _EventMeta
    count: int | None = None


def record_event(transport: Transport, event: Json) -> None:
    """Create a core/v1 Event; one of the same name is counted, and takes over `lastTimestamp`."""
    for last in (False,) * (EVENT_TRIES - 1) + (True,):
        try:
            transport.send(requests.create(EVENTS, event))
        except Conflict:
            if _count(transport, event, last=last):
                return
        else:
            return


def _count(transport: Transport, event: Json, *, last: bool) -> bool:
    """False when the stored one moved or expired meanwhile, so that it must be begun again."""
    namespace, name = event["metadata"]["namespace"], event["metadata"]["name"]
    try:
        stored = ask(transport, requests.get_one(EVENTS, namespace, name), _read_event)
        transport.send(requests.merge_patch(EVENTS, namespace, name, _counted(stored, event)))
    except (Conflict, NotFound):
        if last:
            raise
        return False
    return True


def _read_event(body: bytes) -> _Event:
    return typed(body, _Event, "Event")


def _counted(stored: _Event, event: Json) -> Json:
    """`resourceVersion` makes the patch fail when somebody else counted in between."""
    return {
        "metadata": {"resourceVersion": stored.metadata.resource_version},
        "count": (stored.count or 1) + 1,
        "lastTimestamp": event["lastTimestamp"],
    }
