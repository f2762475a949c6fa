"""doctor: can this identity do here what it is wanted for?"""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from enum import Enum
from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated

import typer

from webappctl.cli.locking import LeaseNamespace
from webappctl.cli.options import (
    DEFAULT_REQUEST_TIMEOUT,
    DEFAULT_TIMEOUT,
    DEFAULT_WORKERS,
    AllNamespaces,
    Context,
    Kubeconfig,
    Namespaces,
    Output,
    OutputFormat,
    RequestTimeout,
    Timeout,
    scope_of,
)
from webappctl.cli.session import ERROR, Interrupts, Reach, guarded, say, write
from webappctl.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from webappctl.doctor import Diagnosis, Question
    from webappctl.render import Target


class Purpose(Enum):
    PLAN = "plan"
    APPLY = "apply"
    WATCH = "watch"


@guarded
def doctor(
    namespace: Namespaces = None,
    all_namespaces: AllNamespaces = False,
    purposes: Annotated[
        list[Purpose] | None,
        typer.Option(
            "--for",
            envvar="WEBAPPCTL_FOR",
            metavar="plan|apply|watch",
            help="Exit 1 when this command cannot run here; may be given again. Default: plan.",
            show_default=False,
        ),
    ] = None,
    lease_namespace: LeaseNamespace = None,
    output: OutputFormat = Output.TABLE,
    context: Context = None,
    kubeconfig: Kubeconfig = None,
    request_timeout: RequestTimeout = DEFAULT_REQUEST_TIMEOUT,
    timeout: Timeout = DEFAULT_TIMEOUT,
) -> int:
    """Show what can run here, and what is missing.

    Looks at the server, the CRD, the rights of each command, the Lease, and Deployments that others own. Changes
    nothing. The rights are asked for in all namespaces, or in each --namespace.
    """
    from webappctl.doctor import Mode, Question

    scope = scope_of(None, namespace, "", all_namespaces=all_namespaces)
    if output is Output.MARKDOWN:
        raise UsageError("doctor has no -o markdown", remedy="use table, json or yaml")
    asked = {Mode(purpose.value) for purpose in purposes or (Purpose.PLAN,)}
    reach = Reach(kubeconfig, context, request_timeout, timeout)
    places = _lease_namespaces(lease_namespace, reach)
    question = Question(scope, asked, places, version("webappctl"), datetime.now(UTC), DEFAULT_WORKERS)
    interrupts = Interrupts()
    with interrupts.handled():
        diagnosis, target = _examined(reach, question, interrupts)
    _show(diagnosis, target, output)
    for ability in diagnosis.unable:
        say(f"webappctl: {ability.mode.value}: {ability.text}")
    return ERROR if diagnosis.unable else 0


def _lease_namespaces(given: str | None, reach: Reach) -> tuple[str, ...]:
    """The one that `apply` takes, and the one that it takes where there is no such namespace."""
    from webappctl.cluster.kubeconfig import find_context
    from webappctl.cluster.leases import lease_namespaces

    try:
        found = find_context(reach.kubeconfig, reach.context, os.environ)
    except ConfigError:
        return lease_namespaces(given, "")  # to open the cluster fails as well, and is told
    return lease_namespaces(given, found.namespace if found.in_pod else "")


def _examined(reach: Reach, question: Question, interrupts: Interrupts) -> tuple[Diagnosis, Target]:
    from webappctl import doctor
    from webappctl.cli.passes import target_of
    from webappctl.render import Target

    try:
        cluster = reach.open(interrupts, workers=question.workers)
    except ConfigError as error:
        return doctor.without_server(question, error), Target("", "", question.scope)
    return doctor.examine(cluster, question), target_of(cluster, question.scope)


def _show(diagnosis: Diagnosis, target: Target, output: Output) -> None:
    from webappctl.doctor import shown

    if output is Output.JSON:
        write(sys.stdout, [shown.as_json(diagnosis, target)])
    elif output is Output.YAML:
        write(sys.stdout, [shown.as_yaml(diagnosis, target)])
    elif sys.stdout.isatty():
        _show_to_people(diagnosis)
    else:
        write(sys.stdout, shown.lines(diagnosis))
        say(shown.summary(diagnosis))


def _show_to_people(diagnosis: Diagnosis) -> None:
    from rich.console import Console

    from webappctl.cli.show import NARROWEST_TABLE
    from webappctl.doctor import shown

    console = Console(file=sys.stdout, markup=False, emoji=False, highlight=False)
    if console.width < NARROWEST_TABLE:
        write(sys.stdout, shown.lines(diagnosis))
    else:
        console.print(shown.table(diagnosis, console.width))
        console.print()
    write(sys.stdout, [shown.summary(diagnosis)])
