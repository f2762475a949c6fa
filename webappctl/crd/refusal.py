"""What the shipped CRD would refuse of what is stored.

A plan blocks by the same limits, and tests hold both to the shipped YAML and to a real API server. Only the rule on
names is a matter of creation alone, so it is here.
"""

from __future__ import annotations

import re

from webappctl.core.desired import DNS_LABEL, MAX_NAME, problem_of
from webappctl.core.objects import Unreadable, WebApp


def refusal(stored: WebApp | Unreadable) -> str:
    """Why the shipped CRD would not let this object be created today; empty when it would."""
    problem = stored.problem if isinstance(stored, Unreadable) else problem_of(stored)
    return "; ".join(filter(None, [_name_problem(stored.metadata.name), problem]))


def _name_problem(name: str) -> str:
    if len(name) > MAX_NAME:
        return f"its name has {len(name)} characters, at most {MAX_NAME} are allowed"
    return "" if re.fullmatch(DNS_LABEL, name) else "its name is not a DNS label"
