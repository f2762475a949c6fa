"""Credentials: what goes over the wire, when they are read again, and that they never end up in a message."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cluster_fakes import TOKEN, Recorded, http_server, json_reply, kubeconfig, plugin
from webappctl import errors
from webappctl.cluster.connect import Connection, connect
from webappctl.cluster.kubeconfig import find_context
from webappctl.cluster.login import with_token
from webappctl.cluster.requests import DEPLOYMENTS, get_one

GET = get_one(DEPLOYMENTS, "shop", "web")


def connected(file: str, request_timeout: float = 5) -> Connection:
    return connect(kubeconfig=file, context=None, workers=2, request_timeout=request_timeout)


def printing(**status: Any) -> str:
    return f"print({json.dumps(json.dumps({'kind': 'ExecCredential', 'status': status}))})"


def sent_with(tmp_path: Path, **user: Any) -> Recorded:
    """What a server sees when that user sends one request."""
    with http_server(json_reply) as server:
        connected(kubeconfig(tmp_path / "config", server.url, **user)).wire.exchange(GET, 5)
        return server


def refusal(file: str, **options: Any) -> str:
    with pytest.raises(errors.ConfigError) as caught:
        connected(file, **options)
    assert "\n" not in str(caught.value)
    assert TOKEN not in f"{caught.value!r}{caught.value}{caught.value.__cause__}"
    return str(caught.value)


def test_a_token_is_sent(tmp_path: Path) -> None:
    """As a bearer token."""
    assert sent_with(tmp_path, token=TOKEN).credentials == [f"Bearer {TOKEN}"]


def test_a_password_is_sent(tmp_path: Path) -> None:
    """Also one that YAML takes for a number."""
    assert sent_with(tmp_path, username="me", password=123).credentials == ["Basic bWU6MTIz"]


def test_a_token_file_is_sent_rather_than_a_token(tmp_path: Path) -> None:
    """Without the line break at its end."""
    (tmp_path / "token").write_text(f"{TOKEN}\n")
    assert sent_with(tmp_path, token="old", tokenFile="token").credentials == [f"Bearer {TOKEN}"]


def test_a_login_plugin_is_asked_for_a_token(tmp_path: Path) -> None:
    """Once, not for every request."""
    runs = tmp_path / "runs"
    code = f"open({str(runs)!r}, 'a').write('x'); {printing(token=TOKEN)}"
    with http_server(json_reply) as server:
        wire = connected(kubeconfig(tmp_path / "config", server.url, exec=plugin(code))).wire
        for _ in range(3):
            wire.exchange(GET, 5)
        assert server.credentials == [f"Bearer {TOKEN}"] * 3
    assert runs.read_text() == "x"


def test_a_login_plugin_may_give_a_certificate(tmp_path: Path) -> None:
    """As PEM, with its key; both are handed on as a client certificate."""
    code = printing(clientCertificateData="PEM", clientKeyData="KEY")
    file = kubeconfig(tmp_path / "config", "https://a", exec=plugin(code))
    user, _ = with_token(find_context(file, None, {}), 5)
    assert user == {"client-certificate-data": "UEVN", "client-key-data": "S0VZ"}


def test_a_login_plugin_is_told_about_the_cluster_when_it_asks(tmp_path: Path) -> None:
    """In KUBERNETES_EXEC_INFO, beside the variables that the kubeconfig adds."""
    code = "import os, json; i = json.loads(os.environ['KUBERNETES_EXEC_INFO']); "
    code += "t = os.environ['MORE'] + i['spec']['cluster']['server'] + i['kind']; "
    code += "print(json.dumps({'kind': 'ExecCredential', 'status': {'token': t}}))"
    told = plugin(code, provideClusterInfo=True, env=[{"name": "MORE", "value": "m-"}])
    context = find_context(kubeconfig(tmp_path / "config", "https://a", exec=told), None, {})
    assert with_token(context, 5)[0] == {"token": "m-https://aExecCredential"}


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (f"import sys; print('{TOKEN}'); sys.exit('log in\\nfirst')", "failed with exit code 1: log in first"),
        (f"print('{TOKEN}')", "did not print an ExecCredential"),
        (f"print('[\"{TOKEN}\"]')", "did not print an ExecCredential"),
        (printing(), "neither a token nor a certificate"),
        (printing(token=""), "neither a token nor a certificate"),
        (printing(clientCertificateData="PEM"), "neither a token nor a certificate"),
        (printing(token=f"{TOKEN}\nX-Evil: 1"), "characters that no header may have"),
        ("import sys; sys.stderr.write('x' * 10000); sys.exit(3)", "exit code 3: xxx"),
    ],
)
def test_a_login_plugin_that_fails_stops_us(tmp_path: Path, code: str, words: str) -> None:
    """In one line, before anything is sent, with what it said on stderr and nothing of what it printed."""
    with http_server(json_reply) as server:
        said = refusal(kubeconfig(tmp_path / "config", server.url, exec=plugin(code)))
    assert words in said
    assert len(said) < 500
    assert server.credentials == []


def test_a_login_plugin_that_is_not_there_is_named_with_its_hint(tmp_path: Path) -> None:
    """The kubeconfig says how to install it."""
    missing = {"command": "no-such-plugin", "apiVersion": "v1", "installHint": "brew install\nit"}
    said = refusal(kubeconfig(tmp_path / "config", "https://a", exec=missing))
    assert said == "the login plugin no-such-plugin failed: No such file or directory (brew install it)"


@pytest.mark.parametrize(
    "user",
    [
        {"tokenFile": "missing"},
        {"tokenFile": "empty"},
        {"token": f"{TOKEN}\r\nX: 1"},
        {"token": f"{TOKEN} with a blank"},
        {"auth-provider": {"name": "azure", "config": {"access-token": TOKEN}}},
        {"auth-provider": {"name": "oidc", "config": {"id-token": TOKEN}}},
        {"auth-provider": {"name": "gcp"}},
        {"username": "me"},
        {"client-certificate": "missing", "client-key": "missing"},
        {"client-certificate-data": f"{TOKEN}!", "client-key-data": "!"},
        {"exec": {}, "token": ""},
    ],
    ids=str,
)
def test_credentials_that_cannot_be_used_stop_us(tmp_path: Path, user: dict[str, Any]) -> None:
    """Nothing is ever sent without the credentials that are configured."""
    (tmp_path / "empty").touch()
    refusal(kubeconfig(tmp_path / "config", "https://127.0.0.1:1", **user))


def test_a_user_without_credentials_is_anonymous(tmp_path: Path) -> None:
    """Because the kubeconfig says so."""
    assert sent_with(tmp_path).credentials == [None]


def test_impersonation_is_sent(tmp_path: Path) -> None:
    """Leaving it out would be to act with more rights than the user asked for."""
    user = {"as": "bob", "as-groups": ["a", "b"], "as-uid": "7", "as-user-extra": {"x/y": ["z"]}}
    sent = [header for header in sent_with(tmp_path, token=TOKEN, **user).headers[0] if header[0].startswith("Imp")]
    assert sent == [
        ("Impersonate-User", "bob"),
        ("Impersonate-Uid", "7"),
        ("Impersonate-Group", "a"),
        ("Impersonate-Group", "b"),
        ("Impersonate-Extra-x%2Fy", "z"),
    ]


def test_we_say_who_we_are(tmp_path: Path) -> None:
    """The name of the program, and its version."""
    assert dict(sent_with(tmp_path, token=TOKEN).headers[0])["User-Agent"].startswith("webappctl/")


@pytest.mark.parametrize(("lives", "good"), [(3600, 3570), (40, 20), (5, 10), (-3600, 10)])
def test_a_login_is_renewed_shortly_before_it_expires(tmp_path: Path, lives: int, good: int) -> None:
    """But never for every request, not even when the clocks differ."""
    code = "import datetime as d, json; e = d.datetime.now(d.UTC) + d.timedelta(seconds=" + str(lives) + "); "
    code += "s = {'token': 't', 'expirationTimestamp': f'{e:%Y-%m-%dT%H:%M:%SZ}'}; "
    code += "print(json.dumps({'kind': 'ExecCredential', 'status': s}))"
    context = find_context(kubeconfig(tmp_path / "config", "https://a", exec=plugin(code)), None, {})
    assert with_token(context, 5)[1] == pytest.approx(good, abs=3)
