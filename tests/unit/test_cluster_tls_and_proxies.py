"""TLS, the pod's own credentials over it, and proxies."""

from __future__ import annotations

import base64
import gc
import socket
import ssl
import tempfile
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, PrivateFormat

from tests.unit.cluster_fakes import TOKEN, certificate, http_server, json_reply, kubeconfig
from webappctl import errors
from webappctl.cluster.connect import Connection, connect
from webappctl.cluster.requests import DEPLOYMENTS, get_one

GET = get_one(DEPLOYMENTS, "shop", "web")


def connected(file: str | None) -> Connection:
    return connect(kubeconfig=file, context=None, workers=2, request_timeout=5)


def authority(file: Path) -> dict[str, str]:
    return {"certificate-authority-data": base64.b64encode(file.read_bytes().split(b"-----BEGIN PRIV")[0]).decode()}


def test_an_authority_in_the_kubeconfig_is_trusted(tmp_path: Path) -> None:
    """And the token goes over TLS."""
    pem = certificate(tmp_path / "pem")
    with http_server(json_reply, pem) as server:
        file = kubeconfig(tmp_path / "config", server.url, cluster=authority(pem), token=TOKEN)
        assert connected(file).wire.exchange(GET, 5).status == 200
    assert server.credentials == [f"Bearer {TOKEN}"]


def test_another_authority_is_not(tmp_path: Path) -> None:
    """The token is not sent, and the reason is OpenSSL's."""
    pem, other = certificate(tmp_path / "pem"), certificate(tmp_path / "other")
    with http_server(json_reply, pem) as server:
        file = kubeconfig(tmp_path / "config", server.url, cluster=authority(other), token=TOKEN)
        with pytest.raises(errors.Unreachable, match=r"the certificate of https://127.* is not trusted: "):
            connected(file).wire.exchange(GET, 5)
    assert server.credentials == []


def test_trust_may_be_waived(tmp_path: Path) -> None:
    """Without a warning for each request."""
    with http_server(json_reply, certificate(tmp_path / "pem")) as server:
        waived = {"insecure-skip-tls-verify": True}
        file = kubeconfig(tmp_path / "config", server.url, cluster=waived, token=TOKEN)
        assert connected(file).wire.exchange(GET, 5).status == 200


def test_a_pod_speaks_to_its_own_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the token and the authority of its service account."""
    pem = certificate(tmp_path / "ca.crt")
    (tmp_path / "token").write_text(TOKEN)
    with http_server(json_reply, pem) as server:
        for name, value in {
            "HOME": str(tmp_path),
            "KUBECONFIG": "",
            "KUBERNETES_SERVICE_HOST": "127.0.0.1",
            "KUBERNETES_SERVICE_PORT": server.url.rpartition(":")[2],
            "WEBAPPCTL_SERVICE_ACCOUNT_DIR": str(tmp_path),
        }.items():
            monkeypatch.setenv(name, value)
        connection = connected(None)
        assert connection.wire.exchange(GET, 5).status == 200
    assert (connection.context, connection.server) == ("in-cluster", server.url)
    assert server.credentials == [f"Bearer {TOKEN}"]


def identity(file: Path) -> dict[str, str]:
    """As a client certificate with its key, both from that file."""
    pem = base64.b64encode(file.read_bytes()).decode()
    return {"client-certificate-data": pem, "client-key-data": pem}


def test_a_private_key_is_never_left_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A signal ends the program without cleaning up, and then it would stay in TMPDIR."""
    pem, temporary, seen = certificate(tmp_path / "pem"), tmp_path / "tmp", []
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))

    def reply(handler: BaseHTTPRequestHandler) -> None:
        seen.append((bool(handler.connection.getpeercert()), list(temporary.iterdir())))
        json_reply(handler)

    with http_server(reply, pem) as server:
        file = kubeconfig(tmp_path / "config", server.url, cluster=authority(pem), **identity(pem))
        wire = connected(file).wire
        assert list(temporary.iterdir()) == []
        assert wire.exchange(GET, 5).status == 200
    assert seen == [(True, [])]


def test_a_certificate_file_that_is_replaced_is_used(tmp_path: Path) -> None:
    """At the next login, here after a 401; until then the connection stays the same."""
    old, new = certificate(tmp_path / "old").read_bytes(), certificate(tmp_path / "new").read_bytes()
    (tmp_path / "both").write_bytes(old + new)
    clients: list[tuple[int, bytes]] = []

    def reply(handler: BaseHTTPRequestHandler) -> None:
        clients.append((handler.client_address[1], handler.connection.getpeercert(True)))
        json_reply(handler, 401 if clients[-1] == clients[0] else 200)

    with http_server(reply, tmp_path / "both") as server:
        (tmp_path / "mine").write_bytes(old)
        waived = {"insecure-skip-tls-verify": True}
        user = {"client-certificate": "mine"}
        wire = connected(kubeconfig(tmp_path / "config", server.url, cluster=waived, **user)).wire
        assert wire.exchange(GET, 5).status == 401
        (tmp_path / "mine").write_bytes(new)
        assert wire.exchange(GET, 5).status == 200
    assert [client == clients[0] for client in clients] == [True, True, True, False]


@pytest.mark.parametrize(
    ("user", "cluster", "words"),
    [
        ({"client-certificate": "none", "client-key": "none"}, {}, "client-certificate .*none cannot be read: No such"),
        ({"client-certificate-data": "UEVN", "client-key-data": "S0VZ"}, {}, "client certificate or its key cannot be"),
        ({"client-certificate-data": "é", "client-key-data": "é"}, {}, "client-certificate-data .* cannot be decoded"),
        ({"token": TOKEN}, {"certificate-authority-data": "UEVN"}, "certificate-authority cannot be used"),
        ({"token": TOKEN}, {"certificate-authority": "none"}, "certificate-authority .*none cannot be read: No such"),
    ],
)
def test_certificates_that_cannot_be_used_are_named(
    tmp_path: Path, user: dict[str, Any], cluster: dict[str, str], words: str
) -> None:
    """Before anything is sent."""
    with pytest.raises(errors.ConfigError, match=words):
        connected(kubeconfig(tmp_path / "config", "https://127.0.0.1:1", cluster=cluster, **user))


def test_a_key_with_a_password_is_refused(tmp_path: Path) -> None:
    """OpenSSL would ask for it on the terminal, and wait."""
    key = ec.generate_private_key(ec.SECP256R1())
    locked = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret"))
    (tmp_path / "key").write_bytes(locked)
    user: dict[str, Any] = {"client-certificate": str(certificate(tmp_path / "pem")), "client-key": "key"}
    with pytest.raises(errors.ConfigError, match="client certificate or its key cannot be used"):
        connected(kubeconfig(tmp_path / "config", "https://127.0.0.1:1", **user))


def test_this_machine_is_reached_without_a_proxy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As kubectl does it, whatever HTTP_PROXY says."""
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    with http_server(json_reply) as server:
        assert connected(kubeconfig(tmp_path / "config", server.url, token=TOKEN)).wire.exchange(GET, 5).status == 200


def test_the_proxy_of_the_kubeconfig_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its own user and password, and although NO_PROXY names the server."""
    monkeypatch.setenv("no_proxy", "api.test")
    seen = []

    def reply(handler: BaseHTTPRequestHandler) -> None:
        seen.append((handler.path, handler.headers["Host"], handler.headers["Proxy-Authorization"]))
        json_reply(handler)

    with http_server(reply) as proxy:
        through = {"proxy-url": proxy.url.replace("//", "//me:p%40ss@")}
        file = kubeconfig(tmp_path / "config", "http://api.test", cluster=through, token=TOKEN)
        assert connected(file).wire.exchange(GET, 5).status == 200
    assert seen == [(f"http://api.test{GET.path}", "api.test", "Basic bWU6cEBzcw==")]


def relay(proxy: socket.socket, tls: ssl.SSLContext) -> None:
    """One connection, spoken to in TLS, to wherever the client wants."""
    client = tls.wrap_socket(proxy.accept()[0], server_side=True)
    host, _, port = client.recv(65536).split()[1].decode().rpartition(":")
    with client, socket.create_connection((host, int(port))) as server:
        client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        back = threading.Thread(target=pump, args=(server, client))
        back.start()
        pump(client, server)
        server.shutdown(socket.SHUT_RDWR)
        back.join()


def pump(source: socket.socket, to: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            to.sendall(data)


def test_a_proxy_may_be_spoken_to_in_tls(tmp_path: Path) -> None:
    """It is trusted as the server is, and TLS with the server goes through it."""
    pem = certificate(tmp_path / "pem")
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(pem)
    with http_server(json_reply, pem) as server, socket.create_server(("127.0.0.1", 0)) as proxy:
        running = threading.Thread(target=relay, args=(proxy, tls))
        running.start()
        cluster = {**authority(pem), "proxy-url": f"https://127.0.0.1:{proxy.getsockname()[1]}"}
        connection = connected(kubeconfig(tmp_path / "config", server.url, cluster=cluster, **identity(pem)))
        assert connection.wire.exchange(GET, 5).status == 200
        del connection
        gc.collect()  # it holds the socket
        running.join(5)


def test_a_proxy_that_refuses_is_named_as_the_proxy(tmp_path: Path) -> None:
    """The server is not to blame, and was sent nothing."""
    with http_server(lambda handler: json_reply(handler, 403)) as proxy:
        through = {"proxy-url": proxy.url}
        file = kubeconfig(tmp_path / "config", "https://api.test", cluster=through, token=TOKEN)
        with pytest.raises(errors.Unreachable, match="through the proxy"):
            connected(file).wire.exchange(GET, 5)
    assert proxy.credentials == []


def test_a_proxy_of_an_unknown_kind_is_said(tmp_path: Path) -> None:
    """Before anything is sent."""
    file = kubeconfig(tmp_path / "config", "https://api.test", cluster={"proxy-url": "gopher://x"}, token=TOKEN)
    with pytest.raises(errors.ConfigError, match="proxy"):
        connected(file)
