"""How long a Lease lasts, and the name of who holds it."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass

from webappctl.core.lease import LONGEST
from webappctl.errors import UsageError


@dataclass(frozen=True, slots=True)
class Timing:
    """In seconds. `lease`: after so long without a renewal others take it. `renew_deadline`: after so long, from the
    sending of the last good renewal, its holder writes no more. `retry`: between renewals, and between looks at it.
    """

    lease: float = 15.0
    renew_deadline: float = 10.0
    retry: float = 2.0

    def __post_init__(self) -> None:
        if not LONGEST >= self.lease > self.renew_deadline > self.retry > 0:
            raise UsageError(
                "these times of the Lease leave two processes leading at once, or none",
                remedy="--lease-duration must be longer than --renew-deadline, that longer than --retry-period, and "
                "none of them longer than 1h",
            )

    @property
    def patience(self) -> float:
        """Seconds for one request: a holder whose request is lost can send another before its deadline."""
        return self.renew_deadline / 2


def identity() -> str:
    """`webappctl-7d4b9_5b0c…`: the pod's name, else the host's, and something that no other process has."""
    import uuid

    name = os.environ.get("POD_NAME") or os.environ.get("HOSTNAME") or socket.gethostname()
    return f"{name}_{uuid.uuid4()}"
