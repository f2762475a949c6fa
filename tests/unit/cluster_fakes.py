"""Small servers and doubles for the tests of webappctl.cluster."""

from __future__ import annotations

import json
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from webappctl.cluster import Answer, Request, Transport
from webappctl.cluster.wire import Stream
from webappctl.errors import ClusterError

TOKEN = "s3cr3t-marker-token"
SERVER = "https://api.test"

Step = Answer | ClusterError


def answer(status: int, body: object = b"{}", **headers: str) -> Answer:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Answer(status, {name.replace("_", "-"): value for name, value in headers.items()}, raw)


REASONS = {
    400: "BadRequest",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    409: "Conflict",
    410: "Expired",
    413: "RequestEntityTooLarge",
    422: "Invalid",
}


def failure(code: int, message: str = "no", reason: str | None = None, **details: object) -> Answer:
    """A failure Status as the API server gives it; the reason is the usual one of the code."""
    why = REASONS.get(code, "") if reason is None else reason
    status = {"kind": "Status", "status": "Failure", "message": message, "reason": why, "code": code}
    return answer(code, {**status, "details": details})


class FakeTime(threading.Event):
    """A clock that only waits move on, and the stop event on which they wait."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 1000.0
        self.waits: list[float] = []
        self.set_during_wait = False

    def __call__(self) -> float:
        return self.now

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout is not None
        self.waits.append(timeout)
        if self.set_during_wait:
            self.set()
        else:
            self.now += timeout
        return self.is_set()


class Spoken:
    """A Stream of lines that are there from the start."""

    def __init__(self, lines: list[bytes]) -> None:
        self.lines = lines
        self.closed = False

    def __enter__(self) -> Spoken:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.lines)

    def close(self) -> None:
        self.closed = True


class Script:
    """A Wire that gives its steps in turn, and the last for ever. A request costs `seconds` of `time`."""

    server = SERVER

    def __init__(self, *steps: Step, time: FakeTime | None = None, seconds: float = 0.0) -> None:
        self.steps = list(steps)
        self.sent: list[Request] = []
        self.timeouts: list[float] = []
        self.bounds: list[tuple[float, float, float]] = []
        self.time = time or FakeTime()
        self.seconds = seconds

    def exchange(self, request: Request, timeout: float) -> Answer:
        self.sent.append(request)
        self.timeouts.append(timeout)
        self.time.now += min(self.seconds, timeout)
        step = self.steps[min(len(self.sent), len(self.steps)) - 1]
        if isinstance(step, Answer):
            return step
        raise step

    def stream(self, request: Request, *, opening: float, timeout: float, quiet: float) -> Stream | Answer:
        """The body of a 200 as lines, whatever the last one is."""
        self.bounds.append((opening, timeout, quiet))
        given = self.exchange(request, opening)
        return Spoken(given.body.splitlines()) if given.status == HTTPStatus.OK else given

    def transport(self, *, until: float | None = None, request_timeout: float = 30.0) -> Transport:
        return Transport(
            self, request_timeout=request_timeout, stop=self.time, until=until, clock=self.time, jitter=lambda: 0.5
        )


class Paths:
    """A Wire that answers by path; each path has its own steps."""

    server = SERVER

    def __init__(self, steps: Mapping[str, list[Step]]) -> None:
        self.scripts = {path: Script(*its) for path, its in steps.items()}
        self.lock = threading.Lock()

    def exchange(self, request: Request, timeout: float) -> Answer:
        with self.lock:
            return self.scripts[request.path].exchange(request, timeout)

    def stream(self, request: Request, *, opening: float, timeout: float, quiet: float) -> Stream | Answer:
        with self.lock:
            return self.scripts[request.path].stream(request, opening=opening, timeout=timeout, quiet=quiet)

    def queries(self, path: str) -> list[Mapping[str, str]]:
        return [request.query for request in self.scripts[path].sent]


Reply = Callable[[BaseHTTPRequestHandler], None]


class Recorded:
    """The address of a server, and the Authorization header of each request that it got (None: there was none)."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.credentials: list[str | None] = []
        self.headers: list[list[tuple[str, str]]] = []


@contextmanager
def http_server(reply: Reply, certificate: Path | None = None) -> Iterator[Recorded]:
    """`certificate` is a PEM file with its key: then it speaks TLS, and asks the client for one, too."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            recorded.credentials.append(self.headers.get("Authorization"))
            recorded.headers.append(self.headers.items())
            reply(self)

        def log_message(self, *_: object) -> None:
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        context.load_verify_locations(certificate)
        context.verify_mode = ssl.CERT_OPTIONAL
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    recorded = Recorded(f"http{'s' if certificate else ''}://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield recorded
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def certificate(path: Path) -> Path:
    """Writes a certificate for 127.0.0.1 that is its own authority, and its key, into one PEM file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, path.name)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), 1, now - timedelta(days=1), now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.write_bytes(made.public_bytes(Encoding.PEM) + secret)
    return path


def json_reply(handler: BaseHTTPRequestHandler, status: int = 200, body: bytes = b"{}") -> None:
    handler.send_response(status)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


@contextmanager
def raw_server(*chunks: bytes, drip: bytes = b"", scheme: str = "http", close: bool = False) -> Iterator[str]:
    """Sends the chunks to everyone, then `drip` every 50 ms; then closes the connection, or says nothing more."""
    done = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(0.02)

    def speak(client: socket.socket) -> None:
        with client:
            client.recv(65536)
            for chunk in chunks:
                client.sendall(chunk)
            while not close and not done.wait(0.05):
                client.sendall(drip)

    def accept() -> None:
        while not done.is_set():
            try:
                client, _ = listener.accept()
            except TimeoutError:
                continue
            threads.append(threading.Thread(target=_quietly, args=(speak, client)))
            threads[-1].start()

    threads = [threading.Thread(target=accept)]
    threads[0].start()
    try:
        yield f"{scheme}://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        done.set()
        for thread in threads:
            thread.join(5)
        listener.close()


def _quietly(speak: Callable[[socket.socket], None], client: socket.socket) -> None:
    try:
        speak(client)
    except OSError:
        return  # the other side has had enough


def kubeconfig(
    path: Path, server: str, context: str = "here", *, cluster: Mapping[str, Any] | None = None, **user: Any
) -> str:
    """Writes a kubeconfig with one context, whose user is `user`, and returns its path."""
    content = {
        "current-context": context,
        "contexts": [{"name": context, "context": {"cluster": "c", "user": "u", "namespace": "shop"}}],
        "clusters": [{"name": "c", "cluster": {"server": server, **(cluster or {})}}],
        "users": [{"name": "u", "user": {key.replace("_", "-"): value for key, value in user.items()}}],
    }
    path.write_text(json.dumps(content))
    return str(path)


def plugin(code: str, **more: Any) -> dict[str, Any]:
    """A login plugin that runs this Python."""
    version = "client.authentication.k8s.io/v1"
    return {"command": sys.executable, "args": ["-c", code], "apiVersion": version, **more}


@contextmanager
def lasting_at_most(seconds: float) -> Iterator[None]:
    started = time.monotonic()
    yield
    assert time.monotonic() - started < seconds
