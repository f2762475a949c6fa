"""Credentials that change while the program runs."""

from __future__ import annotations

from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from tests.unit.cluster_fakes import http_server, json_reply, kubeconfig
from webappctl import errors
from webappctl.cluster import Wire
from webappctl.cluster.connect import connect
from webappctl.cluster.pool import PoolWire
from webappctl.cluster.requests import DEPLOYMENTS, get_one

GET = get_one(DEPLOYMENTS, "shop", "web")


def wire_of(file: str) -> Wire:
    return connect(kubeconfig=file, context=None, workers=2, request_timeout=5).wire


def accepting(token: str) -> Callable[[BaseHTTPRequestHandler], None]:
    def reply(handler: BaseHTTPRequestHandler) -> None:
        json_reply(handler, 200 if handler.headers["Authorization"] == f"Bearer {token}" else 401)

    return reply


def test_a_rotated_token_file_is_read_again_on_401(tmp_path: Path) -> None:
    """Once, and the request goes on with what is in it."""
    (tmp_path / "token").write_text("old")
    with http_server(accepting("new")) as server:
        wire = wire_of(kubeconfig(tmp_path / "config", server.url, tokenFile="token"))
        (tmp_path / "token").write_text("new")
        assert wire.exchange(GET, 5).status == 200
        assert wire.exchange(GET, 5).status == 200
        assert server.credentials == ["Bearer old", "Bearer new", "Bearer new"]


def test_a_kubeconfig_is_read_again_on_401_once(tmp_path: Path) -> None:
    """If that does not help, the 401 stands."""
    with http_server(accepting("new")) as server:
        wire = wire_of(kubeconfig(tmp_path / "config", server.url, token="old"))
        kubeconfig(tmp_path / "config", server.url, token="also-old")
        assert wire.exchange(GET, 5).status == 401
        assert server.credentials == ["Bearer old", "Bearer also-old"]


def test_credentials_that_are_gone_after_a_401_are_an_error(tmp_path: Path) -> None:
    """And not a request without any."""
    (tmp_path / "token").write_text("old")
    with http_server(accepting("new")) as server:
        wire = wire_of(kubeconfig(tmp_path / "config", server.url, tokenFile="token"))
        (tmp_path / "token").unlink()
        with pytest.raises(errors.Unauthorized, match=r"the token file .* cannot be read"):
            wire.exchange(GET, 5)
        assert server.credentials == ["Bearer old"]


def test_a_context_that_moves_to_another_server_is_not_followed(tmp_path: Path) -> None:
    """The plan that was made for one cluster must not be applied to another."""
    with http_server(accepting("new")) as server:
        wire = wire_of(kubeconfig(tmp_path / "config", server.url, token="old"))
        kubeconfig(tmp_path / "config", "https://elsewhere", token="new")
        with pytest.raises(errors.Unauthorized, match="now points to another server, https://elsewhere"):
            wire.exchange(GET, 5)


def test_a_token_file_is_read_again_every_minute(tmp_path: Path) -> None:
    """The kubelet replaces it long before the old token ends."""
    (tmp_path / "token").write_text("old")
    now = [0.0]
    with http_server(json_reply) as server:
        wire = wire_of(kubeconfig(tmp_path / "config", server.url, tokenFile="token"))
        assert isinstance(wire, PoolWire)
        timed = PoolWire(server.url, wire.log_in, lambda: now[0])
        (tmp_path / "token").write_text("new")
        for now[0] in (59.0, 61.0):
            timed.exchange(GET, 5)
        (tmp_path / "token").unlink()
        now[0] = 200.0
        timed.exchange(GET, 5)  # the one that was read last is better than none
        assert server.credentials == ["Bearer old", "Bearer new", "Bearer new"]
