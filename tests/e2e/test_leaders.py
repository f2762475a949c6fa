"""Two of them: one writes, the other takes over, whatever becomes of the first, and nothing newer is overwritten."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cable import cable
from tests.watching import Watch, Watches, as_user, watches
from tests.world import Audit, World, eventually
from webappctl.sandbox import Sandbox

LEASE, RENEW_DEADLINE, RETRY = 4.0, 3.0, 0.5
SLACK = 2.0
"""Seconds for a loaded machine."""
NEW, NEWER = "nginx:1.26", "nginx:1.27"


class Pair:
    """Two watches over one namespace with one Lease; `first` leads when the test begins, and `second` follows."""

    def __init__(self, world: World, started: Watches, folder: Path) -> None:
        self.world = world
        self.started = started
        self.users = {name: as_user(name, world.webappctl.kubeconfig, folder) for name in ("first", "second")}
        world.declare("web")
        self.first = self.start("first")
        self.first.until("Leading")
        self.first.until("Pass finished")
        self.second = self.start("second")
        self.second.until("Following")

    def start(self, user: str, kubeconfig: Path | None = None) -> Watch:
        return self.started.start(
            *("-n", self.world.namespace, "--lease-namespace", self.world.namespace, "--interval", "2s"),
            *("--lease-duration", f"{LEASE}s", "--renew-deadline", f"{RENEW_DEADLINE}s", "--retry-period", f"{RETRY}s"),
            kubeconfig=kubeconfig or self.users[user],
        )

    def lease(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(
            self.world.kubectl("get", "lease", "webapp-operator-lock", "-o", "json").stdout
        )["spec"]
        return found

    def image(self) -> str:
        return str(self.world.deployment("web")["spec"]["template"]["spec"]["containers"][0]["image"])

    def converges_to(self, image: str) -> None:
        self.world.declare("web", image=image)
        eventually(lambda: self.image() == image)


@pytest.fixture
def pair(world: World, tmp_path: Path) -> Iterator[Pair]:
    with watches(world.webappctl, tmp_path) as started:
        yield Pair(world, started, tmp_path)


def test_a_follower_never_writes(pair: Pair, sandbox: Sandbox) -> None:
    """All the while that the other does."""
    audit = Audit.from_now(sandbox)
    pair.converges_to(NEW)
    assert audit.writes("first")
    assert audit.writes("second") == []


def test_the_other_leads_when_the_leader_is_killed(pair: Pair) -> None:
    """Within the lease and three retries of its last renewal."""
    holder = pair.lease()["holderIdentity"]
    pair.first.send(signal.SIGKILL)
    killed = time.monotonic()
    eventually(lambda: pair.lease()["holderIdentity"] != holder, every=0.05)
    took = time.monotonic() - killed
    assert took < LEASE + 3 * RETRY + SLACK
    assert pair.lease()["leaseTransitions"] == 1
    pair.converges_to(NEW)


def test_a_leader_that_was_stopped_for_two_leases_overwrites_nothing_and_steps_down(
    pair: Pair, sandbox: Sandbox
) -> None:
    """It wakes in the belief that it leads; the clock tells it otherwise before anything is sent."""
    pair.first.send(signal.SIGSTOP)
    pair.second.until("Leading")
    pair.converges_to(NEW)
    time.sleep(2 * LEASE - RENEW_DEADLINE)
    audit = Audit.from_now(sandbox)
    pair.first.send(signal.SIGCONT)
    pair.first.until("Not leading any more")
    pair.converges_to(NEWER)
    assert audit.writes("first") == []


def test_a_leader_that_ends_hands_over_at_once(pair: Pair) -> None:
    """It gives the Lease back after its work has ended; nobody waits until it has run out."""
    ended = time.monotonic()
    assert pair.first.end() == 0
    assert time.monotonic() - ended < 10
    pair.second.until("Leading", seconds=3 * RETRY + SLACK)


def test_one_apply_beside_a_leader_waits_and_names_it(pair: Pair) -> None:
    holder = pair.lease()["holderIdentity"]
    began = time.monotonic()
    done = pair.world.webappctl(
        *("apply", "--yes", "-n", pair.world.namespace, "--lease-namespace", pair.world.namespace),
        *("--lock-timeout", "2s"),
    )
    assert (done.returncode, time.monotonic() - began >= 2) == (4, True)
    assert holder in done.stderr
    assert done.stdout == ""


def test_a_leader_that_is_cut_off_stops_writing_and_comes_back(pair: Pair, sandbox: Sandbox, tmp_path: Path) -> None:
    """The process lives; the other leads meanwhile."""
    with cable(pair.users["first"], tmp_path) as laid:
        assert pair.first.end() == 0
        pair.second.until("Leading")
        third = pair.start("first", laid.kubeconfig)
        third.until("Following")
        assert pair.second.end() == 0
        third.until("Leading")
        second = pair.start("second")
        second.until("Following")
        laid.cut()
        second.until("Leading")
        pair.converges_to(NEW)
        audit = Audit.from_now(sandbox)
        laid.mend()
        third.until("Following", times=2)
        pair.converges_to(NEWER)
        assert audit.writes("first") == []
