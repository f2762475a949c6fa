"""Plan → Results, through a Writer. It obeys the plan only, and one object's failure stays its own."""

from webappctl.apply.altered import altered
from webappctl.apply.rows import Orders, apply
from webappctl.apply.trial import Trier, tried
from webappctl.apply.writer import Writer

__all__ = ["Orders", "Trier", "Writer", "altered", "apply", "tried"]
