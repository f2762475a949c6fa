"""Snapshot → Plan, and the Plan as a value."""

from webappctl.core.plan.change import BLOCKED, PENDING, STALLED, Action, Change, Effect, Obstacle, Plan
from webappctl.core.plan.make import make_plan, plan_one

__all__ = ["BLOCKED", "PENDING", "STALLED", "Action", "Change", "Effect", "Obstacle", "Plan", "make_plan", "plan_one"]
