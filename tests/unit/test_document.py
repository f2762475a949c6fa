"""Plan and Report ↔ document."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import msgspec
import pytest

from tests.builders import autoscaler, deployment, paused, snapshot, webapp
from tests.builders import row as row_of
from tests.documents import TARGET, every_kind, with_verdicts
from webappctl.core.document import PlanDocument, plan_document, plan_of, report_document, scope_of
from webappctl.core.objects import ObjectKey, ObjectMeta, Scope, Unreadable
from webappctl.core.plan import Action, Change, Plan, make_plan
from webappctl.core.report import Outcome, Readiness, Report, Result
from webappctl.render import plan_json

PARTS = (TARGET.context, TARGET.server, TARGET.scope)


def _row(*objects: Any) -> dict[str, Any]:
    """The one row of the plan for these."""
    document = plan_document(make_plan(snapshot(*objects)), *PARTS)
    (row,) = msgspec.to_builtins(document)["changes"]
    return dict(row)


def _read_back(plan: Plan) -> Plan:
    return plan_of(msgspec.json.decode(plan_json(plan, TARGET), type=PlanDocument))


def test_a_row_names_both_objects_as_they_were_read() -> None:
    """So that a later pass can tell whether they are the same ones."""
    row = _row(webapp(generation=4), deployment(image="old"))
    assert (row["uid"], row["generation"], row["deploymentUid"]) == ("uid-of-web", 4, "uid-of-web-deployment")


def test_a_row_without_a_webapp_has_no_uid_and_its_name() -> None:
    """The one that the Deployment was made for."""
    row = _row(deployment(webapp("lost"), owner_references=()))
    assert (row["name"], row["deployment"], row["uid"], row["generation"]) == ("lost", "lost-deployment", None, None)


def test_a_pending_row_has_what_was_observed() -> None:
    """All of the fields that are ours, those that do not differ too."""
    observed = _row(webapp(), deployment(image="old", replicas=2))["observed"]
    labels = {"app": "web", "managed-by": "webapp-operator"}
    owner = observed.pop("ownerReference")
    assert (owner["name"], owner["controller"]) == ("web", True)
    assert observed == {"image": "old", "replicas": 2, "port": 80, "labels": labels, "podLabels": labels}


@pytest.mark.parametrize("live", [None, deployment()], ids=["absent", "in order"])
def test_nothing_is_observed_where_nothing_is_compared(live: Any) -> None:
    """There is no Deployment, or nothing is pending."""
    assert _row(*filter(None, (webapp(), live)))["observed"] is None


def test_held_replicas_are_told_and_not_observed() -> None:
    """The autoscaler may move them."""
    row = _row(webapp(), deployment(image="old", replicas=7), autoscaler())
    assert row["held"] == {"autoscaler": "web", "minimum": 2, "maximum": 9, "live": 7, "wanted": 3}
    assert row["observed"]["replicas"] is None


def test_of_an_orphan_that_is_to_go_its_image_and_labels_are_observed() -> None:
    """Its replicas and its port are not ours any more."""
    (change,) = (change for change in every_kind().changes if change.action is Action.DELETE)
    (row,) = plan_document(Plan((change,)), *PARTS).changes
    assert row.observed is not None
    seen = row.observed
    assert (seen.image, seen.labels["app"], seen.replicas, seen.port) == ("nginx:1.25", "orphan", None, None)


def test_a_takeover_says_from_whom_and_what_falls_away() -> None:
    """Before the first write to a Deployment that others made."""
    (row,) = (change for change in every_kind().changes if change.action is Action.ADOPT)
    (change,) = plan_document(Plan((row,)), *PARTS).changes
    assert change.takeover is not None
    assert (change.takeover.managers, change.takeover.falls_away) == (("helm",), ("port 9090",))


def test_a_plan_that_is_read_back_looks_the_same() -> None:
    """Rows of every kind, to the byte."""
    plan = with_verdicts(every_kind())
    assert {change.action for change in plan.changes} >= {*Action} - {Action.HELD, Action.NONE, Action.ORPHAN}
    assert plan_json(_read_back(plan), TARGET) == plan_json(plan, TARGET)


def test_a_row_that_is_read_back_does_the_same() -> None:
    """So a fresh plan can be compared with it."""
    plan = every_kind()
    for before, after in zip(plan.changes, _read_back(plan).changes, strict=True):
        assert after.does_the_same_as(before), before.title
        assert before.does_the_same_as(after), before.title


def test_nothing_of_a_row_is_forgotten() -> None:
    """But what is not ours of its two objects."""
    plan = with_verdicts(every_kind())
    for before, after in zip(plan.changes, _read_back(plan).changes, strict=True):
        for field in dataclasses.fields(Change):
            if field.name not in ("webapp", "deployment"):
                assert getattr(after, field.name) == getattr(before, field.name), (before.title, field.name)


def test_a_contested_row_is_read_back() -> None:
    """Only watch has one."""
    change = dataclasses.replace(row_of(webapp(), deployment()), contested="kubectl sets it again")
    assert [read.contested for read in _read_back(Plan((change,))).changes] == [change.contested]


def test_a_pause_says_why_and_until_when() -> None:
    """And what would change."""
    end = "2026-01-02T12:00:00Z"
    found = _row(webapp(annotations=paused("moving", end)), deployment(image="old"))
    assert (found["action"], found["pause"]) == ("paused", {"reason": "moving", "until": end})
    assert [field["path"] for field in found["fields"]] == ["image"]
    assert _row(webapp(annotations=paused()), deployment())["pause"] == {"reason": "moving", "until": None}


def test_what_could_not_be_read_is_still_unreadable() -> None:
    """And says what is wrong with it."""
    odd = Unreadable(ObjectMeta("odd", "shop", "u"), "spec.port: expected int, got str")
    (change,) = _read_back(make_plan(snapshot(odd))).changes
    assert change.webapp == odd


def test_the_last_refusal_is_read_back() -> None:
    """Though the status that told it is not in the document."""
    refusals = {change.key.name: change.last_refusal for change in _read_back(every_kind()).changes}
    assert refusals["refused"] == "m"


def test_a_scope_is_read_back() -> None:
    """Names with and without a namespace."""
    scope = Scope(("shop", "blog"), "team=a", (ObjectKey("", "web"), ObjectKey("shop", "api")))
    assert scope_of(plan_document(Plan(()), "c", "s", scope).scope) == scope


def test_a_result_says_what_became_of_it() -> None:
    """Its obstacle, message and remedy stand where those of the plan would."""
    (change,) = make_plan(snapshot(webapp())).changes
    result = Result(change, Outcome.FAILED, message="no answer", remedy="again")
    document = report_document(Report((result,)), *PARTS)
    (row,) = json.loads(msgspec.json.encode(document))["results"]
    told = {"action": "create", "outcome": "failed", "message": "no answer", "remedy": "again", "uid": "uid-of-web"}
    assert told.items() <= row.items()


def test_a_result_that_was_waited_for_says_how_far_it_is() -> None:
    """Pod by pod."""
    (change,) = make_plan(snapshot(webapp())).changes
    readiness = Readiness(reason="ProgressDeadlineExceeded", message="m", pods=("p",), remedy="r")
    document = report_document(Report((Result(change, Outcome.CREATED, readiness=readiness),)), *PARTS)
    told = msgspec.to_builtins(document)["results"][0]["readiness"]
    assert told == dataclasses.asdict(readiness)
