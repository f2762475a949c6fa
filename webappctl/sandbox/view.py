"""A sandbox as its users see it: where it is, how to reach it, how it is."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from webappctl.sandbox import controlplane, processes, readiness, state
from webappctl.sandbox.binaries import Binaries
from webappctl.sandbox.client import Client
from webappctl.sandbox.components import Layout
from webappctl.sandbox.state import State


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
    def shell_lines(self) -> tuple[str, ...]:
        """What a shell must be told to use it, whatever is in the paths. An alias is parsed again where it is used."""
        export = f"export KUBECONFIG={shlex.quote(str(self.kubeconfig))}"
        if self.kubectl is None:
            return (export,)
        return export, f"alias kubectl={shlex.quote(shlex.quote(str(self.kubectl)))}"

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
        return current is not None and healthy(current)


def healthy(current: State) -> bool:
    if not current.ready or not all(processes.alive(s.process) for s in current.processes):
        return False
    try:
        with Client(Layout(state.directory(current.name)).pki, current.ports.apiserver) as client:
            return readiness.api_serves(client)
    except OSError:  # somebody deleted the certificates
        return False


def described(current: State) -> Sandbox:
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
