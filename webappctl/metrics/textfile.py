"""Metrics as a file, for the textfile collector of Prometheus' node exporter: of runs that nobody can scrape."""

from __future__ import annotations

import math
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

from prometheus_client.parser import text_string_to_metric_families

from webappctl.errors import UsageError, WebappctlError
from webappctl.metrics.metrics import Metrics

LAST_SUCCESS: Final = "webappctl_last_success_timestamp_seconds"
MODE: Final = 0o644
"""The node exporter reads it as another user."""
MAX_BYTES: Final = 16 * 2**20
"""Of a file that is read again; ours have less than one MiB."""


def check_place(path: str) -> None:
    """Raises UsageError where no such file can be."""
    place = Path(path)
    try:
        if path in ("", "-") or (place.exists() and not place.is_file()):
            raise UsageError("metrics are written to a file", subject=path, remedy="name one, as webappctl.prom")
        if not place.parent.is_dir():
            raise UsageError("its folder is not there", subject=path, remedy="make that folder")
    except OSError as error:
        raise UsageError(error.strerror or str(error), subject=path) from error


def write_file(path: str, metrics: Metrics) -> None:
    """The whole of it, or what was there before. A run that fails keeps the time at which an earlier one succeeded.

    Raises WebappctlError.
    """
    check_place(path)
    try:
        # A link stays one.
        target = Path(path).resolve()
        metrics.succeeded_before(_last_success(target))
        _replace(target, metrics.text())
    except (OSError, RuntimeError) as error:  # the latter: links that go round in a circle
        reason = (isinstance(error, OSError) and error.strerror) or str(error)
        raise WebappctlError(f"the metrics were not written: {reason}", subject=path) from error


def _replace(target: Path, data: bytes) -> None:
    # Not *.prom: the node exporter would read it half-written.
    beside = target.with_name(f".webappctl-{secrets.token_hex(8)}")
    try:
        beside.write_bytes(data)
        beside.chmod(MODE)
        beside.replace(target)
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def _last_success(target: Path) -> float:
    """As the file has it; 0 where it is not there, or was not written by us."""
    try:
        with target.open("rb") as stream:
            text = stream.read(MAX_BYTES).decode()
        families = tuple(text_string_to_metric_families(text))
    except (OSError, ValueError, KeyError, IndexError):  # what the parser raises, too
        return 0.0
    found = (sample.value for family in families for sample in family.samples if sample.name == LAST_SUCCESS)
    value = next(found, 0.0)
    return value if math.isfinite(value) and value > 0 else 0.0
