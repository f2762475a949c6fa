"""How long the server asks us to wait before another try."""

from __future__ import annotations

from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Final

LONGEST_WAIT: Final = 30.0
"""Seconds."""


def retry_after(headers: Mapping[str, str]) -> float:
    """Seconds, from 0 to LONGEST_WAIT. A date counts from the server's own `Date`; what makes no sense counts as 0."""
    value = headers.get("retry-after", "").strip()
    if value.isdecimal() and value.isascii():
        return float(min(int(value[:9]), LONGEST_WAIT))
    try:
        seconds = (parsedate_to_datetime(value) - parsedate_to_datetime(headers.get("date", ""))).total_seconds()
    except (ValueError, TypeError):  # no date, or one with a zone and one without
        return 0.0
    return min(max(seconds, 0.0), LONGEST_WAIT)
