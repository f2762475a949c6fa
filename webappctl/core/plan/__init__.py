"""Snapshot → Plan, and the Plan as a value."""

from webappctl.core.plan.change import PENDING, Action, Change, Effect, Obstacle, Plan
from webappctl.core.plan.make import make_plan, plan_one

__all__ = ["PENDING", "Action", "Change", "Effect", "Obstacle", "Plan", "make_plan", "plan_one"]
