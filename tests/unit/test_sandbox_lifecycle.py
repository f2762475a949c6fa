"""What becomes of sandboxes on disk, and how they are shown, without starting one."""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from webappctl import sandbox
from webappctl.cli.local import sandbox_app
from webappctl.errors import SandboxError
from webappctl.sandbox import Sandbox, binaries, lifecycle, processes, state
from webappctl.sandbox.processes import Process
from webappctl.sandbox.state import Ports, State


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


def folder(name: str) -> Path:
    """Of a sandbox of which nothing is noted."""
    made = state.directory(name)
    made.mkdir(parents=True)
    return made


def noted(name: str, owner: Process | None = None) -> State:
    folder(name)
    return state.write(State(name, Ports(1, 2, 3), owner=owner))


def test_a_named_sandbox_whose_note_was_deleted_is_not_taken_down_by_anothers_up() -> None:
    """It may be running, and it is the user's; a throwaway's folder without a note is what a kill left."""
    folder("mine")
    folder("my-deadbeef-too")
    folder("demo-0123abcd")
    assert lifecycle.reap() == ("demo-0123abcd",)
    assert state.names() == ("mine", "my-deadbeef-too")


def test_a_kept_throwaways_note_is_not_rewritten_while_another_process_changes_it() -> None:
    """Here it notes a process, which would have been forgotten, and never stopped."""
    before = noted("demo-0123abcd", owner=processes.this())
    end = threading.Thread(target=lifecycle._end, args=("demo-0123abcd", lambda: True))
    with state.lock_if_free(state.lock_file(before.name)):
        end.start()
        end.join(0.3)
        assert state.read(before.name) == before
        after = state.write(msgspec.structs.replace(before, processes=(state.Started("etcd", Process(7, "then")),)))
    end.join()
    assert state.read(before.name) == msgspec.structs.replace(after, owner=None)


def test_all_names_are_those_of_which_something_is_noted() -> None:
    """Sorted; a folder alone is no sandbox."""
    noted("b")
    noted("a")
    folder("c")
    assert sandbox.all_names() == ("a", "b")


def run(*arguments: str) -> tuple[int, str]:
    ran = CliRunner().invoke(sandbox_app, arguments)
    return ran.exit_code, ran.output


def test_status_without_a_name_shows_all() -> None:
    """A line for each, and 1 because they are not healthy."""
    noted("a")
    noted("b")
    lines = "a: not healthy, https://127.0.0.1:1\nb: not healthy, https://127.0.0.1:1\n"
    assert run("status") == (1, lines)
    assert run("status", "--name=b") == (1, "b: not healthy, https://127.0.0.1:1\n")


def test_status_of_what_is_not_there_exits_1_and_down_of_it_0() -> None:
    """With a name and without."""
    assert run("status") == (1, "There is no sandbox (webappctl sandbox up)\n")
    assert run("status", "--name=a") == (1, "There is no sandbox a\n")
    assert run("down") == (0, "There is no sandbox default\n")


def test_what_up_prints_works_in_a_shell_whatever_is_in_the_paths(tmp_path: Path) -> None:
    """`eval` and copy-paste; an alias is parsed a second time, when it is used."""
    odd = tmp_path / "it's a $HOME; *"
    odd.mkdir()
    (odd / "kubectl").write_text('#!/bin/sh\necho "$KUBECONFIG" "$@"\n')
    (odd / "kubectl").chmod(0o755)
    found = Sandbox("x", odd, odd / "kubeconfig", "", "", odd / "kubectl", None, (), {})
    script = "\n".join([*found.shell_lines, "kubectl get pods"])
    ran = subprocess.run(["/bin/sh", "-c", script], capture_output=True, text=True, check=False, cwd="/")
    assert (ran.stdout, ran.stderr) == (f"{odd}/kubeconfig get pods\n", "")


@pytest.mark.parametrize("variable", ["XDG_STATE_HOME", "XDG_CACHE_HOME"])
def test_no_home_at_all_is_an_error_with_the_remedy(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    """As in a container that runs under a number: no HOME, and no account. It was a RuntimeError."""
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 2**31 - 7)
    with pytest.raises(SandboxError, match=rf"no home folder \(set HOME, or {variable} to an absolute path\)"):
        sandbox.find() if variable == "XDG_STATE_HOME" else binaries.cached()


def test_no_home_is_needed_where_the_folders_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """With absolute folders in the variables, nobody asks."""
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    monkeypatch.setattr(os, "getuid", lambda: 2**31 - 7)
    assert sandbox.find() is None
    assert binaries.cached().is_relative_to("/cache/webappctl")
