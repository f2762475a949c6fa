"""Credentials → a wire. The only module that imports `kubernetes`: its TLS, proxies, auth providers and urllib3 pool.

What it does not do well is done before it is asked: kubeconfig lists (kubeconfig.py), login plugins (login.py), token
files. It is handed one context, with the token already in it, and nothing is sent if that leaves no credentials.
"""

from __future__ import annotations

import logging
import math
import os
import re
import threading
import time
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, unquote, urlsplit

from webappctl.cluster.kubeconfig import KubeContext, Section, find_context
from webappctl.cluster.login import with_token
from webappctl.cluster.wire import JSON, Wire
from webappctl.core.objects import Json
from webappctl.errors import ConfigError, Unauthorized

if TYPE_CHECKING:
    from urllib3 import HTTPHeaderDict, PoolManager

    from webappctl.cluster.pool import Access, Headers, Way
    from webappctl.cluster.tls import Material

EVERY_CREDENTIAL: Final = frozenset(
    {"token", "tokenFile", "exec", "auth-provider", "username", "password"}
    | {"client-certificate", "client-certificate-data", "client-key", "client-key-data"}
)


@dataclass(frozen=True, slots=True)
class Connection:
    """`context` is `in-cluster` in a pod without a kubeconfig. `namespace`: the one that kubectl would take."""

    server: str
    context: str
    namespace: str
    wire: Wire


def connect(
    *,
    kubeconfig: str | None,
    context: str | None,
    workers: int,
    request_timeout: float,
    until: Callable[[], float] = lambda: math.inf,
) -> Connection:
    """Read the credentials that kubectl would use. Nothing is sent yet, but a login plugin may run.

    No login takes longer than two tries of a request, nor beyond the instant `until()` of time.monotonic().
    Raises ConfigError when there are no credentials, or when they cannot be used.
    """
    from webappctl.cluster.pool import PoolWire

    def longest_login() -> float:
        return min(2 * request_timeout, until() - time.monotonic())

    logging.getLogger("urllib3").setLevel(logging.ERROR)  # its warnings quote headers, and stderr is ours
    found = find_context(kubeconfig, context, os.environ)
    door = _Door(found, kubeconfig, workers, longest_login)
    return Connection(found.server, found.name, found.namespace, PoolWire(found.server, door.log_in))


class _Door:
    """Logs in to one context, as often as is needed. Connections are kept while the TLS material is the same."""

    def __init__(
        self, context: KubeContext, kubeconfig: str | None, workers: int, longest_login: Callable[[], float]
    ) -> None:
        self._context = context
        self._kubeconfig = kubeconfig
        self._workers = workers
        self._longest_login = longest_login
        self._way: Way | None = None
        self._made_of: tuple[object, ...] = ()

    def log_in(self) -> Access:
        from webappctl.cluster.pool import Access
        from webappctl.cluster.tls import Material, read_material

        context = self._context_as_it_is_now()
        user, fresh_for = with_token(context, self._longest_login())
        encrypted = context.server.startswith("https:")
        material = read_material(context.cluster, user) if encrypted else Material()
        configuration = _configuration(context, user, self._workers)
        if EVERY_CREDENTIAL & context.user.keys() and not (configuration.api_key or material.certificate):
            raise ConfigError(f"context {context.name}: none of the credentials of its user can be used")
        return Access(self._way_for(configuration, material), _headers(configuration, user), fresh_for)

    def _context_as_it_is_now(self) -> KubeContext:
        if self._context.in_pod:
            return self._context
        context = find_context(self._kubeconfig, self._context.name, os.environ)
        if context.server != self._context.server:
            raise ConfigError(f"context {context.name} now points to another server, {context.server}")
        return context

    def _way_for(self, configuration: Any, material: Material) -> Way:
        from webappctl.cluster.pool import way_to

        made_of = (material, configuration.verify_ssl, configuration.tls_server_name, configuration.proxy)
        if self._way is None or self._made_of != made_of:
            manager = _pool_manager(configuration, material)
            self._way, self._made_of = way_to(self._context.server, manager), made_of
        return self._way


def _configuration(context: KubeContext, user: Section, workers: int) -> Any:
    """A kubernetes.client.Configuration, without the certificates. Raises ConfigError when it cannot be made."""
    from kubernetes.client import Configuration
    from kubernetes.config import load_kube_config_from_dict

    configuration = Configuration()
    configuration.retries = False  # also keeps redirects from being followed
    configuration.connection_pool_maxsize = workers + 2
    try:
        load_kube_config_from_dict(  # type: ignore[no-untyped-call]
            _one_context(context, user), client_configuration=configuration, persist_config=False
        )
    except Exception as error:  # noqa: BLE001 - auth providers raise anything, and its text may hold a token
        why = type(error).__name__
        if "auth-provider" in user:
            why = "its auth-provider does not work here, a login plugin (exec) does"
        raise ConfigError(f"context {context.name}: its cluster or user cannot be used: {why}") from None
    _set_proxy(configuration, context)
    return configuration


def _one_context(context: KubeContext, user: Section) -> Json:
    """Without certificates and keys: the package would write them to files, and leave them there when we are killed."""
    from webappctl.cluster.tls import SECTIONS_OF_TLS

    texts = {
        key: value if isinstance(value, dict | list) else str(value)
        for key, value in user.items()
        if key not in SECTIONS_OF_TLS
    }
    cluster = {key: value for key, value in context.cluster.items() if key not in SECTIONS_OF_TLS}
    return {
        "clusters": [{"name": "the", "cluster": {**cluster, "server": context.server}}],
        "users": [{"name": "the", "user": texts}],
        "contexts": [{"name": "the", "context": {"cluster": "the", "user": "the"}}],
        "current-context": "the",
    }


def _set_proxy(configuration: Any, context: KubeContext) -> None:
    """As Go does: no proxy of the environment for this machine itself, and no NO_PROXY for a proxy-url."""
    from urllib3.util import make_headers

    if context.cluster.get("proxy-url"):
        configuration.no_proxy = None
    elif re.fullmatch(r"localhost|127\..*|::1", urlsplit(context.server).hostname or ""):
        configuration.proxy = None
    if configuration.proxy and "@" in configuration.proxy:
        user = unquote(urlsplit(configuration.proxy).netloc.rpartition("@")[0])
        configuration.proxy_headers = make_headers(proxy_basic_auth=user)


def _pool_manager(configuration: Any, material: Material) -> PoolManager:
    """As with Go, a proxy that is spoken to in TLS is trusted as the server is; it is not shown our certificate."""
    import urllib3
    from kubernetes.client import ApiClient

    from webappctl.cluster.tls import tls_context

    if not configuration.verify_ssl:
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)  # the user said so, once
    try:
        manager: PoolManager = ApiClient(configuration).rest_client.pool_manager
    except (urllib3.exceptions.HTTPError, ImportError, ValueError):
        raise ConfigError("the proxy cannot be used: check HTTPS_PROXY and proxy-url (SOCKS needs PySocks)") from None
    manager.connection_pool_kw["ssl_context"] = tls_context(material, verified=configuration.verify_ssl)
    if manager.proxy_config:
        anonymous = tls_context(replace(material, certificate=b""), verified=configuration.verify_ssl)
        manager.connection_pool_kw["_proxy_config"] = manager.proxy_config._replace(ssl_context=anonymous)
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
