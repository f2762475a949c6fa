"""What was listed, by kind and by the namespace that was asked for, and as of when."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeAlias, TypeVar

from webappctl.core.objects.autoscaler import Autoscaler, Autoscalers
from webappctl.core.objects.deployment import Deployment
from webappctl.core.objects.snapshot import Scope, Snapshot
from webappctl.core.objects.unreadable import Unreadable
from webappctl.core.objects.webapp import WebApp

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Kind(StrEnum):
    """What a pass looks at."""

    WEBAPPS = "webapps"
    DEPLOYMENTS = "deployments"
    AUTOSCALERS = "autoscalers"


Listed: TypeAlias = WebApp | Deployment | Autoscaler | Unreadable
"""An object of any of these kinds."""


@dataclass(frozen=True, slots=True)
class Listing(Generic[T_co]):
    """A whole list, in the server's order. `resource_version`: of the instant that it is of."""

    items: tuple[T_co, ...]
    resource_version: str = ""


@dataclass(frozen=True, slots=True)
class Lists:
    """What a pass begins with: by namespace (empty: all of them) its lists, each whole.

    Of Deployments those that can be nobody's child are left out. None: autoscalers that may not be listed.
    """

    webapps: Mapping[str, Listing[WebApp | Unreadable]]
    deployments: Mapping[str, Listing[Deployment | Unreadable]]
    autoscalers: Mapping[str, Listing[Autoscaler] | None]

    def of(self, kind: Kind) -> Mapping[str, Listing[Listed] | None]:
        match kind:
            case Kind.WEBAPPS:
                return self.webapps
            case Kind.DEPLOYMENTS:
                return self.deployments
            case Kind.AUTOSCALERS:
                return self.autoscalers

    def snapshot(self, scope: Scope) -> Snapshot:
        """WebApps are narrowed to the scope and sorted by key."""
        return Snapshot(
            tuple(sorted((w for w in _all(self.webapps) if scope.covers(w.key)), key=lambda webapp: webapp.key)),
            {deployment.key: deployment for deployment in _all(self.deployments)},
            Autoscalers.of(_all(self.autoscalers), (name for name, its in self.autoscalers.items() if its is None)),
            every_webapp=scope.every_webapp,
        )


def _all(listings: Mapping[str, Listing[T] | None]) -> Iterator[T]:
    for listing in listings.values():
        if listing is not None:
            yield from listing.items
