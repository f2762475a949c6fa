"""A Diagnosis → table, plain lines, JSON and YAML. It returns; cli prints."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from webappctl.core.text import safe
from webappctl.doctor.findings import Ability, Check, Diagnosis, Section, Verdict
from webappctl.doctor.rights import Mode
from webappctl.errors import with_remedy
from webappctl.render import Target

if TYPE_CHECKING:
    from rich.table import Table

SCHEMA_VERSION: Final = 1
WIDEST_SUBJECT: Final = 30
COMMANDS: Final = (Mode.PLAN, Mode.APPLY, Mode.WATCH)

STYLES: Final = {
    Verdict.OK: "green",
    Verdict.WARNING: "yellow",
    Verdict.FAILED: "red",
    Verdict.UNKNOWN: "blue",
}


def table(diagnosis: Diagnosis, width: int) -> Table:
    """For a terminal of so many columns. Nothing is cut: what is too wide folds."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    shown = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False, header_style="bold")
    subject, verdict = _widths(diagnosis, width)
    shown.add_column("Check", overflow="fold", width=subject)
    shown.add_column("", overflow="fold", width=verdict)
    shown.add_column("Found", overflow="fold")
    for section in diagnosis.sections:
        _add(shown, section)
    return shown


def _widths(diagnosis: Diagnosis, width: int) -> tuple[int, int]:
    subjects = [len(safe(check.subject)) for section in diagnosis.sections for check in section.checks]
    names = [len(section.name) for section in diagnosis.sections]
    return min(max(subjects + names), WIDEST_SUBJECT, width // 3), max(len(verdict.value) for verdict in Verdict)


def _add(shown: Table, section: Section) -> None:
    """Its name, and its checks below it. What is the same in checks one after the other is said once."""
    from rich.text import Text

    shown.add_row(Text(section.name, "bold"), "", "")
    last = len(section.checks) - 1
    for nth, check in enumerate(section.checks):
        goes_on = nth > 0 and section.checks[nth - 1].subject == check.subject
        repeated = nth < last and (check.subject, check.remedy) == _addressed(section.checks[nth + 1])
        found = with_remedy(check.message, "" if repeated else check.remedy)
        subject = "" if goes_on else safe(check.subject)
        shown.add_row(Text(subject), Text(check.verdict.value, STYLES[check.verdict]), Text(safe(found)))


def _addressed(check: Check) -> tuple[str, str]:
    return check.subject, check.remedy


def lines(diagnosis: Diagnosis) -> Iterator[str]:
    """Section, subject, verdict, message, remedy; tab-separated."""
    for section in diagnosis.sections:
        for check in section.checks:
            cells = (section.name, check.subject, check.verdict.value, check.message, check.remedy)
            yield "\t".join(safe(cell) for cell in cells)


def summary(diagnosis: Diagnosis) -> str:
    """`can run here: plan, apply; cannot: watch`."""
    commands = [ability for ability in diagnosis.abilities if ability.mode in COMMANDS]
    can = [ability.mode.value for ability in commands if ability.can_run]
    cannot = [ability.mode.value for ability in commands if not ability.can_run]
    parts = [f"can run here: {', '.join(can)}"] if can else []
    parts += [f"cannot: {', '.join(cannot)}"] if cannot else []
    return "; ".join(parts)


def as_json(diagnosis: Diagnosis, target: Target) -> str:
    """ASCII, so that no text of the cluster can reach a terminal."""
    return json.dumps(document(diagnosis, target), indent=2)


def as_yaml(diagnosis: Diagnosis, target: Target) -> str:
    import yaml  # 20 ms, and most commands print none

    return str(yaml.safe_dump(document(diagnosis, target), sort_keys=False, width=1 << 30)).rstrip("\n")


def document(diagnosis: Diagnosis, target: Target) -> dict[str, Any]:
    """As schemas/doctor.v1.schema.json describes it. Within a schema version fields are only ever added."""
    return {
        "schemaVersion": SCHEMA_VERSION,
        "kind": "Diagnosis",
        "context": target.context,
        "server": target.server,
        "namespaces": list(target.scope.namespaces),
        "ok": not diagnosis.unable,
        "modes": [_mode(ability) for ability in diagnosis.abilities],
        "sections": [_section(section) for section in diagnosis.sections],
    }


def _mode(ability: Ability) -> dict[str, Any]:
    return {
        "mode": ability.mode.value,
        "asked": ability.asked,
        "canRun": ability.can_run,
        "reason": "" if ability.can_run else ability.text,
        "missing": list(ability.missing),
        "missingBearable": list(ability.bearable),
    }


def _section(section: Section) -> dict[str, Any]:
    checks = [
        {
            "subject": check.subject,
            "verdict": check.verdict.value,
            "message": check.message,
            "remedy": check.remedy,
        }
        for check in section.checks
    ]
    return {"name": section.name, "checks": checks}
