"""Start and stop programs that outlive us, and never signal a pid that meanwhile belongs to another process."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

_POLL = 0.02
_TAIL = 12  # lines of a log in an error
_ENDED = ("Z", "X")  # states, as the kernel and ps write them
_GONE = 5.0  # seconds from SIGKILL to the end; more means that the kernel holds it (a dead network disk)


class Process(msgspec.Struct, frozen=True):
    """A process' identity: its pid, and when it started (`boot id:ticks` on Linux, a date elsewhere)."""

    pid: int
    started: str


def identify(pid: int) -> Process:
    return Process(pid, _look(pid)[0])


def this() -> Process:
    return identify(os.getpid())


def start(command: Sequence[str], *, log: Path, directory: Path, environment: Mapping[str, str]) -> Process:
    """Runs it in a session of its own, without stdin, its output appended to `log`. Raises OSError."""
    with log.open("ab") as output:
        log.chmod(0o600)
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=directory,
            env=dict(environment),
            start_new_session=True,
        )
    child.returncode = 0  # disowned: it is meant to outlive us, and Popen would warn about that; `alive` reaps it
    return identify(child.pid)


def alive(process: Process) -> bool:
    """False for zombies, and when the pid is another process' by now."""
    _reap(process.pid)
    started, ended = _look(process.pid)
    return started == process.started and bool(started) and not ended


def stop(process: Process, *, grace: float) -> bool:
    """SIGTERM, then SIGKILL after `grace` seconds. False: it is still there."""
    if not _signal(process, signal.SIGTERM) or _ended(process, grace):
        return True
    return not _signal(process, signal.SIGKILL) or _ended(process, _GONE)


def stop_group(leader: int, *, grace: float = 5.0) -> None:
    """Ends a process group, the leader's own children included, and reaps the leader if it is a child of ours."""
    for signum, seconds in ((signal.SIGTERM, grace), (signal.SIGKILL, _GONE)):
        deadline = time.monotonic() + seconds
        there = _signal_group(leader, signum)
        while there and time.monotonic() < deadline:
            time.sleep(_POLL)
            there = _signal_group(leader, 0)
        if not there:
            return


def log_tail(log: Path) -> str:
    """The last lines of what a program said, indented, as the lines of an error below its first."""
    lines = log.read_text(errors="replace").splitlines()[-_TAIL:] if log.exists() else []
    return "\n".join(f"  {line}" for line in lines) or "  (it is empty)"


def _signal(process: Process, signum: int) -> bool:
    """False: it has ended."""
    if not alive(process):
        return False
    try:
        os.kill(process.pid, signum)
    except ProcessLookupError:
        return False
    return True


def _signal_group(leader: int, signum: int) -> bool:
    _reap(leader)
    try:
        os.killpg(leader, signum)
    except (ProcessLookupError, PermissionError):  # macOS: EPERM for a group of zombies
        return False
    return True


def _ended(process: Process, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while alive(process):
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL)
    return True


def _reap(pid: int) -> None:
    """A child of ours that has ended stays a zombie until we ask after it. Of others we are told nothing."""
    try:
        os.waitpid(pid, os.WNOHANG)
    except (ChildProcessError, ProcessLookupError):
        return


def _look(pid: int) -> tuple[str, bool]:
    """When it started (empty: there is none), and whether it has ended."""
    if Path("/proc/self/stat").exists():
        return _look_in_proc(pid)
    return _ask_ps(pid)


def _look_in_proc(pid: int) -> tuple[str, bool]:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return "", True
    fields = stat.rpartition(")")[2].split()  # the command's name, in parentheses, may hold anything
    letter, threads, started = fields[0], int(fields[17]), fields[19]
    # a zombie that has threads is about to end, and still holds its ports
    return f"{_boot()}:{started}", letter in _ENDED and threads <= 1


def _boot() -> str:
    """Ticks count from the start of the machine: without its id, a pid of before a reboot could seem alive."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def _ask_ps(pid: int) -> tuple[str, bool]:
    answer = subprocess.run(
        ["/bin/ps", "-o", "stat=", "-o", "lstart=", "-p", str(pid)],
        capture_output=True,
        text=True,
        timeout=10,
        check=False,
        env={"LC_ALL": "C", "TZ": "UTC"},
    ).stdout.split(maxsplit=1)
    if not answer:
        return "", True
    letters, started = answer
    return started.strip(), letters[0] in _ENDED
