"""Everything is listed anew in a thread of its own: passes that are woken meanwhile do not wait for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

from webappctl.core.objects import Lists, Scope
from webappctl.mirror.contents import Mark
from webappctl.mirror.mirror import Mirror
from webappctl.mirror.source import Behind

FRESH: Final = 5.0
"""Seconds for which a list is worth a pass; a process that has waited longer for its turn lists again."""

_Listed = Lists | Exception


class Relisting:
    """`done` is called, in the thread that lists, when there is a list, or there can be none."""

    def __init__(self, cluster: Behind, mirror: Mirror, scope: Scope) -> None:
        self._mirror = mirror
        self.done: Callable[[], None] = lambda: None
        self._cluster = cluster
        self._scope = scope
        self._lock = threading.Lock()
        self._running = False
        self._listed: tuple[_Listed, Mark, float] | None = None

    def ready(self) -> bool:
        """Can it be taken? If not, it is being listed from now on, at the latest."""
        with self._lock:
            if self._listed is not None and time.monotonic() - self._listed[-1] < FRESH:
                return True
            if not self._running:
                threading.Thread(target=self._list, name="relist", daemon=True).start()
                self._running = True
            return False

    def take(self) -> tuple[Lists, Mark]:
        """What is ready, once, or else is listed now; and the mirror's mark of before. Raises what that raised."""
        with self._lock:
            listed, self._listed = self._listed, None
        if listed is None:
            mark = self._mirror.mark()
            return self._cluster.lists(self._scope), mark
        lists, mark, _ = listed
        if isinstance(lists, Exception):
            raise lists
        return lists, mark

    def _list(self) -> None:
        listed: _Listed
        mark = self._mirror.mark()
        try:
            listed = self._cluster.lists(self._scope)
        except Exception as error:  # noqa: BLE001 - whatever it is, the pass raises it
            listed = error
        with self._lock:
            self._listed, self._running = (listed, mark, time.monotonic()), False
        self.done()
