"""Login plugins that take their time: how they are ended, and what the user sees of them."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.unit.cluster_fakes import TOKEN, http_server, json_reply, kubeconfig, lasting_at_most, plugin
from tests.world import eventually
from webappctl import errors
from webappctl.cluster import kill_login_plugins, open_cluster
from webappctl.cluster.connect import connect
from webappctl.core.objects import ObjectKey

GOOD = f"print({json.dumps(json.dumps({'kind': 'ExecCredential', 'status': {'token': TOKEN}}))})"


def refusal(file: str, request_timeout: float = 5, until: float = float("inf")) -> str:
    with pytest.raises(errors.ConfigError) as caught:
        connect(kubeconfig=file, context=None, workers=2, request_timeout=request_timeout, until=lambda: until)
    return str(caught.value)


def hanging(tmp_path: Path) -> str:
    """The kubeconfig of a plugin that says two lines and hangs, with a child that would leave `alive` behind."""
    child = f"import time; time.sleep(1.2); open({str(tmp_path / 'alive')!r}, 'w')"
    code = f"import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {child!r}]); "
    code += f"print('hello\\nopen this page', file=sys.stderr, flush=True); open({str(tmp_path / 'runs')!r}, 'w'); "
    return kubeconfig(tmp_path / "config", "https://a", exec=plugin(code + "time.sleep(60)"))


def test_a_login_plugin_that_hangs_is_ended_with_its_children(tmp_path: Path) -> None:
    """After twice the request timeout; what it said last may tell why."""
    file = hanging(tmp_path)
    with lasting_at_most(1.5):
        said = refusal(file, request_timeout=0.3)
    assert said == f"the login plugin {sys.executable} did not end in time: open this page"
    time.sleep(1.0)
    assert not (tmp_path / "alive").exists()


def test_timeout_ends_a_login_plugin(tmp_path: Path) -> None:
    """However long the request timeout is."""
    file = hanging(tmp_path)
    with lasting_at_most(1.5):
        assert "did not end in time" in refusal(file, until=time.monotonic() + 0.3)


def test_timeout_ends_a_login_plugin_that_is_run_again(tmp_path: Path) -> None:
    """And also where the instant was moved since."""
    once = tmp_path / "once"
    code = f"import os, time; os.path.exists({str(once)!r}) and time.sleep(60); open({str(once)!r}, 'w'); {GOOD}"
    with http_server(lambda handler: json_reply(handler, 401)) as server:
        file = kubeconfig(tmp_path / "config", server.url, exec=plugin(code))
        cluster = open_cluster(kubeconfig=file, context=None, stop=threading.Event())
        cluster.transport.until = time.monotonic() + 0.5
        with lasting_at_most(2), pytest.raises(errors.OutOfTime, match=r"the login plugin .* did not end in time"):
            cluster.get_webapp(ObjectKey("shop", "web"))


def test_a_running_login_plugin_can_be_killed_with_its_children(tmp_path: Path) -> None:
    """By a program that ends without cleaning up: in a session of its own, it gets no Ctrl-C."""
    file = hanging(tmp_path)
    login = threading.Thread(target=refusal, args=[file])
    login.start()
    eventually((tmp_path / "runs").exists, seconds=5)
    with lasting_at_most(1):
        kill_login_plugins()
        login.join()
    time.sleep(1.3)
    assert not (tmp_path / "alive").exists()
    kill_login_plugins()  # there is none left, which is no error


@pytest.mark.parametrize(("ends", "said"), [(GOOD, ""), ("sys.exit(3)", "failed with exit code 3: see above")])
def test_a_login_plugin_speaks_to_the_terminal(tmp_path: Path, ends: str, said: str) -> None:
    """While it runs: it may show a code to type."""
    code = f"import sys; print('type', sys.stderr.isatty(), file=sys.stderr); {ends}"
    file = kubeconfig(tmp_path / "config", "https://a", exec=plugin(code))
    ours, theirs = pty.openpty()
    program = "import sys, threading; from webappctl import cluster, errors\n"
    program += "try: cluster.open_cluster(kubeconfig=sys.argv[1], context=None, stop=threading.Event())\n"
    program += "except errors.ConfigError as error: print(error)"
    done = subprocess.run([sys.executable, "-c", program, file], stdout=-1, stderr=theirs, text=True, check=True)
    os.close(theirs)
    assert os.read(ours, 1000) == b"type True\r\n"
    os.close(ours)
    assert said in done.stdout
