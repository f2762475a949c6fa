"""Who is there, and who asks."""

from __future__ import annotations

import re
from typing import Final

from webappctl.doctor.asking import Asking, Patient
from webappctl.doctor.findings import Check, Section, Verdict
from webappctl.errors import WebappctlError

OLDEST: Final = (1, 30)
"""The first Kubernetes that takes the shipped CRD as it is: older ones drop `optionalOldSelf`, by which its rules bind
on creation only, unless they are told to have it."""

_VERSION: Final = re.compile(r"v?([0-9]{1,4})\.([0-9]{1,4})\b")


def connection(cluster: Patient, ask: Asking) -> Section:
    """It has answered already."""
    who = ask(cluster.whoami)
    identity = (
        Check("identity", Verdict.UNKNOWN, f"the server does not say who this is: {who.message}")
        if isinstance(who, WebappctlError)
        else Check("identity", Verdict.OK, who)
    )
    return Section("connection", (Check("server", Verdict.OK, f"{cluster.context} ({cluster.server})"), identity))


def no_connection(error: WebappctlError, cluster: Patient | None) -> Section:
    """`cluster` is None where it is not even known which one to ask."""
    where = f"{cluster.context} ({cluster.server}): " if cluster else ""
    return Section("connection", (Check("server", Verdict.FAILED, f"{where}{error.message}", error.remedy),))


def versions(ours: str, theirs: str | WebappctlError | None) -> Section:
    """`theirs` is None where nobody was asked."""
    own = Check("webappctl", Verdict.OK, ours)
    return Section("versions", (own,) if theirs is None else (own, _of_server(theirs)))


def _of_server(version: str | WebappctlError) -> Check:
    subject = "API server"
    if isinstance(version, WebappctlError):
        return Check(subject, Verdict.UNKNOWN, version.message)
    found = _VERSION.match(version)
    if found is None:
        return Check(subject, Verdict.UNKNOWN, f"{version} is no version of Kubernetes")
    if (int(found[1]), int(found[2])) >= OLDEST:
        return Check(subject, Verdict.OK, version)
    message = f"{version} is older than v{OLDEST[0]}.{OLDEST[1]}, the first that takes the shipped CRD as it is"
    return Check(subject, Verdict.WARNING, message, "upgrade Kubernetes")
