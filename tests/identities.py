"""Others than the admin: ServiceAccounts with few rights, their tokens, and kubeconfigs for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import yaml

from tests.conftest import Kubectl
from tests.world import eventually

RBAC: Final = "rbac.authorization.k8s.io"


def service_account(
    kubectl: Kubectl, namespace: str, *rights: str, name: str = "tester", everywhere: bool = False
) -> str:
    """A new ServiceAccount; returns its token. It may do just what is given, as `verb resource.group`.

    `everywhere`: in all namespaces, not in its own only.
    """
    kubectl("create", "serviceaccount", name, "-n", namespace)
    if rights:
        _grant(kubectl, namespace, name, rights, everywhere=everywhere)
        # The authorizer learns of a role by a watch.
        eventually(lambda: kubectl(*_may(namespace, name, rights[-1]), check=False).returncode == 0)
    return token_of(kubectl, namespace, name)


def token_of(kubectl: Kubectl, namespace: str, name: str) -> str:
    return kubectl("create", "token", name, "-n", namespace).stdout.strip()


def kubeconfig_of(token: str, kubeconfig: Path, folder: Path) -> Path:
    """A copy of the kubeconfig, in that folder, whose user has the token."""
    config = yaml.safe_load(kubeconfig.read_text())
    config["users"][0]["user"] = {"token": token}
    path = folder / "kubeconfig"
    path.touch(0o600)
    path.write_text(yaml.safe_dump(config))
    return path


def _grant(kubectl: Kubectl, namespace: str, name: str, rights: tuple[str, ...], *, everywhere: bool) -> None:
    role, binding = ("ClusterRole", "ClusterRoleBinding") if everywhere else ("Role", "RoleBinding")
    meta = {"name": f"{namespace}-{name}", "namespace": namespace}
    subject = {"kind": "ServiceAccount", "name": name, "namespace": namespace}
    reference = {"apiGroup": RBAC, "kind": role, "name": meta["name"]}
    for kind, content in (
        (role, {"rules": [_rule(right) for right in rights]}),
        (binding, {"roleRef": reference, "subjects": [subject]}),
    ):
        manifest: dict[str, Any] = {"apiVersion": f"{RBAC}/v1", "kind": kind, "metadata": meta}
        kubectl("create", "-f", "-", stdin=json.dumps(manifest | content))


def _rule(right: str) -> dict[str, list[str]]:
    verb, resource = right.split()
    plural, _, group = resource.partition(".")
    return {"verbs": [verb], "resources": [plural], "apiGroups": [group]}


def _may(namespace: str, name: str, right: str) -> list[str]:
    verb, resource = right.split()
    plural, _, group = resource.partition(".")
    plural, _, sub = plural.partition("/")
    what = f"{plural}.{group}".rstrip(".")
    user = f"--as=system:serviceaccount:{namespace}:{name}"
    return ["auth", "can-i", verb, what, f"--subresource={sub}", user, "-n", namespace]
