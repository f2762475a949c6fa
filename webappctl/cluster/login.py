"""A user's token, from a file or from a login plugin: a program that prints a token or a client certificate.

The `kubernetes` package reads such a file once, goes on without credentials when a plugin fails, and waits for ever
when one hangs. So the token is put into the user's section here, and the package never sees file or plugin.
"""

from __future__ import annotations

import base64
import json
import math
import os
import re
import signal
import subprocess
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from webappctl.cluster.kubeconfig import Section, Target
from webappctl.cluster.refusal import one_line
from webappctl.errors import ConfigError

TOKEN_FILE_FRESH: Final = 60.0
"""Seconds after which a token file is read again: the kubelet replaces it while the old token is still good."""

SHORTEST_LOGIN: Final = 10.0
"""Seconds for which a login is used at least, whatever its expiry says."""
QUOTED: Final = 200


def with_token(target: Target, longest_login: float) -> tuple[Section, float]:
    """The user with his token or certificate in it, and for how many seconds that is good."""
    user = {key: value for key, value in target.user.items() if value not in (None, "", {})}
    plugin, token_file = user.pop("exec", None), user.pop("tokenFile", None)
    if token_file:
        return {**user, "token": _token_of(Path(token_file))}, TOKEN_FILE_FRESH
    if "token" in user:
        return {**user, "token": _sendable(str(user["token"]), f"user {target.user_name}")}, math.inf
    if not isinstance(plugin, dict):
        return user, math.inf
    login = _run_plugin(plugin, target.cluster, longest_login)
    fresh_for = _fresh_for(login.expires, datetime.now(UTC))
    if login.token:
        return {**user, "token": _sendable(login.token, f"login plugin {plugin['command']}")}, fresh_for
    certificate = {"client-certificate-data": _base64(login.certificate), "client-key-data": _base64(login.key)}
    return user | certificate, fresh_for


def _token_of(file: Path) -> str:
    try:
        return _sendable(file.read_text("utf-8").strip(), f"file {file}")
    except OSError as error:
        raise ConfigError(f"the token file {file} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError:
        raise ConfigError(f"the token file {file} is not text") from None


def _sendable(token: str, whose: str) -> str:
    if not re.fullmatch(r"[!-~]+", token):
        raise ConfigError(f"the token of {whose} is empty, or has characters that no header may have")
    return token


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _fresh_for(expires: datetime | None, now: datetime) -> float:
    """Until shortly before the end; a plugin whose clock differs from ours is not run for every request."""
    left = (expires - now).total_seconds() if expires else math.inf
    return max(left - 30, left / 2, SHORTEST_LOGIN)


@dataclass(frozen=True, slots=True)
class Login:
    """What a plugin gave: a token, or a certificate with its key (PEM). `expires` is the plugin's own word."""

    token: str = field(repr=False, default="")
    certificate: str = field(repr=False, default="")
    key: str = field(repr=False, default="")
    expires: datetime | None = None


def _run_plugin(plugin: Section, cluster: Section, limit: float) -> Login:
    """Raises ConfigError with the plugin's name, and its stderr where it failed; its stdout is never quoted."""
    command = str(plugin.get("command") or "")
    if not command:
        raise ConfigError("the kubeconfig has a login plugin without a command")
    if plugin.get("interactiveMode") == "Always":
        raise ConfigError(f"the login plugin {command} wants a terminal", remedy="log in with kubectl first")
    return _login(_output(command, plugin, _environment(plugin, cluster), limit), command)


def _environment(plugin: Section, cluster: Section) -> dict[str, str]:
    spec: dict[str, Any] = {"interactive": False}
    if plugin.get("provideClusterInfo"):
        spec["cluster"] = {key: value for key, value in cluster.items() if key in _CLUSTER_FIELDS}
        for extension in cluster.get("extensions") or ():
            if extension.get("name") == "client.authentication.k8s.io/exec":
                spec["cluster"]["config"] = extension.get("extension")
    asked = {"apiVersion": str(plugin.get("apiVersion") or ""), "kind": "ExecCredential", "spec": spec}
    added = {str(item["name"]): str(item.get("value", "")) for item in plugin.get("env") or () if "name" in item}
    return {**os.environ, **added, "KUBERNETES_EXEC_INFO": json.dumps(asked)}


_CLUSTER_FIELDS: Final = frozenset(
    {"server", "tls-server-name", "insecure-skip-tls-verify", "certificate-authority-data", "proxy-url"}
)


def _output(command: str, plugin: Section, environment: dict[str, str], limit: float) -> bytes:
    arguments = [command, *(str(argument) for argument in plugin.get("args") or ())]
    try:
        process = subprocess.Popen(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            start_new_session=True,  # so that its children can be ended with it
        )
    except (OSError, ValueError) as error:
        hint = one_line(str(plugin.get("installHint") or ""), QUOTED)
        why = getattr(error, "strerror", None) or "it cannot be run"
        raise ConfigError(f"the login plugin {command} failed: {why}", remedy=hint) from None
    with process:
        try:
            output, talk = process.communicate(timeout=limit)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            raise ConfigError(f"the login plugin {command} did not end within {limit:.3g} s") from None
    if process.returncode != 0:
        said = one_line(talk.decode("utf-8", "replace"), QUOTED)
        raise ConfigError(f"the login plugin {command} failed with exit code {process.returncode}: {said or 'no word'}")
    return output


def _login(output: bytes, command: str) -> Login:
    try:
        credential = json.loads(output)
    except ValueError:
        credential = None
    status = credential.get("status") if isinstance(credential, dict) else None
    if not isinstance(status, dict) or credential.get("kind") != "ExecCredential":
        raise ConfigError(f"the login plugin {command} did not print an ExecCredential")
    values = {key: status[key] for key in _CREDENTIALS if isinstance(status.get(key), str)}
    token, certificate, key = (values.get(name, "").strip() for name in _CREDENTIALS)
    if not token and not (certificate and key):
        raise ConfigError(f"the login plugin {command} printed neither a token nor a certificate with its key")
    return Login(token, certificate, key, _instant(status.get("expirationTimestamp")))


_CREDENTIALS: Final = ("token", "clientCertificateData", "clientKeyData")


def _instant(text: object) -> datetime | None:
    try:
        instant = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)
