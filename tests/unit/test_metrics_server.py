"""/metrics, /healthz and /readyz, as a scraper, a kubelet and a stranger ask for them."""

from __future__ import annotations

import http.client
import socket
from collections.abc import Iterator

import pytest

from webappctl.errors import ConfigError, UsageError
from webappctl.metrics import Metrics, Server, serve
from webappctl.metrics.server import MAX_CLIENTS, SILENCE

PATIENCE = 30
"""Seconds that a loaded machine may take."""
WHY = "no pass has ended for 1000 s\nsince then"


@pytest.fixture
def server() -> Iterator[Server]:
    """That is alive, and not ready."""
    with serve("127.0.0.1:0", Metrics(process=False), lambda: "", lambda: WHY) as running:
        yield running


def _ask(port: int, path: str, method: str = "GET", host: str = "127.0.0.1") -> tuple[int, str]:
    connection = http.client.HTTPConnection(host, port, timeout=30)
    connection.request(method, path)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def test_a_process_that_is_well_says_ok(server: Server) -> None:
    """To /healthz."""
    assert _ask(server.port, "/healthz") == (200, "ok\n")


def test_one_that_is_not_ready_says_why_in_one_line(server: Server) -> None:
    """With 503, which a kubelet understands."""
    assert _ask(server.port, "/readyz") == (503, "no pass has ended for 1000 s since then\n")


def test_metrics_are_served_as_text(server: Server) -> None:
    """With parameters, too."""
    status, text = _ask(server.port, "/metrics?name=x")
    assert (status, "webappctl_build_info{" in text) == (200, True)


def test_any_other_path_is_not_found(server: Server) -> None:
    """And nothing of the disk is served."""
    assert _ask(server.port, "/../etc/passwd")[0] == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "BREW"])
def test_nothing_can_be_done_but_reading(server: Server, method: str) -> None:
    """405 says so."""
    assert _ask(server.port, "/metrics", method) == (405, "")


def test_head_is_get_without_the_body(server: Server) -> None:
    """As load balancers ask."""
    assert _ask(server.port, "/healthz", "HEAD") == (200, "")


def test_nonsense_is_answered_and_survived(server: Server, capfd: pytest.CaptureFixture[str]) -> None:
    """Without a word on stderr."""
    for sent in (b"\x00\xff\r\n\r\n", b"GET\r\n\r\n", b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n", b""):
        with socket.create_connection(("127.0.0.1", server.port)) as client:
            client.sendall(sent)
            client.shutdown(socket.SHUT_WR)
            _drain(client)
    assert _ask(server.port, "/healthz")[0] == 200
    assert capfd.readouterr().err == ""


def _drain(client: socket.socket) -> None:
    """Until the server has ended it; it may reset what it did not read."""
    client.settimeout(PATIENCE)
    try:
        while client.recv(4096):
            pass
    except ConnectionResetError:
        pass


def test_a_client_that_sends_nothing_is_cut(server: Server) -> None:
    """After SILENCE seconds."""
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        client.settimeout(SILENCE + PATIENCE)
        assert client.recv(1) == b""


def test_a_client_that_drips_is_cut(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each byte comes before SILENCE is over, but the whole has a limit, too."""
    monkeypatch.setattr("webappctl.metrics.server.LONGEST", 0.2)
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        client.settimeout(PATIENCE)
        client.sendall(b"GET /met")
        assert client.recv(1) == b""


def test_more_clients_than_there_are_threads_are_cut_at_once(server: Server) -> None:
    """And those that end make room."""
    clients = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(MAX_CLIENTS)]
    with socket.create_connection(("127.0.0.1", server.port)) as late:
        late.settimeout(PATIENCE)
        assert late.recv(1) == b""
    for client in clients:
        client.shutdown(socket.SHUT_WR)
        _drain(client)
        client.close()
    assert _ask(server.port, "/healthz")[0] == 200


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_without_a_host_it_listens_on_all_interfaces(host: str) -> None:
    """Of IPv6 and IPv4, through one port."""
    with serve(":0", Metrics(process=False), lambda: "", lambda: "") as running:
        assert _ask(running.port, "/readyz", host=host) == (200, "ok\n")


def test_an_ipv6_address_is_in_brackets() -> None:
    """As in a URL."""
    with serve("[::1]:0", Metrics(process=False), lambda: "", lambda: "") as running:
        assert _ask(running.port, "/healthz", host="::1")[0] == 200


@pytest.mark.parametrize(
    "address", ["", "8080", "localhost", "::1:80", "[::1]", "host:", "host:70000", "a b:1", "x:-1"]
)
def test_what_is_no_address_is_wrong_usage(address: str) -> None:
    """With how to write it."""
    with pytest.raises(UsageError, match="HOST:PORT"), serve(address, Metrics(process=False), str, str):
        pass


@pytest.mark.parametrize("address", ["a..b:0", "x" * 64 + ":0", "[::x]:0", "192.0.2.1:0"])
def test_an_address_that_is_not_of_this_machine_is_said_in_one_line(address: str) -> None:
    """Nor of any other."""
    with pytest.raises(ConfigError, match="cannot listen there: ") as raised, serve(address, Metrics(), str, str):
        pass
    assert str(raised.value).count("\n") == 0


def test_a_port_that_is_taken_is_said_in_one_line(server: Server) -> None:
    """With the address."""
    address = f"127.0.0.1:{server.port}"
    with pytest.raises(ConfigError) as raised, serve(address, Metrics(process=False), str, str):
        pass
    assert str(raised.value) == f"{address}: cannot listen there: Address already in use"


def test_a_port_is_free_again_after_the_end() -> None:
    """At once, so that a restarted process finds it."""
    with serve("127.0.0.1:0", Metrics(process=False), str, str) as first:
        assert _ask(first.port, "/healthz")[0] == 200
    with serve(f"127.0.0.1:{first.port}", Metrics(process=False), str, str) as second:
        assert second.port == first.port
