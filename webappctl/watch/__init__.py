"""Passes on an interval, until told to stop; each leaves out what was refused a moment ago, and what guards forbid."""

from webappctl.watch.backoff import Backoff
from webappctl.watch.loop import Pass, Shape, watch

__all__ = ["Backoff", "Pass", "Shape", "watch"]
