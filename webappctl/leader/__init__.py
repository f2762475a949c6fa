"""Hold a Lease, or wait for it: of all processes that may write, one does.

`Elector.fence()` is the instant until which we surely have it. It is past as soon as it is not renewed in time,
whatever this process has noticed of that: stopped, cut off or busy, it stops writing all the same.
"""

from __future__ import annotations

from webappctl.leader.elector import Elector
from webappctl.leader.store import LeaseStore
from webappctl.leader.timing import Timing, identity

__all__ = ["Elector", "LeaseStore", "Timing", "identity"]
