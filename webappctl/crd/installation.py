"""Install the shipped CRD.

Stored objects that it would refuse are named, and are no reason to stop: its rules on names bind on creation only and
its limits on values let an unchanged value pass, so such an object can still be read, reported on and deleted. Only
somebody who changes its spec has to put it right.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from enum import StrEnum
from typing import Final, Protocol

from webappctl.core.objects import Json, Unreadable, WebApp
from webappctl.crd.refusal import refusal
from webappctl.crd.shipped import NAME, shipped
from webappctl.errors import ClusterError, Forbidden, NotFound, Stopped, Throttled

POLL: Final = 0.1
"""Seconds between two looks at the CRD."""
SETTLE: Final = 3.0
"""Seconds in which refused names may still be those of the CRD as it was before."""


class CrdStore(Protocol):
    """What is needed of a cluster."""

    def get_crd(self, name: str) -> Json | None:
        """None when there is no CRD of that name."""

    def apply_crd(self, manifest: Json) -> Json:
        """Server-side apply, forced, as `webappctl`. Returns the CRD as stored."""

    def webapps(self) -> tuple[WebApp | Unreadable, ...]:
        """Every stored WebApp. Raises NotFound where the kind is not served."""


class Installed(StrEnum):
    CREATED = "created"
    CONFIGURED = "configured"
    UNCHANGED = "unchanged"


def install(cluster: CrdStore, say: Callable[[str], None], wait: float, stop: threading.Event) -> Installed:
    """Applies the CRD, and returns when its objects can be had.

    `wait` is in seconds. `say` gets one line for each stored object that would be refused. Raises ClusterError when
    the CRD is refused or not served in time, and Stopped when `stop` is set first.
    """
    before = cluster.get_crd(NAME)
    if before is not None:
        _fail_if_terminating(before)
        _name_refusals(cluster, say)
    after = cluster.apply_crd(shipped())
    _wait_until_served(cluster, wait, stop)
    if before is None:
        return Installed.CREATED
    same = before["metadata"].get("generation") == after["metadata"].get("generation")
    return Installed.UNCHANGED if same else Installed.CONFIGURED


def _name_refusals(cluster: CrdStore, say: Callable[[str], None]) -> None:
    try:
        stored = cluster.webapps()
    except NotFound:
        return  # The CRD was never served, so nothing was ever stored under it.
    except Forbidden as error:
        say(f"stored WebApps are not checked: {error}")
        return
    for webapp in stored:
        if problem := refusal(webapp):
            today = f"the CRD would refuse it today: {problem}"
            say(f"{webapp.key}: {today} (it stays, and its spec is checked when it changes)")


def _wait_until_served(cluster: CrdStore, wait: float, stop: threading.Event) -> None:
    started = time.monotonic()
    while True:
        problem, final = _what_is_missing(cluster)
        if not problem:
            return
        waited = time.monotonic() - started
        if waited >= wait or (final and waited >= SETTLE):
            raise ClusterError(problem, subject=NAME)
        if stop.wait(POLL):
            raise Stopped(f"the CRD was applied, but {problem}", subject=NAME)


def _what_is_missing(cluster: CrdStore) -> tuple[str, bool]:
    """What there is to wait for, empty when nothing; and whether waiting is not going to help."""
    crd = cluster.get_crd(NAME)
    if crd is None:
        return "it was deleted while it was being installed", True
    _fail_if_terminating(crd)
    conditions = {c["type"]: c for c in crd.get("status", {}).get("conditions") or ()}
    names, established = conditions.get("NamesAccepted", {}), conditions.get("Established", {})
    if names.get("status") == "False":
        return f"its names are not accepted: {names.get('message', '')}", True
    if not names or established.get("status") != "True":
        return f"it is not established: {established.get('message', 'the API server has not looked at it yet')}", False
    return _not_served(cluster), False


def _not_served(cluster: CrdStore) -> str:
    """Established comes a moment before the first WebApp can be had."""
    try:
        cluster.webapps()
    except (NotFound, Throttled) as error:
        return f"it is established but not served: {error.message}"
    except Forbidden:
        pass  # Somebody who may install it need not be allowed to read its objects.
    return ""


def _fail_if_terminating(crd: Json) -> None:
    if crd["metadata"].get("deletionTimestamp"):
        remedy = "wait until it is gone, then install it again"
        raise ClusterError("it is being deleted, and every WebApp with it", subject=NAME, remedy=remedy)
