"""All that is looked at, in order. What cannot be looked at is said, and is no reason to stop."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from webappctl.core.objects import Scope
from webappctl.doctor import crds, lock, owners, review, server
from webappctl.doctor.asking import Asking, Patient
from webappctl.doctor.findings import Ability, Diagnosis, Section, Verdict
from webappctl.doctor.review import Rights
from webappctl.doctor.rights import RIGHTS, Mode, Where
from webappctl.errors import WebappctlError


@dataclass(frozen=True, slots=True)
class Question:
    """What somebody wants to know. `asked`: the modes that have to be able to run.

    `lease_namespaces`: where the Lease is, and where it is otherwise when there is no such namespace. `version` is that
    of webappctl.
    """

    scope: Scope
    asked: Collection[Mode]
    lease_namespaces: tuple[str, ...]
    version: str
    now: datetime
    workers: int = 8


def examine(cluster: Patient, question: Question) -> Diagnosis:
    """Sends reads and reviews only."""
    ask = Asking()
    version = ask.first(cluster.version)
    if isinstance(version, WebappctlError) and ask.silence is not None:
        return without_server(question, version, cluster)
    connection = server.connection(cluster, ask)
    of_crd = crds.look(cluster, ask)
    place = lock.find_place(cluster, ask, question.lease_namespaces)
    namespaces = {Where.SCOPE: question.scope.streamed, Where.LEASE: place.tried}
    rights = review.ask_for_all(cluster, ask, namespaces, question.workers)
    absent = f"CRD {of_crd[0].subject}: {of_crd[0].message}" if of_crd[0].verdict is Verdict.FAILED else ""
    why_not = absent or _why_no_plan(rights)
    snapshot = WebappctlError(why_not) if why_not else ask(lambda: cluster.snapshot(question.scope))
    failure = "" if why_not or not isinstance(snapshot, WebappctlError) else snapshot.message
    obstacles = {Where.SCOPE: absent or failure, Where.LEASE: place.obstacle}
    abilities = review.abilities(rights, question.asked, obstacles)
    sections = (
        connection,
        server.versions(question.version, version),
        Section("CRD", (*of_crd, crds.refused(snapshot))),
        review.section(abilities, rights),
        lock.section(cluster, ask, place, question.now),
        owners.section(snapshot),
    )
    return Diagnosis(sections, abilities)


def _why_no_plan(rights: Rights) -> str:
    missing = rights.missing(RIGHTS[Mode.PLAN])
    if missing:
        right, namespace = missing[0]
        return f"may not {right.within(namespace)}"
    return rights.doubt(RIGHTS[Mode.PLAN])


def without_server(question: Question, error: WebappctlError, cluster: Patient | None = None) -> Diagnosis:
    """It does not answer; or it is not even known which one to ask, for that reason."""
    sections = (server.no_connection(error, cluster), server.versions(question.version, None))
    abilities = (Ability(mode, mode in question.asked, obstacle=error.message) for mode in Mode)
    return Diagnosis(sections, tuple(abilities))
