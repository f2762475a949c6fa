"""How one stream stands."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Standing:
    """Times are instants of the mirror's clock, in seconds.

    `filled`: its kind was listed, and is served since. `delivered`: all that happened up to there was told. `well`: it
    is connected, or between two connections of which none failed. `forbidden`: it may not be listed, so none is needed.
    `trouble`: why it is down.
    """

    heard_at: float
    filled: bool = False
    delivered: str = ""
    well: bool = False
    forbidden: bool = False
    trouble: str = ""
    failed_at: float = 0.0

    def listed(self, version: str, now: float) -> None:
        self.filled, self.forbidden, self.delivered, self.heard_at = True, False, version, now

    def connected(self, now: float) -> None:
        self.well, self.trouble, self.heard_at = True, "", now

    def heard(self, version: str, now: float) -> None:
        self.delivered, self.heard_at = version, now

    def may_not(self, now: float) -> None:
        self.filled, self.forbidden, self.delivered = True, True, ""
        self.connected(now)

    def failed(self, trouble: str, now: float, *, unknown: bool) -> None:
        self.well, self.trouble, self.failed_at = False, trouble, now
        self.filled = self.filled and not unknown
