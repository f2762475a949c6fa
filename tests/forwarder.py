"""An HTTP server on this machine that forwards to the API server, as the sandbox's admin, what a test lets through."""

from __future__ import annotations

import base64
import http.client
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import yaml

from webappctl.sandbox import Sandbox

Answer = tuple[int, str, bytes]
"""Status, content type and body."""
Rule = Callable[["Forwarder", str, str], Answer | None]
"""Method and path → the answer; None: whatever the API server answers."""


@dataclass
class Forwarder:
    """`released` ends a rule that waits for it. `methods`: those that were asked for, in their order."""

    kubeconfig: Path
    methods: list[str] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)


@contextmanager
def forwarding(sandbox: Sandbox, folder: Path, rule: Rule) -> Iterator[Forwarder]:
    """While the block runs. It is spoken to in plain HTTP, without credentials."""
    forwarder = Forwarder(folder / "kubeconfig")
    upstream = _Upstream(urlsplit(sandbox.server).netloc, _admin(sandbox, folder))
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(forwarder, upstream, rule))
    address = f"http://127.0.0.1:{server.server_address[1]}"
    forwarder.kubeconfig.write_text(_kubeconfig(address))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield forwarder
    finally:
        forwarder.released.set()
        server.shutdown()
        server.server_close()


@dataclass(frozen=True)
class _Upstream:
    address: str
    trust: ssl.SSLContext

    def ask(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer:
        connection = http.client.HTTPSConnection(self.address, context=self.trust, timeout=60)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.getheader("Content-Type", ""), answer.read()
        finally:
            connection.close()


def _handler(forwarder: Forwarder, upstream: _Upstream, rule: Rule) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def _forward(self) -> None:
            forwarder.methods.append(self.command)
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            kept = {name: self.headers[name] for name in ("Accept", "Content-Type", "User-Agent") if self.headers[name]}
            answer = rule(forwarder, self.command, self.path) or upstream.ask(self.command, self.path, kept, body)
            status, content_type, content = answer
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _forward  # noqa: N815 - the names that the library calls

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's own name
            """Not on stderr."""

    return Handler


def _admin(sandbox: Sandbox, folder: Path) -> ssl.SSLContext:
    config = yaml.safe_load(sandbox.kubeconfig.read_text())
    user, cluster = config["users"][0]["user"], config["clusters"][0]["cluster"]
    trust = ssl.create_default_context(cadata=_decoded(cluster["certificate-authority-data"]))
    identity = folder / "admin.pem"
    identity.touch(0o600)
    identity.write_text(_decoded(user["client-certificate-data"]) + _decoded(user["client-key-data"]))
    trust.load_cert_chain(identity)
    return trust


def _decoded(text: str) -> str:
    return base64.b64decode(text).decode()


def _kubeconfig(server: str) -> str:
    """One whose user has no credentials."""
    name = "forwarded"
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": name,
        "clusters": [{"name": name, "cluster": {"server": server}}],
        "users": [{"name": name, "user": {}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
    }
    return yaml.safe_dump(config)
