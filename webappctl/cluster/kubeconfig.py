"""Which cluster and which user kubectl would take: kubeconfig files, their contexts, and the pod's own credentials.

All of it ends as the same value: a pod is a kubeconfig whose user has a tokenFile. No message here quotes a file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

import yaml

from webappctl.errors import ConfigError

DEFAULT_FILE: Final = "~/.kube/config"
SERVICE_ACCOUNT_DIR: Final = "/var/run/secrets/kubernetes.io/serviceaccount"
DEFAULT_NAMESPACE: Final = "default"
IN_CLUSTER: Final = "in-cluster"
NOTHING_FOUND: Final = "set --kubeconfig or KUBECONFIG, or start a cluster here with `webappctl sandbox up`"

Section = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class KubeContext:
    """A context, with all that it names. `server` has no credentials in it; file names are absolute.

    `namespace`: of objects that name none.
    """

    name: str
    server: str
    cluster: Section = field(repr=False)
    user: Section = field(repr=False)
    user_name: str = ""
    in_pod: bool = False
    namespace: str = DEFAULT_NAMESPACE


def find_context(kubeconfig: str | None, context: str | None, environ: Mapping[str, str]) -> KubeContext:
    """Raises ConfigError, with the file or the context named."""
    files = _files(kubeconfig, environ)
    merged = _merge(files)
    if merged.contexts or merged.clusters:
        return _choose(merged, context)
    if context is None and kubeconfig is None and _in_pod(environ):
        return _pod(environ)
    where = ", ".join(str(file) for file in files)
    if context is not None:
        raise ConfigError(f"no context {context}: there is no kubeconfig in {where}", remedy=NOTHING_FOUND)
    raise ConfigError(f"no cluster is configured: there is no kubeconfig in {where}", remedy=NOTHING_FOUND)


def context_names(kubeconfig: str | None, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Sorted. Raises ConfigError."""
    return tuple(sorted(_merge(_files(kubeconfig, environ)).contexts))


def _files(kubeconfig: str | None, environ: Mapping[str, str]) -> tuple[Path, ...]:
    """The file given by hand must be there; of a list in the environment, what is missing is passed over."""
    if kubeconfig:
        file = _expanded(kubeconfig)
        if not file.exists():
            raise ConfigError(f"the kubeconfig {file} does not exist", remedy=NOTHING_FOUND)
        return (file,)
    listed = environ.get("KUBECONFIG") or DEFAULT_FILE
    return tuple(dict.fromkeys(_expanded(name) for name in listed.split(os.pathsep) if name))


def _expanded(name: str) -> Path:
    """Where nobody knows our home directory (a pod with a user id of its own), `~` stays, and there is no such file."""
    return Path(os.path.expanduser(name))  # noqa: PTH111 - Path.expanduser raises there


@dataclass(slots=True)
class _Merged:
    """Several kubeconfigs as one. Of two things with the same name the first counts, as with kubectl."""

    files: list[str] = field(default_factory=list)
    current: str = ""
    clusters: dict[str, Section] = field(default_factory=dict)
    users: dict[str, Section] = field(default_factory=dict)
    contexts: dict[str, Section] = field(default_factory=dict)


def _merge(files: tuple[Path, ...]) -> _Merged:
    merged = _Merged()
    for file in files:
        content = _read(file)
        if not content:
            continue
        merged.files.append(str(file))
        merged.current = merged.current or str(content.get("current-context") or "")
        for kind, into in (("cluster", merged.clusters), ("user", merged.users), ("context", merged.contexts)):
            for name, section in _named(content, kind, file):
                into.setdefault(name, _with_absolute_paths(section, file.absolute().parent))
    return merged


def _read(file: Path) -> Section:
    """Empty for a file that is missing or empty."""
    try:
        content = yaml.load(file.read_text("utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - safe
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(f"the kubeconfig {file} cannot be read: {error.strerror}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f" (line {mark.line + 1})" if mark else ""
        raise ConfigError(f"the kubeconfig {file} is not YAML{line}") from None
    if content is not None and not isinstance(content, dict):
        raise ConfigError(f"the kubeconfig {file} is not a mapping")
    return content or {}


def _named(content: Section, kind: str, file: Path) -> list[tuple[str, Section]]:
    """`users: [{name: x, user: {…}}]` → `[(x, {…})]`."""
    entries = content.get(f"{kind}s") or []
    if not isinstance(entries, list) or not all(isinstance(entry, dict) and "name" in entry for entry in entries):
        raise ConfigError(f"the kubeconfig {file} has no proper list of {kind}s")
    sections = [(str(entry["name"]), entry.get(kind) or {}) for entry in entries]
    if not all(isinstance(section, dict) for _, section in sections):
        raise ConfigError(f"the kubeconfig {file} has a {kind} that is not a mapping")
    return sections


def _with_absolute_paths(section: Section, directory: Path) -> Section:
    """Paths in a kubeconfig count from where it lies; so does a login plugin, if its name has a slash."""
    paths = {
        key: str(directory / str(section[key]))
        for key in ("certificate-authority", "client-certificate", "client-key", "tokenFile")
        if section.get(key)
    }
    plugin = section.get("exec")
    if isinstance(plugin, dict) and "/" in str(plugin.get("command", "")):
        return {**section, **paths, "exec": {**plugin, "command": str(directory / plugin["command"])}}
    return {**section, **paths}


def _choose(merged: _Merged, context: str | None) -> KubeContext:
    where = ", ".join(merged.files)
    known = f"known: {', '.join(sorted(merged.contexts)) or 'none'}"
    name = context or merged.current
    if not name:
        raise ConfigError(f"no current context in {where}", remedy=f"choose one with --context; {known}")
    if name not in merged.contexts:
        raise ConfigError(f"no context {name} in {where}", remedy=known)
    chosen = merged.contexts[name]
    cluster_name, user_name = str(chosen.get("cluster") or ""), str(chosen.get("user") or "")
    if cluster_name not in merged.clusters:
        raise ConfigError(f"context {name} in {where} names a cluster that is not there: {cluster_name or 'none'}")
    if user_name and user_name not in merged.users:
        raise ConfigError(f"context {name} in {where} names a user that is not there: {user_name}")
    cluster = merged.clusters[cluster_name]
    server = _server(cluster, f"cluster {cluster_name} in {where}")
    namespace = str(chosen.get("namespace") or DEFAULT_NAMESPACE)
    return KubeContext(name, server, cluster, merged.users.get(user_name, {}), user_name, namespace=namespace)


def _server(cluster: Section, whose: str) -> str:
    """Without a user and password in it: they are never sent, and never shown."""
    wrong = ConfigError(f"the server of {whose} is not an http or https URL")
    try:
        url = urlsplit(str(cluster.get("server") or ""))
        valid = url.scheme in {"http", "https"} and bool(url.hostname) and url.port != 0
    except ValueError:
        raise wrong from None
    if not valid:
        raise wrong
    return urlunsplit((url.scheme, url.netloc.rpartition("@")[2], url.path.rstrip("/"), "", ""))


def _in_pod(environ: Mapping[str, str]) -> bool:
    return bool(environ.get("KUBERNETES_SERVICE_HOST") and environ.get("KUBERNETES_SERVICE_PORT"))


def _pod(environ: Mapping[str, str]) -> KubeContext:
    directory = Path(environ.get("WEBAPPCTL_SERVICE_ACCOUNT_DIR") or SERVICE_ACCOUNT_DIR)
    host = environ["KUBERNETES_SERVICE_HOST"]
    host = f"[{host}]" if ":" in host else host
    server = f"https://{host}:{environ['KUBERNETES_SERVICE_PORT']}"
    cluster = {"server": server, "certificate-authority": str(directory / "ca.crt")}
    user = {"tokenFile": str(directory / "token")}
    return KubeContext(IN_CLUSTER, server, cluster, user, in_pod=True, namespace=_pods_namespace(directory))


def _pods_namespace(directory: Path) -> str:
    try:
        return (directory / "namespace").read_text("utf-8").strip() or DEFAULT_NAMESPACE
    except (OSError, ValueError):
        return DEFAULT_NAMESPACE
