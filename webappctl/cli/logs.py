"""Log lines on stderr: JSON off a terminal, words on one. A constant sentence and keys."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from webappctl.render import safe

if TYPE_CHECKING:
    from webappctl.errors import WebappctlError
    from webappctl.watch import Finished


def set_up(*, level: int) -> None:
    """Send our own log lines to stderr; those of libraries (which may show headers) nowhere."""
    logging.raiseExceptions = False  # a reader of stderr that has gone is no reason for a traceback
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Words() if sys.stderr.isatty() else _Json())
    logger = logging.getLogger("webappctl")
    logger.handlers = [handler]
    logger.setLevel(level)
    logger.propagate = False


class PassIds:
    """Every line of a pass says which one it is of, whoever logs it. The last of the observers, so that all others do.

    One for the whole process: a pass uses many threads, and there is one pass at a time.
    """

    current = ""

    def began(self, pass_id: str) -> None:
        PassIds.current = pass_id

    def finished(self, _finished: Finished) -> None:
        PassIds.current = ""

    def failed(self, _error: WebappctlError, _seconds: float) -> None:
        PassIds.current = ""


def _keys(record: logging.LogRecord) -> dict[str, object]:
    keys = getattr(record, "keys", {})
    of_pass: dict[str, object] = {"pass": PassIds.current} if PassIds.current else {}
    return of_pass | keys if isinstance(keys, dict) else of_pass


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
