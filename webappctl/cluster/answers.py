"""Answers of the API server as values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import msgspec

from webappctl.cluster.transport import Transport
from webappctl.cluster.wire import Request
from webappctl.errors import BadAnswer

T = TypeVar("T")

ACCESS_REVIEW: Final = "SelfSubjectAccessReview"


class _ReviewStatus(msgspec.Struct, frozen=True):
    allowed: bool


class _Review(msgspec.Struct, frozen=True):
    status: _ReviewStatus


def ask(transport: Transport, request: Request, read: Callable[[bytes], T]) -> T:
    """Send it, and read the answer. Raises what Transport.send raises, and BadAnswer, which names the object."""
    body = transport.send(request)
    try:
        return read(body)
    except BadAnswer as error:
        error.subject, error.may_have_happened = request.purpose.subject, request.writes
        raise


def read_object(body: bytes) -> dict[str, Any]:
    return typed(body, dict[str, Any], "object")


def read_allowed(body: bytes) -> bool:
    return typed(body, _Review, ACCESS_REVIEW).status.allowed


def typed(body: bytes, kind: type[T], name: str) -> T:
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BadAnswer(f"the answer is not the {name} that was asked for") from error
