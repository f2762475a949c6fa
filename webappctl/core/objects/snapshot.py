"""The world as one pass saw it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import msgspec

from webappctl.core.objects.autoscaler import ALL_NAMESPACES, NO_AUTOSCALERS, Autoscalers
from webappctl.core.objects.deployment import Deployment
from webappctl.core.objects.meta import ObjectKey, annotated, annotations_of
from webappctl.core.objects.shard import Shard
from webappctl.core.objects.unreadable import Unreadable
from webappctl.core.objects.webapp import WebApp


@dataclass(frozen=True, slots=True)
class Scope:
    """Which WebApps a pass is about.

    `namespaces`: lists are made in each of these only; empty means the whole cluster. `selector`: a label selector
    on WebApps, as kubectl writes it. `names`: `(namespace or "", name)`; empty means all, and a name without a
    namespace means that name in every listed namespace. `shard`: instead of `namespaces` those that fall to it, which
    are looked up for each pass.
    """

    namespaces: tuple[str, ...] = ()
    selector: str = ""
    names: tuple[ObjectKey, ...] = ()
    shard: Shard | None = None

    def covers(self, key: ObjectKey) -> bool:
        return not self.names or key in self.names or ObjectKey("", key.name) in self.names

    def holds(self, namespace: str) -> bool:
        """Is it about that namespace at all?"""
        if self.shard is not None:
            return self.shard.owns(namespace)
        return not self.namespaces or namespace in self.namespaces

    @property
    def streamed(self) -> tuple[str, ...]:
        """The namespaces that are watched, each by itself; the empty one is all of them."""
        return tuple(dict.fromkeys(self.namespaces)) or (ALL_NAMESPACES,)

    @property
    def every_webapp(self) -> bool:
        """None of its namespaces' WebApps is left out."""
        return not self.selector and not self.names

    @property
    def where(self) -> str:
        if self.shard is not None:
            return f"shard {self.shard} of all namespaces"
        if not self.namespaces:
            return "all namespaces"
        return f"namespace{'s' if len(self.namespaces) > 1 else ''} {', '.join(self.namespaces)}"

    def __str__(self) -> str:
        """As the heading of a plan says it: `all namespaces`, `namespace shop, selector team=a`."""
        # Names with their namespaces say where they are.
        parts = [] if self.names and all(key.namespace for key in self.names) else [self.where]
        if self.selector:
            parts.append(f"selector {self.selector}")
        if self.names:
            parts.append(", ".join(str(key) if key.namespace else key.name for key in self.names))
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All WebApps of a scope, in the order of their keys, and every Deployment that could be theirs, by key.

    A Snapshot is whole: a list that failed or was cut raises instead, so absent here means absent in the cluster.
    """

    webapps: tuple[WebApp | Unreadable, ...]
    deployments: Mapping[ObjectKey, Deployment | Unreadable]
    autoscalers: Autoscalers = NO_AUTOSCALERS
    every_webapp: bool = True
    """False when the scope left some out, so that a Deployment without its WebApp here may have one in the cluster."""

    def with_declared(self, declared: Iterable[WebApp]) -> Snapshot:
        """As if these WebApps were applied: what is in the cluster gets their spec, the rest is added."""
        webapps = {webapp.key: webapp for webapp in self.webapps}
        for webapp in declared:
            stored = webapps.get(webapp.key)
            webapps[webapp.key] = webapp if stored is None else _respecified(stored, webapp)
        return replace(self, webapps=tuple(webapps[key] for key in sorted(webapps)))


def _respecified(stored: WebApp | Unreadable, declared: WebApp) -> WebApp:
    """The generation is the one that the API server would make of it."""
    same = isinstance(stored, WebApp) and stored.spec == declared.spec
    generation = stored.metadata.generation + (not same)
    metadata = msgspec.structs.replace(stored.metadata, generation=generation)
    metadata = annotated(metadata, annotations_of(declared.metadata))
    return WebApp(metadata, declared.spec, stored.status)
