"""The Lease: who may write, as a decision. It compares no clock with another machine's, so none needs to be right.

A follower knows only for how long by its own clock the record has not changed. What the record says of times is for
messages. Records of others are read as far as they make sense: none of them may keep the Lease from ever being taken.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from enum import Enum
from typing import Any, Final

import msgspec

LOCK: Final = "webapp-operator-lock"
API_VERSION: Final = "coordination.k8s.io/v1"
LONGEST: Final = 3600.0
"""Seconds. A record that claims more is not believed: it would keep the Lease from everybody for ever."""
MOST_TRANSITIONS: Final = 2**31 - 1
_SHARDED: Final = re.compile(rf"{LOCK}-(0|[1-9][0-9]{{0,8}})-of-([1-9][0-9]{{0,8}})")

Json = Mapping[str, Any]


def lock_name(shard: tuple[int, int] | None = None) -> str:
    """Of the Lease; `shard` is (index, count): each shard has one of its own."""
    return LOCK if shard is None else f"{LOCK}-{shard[0]}-of-{shard[1]}"


def mode_of(name: str) -> int | None:
    """Of the Lease of that name: how many shards it is one of, 0 for the one of all, None when it is no lock of ours.

    Processes of two modes would both write to the same WebApps.
    """
    found = _SHARDED.fullmatch(name)
    if found and int(found[1]) < int(found[2]):
        return int(found[2])
    return 0 if name == LOCK else None


class Lease(msgspec.Struct, frozen=True):
    """What a Lease of coordination.k8s.io/v1 says. `holder` is empty when it is free; times are as somebody wrote them.

    `seconds`: for how long its holder holds it without a renewal, 0 where nothing sensible is said. `record` is the
    whole spec: it changes with each renewal, and not with what others write to labels and annotations.
    """

    namespace: str
    name: str
    holder: str
    seconds: float
    acquired: str
    renewed: str
    record: bytes

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


def read_lease(live: Json) -> Lease:
    """Of any JSON object; what is odd in it counts as absent."""
    metadata, spec = _mapping(live.get("metadata")), _mapping(live.get("spec"))
    return Lease(
        _text(metadata.get("namespace")),
        _text(metadata.get("name")),
        _text(spec.get("holderIdentity")),
        _seconds(spec.get("leaseDurationSeconds")),
        _text(spec.get("acquireTime")),
        _text(spec.get("renewTime")),
        msgspec.json.encode(spec, order="sorted"),
    )


class Sighting(msgspec.Struct, frozen=True):
    """A Lease, and since which instant of our own monotonic clock its record is known to be as it is."""

    lease: Lease
    since: float

    def again(self, lease: Lease, now: float) -> Sighting:
        return self if lease.record == self.lease.record else Sighting(lease, now)

    def left(self, now: float, own: float) -> float:
        """Seconds until its holder has lost it, unless it is renewed; `own` is our own lease duration, for records
        that say nothing sensible of theirs."""
        return self.since + (self.lease.seconds or own) - now


class Step(Enum):
    CREATE = "create"
    TAKE_OVER = "take over"
    RENEW = "renew"
    WAIT = "wait"


def decide(seen: Sighting | None, who: str, now: float, own: float) -> Step:
    """What to do about the Lease. `now`: an instant at which the record was still as it was seen."""
    if seen is None:
        return Step.CREATE
    if seen.lease.holder == who:
        return Step.RENEW
    if not seen.lease.holder or seen.left(now, own) <= 0:
        return Step.TAKE_OVER
    return Step.WAIT


def created(namespace: str, name: str, who: str, seconds: float, now: str) -> Json:
    """A new Lease that is ours. `now` has exactly six fractional digits: the API server reads no others."""
    metadata = {"namespace": namespace, "name": name}
    spec = {"acquireTime": now, "leaseTransitions": 0, **_renewal(who, seconds, now)}
    return {"apiVersion": API_VERSION, "kind": "Lease", "metadata": metadata, "spec": spec}


def held(live: Json, who: str, seconds: float, now: str) -> Json:
    """The Lease as it is there, but ours, and renewed `now`. All that others have put on it stays."""
    spec = _mapping(live.get("spec"))
    renewed = {**spec, **_renewal(who, seconds, now)}
    if spec.get("holderIdentity") != who:
        renewed |= {"acquireTime": now, "leaseTransitions": _count(spec.get("leaseTransitions"))}
    return {**live, "spec": renewed}


def released(live: Json, now: str) -> Json:
    """The Lease as it is there, but free at once, for programs that know nothing of an empty holder too."""
    free = {"holderIdentity": "", "leaseDurationSeconds": 1, "acquireTime": now, "renewTime": now}
    return {**live, "spec": {**_mapping(live.get("spec")), **free}}


def _renewal(who: str, seconds: float, now: str) -> dict[str, Any]:
    return {"holderIdentity": who, "leaseDurationSeconds": math.ceil(seconds), "renewTime": now}


def _count(transitions: object) -> int:
    """One more than that."""
    if isinstance(transitions, int) and 0 <= transitions < MOST_TRANSITIONS:
        return transitions + 1
    return 1


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    return float(value) if 0 < value <= LONGEST else 0.0


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
