"""Admission may make something else of what was sent: of a dry run, and of the real thing."""

from __future__ import annotations

from webappctl.core.desired import desired_fields
from webappctl.core.diff import FieldChange, diff
from webappctl.core.objects import Deployment, WebApp
from webappctl.core.plan import Change


def altered(change: Change, answered: Deployment) -> tuple[FieldChange, ...]:
    """The fields of ours that came back otherwise: `actual` is what admission makes of `desired`."""
    if not isinstance(change.webapp, WebApp):
        return ()
    fields = diff(answered, desired_fields(change.webapp, held=change.held is not None))
    # A WebApp that only a file has is tried with a made-up uid.
    return tuple(field for field in fields if field.path != "ownerReference" or change.webapp.metadata.uid)


def in_words(fields: tuple[FieldChange, ...]) -> str:
    """`image mirror/web:1 of web:1, nothing of port (9999 is there)`."""
    return ", ".join(_in_words(field) for field in fields)


def _in_words(field: FieldChange) -> str:
    if field.actual is not None:
        return f"{field.path} {field.actual} of {field.desired}"
    return f"nothing of {field.path}" + (f" ({field.stays} is there)" if field.stays else "")
