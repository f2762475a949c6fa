"""TLS, the pod's own credentials over it, and proxies."""

from __future__ import annotations

import base64
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

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
    assert (connection.context, connection.server, connection.namespace) == ("in-cluster", server.url, "default")
    assert server.credentials == [f"Bearer {TOKEN}"]


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
