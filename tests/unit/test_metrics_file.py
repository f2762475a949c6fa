"""The file for the node exporter: whole or as it was, readable, and true of the last success."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.unit.measured import create
from webappctl.errors import UsageError, WebappctlError
from webappctl.metrics import Metrics, write_file

BEFORE, NOW = 1_700_000_000.0, 1_800_000_000.0


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "webappctl.prom"


def _run(file: Path, *, succeeds: bool, now: float = NOW) -> None:
    metrics = Metrics(now=lambda: now, process=False)
    if succeeds:
        metrics.planned(create(["web"]), seconds=1, source="list")
    else:
        metrics.failed("Unreachable", seconds=1)
    write_file(str(file), metrics)


def _last_success(file: Path) -> float:
    families = {family.name: family for family in text_string_to_metric_families(file.read_text())}
    return families["webappctl_last_success_timestamp_seconds"].samples[0].value


def test_a_failed_run_keeps_the_time_of_the_last_success(file: Path) -> None:
    """Else nobody could tell for how long it has been failing."""
    _run(file, succeeds=True, now=BEFORE)
    _run(file, succeeds=False)
    _run(file, succeeds=False)
    assert _last_success(file) == BEFORE


def test_a_success_is_newer_than_the_one_before(file: Path) -> None:
    """Its own time counts."""
    _run(file, succeeds=True, now=BEFORE)
    _run(file, succeeds=True)
    assert _last_success(file) == NOW


@pytest.mark.parametrize(
    "found",
    [
        b"",
        b"\xff\xfe\x00",
        b"webappctl_last_success_timestamp_seconds",
        b"webappctl_last_success_timestamp_seconds NaN\n",
        b"webappctl_last_success_timestamp_seconds +Inf\n",
        b"webappctl_last_success_timestamp_seconds -1\n",
        b"webappctl_last_success_timestamp_seconds{ 1\n",
        b"webappctl_last_success_timestamp_seconds one\n",
        b'{"not": "metrics"}',
        b"# TYPE\n# TYPE a\n# HELP\n}{",
    ],
)
def test_a_file_that_is_none_of_ours_is_written_over(file: Path, found: bytes) -> None:
    """And tells nothing."""
    file.write_bytes(found)
    _run(file, succeeds=False)
    assert _last_success(file) == 0


def test_others_may_read_it(file: Path) -> None:
    """The node exporter is another user."""
    before = os.umask(0o077)
    try:
        _run(file, succeeds=True)
    finally:
        os.umask(before)
    assert file.stat().st_mode & 0o777 == 0o644


def test_a_reader_never_sees_half_of_it(file: Path) -> None:
    """It is another file that takes its place."""
    _run(file, succeeds=True)
    done = threading.Event()

    def write() -> None:
        for _ in range(50):
            _run(file, succeeds=True)
        done.set()

    thread = threading.Thread(target=write)
    thread.start()
    sizes = set()
    while not done.is_set():
        sizes.add(len(file.read_bytes()))
    thread.join()
    assert len(sizes) == 1


def test_nothing_is_left_beside_it(file: Path) -> None:
    """No temporary file, also where it could not take its place."""
    _run(file, succeeds=True)
    assert list(file.parent.iterdir()) == [file]


def test_a_link_stays_a_link(file: Path) -> None:
    """What it leads to is written."""
    target = file.with_name("target.prom")
    file.symlink_to(target)
    _run(file, succeeds=True)
    assert (file.is_symlink(), _last_success(target)) == (True, NOW)


def test_its_folder_has_to_be_there(file: Path) -> None:
    """A typing error is said before anything is done."""
    with pytest.raises(UsageError, match="its folder is not there"):
        _run(file.parent / "none" / "webappctl.prom", succeeds=True)


@pytest.mark.parametrize("path", ["", "-", "/", "/dev/null", "x" * 300])
def test_what_is_no_file_is_refused(path: str) -> None:
    """The whole takes the place of what was there, and that must not be a folder or a device."""
    with pytest.raises(UsageError):
        write_file(path, Metrics(process=False))


@pytest.mark.parametrize("target", ["none/webappctl.prom", "webappctl.prom"])
def test_a_file_that_cannot_be_written_is_one_line(file: Path, target: str) -> None:
    """A link to a folder that is not there, or to itself."""
    file.symlink_to(target)
    with pytest.raises(WebappctlError, match="the metrics were not written: ") as raised:
        write_file(str(file), Metrics(process=False))
    assert (str(raised.value).count("\n"), list(file.parent.iterdir())) == (0, [file])
