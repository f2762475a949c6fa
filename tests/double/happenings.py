"""What happened in an API server, as a watch tells it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.double import selectors
from tests.double.fields import Obj
from tests.double.kinds import Kind
from tests.double.sent import Sent
from tests.double.stored import Stored

if TYPE_CHECKING:
    from tests.double.store import Store


@dataclass(frozen=True)
class Happening:
    """A write. `before` is None where nothing was, `after` where nothing is any more."""

    revision: int
    before: Stored | None
    after: Stored | None

    @property
    def stored(self) -> Stored:
        found = self.after or self.before
        assert found is not None
        return found


class Watched:
    """The events of one watch, in turn."""

    def __init__(self, kind: Kind, sent: Sent, store: Store) -> None:
        self.kind = kind
        self._sent = sent
        self._store = store
        self._told = int(sent.query["resourceVersion"])
        self.seconds = float(sent.query.get("timeoutSeconds", 1800))
        self.wants_bookmarks = sent.query.get("allowWatchBookmarks") == "true"

    def too_old(self) -> Obj | None:
        """The event that a watch begins and ends with when what it is to begin with is forgotten."""
        if self._told >= self._store.horizon:
            return None
        message = f"too old resource version: {self._told} ({self._store.horizon})"
        status = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message}
        return {"type": "ERROR", "object": status | {"reason": "Expired", "code": 410}}

    def news(self) -> list[Obj]:
        """What happened since it was last asked for."""
        fresh = [happening for happening in self._store.happenings if happening.revision > self._told]
        self._told = max(self._told, self._store.revision)
        return [event for happening in fresh if (event := self._event(happening)) is not None]

    def bookmark(self) -> Obj:
        meta = {"resourceVersion": str(self._told), "creationTimestamp": None}
        content = {"kind": self.kind.name, "apiVersion": self.kind.api_version, "metadata": meta}
        return {"type": "BOOKMARK", "object": content}

    def _event(self, happening: Happening) -> Obj | None:
        before, after = self._selected(happening.before), self._selected(happening.after)
        if after is not None:
            return {"type": "MODIFIED" if before else "ADDED", "object": after.as_json()}
        if before is None:
            return None
        last = before.as_json()
        last["metadata"]["resourceVersion"] = str(happening.revision)
        return {"type": "DELETED", "object": last}

    def _selected(self, stored: Stored | None) -> Stored | None:
        if stored is None or stored.kind is not self.kind:
            return None
        if self._sent.namespace not in ("", stored.meta.get("namespace", "")):
            return None
        selector = self._sent.query.get("labelSelector", "")
        return stored if selectors.matches(selector, stored.meta.get("labels", {})) else None
