"""watch: apply --yes, again and again, and as soon as something changes."""

from __future__ import annotations

import logging
from typing import Annotated

import typer

from webappctl.cli.locking import (
    DEFAULT_LEASE_DURATION,
    DEFAULT_RENEW_DEADLINE,
    DEFAULT_RETRY_PERIOD,
    LeaseDuration,
    LeaseNamespace,
    NoLock,
    RenewDeadline,
    RetryPeriod,
    elector_for,
    timing_of,
)
from webappctl.cli.measuring import Listen
from webappctl.cli.options import (
    DEFAULT_INTERVAL,
    DEFAULT_REQUEST_TIMEOUT,
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
    Workers,
    duration,
    in_words,
    scope_of,
)
from webappctl.cli.passes import target_of
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

log = logging.getLogger(__name__)


@guarded
def watch(
    names: Names = None,
    namespace: Namespaces = None,
    all_namespaces: AllNamespaces = False,
    selector: Selector = "",
    shard: Shard = None,
    interval: Annotated[
        float,
        typer.Option(
            "--interval",
            envvar="WEBAPPCTL_INTERVAL",
            metavar="DURATION",
            parser=duration,
            help="Between passes that list everything, give or take a tenth.",
        ),
    ] = DEFAULT_INTERVAL,
    plan_only: Annotated[
        bool,
        typer.Option(
            "--plan-only", envvar="WEBAPPCTL_PLAN_ONLY", help="Write nothing: metrics and logs of what is pending."
        ),
    ] = False,
    adopt: AdoptOption = AdoptChoice.NEVER,
    prune: Prune = False,
    max_changes: MaxChanges = None,
    max_deletes: MaxDeletes = None,
    allow_empty: AllowEmpty = False,
    lease_namespace: LeaseNamespace = None,
    no_lock: NoLock = False,
    lease_duration: LeaseDuration = DEFAULT_LEASE_DURATION,
    renew_deadline: RenewDeadline = DEFAULT_RENEW_DEADLINE,
    retry_period: RetryPeriod = DEFAULT_RETRY_PERIOD,
    listen: Listen = None,
    output: OutputFormat = Output.TABLE,
    workers: Workers = DEFAULT_WORKERS,
    context: Context = None,
    kubeconfig: Kubeconfig = None,
    request_timeout: RequestTimeout = DEFAULT_REQUEST_TIMEOUT,
) -> int:
    """Do apply --yes again and again, and as soon as something changes, until a signal.

    Of several only the one with the Lease writes; the others are ready to take over. A terminal shows a live view;
    elsewhere there are JSON log lines on stderr. Guards hold for each pass: where one trips, nothing is deleted, and
    the rest goes on within --max-changes. With -o json passes are lines on stdout, with -o yaml documents.
    """
    from webappctl.apply import Orders
    from webappctl.cli import logs
    from webappctl.cli.continuous import Operation
    from webappctl.cli.serving import Measuring, served

    scope = scope_of(names, namespace, selector, all_namespaces=all_namespaces, shard=shard)
    policy = policy_of(adopt, prune=prune, scope=scope)
    timing = timing_of(lease_duration, renew_deadline, retry_period)
    if output is Output.MARKDOWN:
        raise UsageError("watch has no end, so it has no -o markdown", remedy="use table, wide, json or yaml")
    logs.set_up(level=logging.INFO)
    interrupts = Interrupts(loop=True)
    with interrupts.handled():
        reach = Reach(kubeconfig, context, request_timeout)
        cluster = reach.open(interrupts, workers=workers)
        target = target_of(cluster, scope)
        measuring = Measuring(cluster.transport) if listen else None
        elector = None
        if not (no_lock or plan_only):
            heard = measuring.heard if measuring else None
            elector = elector_for(reach, timing, lease_namespace, shard=shard, heard=heard)
        operation = Operation(cluster, target, interrupts, interval, elector=elector, plan_only=plan_only)
        log.info("Watching", extra={"keys": {"target": str(target), "interval": in_words(interval)}})
        orders = Orders(workers, policy=policy, stop=interrupts.stop)
        budget = budget_of(max_changes, max_deletes, allow_empty=allow_empty)
        with served(listen, measuring, operation) as observers:
            operation.run(orders, budget, output, observers)
    return 0
