"""A validating admission webhook of a test's own: an HTTPS server on this machine, asked about the Deployments of one
namespace before each is created or updated."""

from __future__ import annotations

import base64
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

from tests.conftest import Kubectl
from tests.policies import GROUP
from tests.unit.cluster_fakes import certificate

NAME: Final = "images.example.com"
"""It stands in what the API server says of it."""

Judge = Callable[[str], dict[str, Any] | None]
"""Image → the `status` of a denial; None: it may run."""


@contextmanager
def asked(kubectl: Kubectl, namespace: str, folder: Path, judge: Judge) -> Iterator[None]:
    """While the block runs, a webhook denies what `judge` does. It takes effect a moment after it is stored."""
    pem = certificate(folder / "webhook.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(judge))
    # Not in accept(): whoever does not finish his handshake would keep all others waiting.
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        with registered(kubectl, namespace, server.server_port, trust=pem.read_bytes().split(b"-----BEGIN PRIV")[0]):
            yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def registered(kubectl: Kubectl, namespace: str, port: int, *, trust: bytes = b"") -> Iterator[None]:
    """While the block runs, the API server asks whatever listens on that port, and denies when it gets no answer.

    `trust` is the PEM of the authority of its certificate.
    """
    url = f"https://127.0.0.1:{port}/"
    manifest = {
        "apiVersion": f"{GROUP}/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": namespace},
        "webhooks": [_webhook(namespace, {"url": url, "caBundle": base64.b64encode(trust).decode()})],
    }
    kubectl("create", "-f", "-", stdin=json.dumps(manifest))
    try:
        yield
    finally:
        kubectl("delete", "validatingwebhookconfiguration", namespace)


def _webhook(namespace: str, client: dict[str, str]) -> dict[str, Any]:
    operations = ["CREATE", "UPDATE"]
    rule = {"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": operations, "resources": ["deployments"]}
    return {
        "name": NAME,
        "clientConfig": client,
        "rules": [rule],
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
        "failurePolicy": "Fail",
        "sideEffects": "None",
        "timeoutSeconds": 5,
        "admissionReviewVersions": ["v1"],
    }


def _handler(judge: Judge) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = 10  # of a connection on which nothing more is asked

        def do_POST(self) -> None:
            review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            body = json.dumps(_answered(review, judge)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's own name
            """Not on stderr."""

    return Handler


def _answered(review: dict[str, Any], judge: Judge) -> dict[str, Any]:
    """The AdmissionReview that answers this one."""
    request = review["request"]
    denial = judge(request["object"]["spec"]["template"]["spec"]["containers"][0]["image"])
    response = {"uid": request["uid"], "allowed": denial is None} | ({} if denial is None else {"status": denial})
    return {"apiVersion": review["apiVersion"], "kind": review["kind"], "response": response}
