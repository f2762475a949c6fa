"""The CRD of the cluster beside the one that ships."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from webappctl.core.lease import Json
from webappctl.core.objects import PLURAL, Snapshot
from webappctl.crd import NAME, refusal, shipped
from webappctl.doctor.asking import Asking, Patient
from webappctl.doctor.findings import Check, Verdict
from webappctl.doctor.words import few
from webappctl.errors import WebappctlError

INSTALL: Final = "webappctl crd --install"
SUBRESOURCES: Final = (f"{PLURAL}/status", f"{PLURAL}/scale")
SET_BY_THE_SERVER: Final = frozenset({"spec.conversion"})


def presence(stored: Json | WebappctlError | None, served: tuple[str, ...] | WebappctlError) -> Check:
    """Not every identity may read CRDs; what is served, everybody may know."""
    if isinstance(stored, Mapping):
        return _standing(stored, served)
    if stored is None or (isinstance(served, tuple) and PLURAL not in served):
        return Check(NAME, Verdict.FAILED, "not installed", INSTALL)
    if isinstance(served, WebappctlError):
        return Check(NAME, Verdict.UNKNOWN, served.message)
    return Check(NAME, Verdict.OK, "served")


def _standing(stored: Json, served: tuple[str, ...] | WebappctlError) -> Check:
    if stored.get("metadata", {}).get("deletionTimestamp"):
        remedy = f"wait until it is gone, then {INSTALL}"
        return Check(NAME, Verdict.FAILED, "being deleted, and every WebApp with it", remedy)
    conditions = {found.get("type"): found for found in stored.get("status", {}).get("conditions") or ()}
    for kind, problem in (("NamesAccepted", "its names are not accepted"), ("Established", "it is not established")):
        condition = conditions.get(kind, {})
        if condition.get("status") != "True":
            return Check(NAME, Verdict.FAILED, f"{problem}: {condition.get('message', 'not looked at yet')}")
    if isinstance(served, tuple) and PLURAL not in served:
        return Check(NAME, Verdict.FAILED, "installed, but its version v1 is not served", INSTALL)
    return Check(NAME, Verdict.OK, "installed and served")


def likeness(stored: Json | WebappctlError, served: tuple[str, ...] | WebappctlError) -> Check:
    """Is it the CRD that ships?"""
    subject = "same as shipped"
    if isinstance(stored, WebappctlError):
        lacking = [name for name in SUBRESOURCES if isinstance(served, tuple) and name not in served]
        if lacking:
            return Check(subject, Verdict.WARNING, f"another one: {' and '.join(lacking)} not served", INSTALL)
        return Check(subject, Verdict.UNKNOWN, stored.message)
    found = list(differences(shipped()["spec"], stored.get("spec", {}), "spec"))
    if not found:
        return Check(subject, Verdict.OK, "yes")
    return Check(subject, Verdict.WARNING, f"no: {few(found)}", INSTALL)


def differences(ours: Any, theirs: Any, path: str) -> Iterator[str]:
    """`spec.versions[v1].schema… differs`, `… is missing`, `… is not in the shipped one`.

    Items of a list are matched by their names, where they have some.
    """
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        yield from _of_mappings(ours, theirs, path, ".{}")
    elif isinstance(ours, list) and isinstance(theirs, list):
        yield from _of_mappings(_by_name(ours), _by_name(theirs), path, "[{}]")
    elif ours != theirs or isinstance(ours, bool) is not isinstance(theirs, bool):
        yield f"{path} differs"


def _of_mappings(ours: Mapping[Any, Any], theirs: Mapping[Any, Any], path: str, step: str) -> Iterator[str]:
    for key, value in ours.items():
        place = path + step.format(key)
        if key in theirs:
            yield from differences(value, theirs[key], place)
        else:
            yield f"{place} is missing"
    for key in theirs:
        place = path + step.format(key)
        if key not in ours and place not in SET_BY_THE_SERVER:
            yield f"{place} is not in the shipped one"


def _by_name(items: list[Any]) -> Mapping[Any, Any]:
    named = {item["name"]: item for item in items if isinstance(item, Mapping) and "name" in item}
    return named if len(named) == len(items) else dict(enumerate(items))


def refused(snapshot: Snapshot | WebappctlError) -> Check:
    """Stored objects that the shipped CRD would not let be created today."""
    subject = "stored WebApps"
    if isinstance(snapshot, WebappctlError):
        return Check(subject, Verdict.UNKNOWN, f"not checked: {snapshot.message}")
    problems = [f"{webapp.key}: {problem}" for webapp in snapshot.webapps if (problem := refusal(webapp))]
    total = len(snapshot.webapps)
    if not problems:
        return Check(subject, Verdict.OK, f"the shipped CRD would refuse none of {total:,}")
    message = f"the shipped CRD would refuse {len(problems):,} of {total:,}: {few(problems)}"
    return Check(subject, Verdict.WARNING, message, "they stay; change them before their spec is changed otherwise")


def look(cluster: Patient, ask: Asking) -> tuple[Check, ...]:
    """Its presence, and where it is there its likeness."""
    served = ask(cluster.served)
    stored = ask(lambda: cluster.get_crd(NAME))
    found = presence(stored, served)
    if stored is None or (isinstance(stored, WebappctlError) and found.verdict is Verdict.FAILED):
        return (found,)
    return found, likeness(stored, served)
