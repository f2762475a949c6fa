"""The user's own folders: named by a variable, else below a home that somebody without an account may not have."""

from __future__ import annotations

import os
from pathlib import Path

from webappctl.errors import SandboxError


def named(variable: str, default: str) -> Path:
    """What the variable says, else `default`; absolute. Raises SandboxError for a `~` that means nothing."""
    path = Path(os.environ.get(variable) or default)
    try:
        return path.expanduser().absolute()
    except RuntimeError as error:  # neither HOME nor an entry in the password database
        remedy = f"set HOME, or {variable} to an absolute path"
        raise SandboxError(f"{path}: this user has no home folder", remedy=remedy) from error
