"""Snapshot → Plan, and the Plan as a value."""

from webappctl.core.plan.change import (
    BLOCKED,
    CONTESTED,
    PENDING,
    STALLED,
    Action,
    Change,
    Effect,
    Hold,
    Obstacle,
    Plan,
)
from webappctl.core.plan.guards import DEFAULT_DELETES, Budget, Limit, refusals, within
from webappctl.core.plan.make import make_plan, plan_one
from webappctl.core.plan.pause import PAUSE, PAUSED_ANNOTATION, UNTIL_ANNOTATION, Pause, pause_of, seconds_left, way_out
from webappctl.core.plan.policy import CAUTIOUS, Adopt, Policy
from webappctl.core.plan.recall import Memory
from webappctl.core.plan.verdict import Answer, Verdict

__all__ = [
    "BLOCKED",
    "CAUTIOUS",
    "CONTESTED",
    "DEFAULT_DELETES",
    "PAUSE",
    "PAUSED_ANNOTATION",
    "PENDING",
    "STALLED",
    "UNTIL_ANNOTATION",
    "Action",
    "Adopt",
    "Answer",
    "Budget",
    "Change",
    "Effect",
    "Hold",
    "Limit",
    "Memory",
    "Obstacle",
    "Pause",
    "Plan",
    "Policy",
    "Verdict",
    "make_plan",
    "pause_of",
    "plan_one",
    "refusals",
    "seconds_left",
    "way_out",
    "within",
]
