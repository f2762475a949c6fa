"""What Tab gets without a cluster, from one that is broken, and from one that is hostile."""

from __future__ import annotations

import fcntl
import json
import os
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import run
from tests.unit.cluster_fakes import http_server, json_reply, kubeconfig, plugin, raw_server
from tests.world import Done, eventually
from webappctl.cli import app
from webappctl.cli.completion import texts
from webappctl.core.objects import ObjectKey

PROGRAM = [sys.executable, "-m", "webappctl"]
NAMES = "plan "
PATIENT = {"WEBAPPCTL_COMPLETION_TIMEOUT": "30s"}
"""A second may be too short to start in, on a busy machine."""


def tab(line: str, kubeconfig: str | Path = os.devnull, **env: str) -> Done:
    """What the script for fish gets for that line."""
    asked = {
        "_WEBAPPCTL_COMPLETE": "complete_fish",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        "_TYPER_COMPLETE_ARGS": f"webappctl {line}",
    }
    return run(PROGRAM, env={"KUBECONFIG": str(kubeconfig), **asked, **env}, check=False, timeout=30)


def offers(line: str, kubeconfig: str | Path = os.devnull, **env: str) -> list[str]:
    done = tab(line, kubeconfig, **env)
    assert (done.returncode, done.stderr) == (0, "")
    return [offer.partition("\t")[0] for offer in done.stdout.splitlines()]


def is_silent(done: Done) -> bool:
    return (done.returncode, done.stdout, done.stderr) == (0, "", "")


def with_contexts(path: Path, *names: str) -> Path:
    path.write_text(json.dumps({"contexts": [{"name": name, "context": {}} for name in names]}))
    return path


def test_names_are_offered_in_order_and_once() -> None:
    """Two namespaces of --namespace may have a WebApp of the same name."""
    keys = [ObjectKey("shop", "web"), ObjectKey("blog", "web"), ObjectKey("blog", "a.b")]
    assert texts(keys, bare=False) == ["blog/a.b", "blog/web", "shop/web"]
    assert texts(keys, bare=True) == ["a.b", "web"]


@pytest.mark.parametrize("name", ["", "$(touch x)", "`x`", "a b", "a\nb", "a\tb", "a'", "-n", "A", "a..b", "a" * 254])
def test_what_cannot_be_a_name_is_not_offered(name: str) -> None:
    """A shell may do more with it than to show it. The same goes for the namespace."""
    assert texts([ObjectKey("shop", name), ObjectKey(name, "web")], bare=False) == []


def test_a_hostile_server_has_only_its_names_offered(tmp_path: Path) -> None:
    """The same through the whole program."""
    items = [{"metadata": {"name": name, "namespace": "shop"}} for name in ("$(touch x)", "web", "\x1b[2J")]
    body = json.dumps({"kind": "WebAppList", "metadata": {}, "items": items}).encode()
    with http_server(lambda request: json_reply(request, 200, body)) as server:
        file = kubeconfig(tmp_path / "config", server.url, token="x")
        assert offers(NAMES, file, **PATIENT) == ["shop/web"]


def test_a_server_that_never_answers_is_not_waited_for(tmp_path: Path) -> None:
    """Neither in the handshake nor for the answer."""
    with raw_server() as plain, raw_server(scheme="https") as encrypted:
        began = time.monotonic()
        assert is_silent(tab(NAMES, kubeconfig(tmp_path / "plain", plain, token="x")))
        assert is_silent(tab("plan -n ", kubeconfig(tmp_path / "encrypted", encrypted, token="x")))
        assert time.monotonic() - began < 2 * 5


def test_a_list_without_an_end_is_not_waited_for(tmp_path: Path) -> None:
    """A page that comes byte by byte: every read is answered in time, the whole never is."""
    with raw_server(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n{", drip=b" ") as url:
        assert is_silent(tab(NAMES, kubeconfig(tmp_path / "config", url, token="x")))


def test_a_login_plugin_that_hangs_is_ended_with_its_children(tmp_path: Path) -> None:
    """And what it said is not heard. Both hold a lock for as long as they live."""
    lock = tmp_path / "lock"
    code = f"import fcntl, subprocess, sys, time; file = open({str(lock)!r}, 'w'); fcntl.flock(file, fcntl.LOCK_EX); "
    child = "[sys.executable, '-c', 'import time; time.sleep(60)'], pass_fds=[file.fileno()]"
    code += f"subprocess.Popen({child}); print('hello', file=sys.stderr); time.sleep(60)"
    file = kubeconfig(tmp_path / "config", "https://127.0.0.1:1", exec=plugin(code))
    eventually(lambda: is_silent(tab(NAMES, file)) and lock.exists())
    eventually(lambda: is_free(lock), seconds=5)


def is_free(lock: Path) -> bool:
    with lock.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def test_what_hangs_without_a_timeout_of_its_own_ends_too(tmp_path: Path) -> None:
    """A kubeconfig that is a pipe which nobody writes to."""
    os.mkfifo(tmp_path / "config")
    assert is_silent(tab(NAMES, tmp_path / "config"))


@pytest.mark.parametrize("content", ["", "{", "[]", '{"contexts": 1}'])
@pytest.mark.parametrize("line", [NAMES, "plan --context "])
def test_a_kubeconfig_that_cannot_be_used_offers_nothing(tmp_path: Path, line: str, content: str) -> None:
    """Without a word: to run the command will tell."""
    (tmp_path / "config").write_text(content)
    assert is_silent(tab(line, tmp_path / "config"))


def test_a_limit_that_is_no_duration_is_the_usual_one(tmp_path: Path) -> None:
    """Without a word, too."""
    with raw_server() as url:
        file = kubeconfig(tmp_path / "config", url, token="x")
        assert is_silent(tab(NAMES, file, WEBAPPCTL_COMPLETION_TIMEOUT="soon"))


def test_contexts_are_those_of_the_kubeconfig_that_the_line_names(tmp_path: Path) -> None:
    """--kubeconfig before its environment variable before KUBECONFIG, which may be a list."""
    a, b, c = (with_contexts(tmp_path / name, name) for name in "abc")
    assert offers("plan --context ", f"{a}:{b}", **PATIENT) == ["a", "b"]
    assert offers("plan --context ", a, WEBAPPCTL_KUBECONFIG=str(b), **PATIENT) == ["b"]
    assert offers(f"crd --kubeconfig {c} --context ", a, WEBAPPCTL_KUBECONFIG=str(b), **PATIENT) == ["c"]


def test_contexts_that_would_need_quotes_are_left_out(tmp_path: Path) -> None:
    """The names that cloud providers make need none."""
    arn, gke, user = "arn:aws:eks:eu-west-1:1:cluster/one", "gke_project_zone_one", "admin@one"
    file = with_contexts(tmp_path / "config", arn, gke, user, "two words", "$(touch x)", "a'b", "-x", "")
    assert offers("plan --context ", file, **PATIENT) == [user, arn, gke]
    assert offers("plan --context=arn:aws", file, **PATIENT) == [arn]


def test_an_option_that_takes_a_file_leaves_it_to_the_shell(tmp_path: Path) -> None:
    """An empty line tells the scripts to; of a name that is not there they must not make a file name."""
    assert tab("plan --kubeconfig ").stdout == "\n"
    assert tab("plan --context nope", with_contexts(tmp_path / "config", "here")).stdout == ""


def test_what_is_known_without_a_cluster_is_offered() -> None:
    """Commands, options and their choices."""
    assert offers("pl") == ["plan"]
    assert offers("plan --sel") == ["--selector"]
    assert offers("plan -o js") == ["json"]
    assert offers("completion ") == ["bash", "zsh", "fish"]


@pytest.mark.parametrize("command", sorted(str(command.name) for command in app.registered_commands))
def test_every_command_completes_its_options(command: str) -> None:
    """Whatever is in their help."""
    assert "--help" in offers(f"{command} --")


def test_tab_after_version_is_not_answered_with_the_version() -> None:
    """It would be typed into the line."""
    assert offers("--version pl") == ["plan"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_is_all_that_is_printed(shell: str) -> None:
    """For `source`. It calls the program by the variable that the program knows."""
    done = run([*PROGRAM, "completion", shell], env={})
    assert "_WEBAPPCTL_COMPLETE=complete_" in done.stdout
    assert done.stderr == ""


def test_the_script_for_bash_is_bash() -> None:
    """Nothing is run: its syntax is checked."""
    script = run([*PROGRAM, "completion", "bash"], env={}).stdout
    assert run(["bash", "-n"], env={}, stdin=script).stderr == ""


def test_another_shell_is_wrong_usage() -> None:
    """With those named that there are."""
    done = run([*PROGRAM, "completion", "tcsh"], env={}, check=False)
    assert done.returncode == 2
    assert "bash" in done.stderr


def test_there_is_one_way_to_install_it() -> None:
    """Not Typer's two options besides."""
    assert "-completion" not in run([*PROGRAM, "--help"], env={}).stdout
