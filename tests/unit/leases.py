"""A Lease store in memory, and a clock that moves when it is told to."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from webappctl.core.lease import LOCK
from webappctl.errors import Conflict, Unreachable

Json = Mapping[str, Any]
Act = Callable[[], None]


@dataclass
class Time:
    """`skew`: how far the wall clock is off, in seconds."""

    seconds: float = 1000.0
    skew: float = 0.0

    def clock(self) -> float:
        return self.seconds

    def now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self.seconds + self.skew)


@dataclass
class Stored:
    """The Leases of one namespace, for any number of candidates. `log` has each call's name."""

    namespace: str = "webappctl"
    leases: dict[str, dict[str, Any]] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    acts: list[tuple[str, Act]] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    revision: int = 0
    lock: threading.RLock = field(default_factory=threading.RLock)

    def at(self, name: str = LOCK) -> Door:
        return Door(self, name)

    def before(self, call: str, act: Act) -> None:
        """Before the next call of that name, do this; an error that it raises is the answer."""
        self.acts.append((call, act))

    def lose_answer_to(self, call: str) -> None:
        """The next call of that name is carried out, and its answer is lost."""
        self.lost.append(call)

    def put(self, spec: Json | None, name: str = LOCK) -> None:
        """As somebody else writes it."""
        self.revision += 1
        metadata = {"namespace": self.namespace, "name": name, "resourceVersion": str(self.revision)}
        self.leases[name] = {"kind": "Lease", "metadata": metadata, "spec": spec}

    def spec(self, name: str = LOCK) -> dict[str, Any]:
        found: dict[str, Any] = self.leases[name]["spec"]
        return found

    def began(self, call: str, timeout: float) -> None:
        assert timeout > 0
        self.log.append(call)
        for number, (wanted, act) in enumerate(self.acts):
            if wanted == call:
                del self.acts[number]
                act()
                return

    def ended(self, call: str) -> None:
        if call in self.lost:
            self.lost.remove(call)
            error = Unreachable("no answer")
            error.may_have_happened = call != "get"
            raise error


@dataclass
class Door:
    """The store as the elector of one Lease sees it."""

    stored: Stored
    name: str

    @property
    def namespace(self) -> str:
        return self.stored.namespace

    def get(self, timeout: float) -> Json | None:
        with self.stored.lock:
            self.stored.began("get", timeout)
            self.stored.ended("get")
            return deepcopy(self.stored.leases.get(self.name))

    def create(self, manifest: Json, timeout: float) -> Json:
        with self.stored.lock:
            self.stored.began("create", timeout)
            if self.name in self.stored.leases:
                raise Conflict("exists")
            return self._stored("create", manifest)

    def replace(self, manifest: Json, timeout: float) -> Json:
        with self.stored.lock:
            self.stored.began("replace", timeout)
            there = self.stored.leases.get(self.name)
            read = manifest["metadata"]["resourceVersion"]
            if there is None or there["metadata"]["resourceVersion"] != read:
                raise Conflict("moved")
            return self._stored("replace", manifest)

    def list(self, timeout: float) -> tuple[Json, ...]:
        with self.stored.lock:
            self.stored.began("list", timeout)
            self.stored.ended("list")
            return tuple(deepcopy(lease) for lease in self.stored.leases.values())

    def _stored(self, call: str, manifest: Json) -> Json:
        self.stored.put(deepcopy(manifest["spec"]), self.name)
        metadata = {**manifest["metadata"], "resourceVersion": str(self.stored.revision)}
        self.stored.leases[self.name]["metadata"] = metadata
        self.stored.ended(call)
        return deepcopy(self.stored.leases[self.name])
