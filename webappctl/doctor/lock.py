"""Who holds the Lease, and since when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from webappctl.core.lease import LOCK, Json, Lease, mode_of, read_lease
from webappctl.doctor.asking import Asking, Patient
from webappctl.doctor.findings import Check, Section, Verdict
from webappctl.errors import WebappctlError
from webappctl.render.text import age


@dataclass(frozen=True, slots=True)
class Place:
    """The namespace of the Lease. `tried`: those in which a process that looks for it needs its rights."""

    namespace: str
    tried: tuple[str, ...]
    check: Check

    @property
    def obstacle(self) -> str:
        return self.check.message if self.check.verdict is Verdict.FAILED else ""


def find_place(cluster: Patient, ask: Asking, candidates: tuple[str, ...]) -> Place:
    """`candidates`: the namespace, and the one that is taken where there is no such namespace."""
    namespace, *otherwise = candidates
    there = ask(lambda: cluster.has_namespace(namespace))
    if isinstance(there, WebappctlError):
        or_else = f", or {otherwise[0]} where there is no such namespace" if otherwise else ""
        verdict = Verdict.UNKNOWN if otherwise else Verdict.OK
        return Place(namespace, (namespace,), Check("namespace", verdict, f"{namespace}{or_else}"))
    if there:
        return Place(namespace, (namespace,), Check("namespace", Verdict.OK, namespace))
    missing = f"there is no namespace {namespace}"
    if otherwise:
        check = Check("namespace", Verdict.OK, f"{otherwise[0]}: {missing}")
        return Place(otherwise[0], candidates, check)
    remedy = "create that namespace, or name another with --lease-namespace"
    return Place(namespace, candidates, Check("namespace", Verdict.FAILED, missing, remedy))


def section(cluster: Patient, ask: Asking, place: Place, now: datetime) -> Section:
    return Section("Lease", (place.check, *_leases(cluster, ask, place.namespace, now)))


def _leases(cluster: Patient, ask: Asking, namespace: str, now: datetime) -> Iterator[Check]:
    found = _read(cluster, ask, namespace)
    if isinstance(found, WebappctlError):
        yield Check(LOCK, Verdict.UNKNOWN, found.message)
        return
    locks = sorted((lease for lease in found if mode_of(lease.name) is not None), key=lambda lease: lease.name)
    if not locks:
        yield Check(LOCK, Verdict.OK, f"nobody holds it: it is not in namespace {namespace} yet")
    for lease in locks:
        yield Check(lease.name, Verdict.OK, _standing(lease, now))


def _read(cluster: Patient, ask: Asking, namespace: str) -> tuple[Lease, ...] | WebappctlError:
    """All of that namespace, or where they may not be listed the one of all WebApps."""
    listed: tuple[Json, ...] | WebappctlError = ask(lambda: cluster.leases(namespace))
    if not isinstance(listed, WebappctlError):
        return tuple(map(read_lease, listed))
    one = ask(lambda: cluster.get_lease(namespace, LOCK))
    if isinstance(one, WebappctlError):
        return one
    return () if one is None else (read_lease(one),)


def _standing(lease: Lease, now: datetime) -> str:
    """Times are the holder's, and compared with ours: that two clocks agree is nothing to build on."""
    if not lease.holder:
        return "nobody holds it"
    parts = [f"held by {lease.holder}"]
    parts += [f"since {lease.acquired} ({age(lease.acquired, now) or 'no time'})"] if lease.acquired else []
    parts += [f"last renewed {age(lease.renewed, now) or lease.renewed}"] if lease.renewed else ["never renewed"]
    if _looks_expired(lease, now):
        parts.append(f"by this machine's clock it has expired: it was for {lease.seconds:g} s")
    return ", ".join(parts)


def _looks_expired(lease: Lease, now: datetime) -> bool:
    try:
        renewed = datetime.fromisoformat(lease.renewed)
        return (now - renewed).total_seconds() > lease.seconds > 0
    except (ValueError, TypeError):  # no time, or one without a zone
        return False
