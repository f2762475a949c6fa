"""The objects of one kind. An object gives way only to a newer state, and what is gone stays gone.

"Newer" is told by resourceVersion alone: they rise with every write to a kind, deletions included. So it does not
matter in which order a stream, a list and the answer to a write of our own tell of the same thing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from webappctl.core.objects import ALL_NAMESPACES, EventType, Listed, Listing, ObjectKey, WatchEvent, kept


def rank(version: str) -> tuple[int, str]:
    """Of resourceVersions, which are integers of any length; the empty one is older than all others."""
    return len(version), version


def newer(version: str, than: str) -> bool:
    return rank(version) > rank(than)


class Move(NamedTuple):
    """An object that came (`old` is None), went (`new` is None) or has a newer state."""

    old: Listed | None
    new: Listed | None


MOST_GRAVES: Final = 10_000


class _Grave(NamedTuple):
    """Until `version` there is no such object. `uid`: of the one that we know to be gone, but not since when."""

    version: str
    uid: str = ""


@dataclass(slots=True)
class Sweep:
    """What a list changed. `differences`: what the stream should have told before."""

    moves: list[Move] = field(default_factory=list)
    differences: int = 0


class Shelf:
    """`keeps`: is that object of concern? One thread at a time.

    `changes` counts them, so that what is made of the objects can be made once.
    """

    def __init__(self, keeps: Callable[[Listed], bool]) -> None:
        self.changes = 0
        self._keeps = keeps
        self._objects: dict[ObjectKey, Listed] = {}
        self._graves: dict[ObjectKey, _Grave] = {}
        self._swept: dict[str, str] = {}
        self._keys: list[ObjectKey] | None = None

    @property
    def objects(self) -> Mapping[ObjectKey, Listed]:
        return self._objects

    def in_order(self) -> Iterator[Listed]:
        """By key."""
        if self._keys is None:
            self._keys = sorted(self._objects)
        return map(self._objects.__getitem__, self._keys)

    def happened(self, event: WatchEvent[Listed]) -> Move | None:
        """None: it is no news."""
        if event.object is None:
            return None
        if event.type is not EventType.DELETED:
            return self.put(event.object)
        key, held = event.object.metadata.key, self._objects.get(event.object.metadata.key)
        if held is not None and newer(held.metadata.resource_version, event.resource_version):
            return None
        return self._bury(key, _Grave(event.resource_version))

    def put(self, found: Listed) -> Move | None:
        """A state of an object, from wherever it comes. None: it is no news."""
        key, version = found.metadata.key, found.metadata.resource_version
        held = self._objects.get(key)
        if held is None and self._is_gone(key, found):
            return None
        if held is not None and not newer(version, held.metadata.resource_version):
            return None
        return self._store(key, found) if self._keeps(found) else self._bury(key, _Grave(version))

    def lost(self, key: ObjectKey, uid: str) -> None:
        """The object of that uid is gone, it is not known since when."""
        held = self._objects.get(key)
        if held is not None and held.metadata.uid == uid:
            self._bury(key, _Grave(held.metadata.resource_version, uid))

    def sweep(self, namespace: str, listing: Listing[Listed], delivered: str = "") -> Sweep:
        """Take over a list of that namespace (empty: of all), unless a later one was taken over before.

        What the list knows better, although the stream is said to have told all up to `delivered`, is a difference.
        """
        done, at = Sweep(), listing.resource_version
        if newer(self._swept_to(namespace), at):
            return done
        for item in listing.items:
            self._take_in(item, delivered, done)
        present = {item.metadata.key for item in listing.items}
        inside = [key for key in self._objects if namespace in (ALL_NAMESPACES, key.namespace)]
        self._clear(done, (key for key in inside if key not in present), at, differs=not newer(at, delivered))
        self._swept[namespace] = at
        self._graves = {key: grave for key, grave in self._graves.items() if not self._useless(grave, key, delivered)}
        return done

    def sweep_unlisted(self, namespaces: Collection[str], until: str, at: str, delivered: str) -> Sweep:
        """Namespaces that are listed no more, as they are gone: take out what is not newer than `until`.

        `until`: of the lists before; what is in a namespace that was made since then is newer. `at`: of the lists now.
        """
        done = Sweep()
        outside = [key for key in self._objects if key.namespace not in namespaces]
        self._clear(done, outside, until, differs=not newer(at, delivered))
        return done

    def forget(self, namespace: str) -> None:
        """Of that namespace (empty: of all) nothing is known, not even what is gone."""
        if namespace == ALL_NAMESPACES:
            self._objects, self._graves, self._swept = {}, {}, {}
        else:
            self._objects = {key: found for key, found in self._objects.items() if key.namespace != namespace}
            self._graves = {key: grave for key, grave in self._graves.items() if key.namespace != namespace}
            self._swept.pop(namespace, None)
        self._changed(keys=True)

    def _take_in(self, item: Listed, delivered: str, done: Sweep) -> None:
        key, version = item.metadata.key, item.metadata.resource_version
        held, grave = self._objects.get(key), self._graves.get(key)
        if held is not None and not newer(version, held.metadata.resource_version):
            return
        if not self._keeps(item):
            return
        doubted = held is None and grave is not None and grave.uid == item.metadata.uid
        if held is None and grave is not None and not doubted and not newer(version, grave.version):
            return
        if doubted and not delivered and not item.metadata.terminating:
            return  # a stream's own list may be of an instant before we heard that it is gone
        done.moves.append(self._store(key, item))
        done.differences += not doubted and not newer(version, delivered)

    def _clear(self, done: Sweep, gone: Iterable[ObjectKey], until: str, *, differs: bool) -> None:
        """Take out those of them that are not newer than `until`."""
        for key in gone:
            if not newer(self._objects[key].metadata.resource_version, until):
                done.moves.append(Move(self._objects.pop(key), None))
                done.differences += differs
                self._changed(keys=True)

    def _useless(self, grave: _Grave, key: ObjectKey, delivered: str) -> bool:
        """A list that is later tells the same; only one of a pass is surely later than what we heard of ourselves."""
        swept = not newer(grave.version, self._swept_to(key.namespace))
        return swept and (not grave.uid or bool(delivered))

    def _is_gone(self, key: ObjectKey, found: Listed) -> bool:
        version, grave = found.metadata.resource_version, self._graves.get(key)
        if not newer(version, self._swept_to(key.namespace)):
            return True
        if grave is None:
            return False
        same = bool(grave.uid) and grave.uid == found.metadata.uid and not found.metadata.terminating
        return same or not newer(version, grave.version)

    def _swept_to(self, namespace: str) -> str:
        """Up to there, what is not here is not in the cluster."""
        own, whole = self._swept.get(namespace, ""), self._swept.get(ALL_NAMESPACES, "")
        return own if newer(own, whole) else whole

    def _store(self, key: ObjectKey, found: Listed) -> Move:
        held, new = self._objects.get(key), kept(found)
        self._objects[key] = new
        self._graves.pop(key, None)
        self._changed(keys=held is None)
        return Move(held, new)

    def _bury(self, key: ObjectKey, grave: _Grave) -> Move | None:
        """What comes after its end comes within seconds, so the oldest of very many graves are of no use any more."""
        before = self._graves.pop(key, _Grave(""))
        self._graves[key] = before if newer(before.version, grave.version) else grave
        if len(self._graves) > MOST_GRAVES:
            del self._graves[next(iter(self._graves))]
        if key not in self._objects:
            return None
        self._changed(keys=True)
        return Move(self._objects.pop(key), None)

    def _changed(self, *, keys: bool) -> None:
        self.changes += 1
        if keys:
            self._keys = None
