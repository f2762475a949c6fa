"""Label selectors, as text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_SET: Final = re.compile(r"^\s*(\S+)\s+(in|notin)\s*\(([^()]*)\)\s*$")
_EQUAL: Final = re.compile(r"^\s*([^\s!=]+)\s*(==|=|!=)\s*(\S*)\s*$")
_EXISTS: Final = re.compile(r"^\s*(!?)\s*([^\s!=()]+)\s*$")


def matches(selector: str, labels: Mapping[str, str]) -> bool:
    """Raises ValueError for what is no selector."""
    return all(_one(term, labels) for term in re.split(r",(?![^(]*\))", selector) if selector.strip())


def _one(term: str, labels: Mapping[str, str]) -> bool:
    if found := _SET.match(term):
        key, operator, values = found.groups()
        return (labels.get(key) in [value.strip() for value in values.split(",")]) is (operator == "in")
    if found := _EQUAL.match(term):
        key, operator, value = found.groups()
        return (labels.get(key) == value) is (operator != "!=")
    if found := _EXISTS.match(term):
        return (found[2] in labels) is not bool(found[1])
    raise ValueError(f"unable to parse requirement: {term}")
