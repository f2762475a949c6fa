"""plan: what apply would do, and why."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from webappctl.cli.measuring import MetricsFile, measured
from webappctl.cli.options import (
    DEFAULT_EXPIRES,
    DEFAULT_REQUEST_TIMEOUT,
    DEFAULT_TIMEOUT,
    DEFAULT_WORKERS,
    AllNamespaces,
    Context,
    Expires,
    Kubeconfig,
    Names,
    Namespaces,
    Output,
    OutputFormat,
    RequestTimeout,
    Selector,
    Shard,
    Timeout,
    in_words,
    scope_of,
)
from webappctl.cli.passes import refuse_unknown_names, target_of
from webappctl.cli.safety import (
    AdoptChoice,
    AdoptOption,
    AllowEmpty,
    MaxChanges,
    MaxDeletes,
    Prune,
    budget_of,
    policy_of,
)
from webappctl.cli.session import Interrupts, Reach, guarded, say
from webappctl.errors import UsageError

if TYPE_CHECKING:
    from webappctl.cluster import Cluster
    from webappctl.core.objects import Scope, WebApp
    from webappctl.core.plan import Plan, Policy
    from webappctl.render import Target


@guarded
def plan(
    names: Names = None,
    namespace: Namespaces = None,
    all_namespaces: AllNamespaces = False,
    selector: Selector = "",
    shard: Shard = None,
    filename: Annotated[
        list[str] | None,
        typer.Option(
            "--filename",
            "-f",
            envvar="WEBAPPCTL_FILENAME",
            metavar="FILE|DIR|-",
            help="As if the WebApps of these manifests were applied; may be given again.",
            show_default=False,
        ),
    ] = None,
    output: OutputFormat = Output.TABLE,
    exit_code: Annotated[
        bool,
        typer.Option(
            "--exit-code",
            envvar="WEBAPPCTL_EXIT_CODE",
            help="Exit 3 when changes are pending, 4 when apply would refuse them, 5 when only blocked or waiting ones "
            "are left.",
        ),
    ] = False,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            envvar="WEBAPPCTL_OUT",
            metavar="FILE",
            help="Save the plan, for apply --plan FILE.",
            show_default=False,
        ),
    ] = None,
    expires: Expires = DEFAULT_EXPIRES,
    server_side: Annotated[
        bool,
        typer.Option(
            "--server-side",
            envvar="WEBAPPCTL_SERVER_SIDE",
            help="Ask the API server for a dry run of each change; needs the right to patch.",
        ),
    ] = False,
    adopt: AdoptOption = AdoptChoice.NEVER,
    prune: Prune = False,
    max_changes: MaxChanges = None,
    max_deletes: MaxDeletes = None,
    allow_empty: AllowEmpty = False,
    context: Context = None,
    kubeconfig: Kubeconfig = None,
    request_timeout: RequestTimeout = DEFAULT_REQUEST_TIMEOUT,
    timeout: Timeout = DEFAULT_TIMEOUT,
    metrics_file: MetricsFile = None,
) -> int:
    """Show what apply would do, and why. Reads three lists, writes nothing."""
    from webappctl.cli import show
    from webappctl.core.plan import refusals
    from webappctl.core.report import plan_exit_code

    if out is not None and filename:
        raise UsageError("--out cannot be used with --filename: what is only in a file cannot be applied")
    if selector and filename:
        raise UsageError("--selector cannot be used with --filename", remedy="name the WebApps instead")
    scope = scope_of(names, namespace, selector, all_namespaces=all_namespaces, shard=shard)
    policy = policy_of(adopt, prune=prune, scope=scope)
    budget = budget_of(max_changes, max_deletes, allow_empty=allow_empty)
    interrupts = Interrupts()
    with measured(metrics_file) as run, interrupts.handled():
        cluster = Reach(kubeconfig, context, request_timeout, timeout).open(interrupts, workers=DEFAULT_WORKERS)
        run.hear(cluster.transport)
        made = _made(cluster, scope, policy, filename)
        run.planned(made)
        refuse_unknown_names(scope, made)
        made = _tried(made, cluster) if server_side else made
        target = target_of(cluster, scope)
        if out is not None:
            _save(made, target, policy, out, expires)
        show.plan(made, target, output)
        run.refused(refused := refusals(made, budget))
        for refusal in refused:
            say(f"apply would refuse this: {refusal}")
    return plan_exit_code(made, budget) if exit_code else 0


def _save(made: Plan, target: Target, policy: Policy, out: str, expires: float) -> None:
    from webappctl.cli import saved

    saved.save(made, target, policy, out, expires)
    say(f"Saved to {out}; webappctl apply --plan {shlex.quote(out)} carries it out within {in_words(expires)}")


def _made(cluster: Cluster, scope: Scope, policy: Policy, filename: list[str] | None) -> Plan:
    from webappctl import reconcile

    if not filename:
        return reconcile.plan(cluster, scope, policy)
    return reconcile.preview(cluster, scope, policy, _declared(filename, scope, cluster.namespace))


def _tried(made: Plan, cluster: Cluster) -> Plan:
    from webappctl.apply import tried

    return tried(made, cluster, DEFAULT_WORKERS)


def _declared(filename: list[str], scope: Scope, default_namespace: str) -> tuple[WebApp, ...]:
    """The WebApps of the files. One without a namespace is where kubectl would put it."""
    from webappctl import crd, manifests

    namespace = scope.namespaces[0] if len(scope.namespaces) == 1 else default_namespace
    schema = crd.shipped()["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    found = manifests.read_manifests(filename, schema=schema, default_namespace=namespace, stdin=sys.stdin)
    for manifest in found:
        if scope.namespaces and manifest.webapp.metadata.namespace not in scope.namespaces:
            raise UsageError(
                f"{manifest.source}: {manifest.webapp.key} is not in {scope.where}",
                remedy="leave out --namespace, or give this one too",
            )
    return tuple(manifest.webapp for manifest in found)
