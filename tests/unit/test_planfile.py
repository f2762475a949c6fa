"""A plan in a file: what comes back, and what is refused."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from tests.documents import BOLD, TARGET, every_kind, misfits
from tests.rendered import HOSTILE, hostile_plan, hostile_report
from webappctl.core.objects import ObjectKey, Scope
from webappctl.core.plan import CAUTIOUS, Plan, Policy
from webappctl.errors import Refused, UsageError
from webappctl.planfile import load, save
from webappctl.render import plan_json, report_json

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(hours=24)
ALL = Scope()


def saved(plan: Plan | None = None, policy: Policy = BOLD, scope: Scope = ALL, **times: datetime) -> bytes:
    when = {"created": NOW, "expires": LATER} | times
    plan = every_kind() if plan is None else plan
    return save(plan, context="prod", server="https://x", scope=scope, policy=policy, **when)


def _with_checksum(**fields: Any) -> bytes:
    """A file with those fields, and a checksum that fits, as one who knows how could make it."""
    raw = json.loads(saved()) | fields
    del raw["checksum"]
    canonical = json.dumps(raw, sort_keys=True, separators=(",", ":")).encode()
    return json.dumps(raw | {"checksum": f"sha256:{hashlib.sha256(canonical).hexdigest()}"}).encode()


def test_what_was_saved_is_loaded() -> None:
    """The plan looks the same, and what it was made for is there too."""
    scope = Scope(("shop",), "team=a", (ObjectKey("", "web"),))
    loaded = load(saved(scope=scope))
    assert plan_json(loaded.plan, TARGET) == plan_json(every_kind(), TARGET)
    assert (loaded.context, loaded.server, loaded.scope) == ("prod", "https://x", scope)
    assert (loaded.policy, loaded.created, loaded.expires) == (BOLD, NOW, LATER)


def test_times_are_utc_in_whole_seconds() -> None:
    """Wherever the plan was made."""
    there = datetime(2026, 1, 1, 14, 0, 0, 999, tzinfo=timezone(timedelta(hours=2)))
    document = json.loads(saved(created=there))
    assert (document["created"], document["expires"]) == ("2026-01-01T12:00:00Z", "2026-01-02T12:00:00Z")


def test_a_plan_expires_at_its_time() -> None:
    """Not before it."""
    loaded = load(saved())
    assert loaded.expiry(LATER - timedelta(seconds=1)) == ""
    assert loaded.expiry(LATER) == "it expired at 2026-01-02T12:00:00Z"


@pytest.mark.parametrize("policy", [CAUTIOUS, BOLD])
def test_a_saved_plan_fits_the_schema(policy: Policy) -> None:
    """Rows of every kind."""
    assert misfits(saved(every_kind(policy), policy)) == []


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_saved_plan_is_ascii_and_keeps_the_text(text: str) -> None:
    """For who prints it, and for who loads it."""
    data = saved(hostile_plan(text))
    assert data.isascii()
    assert plan_json(load(data).plan, TARGET) == plan_json(hostile_plan(text), TARGET)


def test_a_saved_plan_that_was_only_laid_out_anew_is_the_same() -> None:
    """On one line, with sorted keys."""
    anew = json.dumps(json.loads(saved()), sort_keys=True).encode()
    assert load(anew) == load(saved())


@pytest.mark.parametrize(
    "edit",
    [
        lambda file: file.update(expires="2036-01-01T00:00:00Z"),
        lambda file: file["policy"].update(prune=True),
        lambda file: file["plan"]["changes"].pop(),
        lambda file: file["plan"].update(more=1),
        lambda file: file.update(checksum=f"sha256:{'0' * 64}"),
        lambda file: file.pop("checksum"),
    ],
)
def test_an_edited_plan_is_refused(edit: Any) -> None:
    """Whatever was changed of it."""
    file = json.loads(saved(policy=CAUTIOUS))
    edit(file)
    with pytest.raises(Refused, match="this saved plan was edited"):
        load(json.dumps(file).encode())


@pytest.mark.parametrize(
    "data",
    [b"", b"plan", b"\xff\xfe\xfd", b'{"kind": "SavedPlan"', b"[" * 100_000, b'{"kind":' * 100_000, saved()[:-200]],
    ids=["empty", "text", "bytes", "cut", "deep", "deeper", "half"],
)
def test_what_is_no_json_is_no_saved_plan(data: bytes) -> None:
    """Said in one line, with a way out."""
    with pytest.raises(UsageError, match=r"this is no saved plan: it is not JSON \(webappctl plan --out FILE makes"):
        load(data)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (plan_json(every_kind(), TARGET), "it is a Plan"),
        (report_json(hostile_report("x"), TARGET), "it is a Report"),
        ("{}", "it does not say that it is one"),
        ("[]", "it does not say that it is one"),
        ("null", "it does not say that it is one"),
        ('{"kind": ["SavedPlan"]}', "it does not say that it is one"),
    ],
)
def test_other_documents_are_no_saved_plans(text: str, what: str) -> None:
    """What -o json prints is for reading."""
    with pytest.raises(UsageError, match=f"this is no saved plan: {what}"):
        load(text.encode())


def test_a_plan_of_a_newer_version_is_not_guessed_at() -> None:
    """Whether its checksum fits or not."""
    with pytest.raises(UsageError, match=r"of a newer webappctl \(schemaVersion 2\)"):
        load(_with_checksum(schemaVersion=2, checksums=[]))


@pytest.mark.parametrize("field", [{"created": "yesterday"}, {"expires": "2026-01-01T12:00:00"}, {"plan": {}}])
def test_what_makes_no_sense_is_said(field: dict[str, Any]) -> None:
    """Though its checksum fits."""
    with pytest.raises(UsageError, match="this saved plan cannot be understood"):
        load(_with_checksum(**field))


def test_a_field_that_a_newer_program_added_is_no_reason_to_refuse() -> None:
    """Within a schema version fields are only ever added."""
    assert load(_with_checksum(note="x")) == load(saved())
