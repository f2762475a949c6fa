"""A plan as a file, and what must be as it was for it to be carried out later. Bytes in and out: no clock, no files."""

from webappctl.planfile.file import SavedPlan, load, save
from webappctl.planfile.staleness import as_part_of, stale, to_carry_out

__all__ = ["SavedPlan", "as_part_of", "load", "save", "stale", "to_carry_out"]
