"""A part of the fleet, for fleets that are too big for one process: whole namespaces, by a hash of their names."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shard:
    """The one of `count` that has the number `index`, from 0. Printed `0/3`."""

    index: int
    count: int

    @property
    def numbers(self) -> tuple[int, int]:
        return self.index, self.count

    def owns(self, namespace: str) -> bool:
        """Each namespace is of one shard, the same in every process and version: two versions may run side by side."""
        digest = hashlib.sha256(namespace.encode()).digest()
        return int.from_bytes(digest[:8], "big") % self.count == self.index

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"
