"""Which rights each mode needs. The roles that ship grant these and no others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import Final

from webappctl.core.objects import GROUP, PLURAL


class Mode(Enum):
    """A command, or one with an option that needs more."""

    PLAN = "plan"
    APPLY = "apply"
    WATCH = "watch"
    FROM_FILES = "plan -f"
    SERVER_SIDE = "plan --server-side"
    PRUNE = "apply --prune"
    WAIT = "apply --wait"
    PLAN_ONLY = "watch --plan-only"
    SHARD = "watch --shard"


class Where(Enum):
    SCOPE = "scope"
    """In each namespace of the scope, or in all of them."""
    LEASE = "lease"
    """In the namespace of the Lease."""
    CLUSTER = "cluster"


@dataclass(frozen=True, slots=True)
class Right:
    """Printed `patch webapps.apps.example.com/status`. `without`: what is missed without it, where that is bearable,
    which it may be for one mode and not for another."""

    verb: str
    resource: str
    group: str = ""
    subresource: str = ""
    where: Where = Where.SCOPE
    without: str = field(default="", compare=False)

    def __str__(self) -> str:
        group, subresource = f".{self.group}" * bool(self.group), f"/{self.subresource}" * bool(self.subresource)
        return f"{self.verb} {self.resource}{group}{subresource}"

    def within(self, namespace: str) -> str:
        """`list pods in namespace shop`, `list pods in all namespaces`, `list namespaces`."""
        if self.where is Where.CLUSTER:
            return str(self)
        return f"{self} in namespace {namespace}" if namespace else f"{self} in all namespaces"


BUILDS_ON: Final[Mapping[Mode, Mode]] = MappingProxyType(
    {
        Mode.APPLY: Mode.PLAN,
        Mode.WATCH: Mode.APPLY,
        Mode.FROM_FILES: Mode.PLAN,
        Mode.SERVER_SIDE: Mode.PLAN,
        Mode.PRUNE: Mode.APPLY,
        Mode.WAIT: Mode.APPLY,
        Mode.PLAN_ONLY: Mode.PLAN,
        Mode.SHARD: Mode.WATCH,
    }
)
"""A mode needs all that another one needs."""

_BLIND: Final = "only what an autoscaler has scaled already is left to it"
_DEAF: Final = "a change of an autoscaler is seen at the next full listing only"
_UNNOTICED: Final = "shards that write to the same WebApps would not be noticed"
_NO_EVENTS: Final = "events are not written, or not counted"
_NO_OWNER: Final = (
    "no Deployment can be created where OwnerReferencesPermissionEnforcement is on (as on OpenShift); elsewhere it is "
    "not needed"
)


def _leases(verb: str, without: str = "") -> Right:
    return Right(verb, "leases", "coordination.k8s.io", where=Where.LEASE, without=without)


def _webapps(verb: str, subresource: str = "", without: str = "") -> Right:
    return Right(verb, PLURAL, GROUP, subresource, without=without)


def _deployments(verb: str) -> Right:
    return Right(verb, "deployments", "apps")


def _autoscalers(verb: str, without: str) -> Right:
    return Right(verb, "horizontalpodautoscalers", "autoscaling", without=without)


_WATCHES: Final = (_webapps("watch"), _deployments("watch"), _autoscalers("watch", _DEAF))

ADDED: Final[Mapping[Mode, tuple[Right, ...]]] = MappingProxyType(
    {
        Mode.PLAN: (_webapps("list"), _deployments("list"), _autoscalers("list", _BLIND)),
        Mode.APPLY: (
            _webapps("get"),
            _webapps("patch", "status"),
            _webapps("update", "finalizers", _NO_OWNER),
            *(_deployments(verb) for verb in ("get", "create", "patch")),
            *(Right(verb, "events", without=_NO_EVENTS) for verb in ("get", "create", "patch")),
            *(_leases(verb) for verb in ("get", "create", "update")),
            _leases("list", _UNNOTICED),
        ),
        Mode.WATCH: _WATCHES,
        Mode.FROM_FILES: (Right("get", "namespaces", without="a namespace that is missing is not named"),),
        Mode.SERVER_SIDE: (_deployments("create"), _deployments("patch")),
        Mode.PRUNE: (_deployments("delete"),),
        Mode.WAIT: (Right("list", "pods", without="why a pod is not ready is not said"),),
        Mode.PLAN_ONLY: _WATCHES,
        Mode.SHARD: (Right("list", "namespaces", where=Where.CLUSTER), _leases("list")),
    }
)
"""Beyond those of the mode that it builds on."""


def lineage(mode: Mode) -> tuple[Mode, ...]:
    """The mode and all that it builds on, the simplest first."""
    below = BUILDS_ON.get(mode)
    return (*lineage(below), mode) if below else (mode,)


RIGHTS: Final[Mapping[Mode, tuple[Right, ...]]] = MappingProxyType(
    {mode: tuple({right: right for each in lineage(mode) for right in ADDED[each]}.values()) for mode in Mode}
)
"""All of them, each once: what a mode cannot do without it needs, though a simpler one can."""
