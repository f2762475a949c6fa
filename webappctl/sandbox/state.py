"""Where sandboxes lie on disk, what is noted about each, and the lock that lets one process at a time change it.

`${XDG_STATE_HOME:-~/.local/state}/webappctl/sandboxes/NAME/` holds certificates, kubeconfig, logs, etcd's data and
`state.json`. That file is written anew after every start of a process, so that whoever comes later finds them all.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from webappctl.errors import SandboxError, UsageError
from webappctl.sandbox import folders
from webappctl.sandbox.interrupt import Interruption
from webappctl.sandbox.processes import Process

LONGEST_NAME = 40
_NAME = re.compile(rf"[a-z0-9][a-z0-9-]{{0,{LONGEST_NAME - 1}}}")


class Ports(msgspec.Struct, frozen=True):
    """All on 127.0.0.1."""

    apiserver: int
    etcd: int
    etcd_peer: int


class Started(msgspec.Struct, frozen=True):
    """A component and the process that runs it, in the order of starting."""

    component: str
    process: Process


class State(msgspec.Struct, frozen=True):
    """What `state.json` holds. `owner` is set for a throwaway: it ends with that process. `ready`: it came up whole.

    `crd_names`: of those that were there before its controllers started. `admission`: see components.apiserver.
    """

    name: str
    ports: Ports
    audit: bool = False
    admission: tuple[str, ...] = ()
    crd_names: tuple[str, ...] = ()
    owner: Process | None = None
    ready: bool = False
    binaries: str = ""
    missing: tuple[str, ...] = ()
    versions: dict[str, str] = {}
    processes: tuple[Started, ...] = ()


def check_name(name: str) -> str:
    """Raises UsageError."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is no name for a sandbox: lower-case letters, digits and dashes, "
            f"beginning with a letter or digit, at most {LONGEST_NAME} characters"
        )
    return name


def root() -> Path:
    return folders.named("XDG_STATE_HOME", "~/.local/state") / "webappctl" / "sandboxes"


def directory(name: str) -> Path:
    return root() / check_name(name)


def names() -> tuple[str, ...]:
    """Of all that have a folder, sorted."""
    if not root().is_dir():
        return ()
    return tuple(sorted(p.name for p in root().iterdir() if p.is_dir() and _NAME.fullmatch(p.name)))


def all_names() -> tuple[str, ...]:
    """Of every sandbox that was not taken down, throwaways included, sorted."""
    return tuple(name for name in names() if _file(name).exists())


def read(name: str) -> State | None:
    """None: there is no such sandbox. Raises SandboxError when the file cannot be understood."""
    path = _file(name)
    try:
        return msgspec.json.decode(path.read_bytes(), type=State)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError) as error:
        raise SandboxError(
            f"{path}: {error}", subject=f"sandbox {name}", remedy=f"stop its processes, then delete {path.parent}"
        ) from error


def write(state: State) -> State:
    """Whole or not at all, readable by its owner only. Returns what it wrote."""
    path = _file(state.name)
    write_private(path, msgspec.json.format(msgspec.json.encode(state)))
    return state


def write_private(path: Path, content: bytes) -> None:
    """By a rename, with mode 0600 from the first moment."""
    fresh = path.with_name(f".{path.name}.new")
    fresh.unlink(missing_ok=True)
    with open(fresh, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(content)
    fresh.replace(path)


@contextmanager
def lock(path: Path, stop: Interruption, *, seconds: float, waiting: Callable[[], None]) -> Iterator[None]:
    """Holds the file exclusively; calls `waiting` once when another process has it.

    Raises SandboxError after `seconds`. The kernel frees it when the holder dies, however it dies.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    file = _try_lock(path)
    if file is None:
        waiting()

        def taken() -> bool:
            nonlocal file
            file = _try_lock(path)
            return file is not None

        stop.until(taken, seconds=seconds, every=0.1, late=lambda: f"{path} was locked for {seconds:.0f} s")
    try:
        yield
    finally:
        if file is not None:
            os.close(file)


@contextmanager
def lock_if_free(path: Path) -> Iterator[bool]:
    """Holds it, or says False at once."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    file = _try_lock(path)
    try:
        yield file is not None
    finally:
        if file is not None:
            os.close(file)


def lock_file(name: str) -> Path:
    """Beside the directory, which `down` deletes; a dot keeps it apart from every name."""
    return root() / f"{check_name(name)}.lock"


def _file(name: str) -> Path:
    return directory(name) / "state.json"


def _try_lock(path: Path) -> int | None:
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # `down` removes the file with the sandbox: a lock on a file that is gone excludes nobody
        if os.path.samestat(os.fstat(file), path.stat()):
            return file
    except (BlockingIOError, FileNotFoundError):
        pass
    os.close(file)
    return None
