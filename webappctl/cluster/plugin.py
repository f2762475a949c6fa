"""Login plugins: programs that print a token or a client certificate."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from webappctl.cluster.refusal import one_line
from webappctl.errors import ConfigError

if TYPE_CHECKING:
    from webappctl.cluster.kubeconfig import Section

QUOTED: Final = 200
STDERR: Final = 2

_running: Final[set[int]] = set()


def kill_login_plugins() -> None:
    """Those that run now, with their children, at once. For a program that is about to end without cleaning up.

    Waits for nothing and takes no lock, so that a signal handler may call it.
    """
    for group in tuple(_running):
        _kill(group)


def _kill(group: int) -> None:
    with suppress(OSError):  # it has ended
        os.killpg(group, signal.SIGKILL)


@dataclass(frozen=True, slots=True)
class Login:
    """What a plugin gave: a token, or a certificate with its key (PEM). `expires` is the plugin's own word."""

    token: str = field(repr=False, default="")
    certificate: str = field(repr=False, default="")
    key: str = field(repr=False, default="")
    expires: datetime | None = None


def run_plugin(plugin: Section, cluster: Section, limit: float) -> Login:
    """`limit`: seconds until it is killed. `cluster`: what it is told about, if it asks.

    Raises ConfigError with the plugin's name, and its stderr where it failed; its stdout is never quoted. On a
    terminal it speaks for itself: it may show a code to type, or a page to open.
    """
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
    process = _started(command, plugin, environment)
    _running.add(process.pid)
    try:
        with process:
            output, talk = _talk(process, command, limit)
    finally:
        _running.discard(process.pid)
    if process.returncode != 0:
        said = "see above" if talk is None else one_line(talk.decode("utf-8", "replace"), QUOTED) or "no word"
        raise ConfigError(f"the login plugin {command} failed with exit code {process.returncode}: {said}")
    return output


def _started(command: str, plugin: Section, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    arguments = [command, *(str(argument) for argument in plugin.get("args") or ())]
    try:
        return subprocess.Popen(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=None if os.isatty(STDERR) else subprocess.PIPE,
            env=environment,
            start_new_session=True,  # so that its children can be ended with it
        )
    except (OSError, ValueError) as error:
        hint = one_line(str(plugin.get("installHint") or ""), QUOTED)
        why = getattr(error, "strerror", None) or "it cannot be run"
        raise ConfigError(f"the login plugin {command} failed: {why}", remedy=hint) from None


def _talk(process: subprocess.Popen[bytes], command: str, limit: float) -> tuple[bytes, bytes | None]:
    """stdout and stderr; the latter is None where it went to the terminal."""
    try:
        return process.communicate(timeout=limit)
    except subprocess.TimeoutExpired as error:
        _kill(process.pid)
        lines = (error.stderr or b"").decode("utf-8", "replace").strip().splitlines()
        last = f": {one_line(lines[-1], QUOTED)}" if lines else ""
        raise ConfigError(f"the login plugin {command} did not end in time{last}") from None
    except BaseException:
        _kill(process.pid)
        raise


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
