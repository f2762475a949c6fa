"""What goes over the wire: a request, an answer, and the one method that turns the first into the second.

The in-memory double of the API server is another `Wire`; everything above this line cannot tell the difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol
from urllib.parse import quote

from webappctl.errors import Unreachable

JSON: Final = "application/json"
APPLY_PATCH: Final = "application/apply-patch+yaml"
MERGE_PATCH: Final = "application/merge-patch+json"
JSON_PATCH: Final = "application/json-patch+json"
DRY_RUN: Final = {"dryRun": "All"}
"""The query of a write that is judged and answered as any other, and not carried out."""


@dataclass(frozen=True, slots=True)
class Purpose:
    """What a request is for, in the words of RBAC. Error messages are made of it, never of the server's text.

    `resource` is `deployments.apps`, `events`, `webapps.apps.example.com/status`. `namespace` is empty for the whole
    cluster and for what has no namespace; `name` is empty for lists.
    """

    verb: str
    resource: str
    namespace: str = ""
    name: str = ""

    @property
    def where(self) -> str:
        """` in namespace shop`, ` in all namespaces`, or nothing for what has no namespace."""
        if self.namespace:
            return f" in namespace {self.namespace}"
        return " in all namespaces" if self.verb in {"list", "watch"} else ""

    @property
    def subject(self) -> str:
        """`shop/web` for an object, `deployments.apps in all namespaces` for a list."""
        if self.name and self.namespace:
            return f"{self.namespace}/{self.name}"
        return f"{self.resource} {self.name}" if self.name else f"{self.resource}{self.where}"


@dataclass(frozen=True, slots=True)
class Request:
    """`path` is quoted and starts with a slash; values of `query` are not quoted.

    `repeatable`: sending it twice does no more than sending it once, so that a lost answer may be asked for again.
    """

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = field(default=None, repr=False)
    content_type: str = JSON
    purpose: Purpose = Purpose("send", "requests")
    repeatable: bool = False

    @property
    def writes(self) -> bool:
        return self.method != "GET" and not DRY_RUN.items() <= self.query.items()


@dataclass(frozen=True, slots=True)
class Answer:
    """Any HTTP answer, whole. Header names are in lower case."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)


class NotSent(Unreachable):
    """There was no connection: of any other Unreachable, the request may have been carried out."""


class Stream(Protocol):
    """The lines of an answer that has no end of its own. Only whole lines, without their ends; none is empty."""

    def __enter__(self) -> Stream: ...
    def __exit__(self, *_: object) -> None: ...
    def __iter__(self) -> Iterator[bytes]:
        """Raises Unreachable when nothing came for too long or the connection broke, BadAnswer when it was cut."""

    def close(self) -> None:
        """From any thread. A read that waits ends at once, and with it the lines, without an exception."""


class Wire(Protocol):
    @property
    def server(self) -> str:
        """The URL of the API server, without credentials; for messages."""

    def exchange(self, request: Request, timeout: float) -> Answer:
        """Send it once. `timeout` is in seconds, from connecting to the last byte of the answer.

        A 401 is returned only after the credentials were read again, once. Raises Unreachable when no answer comes
        (NotSent where it surely was not sent), BadAnswer when it is not HTTP or is cut, Unauthorized when there are no
        credentials to send; nothing else.
        """

    def stream(self, request: Request, *, opening: float, timeout: float, quiet: float) -> Stream | Answer:
        """Send it once, over a connection of its own; an Answer is any but 200, as `exchange` would give it.

        All in seconds. `opening`: from connecting to the headers of the answer. `timeout`: to its last byte. `quiet`:
        between two bytes. Raises what `exchange` raises.
        """


@dataclass(frozen=True, slots=True)
class Resource:
    """A kind of object, as URLs name it; printed `deployments.apps`, `events`."""

    group: str
    version: str
    plural: str

    def __str__(self) -> str:
        return f"{self.plural}.{self.group}" if self.group else self.plural

    def path(self, namespace: str = "", name: str = "", subresource: str = "") -> str:
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        parts = ["namespaces", namespace, self.plural] if namespace else [self.plural]
        parts += [part for part in (name, subresource) if part]
        return "/".join([root, *(quote(part, safe="") for part in parts)])
