"""The only package that speaks to the API server."""

from __future__ import annotations

import math
import threading

from webappctl.cluster.api import Cluster
from webappctl.cluster.plugin import kill_login_plugins
from webappctl.cluster.transport import Heard, Transport
from webappctl.cluster.wire import Answer, Request, Wire

__all__ = ["Answer", "Cluster", "Heard", "Request", "Transport", "Wire", "kill_login_plugins", "open_cluster"]


def open_cluster(
    *,
    kubeconfig: str | None,
    context: str | None,
    stop: threading.Event,
    workers: int = 8,
    request_timeout: float = 30.0,
    until: float | None = None,
) -> Cluster:
    """The cluster that kubectl would speak to with the same options. Sends nothing yet, but may run a login plugin.

    `kubeconfig`, `context`: None where the option is not given. `workers`: how many threads may use it at once.
    `request_timeout`: seconds for each try. `until`: the instant of time.monotonic() at which the command ends.
    Raises ConfigError.
    """
    from webappctl.cluster.connect import connect

    transport: Transport | None = None
    at_first = math.inf if until is None else until

    def ends() -> float:
        """The transport's `until` may be moved while the program runs."""
        return transport.until if transport else at_first

    connection = connect(
        kubeconfig=kubeconfig, context=context, workers=workers, request_timeout=request_timeout, until=ends
    )
    transport = Transport(connection.wire, request_timeout=request_timeout, stop=stop, until=until)
    return Cluster(transport, context=connection.context, namespace=connection.namespace, workers=workers)
