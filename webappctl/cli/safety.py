"""The options that say how far a pass may go: what it may take over and delete, and how much at once."""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from webappctl.errors import UsageError

if TYPE_CHECKING:
    from webappctl.core.objects import Scope
    from webappctl.core.plan import Budget, Policy

_LIMIT: Final = re.compile(r"[0-9]{1,9}%?")
_ALL: Final = 100


class AdoptChoice(Enum):
    NEVER = "never"
    UNOWNED = "unowned"


def limit(text: str) -> tuple[int, bool]:
    """`12` → (12, False), `30%` → (30, True)."""
    if not _LIMIT.fullmatch(text):
        raise typer.BadParameter(f"{text!r} is no limit; write a number or a percentage, as 12 or 30%")
    number, percent = int(text.rstrip("%")), text.endswith("%")
    if percent and number > _ALL:
        raise typer.BadParameter("it must be at most 100%")
    return number, percent


AdoptOption = Annotated[
    AdoptChoice,
    typer.Option(
        "--adopt",
        envvar="WEBAPPCTL_ADOPT",
        help="unowned: take over a Deployment of the right name and selector that nobody owns.",
    ),
]
Prune = Annotated[
    bool,
    typer.Option(
        "--prune",
        envvar="WEBAPPCTL_PRUNE",
        help="Delete Deployments of ours whose WebApp was deleted with --cascade=orphan.",
    ),
]
MaxChanges = Annotated[
    Any,
    typer.Option(
        "--max-changes",
        envvar="WEBAPPCTL_MAX_CHANGES",
        metavar="N|P%",
        parser=limit,
        help="Refuse a plan with more pending rows; P% is of all rows. Default: no limit.",
        show_default=False,
    ),
]
MaxDeletes = Annotated[
    Any,
    typer.Option(
        "--max-deletes",
        envvar="WEBAPPCTL_MAX_DELETES",
        metavar="N|P%",
        parser=limit,
        help="Refuse a plan that deletes more; P% is of the Deployments. Default: 30% where there are 10 or more.",
        show_default=False,
    ),
]
AllowEmpty = Annotated[
    bool,
    typer.Option(
        "--allow-empty", envvar="WEBAPPCTL_ALLOW_EMPTY", help="Let --prune delete though there is not a single WebApp."
    ),
]


def policy_of(adopt: AdoptChoice, *, prune: bool, scope: Scope) -> Policy:
    """What the plan may do. Raises UsageError for `--prune` over a part of the WebApps only."""
    from webappctl.core.plan import Adopt, Policy

    if prune and (scope.names or scope.selector):
        raise UsageError(
            "--prune cannot be used with names or --selector: it has to see every WebApp to know what has lost its own"
        )
    return Policy(Adopt(adopt.value), prune)


def budget_of(
    max_changes: tuple[int, bool] | None, max_deletes: tuple[int, bool] | None, *, allow_empty: bool
) -> Budget:
    from webappctl.core.plan import DEFAULT_DELETES, Budget, Limit

    changes = None if max_changes is None else Limit(*max_changes)
    deletes = DEFAULT_DELETES if max_deletes is None else Limit(*max_deletes)
    return Budget(changes, deletes, allow_empty)
