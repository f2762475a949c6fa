"""/metrics, /healthz and /readyz over HTTP. No client can hold up a pass, or the probes, for long."""

from __future__ import annotations

import errno
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any, Final

from webappctl.errors import ConfigError, UsageError
from webappctl.metrics.metrics import CONTENT_TYPE, Metrics

Why = Callable[[], str]
"""Why not, as one line; empty when all is well."""
Answer = tuple[HTTPStatus, str, bytes]
"""Status, content type, body."""

SILENCE: Final = 5.0
"""Seconds after which a client that sends or takes nothing is cut."""
LONGEST: Final = 10.0
"""Seconds from connecting to the end; a scrape takes less than one."""
MAX_CLIENTS: Final = 16
"""At the same time; more are cut at once."""
PLAIN: Final = "text/plain; charset=utf-8"
REMEDY: Final = "write HOST:PORT, [IPv6]:PORT, or :PORT for all interfaces"
_ADDRESS: Final = re.compile(r"(?:\[(?P<six>[\w:.%]+)\]|(?P<host>[A-Za-z0-9._-]*)):(?P<port>[0-9]{1,5})", re.ASCII)


class Server:
    """One that runs. `port`: the one that was asked for, or for 0 the one that was free."""

    def __init__(self, port: int) -> None:
        self.port = port


@contextmanager
def serve(address: str, metrics: Metrics, alive: Why, ready: Why) -> Iterator[Server]:
    """Serve meanwhile, on threads that no end of the program waits for.

    `/healthz` asks `alive`, `/readyz` asks `ready`; both in threads of the server. Raises UsageError for what is no
    address, ConfigError for one that cannot be had.
    """
    pages: dict[str, Callable[[], Answer]] = {
        "/metrics": lambda: (HTTPStatus.OK, CONTENT_TYPE, metrics.text()),
        "/healthz": lambda: _verdict(alive()),
        "/readyz": lambda: _verdict(ready()),
    }
    http = _listen(address, pages)
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.1}, name="metrics", daemon=True)
    thread.start()
    try:
        yield Server(int(http.server_address[1]))
    finally:
        http.shutdown()
        http.server_close()


def _verdict(why: str) -> Answer:
    if why:
        return HTTPStatus.SERVICE_UNAVAILABLE, PLAIN, f"{' '.join(why.split())}\n".encode(errors="replace")
    return HTTPStatus.OK, PLAIN, b"ok\n"


def parsed(address: str) -> tuple[str, int]:
    """Host and port; no host is all interfaces. Raises UsageError."""
    found = _ADDRESS.fullmatch(address)
    if found is None:
        raise UsageError(f"{address!r} is no address to listen on", remedy=REMEDY)
    port = int(found["port"])
    if port > 65535:  # noqa: PLR2004 - as large as they get
        raise UsageError(f"there is no port {port}", remedy=REMEDY)
    return found["six"] or found["host"], port


def _listen(address: str, pages: dict[str, Callable[[], Answer]]) -> _Http:
    host, port = parsed(address)
    try:
        if host:
            family, _, _, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            return _Http(family, where, pages)
        return _on_all_interfaces(port, pages)
    except UnicodeError as error:  # of a name with a part that is empty or too long
        raise ConfigError("cannot listen there: there is no such host", subject=address) from error
    except OSError as error:
        raise ConfigError(f"cannot listen there: {error.strerror or error}", subject=address) from error


def _on_all_interfaces(port: int, pages: dict[str, Callable[[], Answer]]) -> _Http:
    """Of IPv6 and IPv4 with one socket, where this machine has both."""
    if socket.has_dualstack_ipv6():
        try:
            return _Http(socket.AF_INET6, ("::", port), pages)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise
    return _Http(socket.AF_INET, ("0.0.0.0", port), pages)  # noqa: S104 - that is what was asked for


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = MAX_CLIENTS

    def __init__(self, family: int, where: Any, pages: dict[str, Callable[[], Answer]]) -> None:
        self.address_family = family
        self.pages = pages
        self._clients: dict[socket.socket, float] = {}
        self._changing = threading.Lock()
        super().__init__(where, _Handler)

    def server_bind(self) -> None:
        """Without the name of this machine, for which some wait for a name server."""
        if self.address_family == socket.AF_INET6:
            only_six = self.server_address[0] != "::"
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, only_six)
        TCPServer.server_bind(self)

    def verify_request(self, request: Any, client_address: Any) -> bool:  # noqa: ARG002 - whoever it is
        with self._changing:
            if len(self._clients) >= MAX_CLIENTS:
                return False
            self._clients[request] = time.monotonic()
            return True

    def shutdown_request(self, request: Any) -> None:
        with self._changing:
            self._clients.pop(request, None)
        super().shutdown_request(request)

    def service_actions(self) -> None:
        """Several times a second: cut those that send a byte now and then."""
        with self._changing:
            for client, since in self._clients.items():
                if time.monotonic() - since > LONGEST:
                    with suppress(OSError):
                        client.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news."""


class _Handler(BaseHTTPRequestHandler):
    server: _Http
    timeout = SILENCE

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def _answer(self, *, with_body: bool) -> None:
        page = self.server.pages.get(self.path.partition("?")[0])
        status, kind, body = page() if page else (HTTPStatus.NOT_FOUND, PLAIN, b"not found\n")
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002
        """Of what is no request of ours, and without the page that the library would make."""
        refused = code == HTTPStatus.NOT_IMPLEMENTED
        self.send_response(HTTPStatus.METHOD_NOT_ALLOWED if refused else code)
        if refused:
            self.send_header("Allow", "GET, HEAD")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def version_string(self) -> str:
        return "webappctl"

    def log_message(self, *_: Any) -> None:
        """stderr is for the talk of the program."""
