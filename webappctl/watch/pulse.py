"""Whether passes still come to an end."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from webappctl.errors import WebappctlError
from webappctl.watch.loop import Finished

LONGEST_PASS: Final = 900.0
"""Seconds. Every request has an end long before; a pass of so many slow ones is as good as none."""


class Pulse:
    """An Observer. A pass that fails comes to its end, too. `passes`: how many succeeded."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.passes = 0
        self._clock = clock
        self._since = clock()

    def reset(self) -> None:
        """From now on passes are run: nobody did while another had the Lease."""
        self._since = self._clock()

    def began(self, pass_id: str) -> None:
        """Nothing has come to its end yet."""

    def finished(self, finished: Finished) -> None:  # noqa: ARG002 - that it came to its end is enough
        self.passes += 1
        self._since = self._clock()

    def failed(self, error: WebappctlError, seconds: float) -> None:  # noqa: ARG002 - so is this
        self._since = self._clock()

    def ailing(self, interval: float) -> str:
        """Why the process should be started anew; empty when it is well. `interval` of the passes, in seconds."""
        silent = self._clock() - self._since
        return f"no pass has ended for {silent:.0f} s" if silent > 2 * interval + LONGEST_PASS else ""
