"""Start the components in order, undo on failure; stop them in the reverse order.

An API server that outlives its etcd hangs, so etcd is first and last. After each start `state.json` names the process.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from webappctl.errors import SandboxError
from webappctl.sandbox import certificates, components, processes, readiness, state
from webappctl.sandbox.binaries import Binaries
from webappctl.sandbox.client import Client
from webappctl.sandbox.components import Component, Layout
from webappctl.sandbox.interrupt import Interruption
from webappctl.sandbox.state import Ports, Started, State

_PATIENCE = 90.0  # seconds for one step; on a loaded machine of 2 cores the API server may take 30
_TRIES = 3  # with other ports, when somebody took one between our look and the component's bind
_GRACE, _NO_GRACE = 10.0, 0.2  # seconds from SIGTERM to SIGKILL

Manifest = Mapping[str, Any]


class _PortTakenError(SandboxError):
    """A component could not bind its port."""


class _Start:
    """One attempt. `state` grows with every process; `undo` ends them all."""

    def __init__(self, initial: State, binaries: Binaries, stop: Interruption, crds: Iterable[Manifest]) -> None:
        self.state = initial
        self.layout = Layout(state.directory(initial.name))
        self._binaries = binaries
        self._stop = stop
        self._crds = crds

    def run(self) -> State:
        """All components, each as soon as what it needs is there. Raises SandboxError, Stopped."""
        self._launch(components.etcd(self.layout, self.state.ports))
        with Client(self.layout.pki, self.state.ports.etcd) as client:
            self._until(lambda: readiness.etcd_serves(client), "etcd", "to answer")
            versions = {"etcd": readiness.etcd_version(client)}
        accounts = self._binaries.path("kube-controller-manager") is not None
        self._launch(
            components.apiserver(
                self.layout,
                self.state.ports,
                audit=self.state.audit,
                service_accounts=accounts,
                admission=self.state.admission,
            )
        )
        with Client(self.layout.pki, self.state.ports.apiserver) as client:
            self._bring_up(client)
            versions["kubernetes"] = readiness.kubernetes_version(client)
        return self._note(ready=True, versions=versions)

    def undo(self) -> None:
        stop(self.state.processes)
        self._note(processes=())

    def _bring_up(self, client: Client) -> None:
        self._until(lambda: readiness.api_serves(client), "kube-apiserver", "to be ready")
        probe = readiness.CustomResources(client, self._crds)
        self._until(probe.done, "kube-apiserver", "to serve custom resources")
        # only now: a kind that comes and goes while the garbage collector discovers kinds blocks it for 30 s
        for component in self._others():
            self._launch(component)
        if self._binaries.path("kube-controller-manager"):
            self._until(readiness.Controllers(client).done, "kube-controller-manager", "to work")
        if self._binaries.path("kwok"):
            self._until(readiness.Node(client).done, "kwok", "to make the node ready")

    def _others(self) -> Iterable[Component]:
        described = (
            components.controller_manager(self.layout),
            components.scheduler(self.layout),
            components.kwok(self.layout, self._binaries),
        )
        return [c for c in described if self._binaries.path(c.name)]

    def _launch(self, component: Component) -> None:
        self._stop.check()
        log = self.layout.log(component.name)
        if log.exists():
            log.replace(log.with_suffix(".log.1"))  # why it died the last time
        command = [str(self._binaries.needed(component.name)), *component.arguments]
        try:
            process = processes.start(
                command, log=log, directory=self.layout.directory, environment=_environment(self.layout.directory)
            )
        except OSError as error:
            raise SandboxError(f"{component.name} cannot be started: {error}") from error
        self._note(processes=(*self.state.processes, Started(component.name, process)))

    def _until(self, true: Callable[[], bool], component: str, what: str) -> None:
        def alive_and_true() -> bool:
            self._check_alive()
            return true()

        def late() -> str:
            waited = f"waited {_PATIENCE:.0f} s in vain for {component} {what}; try again when the machine is less busy"
            return f"{waited}. The end of its log:\n{processes.log_tail(self.layout.log(component))}"

        self._stop.until(alive_and_true, seconds=_PATIENCE, every=0.05, late=late)

    def _check_alive(self) -> None:
        for started in self.state.processes:
            if not processes.alive(started.process):
                tail = processes.log_tail(self.layout.log(started.component))
                kind = _PortTakenError if "address already in use" in tail else SandboxError
                what = f"{started.component} ended at once; mend what the end of its log names, and try again"
                raise kind(f"{what}:\n{tail}")

    def _note(self, **changes: object) -> State:
        self.state = msgspec.structs.replace(
            self.state, **changes
        )  # first: `undo` must know it even if the disk is full
        return state.write(self.state)


def start(initial: State, binaries: Binaries, stop: Interruption, *, crds: Iterable[Manifest] = ()) -> State:
    """Starts everything on the data that is there, and returns the state as written.

    `crds` are created before the controllers start; one whose name is taken is left as it is.

    Whatever goes wrong, a signal included, no process is left. Raises SandboxError with the end of the log of the
    component that failed, or Stopped.
    """
    for attempt in range(_TRIES):
        ports = initial.ports if attempt == 0 and _all_free(initial.ports) else free_ports()
        run = _Start(msgspec.structs.replace(initial, ports=ports, processes=(), ready=False), binaries, stop, crds)
        try:
            _prepare(run.layout, ports, initial.name)
            return run.run()
        except _PortTakenError:
            run.undo()
            if attempt == _TRIES - 1:
                raise
        except BaseException:
            run.undo()
            raise
    raise AssertionError("the last attempt returns or raises")


def stop(started: Iterable[Started]) -> None:
    """In the reverse order, each with a deadline, then by force. Raises SandboxError when one cannot be ended."""
    order = tuple(reversed(tuple(started)))
    etcd_died = any(s.component == "etcd" and not processes.alive(s.process) for s in order)
    grace = _NO_GRACE if etcd_died else _GRACE  # an API server would use up all of it waiting for etcd
    left = [s for s in order if not processes.stop(s.process, grace=grace)]
    if left:
        described = ", ".join(f"{s.component} (pid {s.process.pid})" for s in left)
        raise SandboxError(f"cannot be ended: {described}")


def free_ports() -> Ports:
    """Free at this moment, and different."""
    with socket.socket() as a, socket.socket() as b, socket.socket() as c:
        for held in (a, b, c):
            held.bind(("127.0.0.1", 0))
        return Ports(apiserver=a.getsockname()[1], etcd=b.getsockname()[1], etcd_peer=c.getsockname()[1])


def url(ports: Ports) -> str:
    return f"https://127.0.0.1:{ports.apiserver}"


def _all_free(ports: Ports) -> bool:
    for port in (ports.apiserver, ports.etcd, ports.etcd_peer):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the components do: TIME_WAIT is no owner
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                return False
    return True


def _prepare(layout: Layout, ports: Ports, name: str) -> None:
    """Certificates once; kubeconfigs every time, because ports may differ."""
    layout.log("").parent.mkdir(mode=0o700, exist_ok=True)
    if not (layout.pki / "ca.crt").exists():
        certificates.create(layout.pki)
    server, context = url(ports), f"sandbox-{name}"
    for component in ("kube-controller-manager", "kube-scheduler", "kwok"):
        path = layout.kubeconfig_of(component)
        certificates.write_kubeconfig(path, layout.pki, component, server=server, context=context)
    certificates.write_kubeconfig(layout.kubeconfig, layout.pki, "admin", server=server, context=context)


def _environment(directory: Path) -> dict[str, str]:
    """Not ours: proxies, Go's debugging switches and a ~/.kwok of the user would change what the components do."""
    return {"HOME": str(directory), "PATH": os.defpath, "TMPDIR": str(directory), "TZ": "UTC"}
