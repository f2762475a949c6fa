"""A Snapshot kept current by list + watch, for continuous mode; each pass that lists compares it with the lists.

mirror.py    the whole, and what a pass asks of it
follower.py  one stream: list, then watch, for ever
shelf.py     the objects of one kind, and which of two states of an object is the newer one
relisting.py everything listed anew, beside the passes
seen.py      the cluster as a pass sees it through the mirror
"""

from webappctl.mirror.mirror import Mirror
from webappctl.mirror.relisting import Relisting
from webappctl.mirror.seen import Relisted, Remembered, Seen
from webappctl.mirror.source import Behind, Source, Stream

__all__ = ["Behind", "Mirror", "Relisted", "Relisting", "Remembered", "Seen", "Source", "Stream"]
