"""watch: apply --yes, again and again."""

from __future__ import annotations

import logging
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from webappctl.cli.options import (
    DEFAULT_INTERVAL,
    DEFAULT_REQUEST_TIMEOUT,
    DEFAULT_WORKERS,
    AllNamespaces,
    Context,
    Kubeconfig,
    Names,
    Namespaces,
    RequestTimeout,
    Selector,
    Workers,
    duration,
    in_words,
    scope_of,
)
from webappctl.cli.passes import target_of, unknown_names
from webappctl.cli.session import Interrupts, Reach, guarded

if TYPE_CHECKING:
    from webappctl.core.objects import ObjectKey
    from webappctl.core.plan import Plan
    from webappctl.render import Target

log = logging.getLogger(__name__)


@guarded
def watch(
    names: Names = None,
    namespace: Namespaces = None,
    all_namespaces: AllNamespaces = False,
    selector: Selector = "",
    interval: Annotated[
        float,
        typer.Option(
            "--interval",
            envvar="WEBAPPCTL_INTERVAL",
            metavar="DURATION",
            parser=duration,
            help="From the end of a pass to the start of the next, give or take a tenth.",
        ),
    ] = DEFAULT_INTERVAL,
    workers: Workers = DEFAULT_WORKERS,
    context: Context = None,
    kubeconfig: Kubeconfig = None,
    request_timeout: RequestTimeout = DEFAULT_REQUEST_TIMEOUT,
) -> int:
    """Do apply --yes again and again, until a signal. Logs to stderr, as JSON lines off a terminal."""
    from webappctl import reconcile
    from webappctl import watch as watching
    from webappctl.apply import Orders
    from webappctl.cli import logs

    scope = scope_of(names, namespace, selector, all_namespaces=all_namespaces)
    logs.set_up(level=logging.INFO)
    interrupts = Interrupts(loop=True)
    with interrupts.handled():
        cluster = Reach(kubeconfig, context, request_timeout).open(interrupts, workers=workers)
        target = target_of(cluster, scope)
        orders = Orders(workers, stop=interrupts.stop)
        writing = _Writing(target, interrupts)
        log.info("Watching", extra={"keys": {"target": str(target), "interval": in_words(interval)}})
        watching.watch(
            lambda: reconcile.reconcile(cluster, scope, orders, writing),
            interval=interval,
            stop=interrupts.stop,
            chance=random.random,
        )
    return 0


class _Writing:
    """Around the writes of each pass of `watch`: shows what is pending to people, and names that fit nothing once."""

    def __init__(self, target: Target, interrupts: Interrupts) -> None:
        self._target = target
        self._interrupts = interrupts
        self._unknown: tuple[ObjectKey, ...] = ()

    @contextmanager
    def __call__(self, made: Plan) -> Iterator[None]:
        from webappctl.cli import show

        unknown = unknown_names(self._target.scope, made)
        if unknown and unknown != self._unknown:
            log.warning("No such WebApp", extra={"keys": {"names": ", ".join(str(key) for key in unknown)}})
        self._unknown = unknown
        if made.pending and sys.stdout.isatty():
            show.plan_for_people(made, self._target, sys.stdout)
        with self._interrupts.writing():
            yield
