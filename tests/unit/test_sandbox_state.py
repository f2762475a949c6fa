"""Names, notes, locks and processes of sandboxes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from webappctl.errors import SandboxError, Stopped, UsageError
from webappctl.sandbox import processes, state
from webappctl.sandbox.interrupt import Interruption, deferred
from webappctl.sandbox.processes import Process


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


@pytest.mark.parametrize("name", ["a", "default", "demo-1f", "0", "a" * 40])
def test_a_good_name_is_taken_as_it_is(name: str) -> None:
    """Lower-case letters, digits, dashes."""
    assert state.check_name(name) == name


@pytest.mark.parametrize("name", ["", "-a", "A", "a_b", "a.b", "../a", "a/b", "a\n", "ä", "a" * 41])
def test_a_bad_name_is_refused_with_the_rule(name: str) -> None:
    """It becomes a folder, which is deleted later: nothing may lead out of it."""
    with pytest.raises(UsageError, match=r"lower-case letters, digits and dashes.*at most 40 characters"):
        state.check_name(name)


def test_a_note_is_read_as_it_was_written(tmp_path: Path) -> None:
    """By its owner only."""
    noted = state.State("x", ports=state.Ports(1, 2, 3), processes=(state.Started("etcd", Process(7, "then")),))
    assert state.read("x") is None
    state.directory("x").mkdir(parents=True)
    assert state.read("x") is None
    state.write(noted)
    assert state.read("x") == noted
    assert (state.directory("x") / "state.json").stat().st_mode & 0o777 == 0o600


def test_a_note_that_cannot_be_understood_is_an_error() -> None:
    """Never "there is no sandbox": its processes would run for ever."""
    state.directory("x").mkdir(parents=True)
    (state.directory("x") / "state.json").write_text("{")
    with pytest.raises(SandboxError, match="sandbox x: "):
        state.read("x")


def test_a_lock_that_is_held_is_waited_for_until_the_deadline() -> None:
    """And who waits says so once."""
    waits: list[int] = []

    def take() -> None:
        with state.lock(state.lock_file("x"), Interruption(), seconds=0.3, waiting=lambda: waits.append(1)):
            pass

    with state.lock_if_free(state.lock_file("x")), pytest.raises(SandboxError, match="was locked for"):
        take()
    take()
    assert waits == [1]


def test_a_lock_whose_file_was_deleted_is_taken_on_the_new_file() -> None:
    """`down` deletes it with the sandbox: two who hold different files must never both go on."""
    path = state.lock_file("x")
    with state.lock_if_free(path):
        path.unlink()
        with state.lock_if_free(path) as second, state.lock_if_free(path) as third:
            assert (second, third) == (True, False)


def test_a_process_that_has_another_start_time_is_never_signalled() -> None:
    """Its pid was given to somebody else: here to us, who would not survive it."""
    reused = Process(os.getpid(), "long ago")
    assert not processes.alive(reused)
    assert processes.stop(reused, grace=0.2)


def test_a_process_that_ignores_sigterm_is_killed(tmp_path: Path) -> None:
    """After its grace."""
    command = ["/bin/sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.05; done"]
    stubborn = processes.start(command, log=tmp_path / "log", directory=tmp_path, environment={"PATH": os.defpath})
    while not (tmp_path / "log").read_text() and processes.alive(stubborn):
        Interruption().pause(0.01)
    assert processes.stop(stubborn, grace=0.2)
    assert not processes.alive(stubborn)


def test_ps_tells_the_same_as_proc() -> None:
    """Where there is no /proc, it is what identities rest on."""
    started, ended = processes._ask_ps(os.getpid())
    assert (bool(started), ended) == (True, False)
    gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    assert processes._ask_ps(int(gone.stdout)) == ("", True)


def test_a_signal_is_noted_first_and_delivered_when_everything_is_cleaned_up() -> None:
    """The wait ends with Stopped; afterwards the caller's own handler is called."""
    done: list[str] = []

    def clean_up() -> None:
        with deferred() as stop:
            try:
                os.kill(os.getpid(), 2)
                done.append("not torn")
                stop.pause(0)
            finally:
                done.append("clean")

    with pytest.raises(KeyboardInterrupt) as caught:
        clean_up()
    assert isinstance(caught.value.__context__, Stopped)
    assert done == ["not torn", "clean"]
