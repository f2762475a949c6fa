"""Objects that do not fit the schema."""

from __future__ import annotations

import msgspec

from webappctl.core.objects.meta import ObjectKey, ObjectMeta
from webappctl.core.objects.webapp import WebAppStatus


class Unreadable(msgspec.Struct, frozen=True):
    """A stored object with a field of a type that the schema does not allow (it was stored under a laxer CRD).

    It is `blocked`, and its neighbours are not concerned. `problem` says which field is wrong, and how.
    """

    metadata: ObjectMeta
    problem: str
    status: WebAppStatus | None = None

    @property
    def key(self) -> ObjectKey:
        return self.metadata.key
