"""apply: make every Deployment what its WebApp asks for, once."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Annotated, Final

import typer

from webappctl.cli.application import Application
from webappctl.cli.locking import (
    DEFAULT_LEASE_DURATION,
    DEFAULT_LOCK_TIMEOUT,
    DEFAULT_RENEW_DEADLINE,
    DEFAULT_RETRY_PERIOD,
    LeaseDuration,
    LeaseNamespace,
    LockTimeout,
    NoLock,
    RenewDeadline,
    RetryPeriod,
    lock_of,
)
from webappctl.cli.measuring import MetricsFile, measured
from webappctl.cli.options import (
    DEFAULT_REQUEST_TIMEOUT,
    DEFAULT_TIMEOUT,
    DEFAULT_WORKERS,
    AllNamespaces,
    Context,
    Kubeconfig,
    Names,
    Namespaces,
    Output,
    OutputFormat,
    RequestTimeout,
    Selector,
    Shard,
    Timeout,
    Workers,
    duration,
    scope_of,
)
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
from webappctl.cli.session import Interrupts, Reach, guarded
from webappctl.errors import UsageError

if TYPE_CHECKING:
    from webappctl.planfile import SavedPlan


IN_THE_FILE: Final = ("names", "namespace", "selector", "shard", "adopt", "prune")
"""Parameters that a saved plan has of its own."""


@guarded
def apply(
    ctx: typer.Context,
    names: Names = None,
    namespace: Namespaces = None,
    all_namespaces: AllNamespaces = False,
    selector: Selector = "",
    shard: Shard = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", envvar="WEBAPPCTL_YES", help="Do not ask.")] = False,
    plan_file: Annotated[
        str | None,
        typer.Option(
            "--plan",
            envvar="WEBAPPCTL_PLAN",
            metavar="FILE",
            help="Carry out this saved plan and nothing else, if all of it is still as it was. Does not ask.",
            show_default=False,
        ),
    ] = None,
    wait: Annotated[
        bool,
        typer.Option("--wait", envvar="WEBAPPCTL_WAIT", help="Wait until every WebApp that this changed is ready."),
    ] = False,
    wait_timeout: Annotated[
        float,
        typer.Option(
            "--wait-timeout",
            envvar="WEBAPPCTL_WAIT_TIMEOUT",
            metavar="DURATION",
            parser=duration,
            help="The longest that --wait waits, after the writes.",
        ),
    ] = DEFAULT_TIMEOUT,
    blocked_ok: Annotated[
        bool,
        typer.Option(
            "--blocked-ok",
            envvar="WEBAPPCTL_BLOCKED_OK",
            help="Exit 0, not 5, when all that is left is blocked, waiting or stale.",
        ),
    ] = False,
    adopt: AdoptOption = AdoptChoice.NEVER,
    prune: Prune = False,
    max_changes: MaxChanges = None,
    max_deletes: MaxDeletes = None,
    allow_empty: AllowEmpty = False,
    output: OutputFormat = Output.TABLE,
    workers: Workers = DEFAULT_WORKERS,
    context: Context = None,
    kubeconfig: Kubeconfig = None,
    request_timeout: RequestTimeout = DEFAULT_REQUEST_TIMEOUT,
    timeout: Timeout = DEFAULT_TIMEOUT,
    lease_namespace: LeaseNamespace = None,
    lock_timeout: LockTimeout = DEFAULT_LOCK_TIMEOUT,
    no_lock: NoLock = False,
    lease_duration: LeaseDuration = DEFAULT_LEASE_DURATION,
    renew_deadline: RenewDeadline = DEFAULT_RENEW_DEADLINE,
    retry_period: RetryPeriod = DEFAULT_RETRY_PERIOD,
    metrics_file: MetricsFile = None,
) -> int:
    """Make every Deployment what its WebApp asks for, once."""
    from webappctl.cli import logs

    scope = scope_of(names, namespace, selector, all_namespaces=all_namespaces, shard=shard)
    policy = policy_of(adopt, prune=prune, scope=scope)
    if plan_file is not None and any(_given(ctx, name) for name in IN_THE_FILE):
        raise UsageError(
            "--plan takes no names, --namespace, --selector, --shard, --adopt or --prune: the file has its own"
        )
    loaded = None if plan_file is None else _load(plan_file)
    ask = not (yes or loaded)
    if ask and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError("there is no terminal to ask on", remedy="add --yes")
    reach = Reach(kubeconfig, context, request_timeout, timeout)
    times = (lease_duration, renew_deadline, retry_period)
    scope = loaded.scope if loaded else scope
    lock = lock_of(
        reach, lease_namespace, lock_timeout, times, no_lock=no_lock, shard=scope.shard.numbers if scope.shard else None
    )
    logs.set_up(level=logging.WARNING)
    interrupts = Interrupts()
    with measured(metrics_file) as run, interrupts.handled():
        cluster = reach.open(interrupts, workers=workers)
        run.hear(cluster.transport)
        waits = wait_timeout if wait else None
        application = Application(cluster, lock, interrupts, output, timeout, workers, waits, run)
        budget = budget_of(max_changes, max_deletes, allow_empty=allow_empty)
        if loaded:
            return application.run_saved(loaded, budget, blocked_ok=blocked_ok)
        return application.run(scope, policy, budget, ask=ask, blocked_ok=blocked_ok)


def _given(ctx: typer.Context, name: str) -> bool:
    """On the command line; an environment variable that stands for all commands is no contradiction."""
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _load(plan_file: str) -> SavedPlan:
    from webappctl.cli import saved

    return saved.load(plan_file)
