"""Saved plans as files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.unit.test_planfile import saved
from webappctl.cli.saved import load, read_plan_file, write_plan_file
from webappctl.errors import Refused, UsageError, WebappctlError


def test_what_was_written_is_read(tmp_path: Path) -> None:
    """And there is nothing beside it."""
    file = tmp_path / "plan.json"
    write_plan_file(str(file), b"one")
    write_plan_file(str(file), b"two")
    assert read_plan_file(str(file)) == b"two"
    assert list(tmp_path.iterdir()) == [file]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """What it leads to is replaced."""
    (tmp_path / "link").symlink_to("plan")
    write_plan_file(str(tmp_path / "link"), b"one")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "plan").read_bytes() == b"one"


def test_a_new_file_has_the_rights_that_new_files_have(tmp_path: Path) -> None:
    """Whoever carries it out may be another."""
    (tmp_path / "other").touch()
    write_plan_file(str(tmp_path / "plan"), b"one")
    assert (tmp_path / "plan").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_no_place_for_a_file_is_one_line(tmp_path: Path) -> None:
    """It names the file that was asked for."""
    file = tmp_path / "none" / "plan"
    with pytest.raises(WebappctlError) as raised:
        write_plan_file(str(file), b"one")
    assert str(raised.value) == f"{file}: the plan was not saved: No such file or directory"


@pytest.mark.parametrize("name", [".", os.devnull, "pipe"])
def test_what_is_no_file_is_not_replaced(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A device least of all."""
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    with pytest.raises(UsageError, match="it is there, and no file"):
        write_plan_file(name, b"one")


@pytest.mark.parametrize("name", ["-", ""])
def test_a_saved_plan_is_a_file(name: str) -> None:
    """No stream, to write or to read."""
    with pytest.raises(UsageError, match="a saved plan is a file"):
        write_plan_file(name, b"one")
    with pytest.raises(UsageError, match="a saved plan is a file"):
        read_plan_file(name)


def test_a_loop_of_links_is_one_line(tmp_path: Path) -> None:
    """To write and to read."""
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for use in (lambda: write_plan_file(str(loop), b"one"), lambda: read_plan_file(str(loop))):
        with pytest.raises(WebappctlError, match="loop"):
            use()


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    """By its name."""
    with pytest.raises(UsageError, match="plan: No such file or directory"):
        read_plan_file(str(tmp_path / "plan"))


def test_a_file_of_any_size_is_not_read_to_its_end(tmp_path: Path) -> None:
    """A saved plan has its limit."""
    with (tmp_path / "plan").open("wb") as file:
        file.truncate(2**28 + 1)
    with pytest.raises(UsageError, match="larger than 256 MiB"):
        read_plan_file(str(tmp_path / "plan"))


def test_an_edited_file_is_named(tmp_path: Path) -> None:
    """In the one line that is said of it."""
    file = tmp_path / "plan"
    file.write_bytes(saved().replace(b"prod", b"test"))
    with pytest.raises(Refused, match=r"plan: this saved plan was edited, its checksum does not fit \(plan again"):
        load(str(file))
