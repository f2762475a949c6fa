"""An answer that is not a success → the error that says what to do with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

import msgspec

from webappctl import errors
from webappctl.cluster.wire import Answer, Purpose
from webappctl.core.objects import PLURAL
from webappctl.errors import StatusCause

LONGEST: Final = 500
"""Characters of the server's text that go into a message."""

READS: Final = frozenset({"get", "list", "watch"})

NO_SUCH_PATH: Final = b"404 page not found"
"""The whole answer of an API server that does not serve a group; anything else without a Status is a proxy's."""

UNKNOWN_FIELD: Final = "field not declared in schema"
UNFIT: Final = ("failed to create typed patch object", "failed to create typed live object", UNKNOWN_FIELD)
"""The server calls a body, or a stored object, that does not fit the schema an error of its own (500)."""

CLASSES: Final[Mapping[int, tuple[type[errors.Rejected], str]]] = {
    404: (errors.NotFound, "not found"),
    409: (errors.Conflict, "conflict"),
    410: (errors.Gone, "gone"),
}


@dataclass(frozen=True, slots=True)
class _Status:
    """A failure Status, as far as it could be read."""

    message: str
    reason: str
    causes: tuple[StatusCause, ...]
    names_an_object: bool


def refusal(answer: Answer, purpose: Purpose, server: str) -> errors.ClusterError:
    """The error for any answer but a 2xx."""
    if answer.status < HTTPStatus.BAD_REQUEST:
        return errors.BadAnswer(
            f"{server} answered {_phrase(answer.status)}, which no API server does",
            subject=purpose.subject,
            remedy="is this the address of an API server?",
        )
    status = _read(answer.body)
    if status is not None and _denied_by_a_webhook(answer, status, purpose):
        return _denied(answer.status, status, purpose)
    if answer.status == HTTPStatus.UNAUTHORIZED:
        return errors.Unauthorized(
            f"{server} does not accept the credentials (401)",
            remedy="log in again, or choose another context with --context",
        )
    if answer.status == HTTPStatus.NOT_FOUND and _not_of_that_object(answer, status, purpose):
        return errors.BadAnswer(f"{server} does not serve {purpose.resource} (404)", subject=purpose.subject)
    return _rejected(answer.status, status, purpose, server)


def one_line(text: str, longest: int = LONGEST) -> str:
    """Without line breaks and control characters, and cut."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * longest]).split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def _denied_by_a_webhook(answer: Answer, status: _Status, purpose: Purpose) -> bool:
    """A webhook may deny with any code, and mostly gives no reason; the API server's own refusals have one.

    So a 401 of a webhook is not taken for our credentials, nor its 404 for an object.
    """
    client_error = HTTPStatus.BAD_REQUEST <= answer.status < HTTPStatus.INTERNAL_SERVER_ERROR
    asked_to_write = purpose.verb not in READS
    return asked_to_write and client_error and not status.reason and answer.status != HTTPStatus.TOO_MANY_REQUESTS


def _denied(code: int, status: _Status, purpose: Purpose) -> errors.Forbidden:
    message = f"denied: {status.message}" if status.message else f"denied ({_phrase(code)})"
    return errors.Forbidden(
        message, code=code, causes=status.causes, subject=purpose.subject, server_message=status.message
    )


def _not_of_that_object(answer: Answer, status: _Status | None, purpose: Purpose) -> bool:
    """A 404 says that an object is absent only when it names one; a proxy's page or a missing CRD must not."""
    if status is None:
        return bool(purpose.name) or answer.body.strip() != NO_SUCH_PATH
    return bool(purpose.name) and not status.names_an_object


def _rejected(code: int, status: _Status | None, purpose: Purpose, server: str) -> errors.Rejected:
    text = status.message if status else ""
    kind, message, subject, remedy = _class_and_words(code, text, purpose, server)
    return kind(
        message,
        code=code,
        reason=status.reason if status else "",
        causes=status.causes if status else (),
        subject=subject,
        remedy=remedy,
        server_message=text,
    )


def _class_and_words(
    code: int, text: str, purpose: Purpose, server: str
) -> tuple[type[errors.Rejected], str, str, str]:
    """Class, message, subject and remedy."""
    detail = f": {text}" if text else ""
    if code == HTTPStatus.FORBIDDEN:
        return _forbidden(text, purpose)
    if code == HTTPStatus.TOO_MANY_REQUESTS:
        return errors.Throttled, f"{server} is overloaded (429){detail}", purpose.subject, "try again later"
    if code >= HTTPStatus.INTERNAL_SERVER_ERROR and not any(words in text for words in UNFIT):
        return errors.ServerFailure, f"{server} failed ({_phrase(code)}){detail}", purpose.subject, ""
    if UNKNOWN_FIELD in text:
        remedy = "webappctl crd --install" if purpose.resource.startswith(PLURAL) else ""
        return errors.UnknownField, f"invalid{detail}", purpose.subject, remedy
    kind, word = CLASSES.get(code, (errors.Invalid, "invalid"))
    return kind, f"{word}{detail}" if text else f"{word} ({_phrase(code)})", purpose.subject, ""


def _forbidden(text: str, purpose: Purpose) -> tuple[type[errors.Rejected], str, str, str]:
    """Only a missing right forbids a read; a write may also have met a quota or an admission rule: quote the server."""
    message = f"forbidden: may not {purpose.verb} {purpose.resource}{purpose.where}"
    if purpose.verb in READS:
        subject = purpose.subject if purpose.name else ""
        return errors.Forbidden, message, subject, 'grant that right to this identity, see "webappctl doctor"'
    return errors.Forbidden, f"{message}: {text}" if text else message, purpose.subject, ""


def _phrase(code: int) -> str:
    try:
        return f"{code} {HTTPStatus(code).phrase}"
    except ValueError:
        return str(code)


def _read(body: bytes) -> _Status | None:
    """None for anything but a Status; a Status with odd fields is read as far as it goes."""
    try:
        status = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    if not isinstance(status, dict) or status.get("kind") != "Status":
        return None
    details = status.get("details")
    details = details if isinstance(details, dict) else {}
    causes = details.get("causes")
    return _Status(
        message=one_line(_text(status, "message")),
        reason=one_line(_text(status, "reason")),
        causes=tuple(_cause(cause) for cause in causes if isinstance(cause, dict)) if isinstance(causes, list) else (),
        names_an_object=bool(details.get("name")),
    )


def _cause(cause: Mapping[str, Any]) -> StatusCause:
    return StatusCause(_text(cause, "reason"), one_line(_text(cause, "message")), one_line(_text(cause, "field")))


def _text(value: Mapping[str, Any], key: str) -> str:
    text = value.get(key)
    return text if isinstance(text, str) else ""
