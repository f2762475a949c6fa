"""The real wire: a urllib3 pool whose timeout holds from connecting to the last byte.

urllib3 and http.client bound each read of a socket, so a server that drips a byte a second holds them for hours. Here
every read gets only the time that is left; that needs no second thread, and no socket is shut behind anybody's back.
(The one thing that cannot be bounded is the resolver of host names, which has time limits of its own.)
"""

from __future__ import annotations

import http.client
import io
import math
import socket
import threading
import time
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol
from urllib.parse import urlencode, urlsplit

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.util.connection import create_connection

from webappctl.cluster.foreign import FOREIGN, translated
from webappctl.cluster.lines import CHUNK, Lines, Timed, keepalive
from webappctl.cluster.wire import Answer, Request
from webappctl.errors import ConfigError, Unauthorized

RETRY_LOGIN: Final = 10.0
"""Seconds until credentials that could not be read again are tried once more."""


class _TimedResponse(http.client.HTTPResponse):
    """urllib3 has set the socket's timeout to what is left of the total just before it makes one of these."""

    def __init__(self, sock: socket.socket, *args: Any, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        left = sock.gettimeout()
        deadline = time.monotonic() + (math.inf if left is None else left)
        self.reading = Timed(self.fp.detach(), sock, deadline)
        self.fp = io.BufferedReader(self.reading, CHUNK)


def _dial(connection: HTTPConnection) -> socket.socket:
    """urllib3 gives each address of a host the whole timeout; here they share it, and TLS gets what is left."""
    deadline = time.monotonic() + float(connection.timeout or math.inf)
    addresses = socket.getaddrinfo(connection._dns_host, connection.port, type=socket.SOCK_STREAM)
    for tried, (*_, address) in enumerate(addresses, start=1):
        share = (deadline - time.monotonic()) / (len(addresses) - tried + 1)
        try:
            sock = create_connection(
                (str(address[0]), connection.port), max(share, 0.001), socket_options=connection.socket_options
            )
        except OSError:
            if tried == len(addresses):
                raise
        else:
            sock.settimeout(max(deadline - time.monotonic(), 0.001))
            return sock
    raise socket.gaierror(socket.EAI_NONAME, "no address")


class _PlainConnection(HTTPConnection):
    response_class = _TimedResponse

    def _new_conn(self) -> socket.socket:
        return _dial(self)


class _TlsConnection(HTTPSConnection):
    response_class = _TimedResponse

    def _new_conn(self) -> socket.socket:
        return _dial(self)


class _PlainPool(urllib3.HTTPConnectionPool):
    ConnectionCls = _PlainConnection


class _TlsPool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _TlsConnection


class Way(NamedTuple):
    """The connections to a server, those of streams apart, and what comes before a request's path.

    That is the path of the server's URL, or the whole URL where a proxy wants it.
    """

    pool: urllib3.HTTPConnectionPool
    streams: urllib3.HTTPConnectionPool
    prefix: str


def way_to(server: str, manager: urllib3.PoolManager) -> Way:
    """With connections that keep their total timeout.

    A SOCKS proxy has connections of its own kind, which stay as they are.
    """
    if set(manager.pool_classes_by_scheme.values()) == {urllib3.HTTPConnectionPool, urllib3.HTTPSConnectionPool}:
        manager.pool_classes_by_scheme = {"http": _PlainPool, "https": _TlsPool}
    pool = manager.connection_from_url(server)
    streams = manager.connection_from_url(server, {"maxsize": 1, "socket_options": keepalive()})
    return Way(pool, streams, server if pool.proxy and server.startswith("http:") else urlsplit(server).path)


class Headers(Protocol):
    def __call__(self) -> MutableMapping[str, str]:
        """The headers for one request, credentials among them; a new mapping each time. May raise Unauthorized."""


@dataclass(frozen=True, slots=True, eq=False)
class Access:
    """A way in, as the credentials were when they were last read.

    `fresh_for`: seconds until the credentials are read again.
    """

    way: Way
    headers: Headers
    fresh_for: float = math.inf


class PoolWire:
    """`log_in` reads the credentials anew, or raises ConfigError; it is never run by two threads at once."""

    def __init__(self, server: str, log_in: Callable[[], Access], clock: Callable[[], float] = time.monotonic) -> None:
        self._server = server
        self.log_in = log_in
        self._clock = clock
        self._lock = threading.Lock()
        self._access = log_in()
        self._stale_at = clock() + self._access.fresh_for

    @property
    def server(self) -> str:
        return self._server

    def exchange(self, request: Request, timeout: float) -> Answer:
        access = self._fresh()
        ends = time.monotonic() + timeout
        answer = self._send(access, request, timeout)
        if answer.status != http.HTTPStatus.UNAUTHORIZED:
            return answer
        access = self._renewed(access)
        return self._send(access, request, ends - time.monotonic())

    def stream(self, request: Request, *, opening: float, timeout: float, quiet: float) -> Lines | Answer:
        access = self._fresh()
        ends = time.monotonic() + opening
        opened = self._open(access, request, opening, timeout, quiet)
        if isinstance(opened, Lines) or opened.status != http.HTTPStatus.UNAUTHORIZED:
            return opened
        access = self._renewed(access)
        return self._open(access, request, ends - time.monotonic(), timeout, quiet)

    def _fresh(self) -> Access:
        """Credentials that should have been read again but cannot be are still credentials: the server decides."""
        if self._clock() < self._stale_at:
            return self._access
        with self._lock:
            if self._clock() >= self._stale_at:
                try:
                    self._take(self.log_in())
                except ConfigError:
                    self._stale_at = self._clock() + RETRY_LOGIN
            return self._access

    def _renewed(self, refused: Access) -> Access:
        """Of many threads that were refused with the same credentials, one reads them again."""
        with self._lock:
            if self._access is refused:
                try:
                    self._take(self.log_in())
                except ConfigError as error:
                    message = f"{self._server} does not accept the credentials (401), and there are no others"
                    raise Unauthorized(f"{message}: {error.message}") from error
            return self._access

    def _take(self, access: Access) -> None:
        self._access = access
        self._stale_at = self._clock() + access.fresh_for

    def _send(self, access: Access, request: Request, timeout: float) -> Answer:
        return self._whole(self._asked(access, access.way.pool, request, timeout, preload_content=True))

    def _open(self, access: Access, request: Request, opening: float, timeout: float, quiet: float) -> Lines | Answer:
        began = time.monotonic()
        response = self._asked(access, access.way.streams, request, opening, preload_content=False)
        if response.status != http.HTTPStatus.OK:
            return self._whole(response)
        reading: Timed | None = getattr(getattr(response, "_original_response", None), "reading", None)
        if reading:
            reading.deadline, reading.quiet = began + timeout, quiet
        return Lines(response, reading, self._server)

    def _asked(
        self,
        access: Access,
        pool: urllib3.HTTPConnectionPool,
        request: Request,
        timeout: float,
        *,
        preload_content: bool,
    ) -> urllib3.BaseHTTPResponse:
        url = f"{access.way.prefix}{request.path}" + (f"?{urlencode(request.query)}" if request.query else "")
        try:
            headers = access.headers()
            if request.body is not None:
                headers["Content-Type"] = request.content_type
            return pool.urlopen(
                request.method,
                url,
                body=request.body,
                headers=headers,
                retries=False,
                redirect=False,
                assert_same_host=False,  # it compares with the proxy's name
                timeout=urllib3.Timeout(total=max(timeout, 0.001)),
                preload_content=preload_content,
            )
        except FOREIGN as error:
            # Not chained: a traceback would show the original text, which may hold the token.
            raise translated(error, self._server) from None

    def _whole(self, response: urllib3.BaseHTTPResponse) -> Answer:
        try:
            return Answer(response.status, {k.lower(): v for k, v in response.headers.items()}, response.data)
        except FOREIGN as error:
            raise translated(error, self._server) from None
