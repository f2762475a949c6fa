"""The one gate through which the text of others reaches a terminal or a message."""

from __future__ import annotations


def safe(text: str) -> str:
    """The text with nothing in it that a terminal obeys or a reader cannot see: such a character is shown escaped.

    Of these, `isprintable` knows all: controls, formats (bidi, zero width), line separators, unassigned, odd spaces.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
