"""What this identity may do: a SelfSubjectAccessReview for each right in each namespace, side by side."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from webappctl.core.objects import ALL_NAMESPACES
from webappctl.doctor.asking import Asking, Patient
from webappctl.doctor.findings import Ability, Check, Section, Verdict
from webappctl.doctor.rights import ADDED, RIGHTS, Mode, Right, Where, lineage
from webappctl.errors import WebappctlError

Place = tuple[Right, str]
"""A right in a namespace; the empty one is all of them."""

GRANT: Final = "grant that right to this identity"
GRANT_LEASE: Final = "grant it, choose another --lease-namespace, or write without the Lease: --no-lock"


class Rights:
    """What was answered. `namespaces`: those of the scope, and those where the Lease may be."""

    def __init__(self, answers: Mapping[Place, bool | WebappctlError], namespaces: Mapping[Where, tuple[str, ...]]):
        self._answers = answers
        self._namespaces = namespaces

    def missing(self, rights: tuple[Right, ...], *, bearable: bool = False) -> list[Place]:
        """Those not granted that are needed, or without which it can be done all the same."""
        return [
            place
            for place in places(rights, self._namespaces)
            if self._answers[place] is False and bool(place[0].without) is bearable
        ]

    def doubt(self, rights: tuple[Right, ...]) -> str:
        """Why it is not known of all that are needed whether they are granted; empty when it is."""
        answers = (self._answers[place] for place in places(rights, self._namespaces) if not place[0].without)
        return next((answer.message for answer in answers if isinstance(answer, WebappctlError)), "")


def places(rights: tuple[Right, ...], namespaces: Mapping[Where, tuple[str, ...]]) -> Iterator[Place]:
    """Namespace by namespace."""
    for where in Where:
        for namespace in namespaces.get(where, (ALL_NAMESPACES,)):
            yield from ((right, namespace) for right in rights if right.where is where)


def ask_for_all(cluster: Patient, ask: Asking, namespaces: Mapping[Where, tuple[str, ...]], workers: int) -> Rights:
    wanted = list(dict.fromkeys(place for mode in Mode for place in places(RIGHTS[mode], namespaces)))
    with ThreadPoolExecutor(workers, "review") as pool:
        answers = pool.map(lambda place: ask(_question(cluster, *place)), wanted)
        return Rights(dict(zip(wanted, answers, strict=True)), namespaces)


def _question(cluster: Patient, right: Right, namespace: str) -> Callable[[], bool]:
    return lambda: cluster.may(
        right.verb,
        group=right.group,
        resource=right.resource,
        subresource=right.subresource,
        namespace=namespace,
    )


def abilities(rights: Rights, asked: Collection[Mode], obstacles: Mapping[Where, str]) -> tuple[Ability, ...]:
    """`obstacles`: what is in the way of every mode that needs a right there."""
    return tuple(_ability(mode, rights, asked, obstacles) for mode in Mode)


def _ability(mode: Mode, rights: Rights, asked: Collection[Mode], obstacles: Mapping[Where, str]) -> Ability:
    needed = RIGHTS[mode]
    in_the_way = [obstacles.get(where, "") for where in Where if any(right.where is where for right in needed)]
    return Ability(
        mode,
        asked=mode in asked,
        missing=tuple(right.within(namespace) for right, namespace in rights.missing(needed)),
        bearable=tuple(right.within(namespace) for right, namespace in rights.missing(needed, bearable=True)),
        obstacle="; ".join(filter(None, in_the_way)),
        doubt=rights.doubt(needed),
    )


def section(found: tuple[Ability, ...], rights: Rights) -> Section:
    """A line for each mode, and one for each right that it lacks and that no simpler mode lacks already."""
    needed = {mode for ability in found if ability.asked for mode in lineage(ability.mode)}
    return Section("rights", tuple(check for ability in found for check in _checks(ability, rights, needed)))


def _checks(ability: Ability, rights: Rights, needed: Collection[Mode]) -> Iterator[Check]:
    mode = ability.mode
    bad = Verdict.FAILED if mode in needed else Verdict.WARNING
    verdict = {True: Verdict.OK, False: bad, None: Verdict.UNKNOWN}[ability.can_run]
    yield Check(mode.value, verdict, ability.text)
    for right, namespace in rights.missing(ADDED[mode]):
        remedy = GRANT_LEASE if right.where is Where.LEASE else GRANT
        yield Check(mode.value, bad, f"may not {right.within(namespace)}", remedy)
    for right, namespace in rights.missing(ADDED[mode], bearable=True):
        yield Check(mode.value, Verdict.WARNING, f"may not {right.within(namespace)}: {right.without}", GRANT)
