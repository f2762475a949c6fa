"""Log lines on stderr: JSON off a terminal, words on one. A constant sentence and keys."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

from webappctl.render import safe


def set_up(*, level: int) -> None:
    """Send our own log lines to stderr; those of libraries (which may show headers) nowhere."""
    logging.raiseExceptions = False  # a reader of stderr that has gone is no reason for a traceback
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Words() if sys.stderr.isatty() else _Json())
    logger = logging.getLogger("webappctl")
    logger.handlers = [handler]
    logger.setLevel(level)
    logger.propagate = False


def _keys(record: logging.LogRecord) -> dict[str, object]:
    keys = getattr(record, "keys", {})
    return keys if isinstance(keys, dict) else {}


def _time(record: logging.LogRecord) -> datetime:
    return datetime.fromtimestamp(record.created, UTC)


class _Json(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": _time(record).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "msg": record.getMessage(),
            **_keys(record),
        }
        return json.dumps(line, default=str)


class _Words(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        keys = " ".join(f"{key}={value}" for key, value in _keys(record).items())
        return safe(
            f"{_time(record).astimezone():%H:%M:%S} {record.levelname:<7} {record.getMessage()}  {keys}".rstrip()
        )
