"""Where the Lease is kept, as far as an elector needs to know."""

from __future__ import annotations

from typing import Protocol

from webappctl.core.lease import Json


class LeaseStore(Protocol):
    """Every method ends within `timeout` seconds, and raises the errors of errors.py.

    `namespace` may turn out to be another one than it was, when a Lease is created.
    """

    @property
    def namespace(self) -> str: ...

    @property
    def name(self) -> str: ...

    def get(self, timeout: float) -> Json | None:
        """None: there is none of that name."""

    def create(self, manifest: Json, timeout: float) -> Json:
        """The Lease as it is then. Conflict: it is there already, or `namespace` is another one now."""

    def replace(self, manifest: Json, timeout: float) -> Json:
        """The same. Conflict: it is another one than `manifest` was made of, or it is gone."""

    def list(self, timeout: float) -> tuple[Json, ...]:
        """Every Lease of that namespace."""
