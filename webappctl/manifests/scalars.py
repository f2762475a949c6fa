"""What a YAML scalar means to the API server.

kubectl turns YAML into JSON by the rules of YAML 1.1 with some of its own, and PyYAML's are others: to kubectl `y` is
true, `09` is 9, `8e1` is 80, while a date and `1:20` are text. tests/integration/test_manifests.py holds this to it.
"""

from __future__ import annotations

import math
import re
from typing import Final

from webappctl.manifests.faults import shown

Scalar = str | int | float | bool | None

_TAGS: Final = "tag:yaml.org,2002:"
_TYPES: Final[dict[str, tuple[type, ...]]] = {
    f"{_TAGS}null": (type(None),),
    f"{_TAGS}bool": (bool,),
    f"{_TAGS}int": (int,),
    f"{_TAGS}float": (int, float),
}
_WORDS: Final[dict[str, Scalar]] = {
    **dict.fromkeys(["", "~", "null", "Null", "NULL"]),
    **dict.fromkeys(["y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE"], True),
    **dict.fromkeys(["n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE"], False),
    **dict.fromkeys([".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"], math.inf),
    **dict.fromkeys(["-.inf", "-.Inf", "-.INF"], -math.inf),
    **dict.fromkeys([".nan", ".NaN", ".NAN"], math.nan),
}
_OCTAL: Final = re.compile(r"[-+]?0[0-7]+")
_WHOLE: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]*|0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+)")
_NUMBER: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_MAX_DIGITS: Final = 67
"""Of a number of 64 bits: a sign, a prefix and 64 digits."""


class BadTag(Exception):
    """A tag that is not one of JSON's types, or does not fit."""


def scalar(text: str, tag: str | None, *, plain: bool) -> Scalar:
    """`plain`: without quotes and not a block. Raises BadTag."""
    if tag is None:
        return resolved(text) if plain else text
    if tag in {"!", f"{_TAGS}str"}:
        return text
    if tag not in _TYPES:
        raise BadTag(f"the tag {short(tag)} is not supported")
    value = resolved(text)
    if type(value) not in _TYPES[tag]:
        raise BadTag(f'"{shown(text)}" does not fit its tag {short(tag)}')
    return value


def short(tag: str) -> str:
    """As it is written: `!!binary`."""
    return shown(tag.replace(_TAGS, "!!"))


def resolved(text: str) -> Scalar:
    """Of a text without quotes and without a tag."""
    if text in _WORDS:
        return _WORDS[text]
    number = text.replace("_", "") if text[0] in "+-0123456789" else text
    whole = _whole(number) if len(number) <= _MAX_DIGITS else None
    if whole is not None and -(2**63) <= whole < 2**64:
        return whole
    if _NUMBER.fullmatch(number) and math.isfinite(float(number)):
        return float(number)
    return text


def _whole(text: str) -> int | None:
    if _OCTAL.fullmatch(text):
        return int(text, 8)
    return int(text, 0) if _WHOLE.fullmatch(text) else None
