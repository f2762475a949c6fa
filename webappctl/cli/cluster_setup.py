"""crd: what the cluster must have before anything else."""

from __future__ import annotations

from typing import Annotated

import typer

from webappctl.cli.options import DEFAULT_REQUEST_TIMEOUT, DEFAULT_WAIT, Context, Kubeconfig, RequestTimeout, Timeout
from webappctl.cli.session import Interrupts, Reach, guarded, say


@guarded
def crd(
    install: Annotated[
        bool,
        typer.Option(
            "--install", envvar="WEBAPPCTL_INSTALL", help="Apply it to the cluster and wait until it is served."
        ),
    ] = False,
    context: Context = None,
    kubeconfig: Kubeconfig = None,
    request_timeout: RequestTimeout = DEFAULT_REQUEST_TIMEOUT,
    timeout: Timeout = DEFAULT_WAIT,
) -> int:
    """Print the CustomResourceDefinition of WebApps, or install it. It is never deleted."""
    from webappctl import crd as shipped

    if not install:
        typer.echo(shipped.text(), nl=False)
        return 0
    interrupts = Interrupts()
    with interrupts.handled(), interrupts.writing():
        cluster = Reach(kubeconfig, context, request_timeout, timeout).open(interrupts, workers=1)
        say(f"Installing {shipped.NAME} in {cluster.context} ({cluster.server})")
        done = shipped.install(cluster, say, timeout, interrupts.stop)
    typer.echo(f"customresourcedefinition.apiextensions.k8s.io/{shipped.NAME} {done.value}")
    return 0
