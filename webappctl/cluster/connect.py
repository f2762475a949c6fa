"""Credentials → a wire. The only module that imports `kubernetes`: its TLS, proxies, auth providers and urllib3 pool.

What it does not do well is done before it is asked: kubeconfig lists (kubeconfig.py), login plugins (login.py), token
files. It is handed one context, with the token already in it, and nothing is sent if that leaves no credentials.
"""

from __future__ import annotations

import logging
import os
import re
import threading
from collections.abc import MutableMapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, unquote, urlsplit

from webappctl.cluster.kubeconfig import Section, Target, find_target
from webappctl.cluster.login import with_token
from webappctl.cluster.wire import JSON, Wire
from webappctl.errors import ConfigError, Unauthorized

if TYPE_CHECKING:
    from urllib3 import HTTPConnectionPool, HTTPHeaderDict, PoolManager

    from webappctl.cluster.pool import Access, Headers

EVERY_CREDENTIAL: Final = frozenset(
    {"token", "tokenFile", "exec", "auth-provider", "username", "password"}
    | {"client-certificate", "client-certificate-data", "client-key", "client-key-data"}
)

TLS_MATERIAL: Final = ("ssl_ca_cert", "cert_file", "key_file", "verify_ssl", "tls_server_name", "proxy")

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Connection:
    """`context` is `in-cluster` in a pod without a kubeconfig; `namespace` is the context's, else `default`."""

    server: str
    context: str
    namespace: str
    wire: Wire


def connect(*, kubeconfig: str | None, context: str | None, workers: int, request_timeout: float) -> Connection:
    """Read the credentials that kubectl would use. Nothing is sent yet, but a login plugin may run.

    Raises ConfigError when there are none, or when they cannot be used.
    """
    from webappctl.cluster.pool import PoolWire

    logging.getLogger("urllib3").setLevel(logging.ERROR)  # its warnings quote headers, and stderr is ours
    target = find_target(kubeconfig, context, os.environ)
    door = _Door(target, kubeconfig, workers, longest_login=2 * request_timeout)
    return Connection(target.server, target.context, target.namespace, PoolWire(target.server, door.log_in))


class _Door:
    """Logs in to one context, as often as is needed. Connections are kept while the TLS material is the same."""

    def __init__(self, target: Target, kubeconfig: str | None, workers: int, *, longest_login: float) -> None:
        self._target = target
        self._kubeconfig = kubeconfig
        self._workers = workers
        self._longest_login = longest_login
        self._pool: tuple[HTTPConnectionPool, str] | None = None
        self._material: tuple[object, ...] = ()

    def log_in(self) -> Access:
        from webappctl.cluster.pool import Access

        target = self._target_as_it_is_now()
        user, fresh_for = with_token(target, self._longest_login)
        configuration = _configuration(target, user, self._workers)
        return Access(*self._pool_for(configuration), _headers(configuration, user), fresh_for)

    def _target_as_it_is_now(self) -> Target:
        if self._target.in_pod:
            return self._target
        target = find_target(self._kubeconfig, self._target.context, os.environ)
        if target.server != self._target.server:
            raise ConfigError(f"context {target.context} now points to another server, {target.server}")
        return target

    def _pool_for(self, configuration: Any) -> tuple[HTTPConnectionPool, str]:
        from webappctl.cluster.pool import pool_of

        material = tuple(getattr(configuration, name) for name in TLS_MATERIAL)
        if self._pool is None or self._material != material:
            self._pool, self._material = pool_of(_pool_manager(configuration), self._target.server), material
        return self._pool


def _configuration(target: Target, user: Section, workers: int) -> Any:
    """A kubernetes.client.Configuration. Raises ConfigError when credentials are configured and none can be used."""
    from kubernetes.client import Configuration
    from kubernetes.config import load_kube_config_from_dict

    configuration = Configuration()
    configuration.retries = False  # also keeps redirects from being followed
    configuration.connection_pool_maxsize = workers + 2
    try:
        load_kube_config_from_dict(  # type: ignore[no-untyped-call]
            _one_context(target, user), client_configuration=configuration, persist_config=False
        )
    except Exception as error:  # noqa: BLE001 - auth providers raise anything, and its text may hold a token
        missing = next((path for path in _files_of(target, user) if not path.is_file()), None)
        why = f"{missing} does not exist" if missing else type(error).__name__
        raise ConfigError(f"context {target.context}: its cluster or user cannot be used: {why}") from None
    if EVERY_CREDENTIAL & target.user.keys() and not (configuration.api_key or configuration.cert_file):
        raise ConfigError(f"context {target.context}: none of the credentials of its user can be used")
    _set_proxy(configuration, target)
    return configuration


def _one_context(target: Target, user: Section) -> Json:
    texts = {key: value if isinstance(value, dict | list) else str(value) for key, value in user.items()}
    cluster = {**target.cluster, "server": target.server}
    return {
        "clusters": [{"name": "the", "cluster": cluster}],
        "users": [{"name": "the", "user": texts}],
        "contexts": [{"name": "the", "context": {"cluster": "the", "user": "the"}}],
        "current-context": "the",
    }


def _files_of(target: Target, user: Section) -> list[Path]:
    found = (target.cluster.get("certificate-authority"), user.get("client-certificate"), user.get("client-key"))
    return [Path(name) for name in found if name]


def _set_proxy(configuration: Any, target: Target) -> None:
    """As Go does: no proxy of the environment for this machine itself, and no NO_PROXY for a proxy-url."""
    from urllib3.util import make_headers

    if target.cluster.get("proxy-url"):
        configuration.no_proxy = None
    elif re.fullmatch(r"localhost|127\..*|::1", urlsplit(target.server).hostname or ""):
        configuration.proxy = None
    if configuration.proxy and "@" in configuration.proxy:
        user = unquote(urlsplit(configuration.proxy).netloc.rpartition("@")[0])
        configuration.proxy_headers = make_headers(proxy_basic_auth=user)


def _pool_manager(configuration: Any) -> PoolManager:
    import urllib3
    from kubernetes.client import ApiClient

    if not configuration.verify_ssl:
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)  # the user said so, once
    try:
        manager: PoolManager = ApiClient(configuration).rest_client.pool_manager
    except (urllib3.exceptions.HTTPError, ImportError, ValueError):
        raise ConfigError("the proxy cannot be used: check HTTPS_PROXY and proxy-url (SOCKS needs PySocks)") from None
    return manager


def _headers(configuration: Any, user: Section) -> Headers:
    """`user` is whose kubeconfig section it is; only an auth provider has a hook that is worth being run."""
    lock = threading.Lock()
    fixed = _fixed_headers(user)
    if "auth-provider" not in user:
        configuration.refresh_api_key_hook = None

    def headers() -> MutableMapping[str, str]:
        made = fixed.copy()
        if configuration.api_key:
            made["Authorization"] = _authorization(configuration, lock)
        return made

    return headers


def _authorization(configuration: Any, lock: threading.Lock) -> str:
    with lock:
        try:
            value = configuration.get_api_key_with_prefix("authorization", "BearerToken")
        except Exception as error:  # noqa: BLE001 - auth providers raise anything, and its text may hold a token
            raise Unauthorized(f"the credentials cannot be renewed: {type(error).__name__}") from None
    if not value:
        raise Unauthorized("the credentials are configured, but there are none to send")
    return str(value)


def _fixed_headers(user: Section) -> HTTPHeaderDict | dict[str, str]:
    fixed = {"Accept": JSON, "User-Agent": f"webappctl/{_version()}"}
    return _impersonating(fixed, user) if user.get("as") else fixed


def _impersonating(fixed: dict[str, str], user: Section) -> HTTPHeaderDict:
    """As kubectl does: leaving it out would do the work with more rights than the user asked for."""
    from urllib3 import HTTPHeaderDict

    headers = HTTPHeaderDict(fixed)
    headers["Impersonate-User"] = str(user["as"])
    if user.get("as-uid"):
        headers["Impersonate-Uid"] = str(user["as-uid"])
    for group in user.get("as-groups") or ():
        headers.add("Impersonate-Group", str(group))
    for name, values in (user.get("as-user-extra") or {}).items():
        for value in values:
            headers.add(f"Impersonate-Extra-{quote(str(name), safe='')}", str(value))
    return headers


def _version() -> str:
    try:
        return version("webappctl")
    except PackageNotFoundError:
        return "unreleased"
