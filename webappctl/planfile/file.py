"""SavedPlan ↔ bytes: the plan's document, what it was made for, and a checksum over both."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from webappctl.core.document import SCHEMA_VERSION, PolicyDocument, SavedPlanDocument, plan_document, plan_of, scope_of
from webappctl.core.objects import Scope
from webappctl.core.plan import Plan, Policy
from webappctl.errors import Refused, UsageError

KIND: Final = "SavedPlan"
MAKE_ONE: Final = "webappctl plan --out FILE makes one"


@dataclass(frozen=True, slots=True)
class SavedPlan:
    """A plan that was made at `created` in that context and scope, under that policy. Times are UTC, whole seconds."""

    plan: Plan
    context: str
    server: str
    scope: Scope
    policy: Policy
    created: datetime
    expires: datetime

    def expiry(self, now: datetime) -> str:
        """That it expired, and when; empty as long as it has not."""
        return f"it expired at {_text(self.expires)}" if now >= self.expires else ""


def save(  # noqa: PLR0913 - a saved plan has that many parts
    plan: Plan,
    *,
    context: str,
    server: str,
    scope: Scope,
    policy: Policy,
    created: datetime,
    expires: datetime,
) -> bytes:
    """ASCII. Fractions of a second are dropped."""
    document = SavedPlanDocument(
        schema_version=SCHEMA_VERSION,
        kind=KIND,
        created=_text(created),
        expires=_text(expires),
        policy=PolicyDocument(adopt=policy.adopt, prune=policy.prune),
        plan=plan_document(plan, context, server, scope),
        checksum="",
    )
    raw = msgspec.to_builtins(document)
    return json.dumps(raw | {"checksum": _checksum(raw)}, indent=2).encode() + b"\n"


def load(data: bytes) -> SavedPlan:
    """Raises Refused for a saved plan that was edited, and UsageError for anything else that cannot be used."""
    raw, checksum = _read(data)
    if raw.get("checksum") != checksum:
        raise Refused("this saved plan was edited, its checksum does not fit", remedy="plan again with --out")
    try:
        document = msgspec.convert(raw, SavedPlanDocument)
        created, expires = _time(document.created), _time(document.expires)
    except (msgspec.ValidationError, ValueError) as error:
        raise UsageError(f"this saved plan cannot be understood: {error}", remedy="plan again with --out") from error
    return SavedPlan(
        plan_of(document.plan),
        document.plan.context,
        document.plan.server,
        scope_of(document.plan.scope),
        Policy(document.policy.adopt, document.policy.prune),
        created,
        expires,
    )


def _read(data: bytes) -> tuple[dict[str, Any], str]:
    """JSON that says that it is a saved plan, of a version that is known; and the checksum that it should have."""
    try:
        raw = json.loads(data)
        found = raw if isinstance(raw, dict) else {}
        checksum = _checksum(found)
    except (ValueError, RecursionError) as error:
        raise UsageError("this is no saved plan: it is not JSON", remedy=MAKE_ONE) from error
    kind, version = found.get("kind"), found.get("schemaVersion")
    if kind != KIND:
        what = f"it is a {kind}" if kind in ("Plan", "Report") else "it does not say that it is one"
        raise UsageError(f"this is no saved plan: {what}", remedy=MAKE_ONE)
    if isinstance(version, int) and version > SCHEMA_VERSION:
        remedy = "use it with that version, or plan again with --out"
        raise UsageError(f"this saved plan is of a newer webappctl (schemaVersion {version})", remedy=remedy)
    return found, checksum


def _checksum(raw: dict[str, Any]) -> str:
    """White space and the order of keys are no part of it."""
    rest = {key: value for key, value in raw.items() if key != "checksum"}
    canonical = json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()
    return f"sha256:{hashlib.sha256(canonical).hexdigest()}"


def _text(time: datetime) -> str:
    return f"{time.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _time(text: str) -> datetime:
    """Raises ValueError for what is no time, or has no zone."""
    time = datetime.fromisoformat(text)
    if time.tzinfo is None:
        raise ValueError(f"{text} has no time zone")
    return time
