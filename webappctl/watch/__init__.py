"""Passes on an interval and on wake-ups, until told to stop; each leaves out what was refused a moment ago, and what
guards forbid.
"""

from webappctl.watch.backoff import Backoff
from webappctl.watch.journal import Journal
from webappctl.watch.loop import Finished, Observer, Pass, Shape, watch
from webappctl.watch.pulse import Pulse
from webappctl.watch.schedule import Conditions, Schedule, Source

__all__ = [
    "Backoff",
    "Conditions",
    "Finished",
    "Journal",
    "Observer",
    "Pass",
    "Pulse",
    "Schedule",
    "Shape",
    "Source",
    "watch",
]
