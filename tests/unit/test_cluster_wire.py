"""The real wire, against small servers on loopback: it ends in time, and says what is wrong in one line."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from tests.unit.cluster_fakes import TOKEN, http_server, json_reply, kubeconfig, lasting_at_most, raw_server
from webappctl import errors
from webappctl.cluster import Wire, pool
from webappctl.cluster.connect import connect
from webappctl.cluster.requests import DEPLOYMENTS, apply, get_one
from webappctl.cluster.wire import NotSent

GET = get_one(DEPLOYMENTS, "shop", "web")
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

WireTo = Callable[[str], Wire]


@pytest.fixture
def wire_to(tmp_path: Path) -> WireTo:
    """A wire to that URL, with a marker as its token."""

    def make(url: str) -> Wire:
        file = kubeconfig(tmp_path / "config", url, token=TOKEN)
        return connect(kubeconfig=file, context=None, workers=2, request_timeout=1).wire

    return make


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_server_that_never_answers_costs_the_timeout(wire_to: WireTo, scheme: str) -> None:
    """Also one that does not answer in the TLS handshake."""
    silent = pytest.raises(errors.Unreachable, match=r"^no answer from .* in time")
    with raw_server(scheme=scheme) as url, lasting_at_most(1.5), silent:
        wire_to(url).exchange(GET, 0.3)


def test_a_hung_server_is_the_same_text_each_time(wire_to: WireTo) -> None:
    """The time that a try had left differs from pass to pass, and `watch` logs what is new."""
    said = set()
    with raw_server() as url:
        for seconds in (0.1, 0.2):
            with pytest.raises(errors.Unreachable) as caught:
                wire_to(url).exchange(GET, seconds)
            said.add(str(caught.value))
        assert said == {f"no answer from {url} in time (a longer --request-timeout may help)"}


@pytest.mark.parametrize(
    ("start", "drip"),
    [
        (b"HTTP/1.1 200 OK\r\nX-Slow: ", b"x"),
        (b"HTTP/1.1 200 OK\r\n", b"X-Slow: x\r\n"),
        (HEAD + b"Content-Length: 1000\r\n\r\n", b" "),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
        (HEAD + b"Connection: close\r\n\r\n", b" "),
    ],
    ids=["in a header", "of headers", "in the body", "of chunks", "without an end"],
)
def test_a_server_that_drips_costs_the_timeout(wire_to: WireTo, start: bytes, drip: bytes) -> None:
    """Every byte comes in good time, and all of them together never."""
    too_slow = pytest.raises(errors.Unreachable, match="no answer")
    with raw_server(start, drip=drip) as url, lasting_at_most(1.5), too_slow:
        wire_to(url).exchange(GET, 0.3)


@pytest.mark.parametrize(
    ("sent", "kind", "words"),
    [
        (b"", errors.Unreachable, "closed the connection without an answer"),
        (b"hello\r\n\r\n", errors.BadAnswer, "does not answer in HTTP"),
        (HEAD + b"Content-Length: 9\r\n\r\n{}", errors.BadAnswer, "was cut"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n9\r\n{}", errors.BadAnswer, "was cut"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}", errors.BadAnswer, "was cut"),
        (HEAD + b"Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}", errors.BadAnswer, "cannot be decoded"),
        (b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 200 + b"\r\n", errors.BadAnswer, "does not answer in HTTP"),
        (HEAD + b"X-Long: " + b"x" * 70_000 + b"\r\n\r\n", errors.BadAnswer, "does not answer in HTTP"),
    ],
)
def test_what_is_no_whole_answer_is_an_error_of_ours(
    wire_to: WireTo, sent: bytes, kind: type[errors.ClusterError], words: str
) -> None:
    """Never one of urllib3's, and it names the server."""
    with raw_server(sent, close=True) as url:
        with pytest.raises(kind, match=words) as caught:
            wire_to(url).exchange(GET, 2)
        assert url in str(caught.value)


def test_a_server_that_is_not_there_is_named(wire_to: WireTo) -> None:
    """With the reason, and what to look at."""
    with raw_server() as url:
        pass
    with pytest.raises(NotSent, match=f"cannot connect to {url}: connection refused"):
        wire_to(url).exchange(GET, 2)


def test_a_host_without_an_address_is_named(wire_to: WireTo, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the resolver says."""

    def resolve(*_: object, **__: object) -> list[object]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    with pytest.raises(NotSent, match=r"cannot find the host of https://nowhere\.test"):
        wire_to("https://nowhere.test").exchange(GET, 2)


def test_addresses_share_the_time(wire_to: WireTo, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that leads nowhere leaves time for the next."""
    tried: list[tuple[str, float]] = []

    def dial(address: tuple[str, int], timeout: float, **_: object) -> socket.socket:
        tried.append((address[0], round(timeout)))
        raise TimeoutError

    found = [(0, 0, 0, "", (name, 80)) for name in ("a", "b", "c")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    monkeypatch.setattr(pool, "create_connection", dial)
    with pytest.raises(errors.Unreachable, match="no answer"):
        wire_to("http://many.test").exchange(GET, 30)
    assert tried == [("a", 10), ("b", 15), ("c", 30)]


def test_plain_http_on_a_tls_port_is_said(wire_to: WireTo) -> None:
    """The port is right, the scheme is not."""
    plain = raw_server(b"HTTP/1.1 400 Bad Request\r\n\r\n", scheme="https", close=True)
    with plain as url, pytest.raises(errors.Unreachable, match="no TLS connection"):
        wire_to(url).exchange(GET, 2)


def test_an_answer_is_status_headers_and_body(wire_to: WireTo) -> None:
    """Of any status, and header names are in lower case."""
    with http_server(lambda handler: json_reply(handler, 418, b'{"a":1}')) as server:
        answer = wire_to(server.url).exchange(GET, 5)
    assert (answer.status, answer.body) == (418, b'{"a":1}')
    assert answer.headers["content-type"] == "application/json"


def test_a_connection_serves_many_requests(wire_to: WireTo) -> None:
    """Every body is read to its end, so the connection can be used again."""
    clients = set()

    def reply(handler: BaseHTTPRequestHandler) -> None:
        clients.add(handler.client_address)
        json_reply(handler)

    with http_server(reply) as server:
        wire = wire_to(server.url)
        for _ in range(5):
            wire.exchange(GET, 5)
    assert len(clients) == 1


def test_a_redirect_is_not_followed(wire_to: WireTo) -> None:
    """The token goes to the server of the kubeconfig only."""

    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(307)
        handler.send_header("Location", elsewhere.url)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    with http_server(json_reply) as elsewhere, http_server(reply) as server:
        assert wire_to(server.url).exchange(GET, 5).status == 307
        assert elsewhere.credentials == []


def test_the_path_of_the_servers_url_comes_first(wire_to: WireTo) -> None:
    """Some platforms serve many clusters under one host."""
    paths = []

    def reply(handler: BaseHTTPRequestHandler) -> None:
        paths.append(handler.path)
        json_reply(handler)

    with http_server(reply) as server:
        wire_to(f"{server.url}/k8s/c-1/").exchange(get_one(DEPLOYMENTS, "a b", "x/y"), 5)
    assert paths == ["/k8s/c-1/apis/apps/v1/namespaces/a%20b/deployments/x%2Fy"]


def test_requests_run_side_by_side(wire_to: WireTo) -> None:
    """Two threads, two connections."""
    both = threading.Barrier(2, timeout=5)

    def reply(handler: BaseHTTPRequestHandler) -> None:
        both.wait()
        json_reply(handler)

    with http_server(reply) as server:
        wire = wire_to(server.url)
        other = threading.Thread(target=wire.exchange, args=(GET, 5))
        other.start()
        assert wire.exchange(GET, 5).status == 200
        other.join()


def test_a_request_does_not_show_its_body() -> None:
    """Not even in a log or a failed assertion."""
    assert "marker" not in repr(apply(DEPLOYMENTS, {"metadata": {"name": "x"}, "data": "marker"}, force=True))
