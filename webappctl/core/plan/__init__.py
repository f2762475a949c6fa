"""Snapshot → Plan, and the Plan as a value."""

from webappctl.core.plan.change import (
    BLOCKED,
    PENDING,
    STALLED,
    Action,
    Answer,
    Change,
    Effect,
    Hold,
    Obstacle,
    Plan,
    Verdict,
)
from webappctl.core.plan.guards import DEFAULT_DELETES, Budget, Limit, refusals, within
from webappctl.core.plan.make import make_plan, plan_one
from webappctl.core.plan.policy import CAUTIOUS, Adopt, Policy

__all__ = [
    "BLOCKED",
    "CAUTIOUS",
    "DEFAULT_DELETES",
    "PENDING",
    "STALLED",
    "Action",
    "Adopt",
    "Answer",
    "Budget",
    "Change",
    "Effect",
    "Hold",
    "Limit",
    "Obstacle",
    "Plan",
    "Policy",
    "Verdict",
    "make_plan",
    "plan_one",
    "refusals",
    "within",
]
