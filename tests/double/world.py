"""webappctl on the double: passes, and what they sent."""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from datetime import UTC, datetime
from typing import Any, Final

from tests.double.fields import Obj
from tests.double.others import Others
from tests.double.server import Double
from webappctl.apply import Orders
from webappctl.cluster import Cluster, Transport, Wire
from webappctl.cluster.requests import CRDS
from webappctl.core.objects import ObjectKey, Scope
from webappctl.core.plan import CAUTIOUS, Plan, make_plan
from webappctl.core.report import ExitCode, Report, exit_code
from webappctl.crd import NAME
from webappctl.reconcile import carry_out, in_seconds, plan

NOW: Final = datetime(2026, 1, 1, 12, tzinfo=UTC)
ALL: Final = Scope()


class World:
    """A cluster with the CRD and the namespaces `default` and `shop`, and nothing in them.

    `policy` is that of every plan and pass.
    """

    def __init__(self) -> None:
        self.policy = CAUTIOUS
        self.double = Double()
        self.others = Others(self.double.backstage)
        self.stop = threading.Event()
        self.cluster = self.seen_by(self.double)
        self._unseen = self.seen_by(self.double.backstage)

    def seen_by(self, wire: Wire) -> Cluster:
        """As webappctl sees it through that wire. It never waits before another try, and its seconds are short."""
        ticks = itertools.count(step=0.1)
        transport = Transport(
            wire, request_timeout=5, stop=self.stop, clock=lambda: float(next(ticks)), jitter=lambda: -0.5
        )
        return Cluster(transport, context="double", workers=4)

    def declare(self, *names: str, **spec: object) -> None:
        for name in names:
            self.others.declare(key(name), **spec)

    def plan(self, scope: Scope = ALL) -> Plan:
        return plan(self.cluster, scope, self.policy, lambda: NOW)

    def carry_out(self, made: Plan, **orders: Any) -> Report:
        self.double.log.clear()
        return self._carried_out(made, orders)

    def reconcile(self, **orders: Any) -> Report:
        """A whole pass."""
        self.double.log.clear()
        return self._carried_out(self.plan(), orders)

    def _carried_out(self, made: Plan, orders: dict[str, Any]) -> Report:
        """After every pass that would exit 0, nothing is pending."""
        report = carry_out(made, self.cluster, self._orders(orders), lambda: NOW)
        if exit_code(report) is ExitCode.OK:
            after = make_plan(self._unseen.snapshot(ALL), self.policy, now=in_seconds(lambda: NOW))
            assert after.pending == (), "pending after a pass that exits 0"
        return report

    def settle(self) -> None:
        """Passes and rollouts until nothing is left to do."""
        for _ in range(2):
            self.reconcile()
            self.others.roll_out()
        self.reconcile()
        self.double.log.clear()

    @property
    def sent(self) -> Counter[str]:
        """How many of each kind of request the last pass sent: `patch deployments`."""
        return Counter(" ".join(str(sent).split(" ")[:2]) for sent in self.double.log)

    @property
    def writes(self) -> list[str]:
        return [str(sent) for sent in self.double.log if sent.verb not in ("list", "get")]

    def age_crd(self, field: str) -> None:
        """The CRD is that of an older version, which has no such field in its status."""
        self.others.replace(CRDS, ObjectKey("", NAME), lambda crd: _status_fields(crd).pop(field))

    def _orders(self, orders: dict[str, Any]) -> Orders:
        return Orders(**{"stop": self.stop, "policy": self.policy, **orders})


def key(name: str) -> ObjectKey:
    return ObjectKey("shop", name)


def _status_fields(crd: Obj) -> Obj:
    fields: Obj = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"]
    return fields
