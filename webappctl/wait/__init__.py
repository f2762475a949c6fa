"""Until every WebApp that a pass changed is ready, or cannot become so. It looks by lists, never at one object."""

from webappctl.wait.ending import Cluster, concluded
from webappctl.wait.polling import Patience, wait_for
from webappctl.wait.standing import INTERRUPTED, TIMED_OUT, Standing, awaited

__all__ = ["INTERRUPTED", "TIMED_OUT", "Cluster", "Patience", "Standing", "awaited", "concluded", "wait_for"]
