from __future__ import annotations

import subprocess
import sys

import pytest
import typer

from webappctl.cli.session import guarded
from webappctl.errors import ConfigError, SandboxError, UsageError, WebappctlError


def _code_and_lines(error: WebappctlError, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str]]:
    @guarded
    def command() -> int:
        raise error

    with pytest.raises(typer.Exit) as ended:
        command()
    return ended.value.exit_code, capsys.readouterr().err.splitlines()


def test_an_error_is_one_line_with_object_and_remedy(capsys: pytest.CaptureFixture[str]) -> None:
    """`webappctl: object: what (what to do)`, and exit 1."""
    error = ConfigError("no such context", subject="prod", remedy="try another")
    assert _code_and_lines(error, capsys) == (1, ["webappctl: prod: no such context (try another)"])


def test_wrong_usage_is_2(capsys: pytest.CaptureFixture[str]) -> None:
    """Like every other usage error."""
    assert _code_and_lines(UsageError("not like this"), capsys)[0] == 2


def test_the_log_lines_in_an_error_are_lines(capsys: pytest.CaptureFixture[str]) -> None:
    """And none of them reaches the terminal with its escape sequences."""
    error = SandboxError("etcd ended at once\n  line \x1b[31mone\n  line two")
    _, lines = _code_and_lines(error, capsys)
    assert lines == ["webappctl: etcd ended at once", r"  line \x1b[31mone", "  line two"]


_SIGNALLED = """
import os, signal, time
from webappctl.cli.session import Interrupts
interrupts = Interrupts()
interrupts.last = lambda: print("the Lease is given back", flush=True)
with interrupts.handled(), interrupts.{block}:
    for _ in range({signals}):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.1)
"""


@pytest.mark.parametrize(
    ("block", "signals", "said"),
    [("handled()", 1, "the Lease is given back\n"), ("writing()", 2, "")],
    ids=["while reading", "while writing, by a second signal"],
)
def test_the_lease_is_given_back_only_when_nothing_is_in_flight(block: str, signals: int, said: str) -> None:
    """What was sent may still be carried out, after others have begun."""
    code = _SIGNALLED.format(block=block, signals=signals)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=30)
    assert (done.returncode, done.stdout) == (143, said)
