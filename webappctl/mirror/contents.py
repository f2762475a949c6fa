"""What the mirror holds, and how its streams stand. One thread at a time: the mirror's lock is around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from webappctl.core.objects import (
    ALL_NAMESPACES,
    Autoscaler,
    Autoscalers,
    Deployment,
    Kind,
    Listed,
    Listing,
    Lists,
    ObjectKey,
    Scope,
    Snapshot,
    Unreadable,
    WatchEvent,
    WebApp,
    of_concern,
)
from webappctl.errors import NotFound, WebappctlError
from webappctl.mirror.concern import worth_a_pass
from webappctl.mirror.follower import Subject
from webappctl.mirror.shelf import Move, Shelf, newer, rank
from webappctl.mirror.standing import Standing

Mark = Mapping[Subject, str]
"""Up to which resourceVersion each stream had told at some moment."""


class Contents:
    """Methods that return a bool say whether a pass is worth it now. `now`: an instant of the mirror's clock."""

    def __init__(self, scope: Scope, now: float) -> None:
        self._scope = scope
        self._shelves = {kind: Shelf(_keeper(kind, scope)) for kind in Kind}
        self._made: dict[Kind, tuple[int, object]] = {}
        self._unknown: frozenset[str] = frozenset()
        self._compared: dict[Kind, str] = {}
        self.standings = {_subject(kind, each, scope): Standing(now) for kind in Kind for each in scope.streamed}

    @property
    def filled(self) -> bool:
        return all(standing.filled for standing in self.standings.values())

    def held(self, kind: Kind, key: ObjectKey) -> Listed | None:
        return self._shelves[kind].objects.get(key)

    def snapshot(self) -> Snapshot:
        """What did not change since the last one is the same object in this one."""
        unknown = self._unknown
        return Snapshot(
            cast("tuple[WebApp | Unreadable, ...]", self._once(Kind.WEBAPPS, self._webapps)),
            cast(
                "Mapping[ObjectKey, Deployment | Unreadable]",
                self._once(Kind.DEPLOYMENTS, lambda shelf: dict(shelf.objects)),
            ),
            cast("Autoscalers", self._once(Kind.AUTOSCALERS, lambda shelf: _autoscalers(shelf, unknown))),
            every_webapp=self._scope.every_webapp,
        )

    def listed(self, subject: Subject, listing: Listing[Listed], now: float) -> bool:
        standing, shelf = self.standings[subject], self._shelves[subject.kind]
        if newer(standing.delivered, listing.resource_version):
            shelf.forget(subject.namespace)  # the store was set back: all that is known is of another history
        moves = shelf.sweep(subject.namespace, listing).moves
        first = not standing.filled or standing.forbidden
        standing.listed(listing.resource_version, now)
        if subject.kind is Kind.AUTOSCALERS:
            self._know(subject.namespace)
        return first or self._worth_a_pass(subject.kind, moves)

    def forbidden(self, subject: Subject, now: float) -> bool:
        standing = self.standings[subject]
        first = not (standing.filled and standing.forbidden)
        standing.may_not(now)
        self._know_nothing_of(subject.namespace)
        return first

    def happened(self, subject: Subject, event: WatchEvent[Listed], now: float) -> bool:
        move = self._shelves[subject.kind].happened(event)
        self.standings[subject].heard(event.resource_version, now)
        return move is not None and self._worth_a_pass(subject.kind, [move])

    def failed(self, subject: Subject, error: WebappctlError, now: float) -> None:
        """Of a kind that is not served any more, nothing is known."""
        self.standings[subject].failed(str(error), now, unknown=isinstance(error, NotFound))

    def took(self, kind: Kind, found: Listed) -> None:
        """No answer tells whether the selector selects a WebApp; of those that are here, as they are, a stream did."""
        shelf = self._shelves[kind]
        if kind is Kind.WEBAPPS and self._scope.selector:
            held = shelf.objects.get(found.metadata.key)
            if held is None or held.metadata.labels != found.metadata.labels:
                return
        shelf.put(found)

    def lost(self, kind: Kind, key: ObjectKey, uid: str) -> None:
        self._shelves[kind].lost(key, uid)

    def mark(self) -> Mark:
        return {subject: standing.delivered for subject, standing in self.standings.items()}

    def set_back(self, lists: Lists, before: Mark) -> list[Subject]:
        """Those whose lists are older than what was told `before` they were made: the store is that of a backup now,
        and nothing that was known of it holds."""
        found = []
        for subject, standing in self.standings.items():
            versions = [listing.resource_version for listing in _within(lists, subject) if listing is not None]
            if any(newer(before.get(subject, ""), version) for version in versions):
                self._shelves[subject.kind].forget(subject.namespace)
                self._compared.pop(subject.kind, None)
                standing.delivered = ""
                found.append(subject)
        return found

    def compare(self, lists: Lists) -> int:
        for namespace, listing in lists.autoscalers.items():
            if listing is None:
                self._know_nothing_of(namespace)
            elif not self._standing(Kind.AUTOSCALERS, namespace).forbidden:
                self._know(namespace)
        return sum(self._compared_with(kind, lists.of(kind)) for kind in Kind)

    def worth_a_try(self, lists: Lists) -> list[Subject]:
        """Those whose stream is down, or was forbidden, though they could all be listed now."""
        return [
            subject
            for subject, standing in self.standings.items()
            if (standing.forbidden or not standing.well) and None not in _within(lists, subject)
        ]

    def _compared_with(self, kind: Kind, listings: Mapping[str, Listing[Listed] | None]) -> int:
        """A stream of all namespaces is compared with the list of each; those that are not listed are gone."""
        found, versions = 0, [listing.resource_version for listing in listings.values() if listing is not None]
        for namespace, listing in listings.items():
            standing = self._standing(kind, namespace)
            if listing is not None and standing.filled and not standing.forbidden:
                found += self._shelves[kind].sweep(namespace, listing, standing.delivered).differences
        if versions and self._scope.streamed == (ALL_NAMESPACES,) and ALL_NAMESPACES not in listings:
            before, at = self._compared.get(kind, ""), min(versions, key=rank)
            delivered = self._standing(kind, ALL_NAMESPACES).delivered
            found += self._shelves[kind].sweep_unlisted(listings.keys(), before, at, delivered).differences
        self._compared[kind] = max(versions, key=rank, default=self._compared.get(kind, ""))
        return found

    def _standing(self, kind: Kind, namespace: str) -> Standing:
        """That of the stream which tells of that namespace."""
        streamed = namespace if namespace in self._scope.streamed else ALL_NAMESPACES
        return self.standings[_subject(kind, streamed, self._scope)]

    def _worth_a_pass(self, kind: Kind, moves: list[Move]) -> bool:
        webapps = self._shelves[Kind.WEBAPPS].objects
        return any(worth_a_pass(kind, move, webapps) for move in moves)

    def _know(self, namespace: str) -> None:
        if namespace in self._unknown:
            self._unknown -= {namespace}
            self._made.pop(Kind.AUTOSCALERS, None)

    def _know_nothing_of(self, namespace: str) -> None:
        """Of its autoscalers."""
        if namespace not in self._unknown:
            self._unknown |= {namespace}
            self._shelves[Kind.AUTOSCALERS].forget(namespace)

    def _once(self, kind: Kind, make: Callable[[Shelf], object]) -> object:
        shelf = self._shelves[kind]
        changes, made = self._made.get(kind, (-1, None))
        if changes != shelf.changes:
            made = make(shelf)
            self._made[kind] = (shelf.changes, made)
        return made

    def _webapps(self, shelf: Shelf) -> object:
        if not self._scope.names:
            return tuple(shelf.in_order())
        return tuple(found for found in shelf.in_order() if self._scope.covers(found.metadata.key))


def _within(lists: Lists, subject: Subject) -> list[Listing[Listed] | None]:
    """The lists of what that stream tells of."""
    listings = lists.of(subject.kind).items()
    return [listing for namespace, listing in listings if subject.namespace in (ALL_NAMESPACES, namespace)]


def _autoscalers(shelf: Shelf, unknown: frozenset[str]) -> Autoscalers:
    return Autoscalers.of((found for found in shelf.objects.values() if isinstance(found, Autoscaler)), unknown)


def _subject(kind: Kind, namespace: str, scope: Scope) -> Subject:
    return Subject(kind, namespace, scope.selector if kind is Kind.WEBAPPS else "", scope.shard)


def _keeper(kind: Kind, scope: Scope) -> Callable[[Listed], bool]:
    def keeps(found: Listed) -> bool:
        if kind is Kind.DEPLOYMENTS and isinstance(found, Deployment | Unreadable) and not of_concern(found):
            return False
        return scope.holds(found.metadata.namespace)

    return keeps
