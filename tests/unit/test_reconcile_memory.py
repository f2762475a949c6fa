"""Passes that remember what was in order: they report the same, and forget nothing that is still to be told."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest

from tests.double import World
from webappctl.apply import Orders
from webappctl.cluster.requests import WEBAPPS
from webappctl.core.objects import Scope, Snapshot
from webappctl.core.plan import Memory
from webappctl.core.report import Outcome, Report
from webappctl.reconcile import reconcile


class Mirrored:
    """The cluster, whose snapshot stays the one that it was."""

    def __init__(self, world: World) -> None:
        self._cluster = world.cluster
        self._snapshot = world.cluster.snapshot(Scope())

    def snapshot(self, _scope: Scope) -> Snapshot:
        return self._snapshot

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cluster, name)


@pytest.fixture
def settled(world: World) -> World:
    world.declare("web", "api")
    world.settle()
    return world


def _passed(mirrored: Mirrored, memory: Memory) -> Report:
    return reconcile(mirrored, Scope(), Orders(), lambda _: nullcontext(), memory=memory)


def test_a_pass_that_remembers_reports_what_one_reports_that_does_not(settled: World) -> None:
    mirrored, memory = Mirrored(settled), Memory()
    first = _passed(mirrored, memory)
    assert _passed(mirrored, memory) == first == _passed(mirrored, Memory())
    assert first.count(Outcome.UNCHANGED) == 2


def test_what_is_in_order_is_remembered(settled: World) -> None:
    memory = Memory()
    report = _passed(Mirrored(settled), memory)
    assert list(memory.quiet) == [result.key for result in report.results]


def test_a_status_that_could_not_be_written_is_written_by_the_next_pass(world: World) -> None:
    """Though its objects are the same as before."""
    world.declare("web", "api")
    world.reconcile()
    world.others.roll_out()
    mirrored, memory = Mirrored(world), Memory()
    world.double.denied = {("patch", f"{WEBAPPS}/status")}
    assert len(_passed(mirrored, memory).status_failures) == 2
    world.double.denied = set()
    world.double.log.clear()
    _passed(mirrored, memory)
    assert world.sent == {"patch webapps/status": 2}
