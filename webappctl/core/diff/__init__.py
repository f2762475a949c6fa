"""Which owned fields differ, and who is behind it.

Equality of two `OwnedFields` decides whether there is drift at all; DeepDiff only names the fields of a pair that
differs. It must never decide: inside lists it takes 1 for True, and it skips some keys by default.
"""

from webappctl.core.diff.actual import actual_fields
from webappctl.core.diff.change import ROOT, Cause, FieldChange
from webappctl.core.diff.compare import diff

__all__ = ["ROOT", "Cause", "FieldChange", "actual_fields", "diff"]
