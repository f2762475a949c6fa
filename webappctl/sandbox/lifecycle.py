"""Up, down, find, throwaway: what a user does with sandboxes."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from webappctl.errors import SandboxError
from webappctl.sandbox import binaries, controlplane, processes, readiness, state
from webappctl.sandbox.binaries import Binaries
from webappctl.sandbox.client import Client
from webappctl.sandbox.components import Layout
from webappctl.sandbox.interrupt import Interruption, deferred
from webappctl.sandbox.processes import Process
from webappctl.sandbox.state import State

_BUSY = 300.0  # seconds to wait for another process that starts or stops the same sandbox
_SUFFIX = 4  # bytes of a throwaway's unique ending

Say = Callable[[str], None]


@dataclass(frozen=True)
class Sandbox:
    """A control plane on this machine, as it was when asked for; `processes` and `healthy` look anew each time.

    `context` is the kubeconfig's only one. `kubectl` and `audit_log` are None when there is none. `missing` names the
    components that $KUBEBUILDER_ASSETS did not have. `versions`: component → version.
    """

    name: str
    directory: Path
    kubeconfig: Path
    server: str
    context: str
    kubectl: Path | None
    audit_log: Path | None
    missing: tuple[str, ...]
    versions: Mapping[str, str] = field(hash=False)

    @property
    def processes(self) -> tuple[tuple[str, int, bool], ...]:
        """(component, pid, alive), in the order of starting; empty after `down`."""
        current = state.read(self.name)
        started = current.processes if current else ()
        return tuple((s.component, s.process.pid, processes.alive(s.process)) for s in started)

    @property
    def healthy(self) -> bool:
        """It came up whole, every process is alive, and the API server says that it is ready."""
        current = state.read(self.name)
        return current is not None and _healthy(current)


def up(name: str = "default", *, say: Say, audit: bool = False) -> Sandbox:
    """Starts it, or finds it running: about 5 s, the very first time the minutes of a build.

    One of which a process has died is started again on the same data; so is one without an audit log when `audit` asks
    for it. It outlives this process. `say` gets whole lines for the user.

    Raises UsageError (the name), SandboxError (the build or a component failed: its last lines are in the message; no
    process is left), Stopped (a signal came; no process is left, and the signal is delivered again).
    """
    state.check_name(name)
    with deferred() as stop:
        reap()
        return _up(name, say, stop, audit=audit, owner=None)


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
    return _sandbox(current) if current else None


@contextmanager
def throwaway(
    prefix: str = "demo", *, say: Say, audit: bool = False, keep: Callable[[], bool] = lambda: False
) -> Iterator[Sandbox]:
    """A new sandbox with a unique name, taken down at the end, whatever ends the block, unless `keep()` is true then.

    SIGTERM and SIGHUP raise Stopped inside the block if nobody else handles them. If this process is killed outright,
    the next `up` or `throwaway` of any process takes it down. Raises as `up` does.
    """
    name = state.check_name(f"{prefix}-{os.urandom(_SUFFIX).hex()}")
    with deferred() as stop:
        reap()
        try:
            sandbox = _up(name, say, stop, audit=audit, owner=processes.this())
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


def _up(name: str, say: Say, stop: Interruption, *, audit: bool, owner: Process | None) -> Sandbox:
    """Locks twice: who waits for a build of minutes must not keep others from what runs already."""
    with _locked(name, say, stop):
        running = _running(name, audit=audit)
    if running:
        return running
    programs = binaries.obtain(say, stop)
    with _locked(name, say, stop):
        return _running(name, audit=audit) or _start(name, programs, say, stop, audit=audit, owner=owner)


def _running(name: str, *, audit: bool) -> Sandbox | None:
    current = state.read(name)
    usable = current is not None and (current.audit or not audit) and _healthy(current)
    return _sandbox(current) if current and usable else None


def _start(
    name: str, programs: Binaries, say: Say, stop: Interruption, *, audit: bool, owner: Process | None
) -> Sandbox:
    began = time.monotonic()
    former = state.read(name)
    if former:
        _say_why(former, say)
        controlplane.stop(former.processes)
    folder = state.directory(name)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    initial = former or State(name, ports=controlplane.free_ports(), owner=owner)
    initial = msgspec.structs.replace(
        initial,
        audit=audit or initial.audit,
        binaries=str(programs.directory),
        missing=programs.missing,
        processes=(),
        ready=False,
    )
    try:
        started = controlplane.start(state.write(initial), programs, stop)
    except BaseException:
        if former is None:
            _delete(name)
        raise
    sandbox = _sandbox(started)
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
    """With its lock held, which goes too."""
    current = state.read(name)
    if current:
        controlplane.stop(current.processes)
    existed = state.directory(name).exists()
    _delete(name)
    return existed


def _remove_if_free(name: str) -> bool:
    """Asks again with the lock held: somebody may have been faster."""
    with state.lock_if_free(state.lock_file(name)) as free:
        return free and _abandoned(name) and _remove(name)


def _delete(name: str) -> None:
    folder = state.directory(name)
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise SandboxError(f"{folder} cannot be deleted: {error}", subject=f"sandbox {name}") from error
    state.lock_file(name).unlink(missing_ok=True)


def _end(name: str, keep: Callable[[], bool]) -> None:
    """A throwaway's end, whose waits no signal shortens that has come already."""
    kept = False
    try:
        kept = keep()
    finally:
        if not kept:
            _down(name, Interruption())
    current = state.read(name)
    if current:
        state.write(msgspec.structs.replace(current, owner=None))


def _abandoned(name: str) -> bool:
    """Also a folder without a state, whose maker was killed between the two: nobody holds its lock."""
    current = state.read(name)
    if current is None:
        return True
    return current.owner is not None and not processes.alive(current.owner)


@contextmanager
def _locked(name: str, say: Say, stop: Interruption) -> Iterator[None]:
    def waiting() -> None:
        say(f"sandbox {name}: waiting for another process that starts or stops it …")

    with state.lock(state.lock_file(name), stop, seconds=_BUSY, waiting=waiting):
        yield


def _healthy(current: State) -> bool:
    if not current.ready or not all(processes.alive(s.process) for s in current.processes):
        return False
    try:
        with Client(Layout(state.directory(current.name)).pki, current.ports.apiserver) as client:
            return readiness.api_serves(client)
    except OSError:  # somebody deleted the certificates
        return False


def _sandbox(current: State) -> Sandbox:
    layout = Layout(state.directory(current.name))
    return Sandbox(
        name=current.name,
        directory=layout.directory,
        kubeconfig=layout.kubeconfig,
        server=controlplane.url(current.ports),
        context=f"sandbox-{current.name}",
        kubectl=Binaries(Path(current.binaries)).path("kubectl"),
        audit_log=layout.audit_log if current.audit else None,
        missing=current.missing,
        versions=current.versions,
    )
