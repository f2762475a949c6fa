"""Streams over the real wire, against small servers on loopback: they are whole, end in time, and can be closed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from tests.unit.cluster_fakes import (
    TOKEN,
    certificate,
    http_server,
    json_reply,
    kubeconfig,
    lasting_at_most,
    raw_server,
)
from webappctl import errors
from webappctl.cluster import Answer, Wire
from webappctl.cluster.connect import connect
from webappctl.cluster.requests import DEPLOYMENTS, get_one, watch
from webappctl.cluster.wire import Stream

WATCH = watch(DEPLOYMENTS, "", "", "7", 300)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
LINE = b'{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"8"}}}'

WireTo = Callable[[str], Wire]


@pytest.fixture
def wire_to(tmp_path: Path) -> WireTo:
    def make(url: str) -> Wire:
        file = kubeconfig(tmp_path / "config", url, token=TOKEN)
        return connect(kubeconfig=file, context=None, workers=2, request_timeout=1).wire

    return make


def chunk(*parts: bytes) -> bytes:
    return b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts)


def opened(wire: Wire, *, opening: float = 5, timeout: float = 5, quiet: float = 5) -> Stream:
    stream = wire.stream(WATCH, opening=opening, timeout=timeout, quiet=quiet)
    assert not isinstance(stream, Answer)
    return stream


def test_lines_come_as_they_are_said(wire_to: WireTo) -> None:
    """However they are cut into chunks; empty ones are none."""
    said = chunk(b'{"a"', b":1}\n", b'\n{"b":2}\n{"c":', b"3}\n") + b"0\r\n\r\n"
    with raw_server(HEAD, said) as url, opened(wire_to(url)) as stream:
        assert list(stream) == [b'{"a":1}', b'{"b":2}', b'{"c":3}']


def test_a_line_comes_before_the_next_one_is_said(wire_to: WireTo) -> None:
    """Nothing waits until a buffer is full."""
    with raw_server(HEAD, chunk(LINE + b"\n")) as url, opened(wire_to(url)) as stream:
        assert next(iter(stream)) == LINE


def test_a_server_that_does_not_begin_costs_the_opening(wire_to: WireTo) -> None:
    with raw_server() as url, lasting_at_most(2), pytest.raises(errors.Unreachable, match="no answer"):
        opened(wire_to(url), opening=0.3)


@pytest.mark.parametrize("said", [b"", chunk(LINE + b"\n"), b"3"], ids=["nothing", "a line", "half a chunk"])
def test_a_stream_that_falls_silent_is_noticed(wire_to: WireTo, said: bytes) -> None:
    silent = pytest.raises(errors.Unreachable, match="has fallen silent")
    with raw_server(HEAD, said) as url, opened(wire_to(url), quiet=0.3) as stream, lasting_at_most(2), silent:
        list(stream)


@pytest.mark.parametrize(
    "drip", [chunk(b" "), b"1", chunk(LINE + b"\n")], ids=["of blanks", "of a chunk's size", "of lines"]
)
def test_a_server_that_drips_costs_the_timeout(wire_to: WireTo, drip: bytes) -> None:
    """It is never quiet, and never ends."""
    ended = pytest.raises((errors.Unreachable, errors.BadAnswer))
    with raw_server(HEAD, drip=drip) as url, opened(wire_to(url), timeout=0.4) as stream, lasting_at_most(2), ended:
        list(stream)


@pytest.mark.parametrize(
    "said",
    [b"", chunk(LINE[:-9]), chunk(LINE[:-9]) + b"0\r\n\r\n", b"99\r\n" + LINE],
    ids=["without an end", "in a line", "in a line, with an end", "in a chunk"],
)
def test_a_stream_that_is_cut_is_an_error(wire_to: WireTo, said: bytes) -> None:
    """Half a line is never given."""
    cut = pytest.raises(errors.BadAnswer, match="was cut")
    with raw_server(HEAD, said, close=True) as url, opened(wire_to(url)) as stream, cut:
        assert not list(stream)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_closing_from_another_thread_ends_a_read_at_once(tmp_path: Path, scheme: str) -> None:
    """Without an exception, in TLS too."""
    done = threading.Event()

    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(HEAD + chunk(LINE + b"\n"))
        done.wait(10)
        handler.close_connection = True

    pem = certificate(tmp_path / "pem") if scheme == "https" else None
    with http_server(reply, pem) as server:
        trust = {"certificate-authority": str(pem)} if pem else None
        file = kubeconfig(tmp_path / "config", server.url, cluster=trust, token=TOKEN)
        wire = connect(kubeconfig=file, context=None, workers=2, request_timeout=5).wire
        with opened(wire, timeout=30, quiet=30) as stream, lasting_at_most(5):
            lines = iter(stream)
            next(lines)
            threading.Timer(0.1, stream.close).start()
            assert list(lines) == []
        done.set()


def test_a_stream_has_a_connection_of_its_own(wire_to: WireTo) -> None:
    """Requests go on over theirs, before, during and after it; that of a stream is not used again."""
    clients: list[tuple[str, int]] = []

    def reply(handler: BaseHTTPRequestHandler) -> None:
        clients.append(handler.client_address)
        if "watch" in handler.path:
            handler.wfile.write(HEAD + chunk(LINE + b"\n"))
        else:
            json_reply(handler)

    with http_server(reply) as server:
        wire = wire_to(server.url)
        for _ in range(2):
            wire.exchange(get_one(DEPLOYMENTS, "shop", "web"), 5)
            with opened(wire) as stream:
                next(iter(stream))
                wire.exchange(get_one(DEPLOYMENTS, "shop", "web"), 5)
    plain, streams = [clients[n] for n in (0, 2, 3, 5)], [clients[n] for n in (1, 4)]
    assert (len(set(plain)), len(set(streams)), set(plain) & set(streams)) == (1, 2, set())


def test_after_a_401_the_credentials_are_read_again_once(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("old")

    def reply(handler: BaseHTTPRequestHandler) -> None:
        if handler.headers["Authorization"] == "Bearer new":
            handler.wfile.write(HEAD + chunk(LINE + b"\n") + b"0\r\n\r\n")
            return
        token.write_text("new")
        json_reply(handler, 401)

    with http_server(reply) as server:
        file = kubeconfig(tmp_path / "config", server.url, tokenFile=str(token))
        wire = connect(kubeconfig=file, context=None, workers=2, request_timeout=5).wire
        with opened(wire) as stream:
            assert list(stream) == [LINE]
        assert server.credentials == ["Bearer old", "Bearer new"]


def test_what_is_not_a_200_is_an_answer(wire_to: WireTo) -> None:
    """Whole, as of any request."""
    with http_server(lambda handler: json_reply(handler, 410, b'{"kind":"Status"}')) as server:
        given = wire_to(server.url).stream(WATCH, opening=5, timeout=5, quiet=5)
    assert isinstance(given, Answer)
    assert (given.status, given.body) == (410, b'{"kind":"Status"}')
