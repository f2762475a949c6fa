"""Up, down, find, throwaway: what a user does with sandboxes."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import msgspec

from webappctl.errors import SandboxError
from webappctl.sandbox import binaries, controlplane, processes, state
from webappctl.sandbox.binaries import Binaries
from webappctl.sandbox.controlplane import Manifest
from webappctl.sandbox.interrupt import Interruption, deferred
from webappctl.sandbox.processes import Process
from webappctl.sandbox.state import State
from webappctl.sandbox.view import Sandbox, described, healthy

_BUSY = 300.0  # seconds to wait for another process that starts or stops the same sandbox
_SUFFIX = 4  # bytes of a throwaway's unique ending
_THROWAWAY = re.compile(rf".*-[0-9a-f]{{{2 * _SUFFIX}}}")

Say = Callable[[str], None]
Crds = Iterable[Manifest]


@dataclass(frozen=True)
class _Wish:
    """What a sandbox is to be. `crds`: name → manifest."""

    name: str
    audit: bool
    crds: Mapping[str, Manifest]
    owner: Process | None = None
    admission: tuple[str, ...] = ()

    def met_by(self, current: State) -> bool:
        return (current.audit or not self.audit) and self.crds.keys() <= set(current.crd_names)


def up(name: str = "default", *, say: Say, audit: bool = False, crds: Crds = ()) -> Sandbox:
    """Starts it, or finds it running: about 5 s, the very first time the minutes of a build.

    One of which a process has died is started again on the same data; so is one without an audit log when `audit` asks
    for it, or without one of `crds`. It outlives this process. `say` gets whole lines for the user. `crds` are there
    before the controllers start: the garbage collector looks for new kinds every 30 s only, and knows these at once.

    Raises UsageError (the name), SandboxError (the build or a component failed: its last lines are in the message; no
    process is left), Stopped (a signal came; no process is left, and the signal is delivered again).
    """
    state.check_name(name)
    with deferred() as stop:
        reap()
        return _up(_Wish(name, audit, _by_name(crds)), say, stop)


def down(name: str = "default") -> bool:
    """Ends its processes and deletes its data. False: there was none.

    Raises UsageError (the name), SandboxError (a process could not be ended: its state is kept).
    """
    state.check_name(name)
    with deferred() as stop:
        return _down(name, stop)


def find(name: str = "default") -> Sandbox | None:
    """What is noted of it, healthy or not; None when it was never started or was taken down. Raises UsageError."""
    current = state.read(state.check_name(name))
    return described(current) if current else None


@contextmanager
def throwaway(
    prefix: str = "demo",
    *,
    say: Say,
    audit: bool = False,
    crds: Crds = (),
    admission: Iterable[str] = (),
    keep: Callable[[], bool] = lambda: False,
) -> Iterator[Sandbox]:
    """A new sandbox with a unique name, taken down at the end, whatever ends the block, unless `keep()` is true then.

    SIGTERM and SIGHUP raise Stopped inside the block if nobody else handles them. If this process is killed outright,
    the next `up` or `throwaway` of any process takes it down. `admission`: more plugins. `crds`, and errors: as `up`.
    """
    name = state.check_name(f"{prefix}-{os.urandom(_SUFFIX).hex()}")
    with deferred() as stop:
        reap()
        try:
            sandbox = _up(_Wish(name, audit, _by_name(crds), processes.this(), tuple(admission)), say, stop)
            with stop.released():
                yield sandbox
        finally:
            _end(name, keep)


def reap() -> tuple[str, ...]:
    """Takes down the throwaways whose owner is gone, and returns their names. Those in use are left alone."""
    gone = []
    for name in state.names():
        with suppress(SandboxError):
            if _abandoned(name) and _remove_if_free(name):
                gone.append(name)
    return tuple(gone)


def _by_name(crds: Crds) -> dict[str, Manifest]:
    return {crd["metadata"]["name"]: crd for crd in crds}


def _up(wanted: _Wish, say: Say, stop: Interruption) -> Sandbox:
    """Locks twice: who waits for a build of minutes must not keep others from what runs already."""
    with _locked(wanted.name, say, stop):
        running = _running(wanted, say)
    if running:
        return running
    programs = binaries.obtain(say, stop)
    with _locked(wanted.name, say, stop):
        return _running(wanted, say) or _start(wanted, programs, say, stop)


def _running(wanted: _Wish, say: Say) -> Sandbox | None:
    current = state.read(wanted.name)
    if current is None or not wanted.met_by(current) or not healthy(current):
        return None
    sandbox = described(current)
    say(f"sandbox {sandbox.name} is running already: {sandbox.server}")
    return sandbox


def _start(wanted: _Wish, programs: Binaries, say: Say, stop: Interruption) -> Sandbox:
    began = time.monotonic()
    name = wanted.name
    if former := state.read(name):
        _say_why(former, say)
        controlplane.stop(former.processes)
    state.directory(name).mkdir(mode=0o700, parents=True, exist_ok=True)
    basis = former or State(name, controlplane.free_ports(), owner=wanted.owner)
    initial = msgspec.structs.replace(
        basis,
        audit=basis.audit or wanted.audit,
        admission=basis.admission or wanted.admission,
        crd_names=tuple(sorted({*basis.crd_names, *wanted.crds})),
        binaries=str(programs.directory),
        missing=programs.missing,
    )
    try:
        started = controlplane.start(state.write(initial), programs, stop, crds=wanted.crds.values())
    except BaseException:
        if former is None:
            _delete(name)
        raise
    sandbox = described(started)
    say(f"sandbox {name} is ready after {time.monotonic() - began:.1f} s: {sandbox.server}")
    return sandbox


def _say_why(former: State, say: Say) -> None:
    dead = [s.component for s in former.processes if not processes.alive(s.process)]
    reason = f"{', '.join(dead)} not running" if dead else "not as it should be"
    say(f"sandbox {former.name}: {reason}; starting it again on the same data")


def _down(name: str, stop: Interruption) -> bool:
    if not state.directory(name).exists():
        return False
    with _locked(name, lambda _: None, stop):
        return _remove(name)


def _remove(name: str) -> bool:
    """With its lock held."""
    if current := state.read(name):
        controlplane.stop(current.processes)
    existed = state.directory(name).exists()
    _delete(name)
    return existed


def _remove_if_free(name: str) -> bool:
    """Asks again with the lock held: somebody may have been faster."""
    with state.lock_if_free(state.lock_file(name)) as free:
        if not free or not _abandoned(name):
            return False
        removed = _remove(name)
        _drop_lock_file(name)
        return removed


def _delete(name: str) -> None:
    folder = state.directory(name)
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise SandboxError(f"{folder} cannot be deleted: {error}", subject=f"sandbox {name}") from error


def _drop_lock_file(name: str) -> None:
    """Once, as the last thing under the lock, when nothing is left to guard: the next file belongs to somebody else."""
    if not state.directory(name).exists():
        state.lock_file(name).unlink(missing_ok=True)


def _end(name: str, keep: Callable[[], bool]) -> None:
    """A throwaway's end, whose waits no signal shortens that has come already."""
    kept = False
    stop = Interruption()
    try:
        kept = keep()
    finally:
        if not kept:
            _down(name, stop)
    if kept:
        _disown(name, stop)


def _disown(name: str, stop: Interruption) -> None:
    """From now on it is a sandbox like others."""
    with _locked(name, lambda _: None, stop):
        if current := state.read(name):
            state.write(msgspec.structs.replace(current, owner=None))


def _abandoned(name: str) -> bool:
    """Also a throwaway's folder without a state, whose maker was killed between the two. Others may be the user's."""
    current = state.read(name)
    if current is None:
        return _THROWAWAY.fullmatch(name) is not None
    return current.owner is not None and not processes.alive(current.owner)


@contextmanager
def _locked(name: str, say: Say, stop: Interruption) -> Iterator[None]:
    def waiting() -> None:
        say(f"sandbox {name}: waiting for another process that starts or stops it …")

    with state.lock(state.lock_file(name), stop, seconds=_BUSY, waiting=waiting):
        try:
            yield
        finally:
            _drop_lock_file(name)
