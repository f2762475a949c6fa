"""A user's token, from a file or from a login plugin.

The `kubernetes` package reads such a file once, goes on without credentials when a plugin fails, and waits for ever
when one hangs. So the token is put into the user's section here, and the package never sees file or plugin.
"""

from __future__ import annotations

import base64
import math
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from webappctl.cluster.kubeconfig import KubeContext, Section
from webappctl.cluster.plugin import run_plugin
from webappctl.errors import ConfigError

FILES_FRESH: Final = 60.0
"""Seconds after which files are read again: the kubelet replaces a token while the old one is still good."""

SHORTEST_LOGIN: Final = 10.0
"""Seconds for which a login is used at least, whatever its expiry says."""


def with_token(context: KubeContext, longest_login: float) -> tuple[Section, float]:
    """The user with his token or certificate in it, and for how many seconds that is good.

    `longest_login`: seconds that a plugin may take. Raises ConfigError.
    """
    user = {key: value for key, value in context.user.items() if value not in (None, "", {})}
    plugin, token_file = user.pop("exec", None), user.pop("tokenFile", None)
    if token_file:
        return {**user, "token": _token_of(Path(token_file))}, FILES_FRESH
    kept = FILES_FRESH if _has_files(context.cluster, user) else math.inf
    if "token" in user:
        return {**user, "token": _sendable(str(user["token"]), f"user {context.user_name}")}, kept
    if not isinstance(plugin, dict):
        return user, kept
    login = run_plugin(plugin, context.cluster, longest_login)
    fresh_for = _fresh_for(login.expires, datetime.now(UTC))
    if login.token:
        return {**user, "token": _sendable(login.token, f"login plugin {plugin['command']}")}, fresh_for
    certificate = {"client-certificate-data": _base64(login.certificate), "client-key-data": _base64(login.key)}
    return user | certificate, fresh_for


def _has_files(cluster: Section, user: Section) -> bool:
    """An auth provider is left alone: it would be asked for a token each time."""
    files = cluster.get("certificate-authority") or user.get("client-certificate")
    return bool(files) and "auth-provider" not in user


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
