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
SELF_REVIEW: Final = "SelfSubjectReview"


class _ReviewStatus(msgspec.Struct, frozen=True):
    allowed: bool


class _Review(msgspec.Struct, frozen=True):
    status: _ReviewStatus


class _User(msgspec.Struct, frozen=True):
    username: str


class _SelfStatus(msgspec.Struct, frozen=True):
    user: _User = msgspec.field(name="userInfo")


class _SelfReview(msgspec.Struct, frozen=True):
    status: _SelfStatus


class _Version(msgspec.Struct, frozen=True):
    version: str = msgspec.field(name="gitVersion")


class _Served(msgspec.Struct, frozen=True):
    name: str


class _Discovery(msgspec.Struct, frozen=True):
    resources: tuple[_Served, ...]


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


def read_username(body: bytes) -> str:
    return typed(body, _SelfReview, SELF_REVIEW).status.user.username


def read_version(body: bytes) -> str:
    return typed(body, _Version, "version").version


def read_served(body: bytes) -> tuple[str, ...]:
    return tuple(resource.name for resource in typed(body, _Discovery, "APIResourceList").resources)


def typed(body: bytes, kind: type[T], name: str) -> T:
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BadAnswer(f"the answer is not the {name} that was asked for") from error
