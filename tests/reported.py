"""What a pass found → the status that it reports."""

from __future__ import annotations

from typing import Any

from tests.builders import NOW, webapp
from webappctl.core.objects import Deployment, Unreadable, WebApp, WebAppStatus
from webappctl.core.plan import Action, Change
from webappctl.core.report import Outcome, Result
from webappctl.core.status import status_change


def result(live: Deployment | None, wanted: WebApp | Unreadable | None = None, **fields: Any) -> Result:
    outcome = fields.pop("outcome", Outcome.UNCHANGED)
    change = Change(wanted or webapp(), live, Action.NONE)
    return Result(change, outcome, live, **fields)


def reported(live: Deployment | None, wanted: WebApp | Unreadable | None = None, **fields: Any) -> WebAppStatus:
    found = status_change(result(live, wanted, **fields), wanted or webapp(), NOW)
    assert found is not None
    return found


def conditions_of(found: WebAppStatus) -> dict[str, tuple[str, str]]:
    return {c.type: (c.status, c.reason) for c in found.conditions or ()}
