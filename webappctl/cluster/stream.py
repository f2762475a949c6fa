"""A watch: what happens to one kind of object, line by line, until the server ends it. Nothing is tried again here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, Generic, TypeVar

import msgspec

from webappctl.cluster.refusal import refusal
from webappctl.cluster.requests import AUTOSCALERS, DEPLOYMENTS, WEBAPPS
from webappctl.cluster.requests import watch as watch_request
from webappctl.cluster.transport import Transport
from webappctl.cluster.wire import Answer, Request, Resource, Stream
from webappctl.core.objects import (
    EventType,
    Kind,
    Listed,
    WatchEvent,
    read_autoscaler_event,
    read_deployment_event,
    read_webapp_event,
)
from webappctl.errors import BadAnswer, ClusterError

T = TypeVar("T")
Reader = Callable[[bytes], WatchEvent[T]]

MARGIN: Final = 15.0
"""Seconds that a server may be late in ending a watch."""
QUIET: Final = 180.0
"""Seconds without a byte after which a watch is taken for dead.

An API server sends a bookmark every minute, but none of a resourceVersion that is not newer: the first may take two.
"""

READERS: Final[dict[Kind, tuple[Resource, Callable[[bytes], WatchEvent[Listed]]]]] = {
    Kind.WEBAPPS: (WEBAPPS, read_webapp_event),
    Kind.DEPLOYMENTS: (DEPLOYMENTS, read_deployment_event),
    Kind.AUTOSCALERS: (AUTOSCALERS, read_autoscaler_event),
}


class Watch(Generic[T]):
    """Iterating gives events, never one of type ERROR: that raises what the same refusal of a request would.

    Gone: the resourceVersion is too old, list again. BadAnswer: something that cannot be read, or is cut. The end
    without an exception is the server's, or `close`, which any thread may call.
    """

    def __init__(self, stream: Stream, request: Request, server: str, read: Reader[T]) -> None:
        self._stream = stream
        self._request = request
        self._server = server
        self._read = read

    def __enter__(self) -> Watch[T]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._stream.close()

    def __iter__(self) -> Iterator[WatchEvent[T]]:
        try:
            yield from self._events()
        except ClusterError as error:
            error.subject = error.subject or self._request.purpose.subject
            raise

    def _events(self) -> Iterator[WatchEvent[T]]:
        for line in self._stream:
            event = self._read(line)
            if event.type is EventType.ERROR:
                raise refusal(_answer(event.status), self._request.purpose, self._server)
            yield event


def watch(
    transport: Transport,
    request: Request,
    read: Reader[T],
    *,
    seconds: float,
    quiet: float = QUIET,
) -> Watch[T]:
    """Raises what Transport.stream raises. `seconds`: after which the server ends it."""
    stream = transport.stream(request, timeout=seconds + MARGIN, quiet=quiet)
    return Watch(stream, request, transport.server, read)


def watch_kind(
    transport: Transport, kind: Kind, namespace: str, selector: str, resource_version: str, *, seconds: int
) -> Watch[Listed]:
    resource, read = READERS[kind]
    asked = selector if kind is Kind.WEBAPPS else ""
    return watch(transport, watch_request(resource, namespace, asked, resource_version, seconds), read, seconds=seconds)


class _Code(msgspec.Struct, frozen=True):
    code: int


def _answer(status: bytes) -> Answer:
    """As if the Status had come as the answer to the request."""
    try:
        code = msgspec.json.decode(status, type=_Code).code
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BadAnswer("the watch ended with an error that cannot be read") from error
    return Answer(code, {}, status)
