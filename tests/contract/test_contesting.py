"""A fight over a field: its condition comes and goes."""

from __future__ import annotations

from tests.contract.conftest import Server
from tests.double.fields import Obj
from webappctl.apply import Orders
from webappctl.core.objects import Scope
from webappctl.core.report import Outcome
from webappctl.reconcile import carry_out, plan
from webappctl.watch.fights import Fights

CALM = 400.0


def _pass(server: Server, fights: Fights, now: float) -> Outcome:
    made = fights.hold_back(plan(server.cluster, Scope((server.namespace,))), now)
    report = carry_out(made, server.cluster, Orders(workers=1))
    fights.learn(report, now)
    (result,) = report.results
    return result.outcome


def _contested(server: Server) -> Obj | None:
    conditions: list[Obj] = server.others.webapp(server.key)["status"]["conditions"]
    return next((condition for condition in conditions if condition["type"] == "Contested"), None)


def _fought_over(server: Server) -> Fights:
    """Somebody scales it each time before a pass puts it back."""
    server.created()
    fights = Fights()
    for now in range(3):
        server.others.scale(server.key, 5, manager="scaler")
        assert _pass(server, fights, now) is Outcome.CONFIGURED
    return fights


def test_a_fight_gets_a_condition_with_the_name_of_the_other(server: Server) -> None:
    fights = _fought_over(server)
    server.others.scale(server.key, 5, manager="scaler")
    assert _pass(server, fights, 3) is Outcome.BLOCKED
    found = _contested(server) or {}
    assert (found["status"], found["reason"]) == ("True", "FieldContested")
    assert found["message"] == "replicas was put back 3 times in 5 min, scaler sets it again"
    assert server.others.deployment(server.key)["spec"]["replicas"] == 5


def test_the_condition_goes_when_there_is_peace(server: Server) -> None:
    fights = _fought_over(server)
    assert _pass(server, fights, 3) is Outcome.UNCHANGED
    assert _contested(server) is not None
    assert _pass(server, fights, CALM) is Outcome.UNCHANGED
    assert _contested(server) is None


def test_a_fight_is_one_warning_beside_what_was_put_back(server: Server) -> None:
    fights = _fought_over(server)
    for now in range(3, 6):
        _pass(server, fights, now)
    told = [event for event in server.others.events(server.namespace) if event["involvedObject"]["kind"] == "WebApp"]
    found = {(event["type"], event["reason"], event["count"]) for event in told}
    assert found == {("Normal", "Reconciled", 3), ("Warning", "Contested", 1)}
