"""Plan and Report as JSON and YAML: ASCII, so that no text of the cluster can reach a terminal."""

from __future__ import annotations

import json
import re
from typing import Any, Final

import msgspec

from webappctl.core.document import PlanDocument, ReportDocument, plan_document, report_document
from webappctl.core.plan import Plan
from webappctl.core.report import Report
from webappctl.render.summary import Target

_PLAIN: Final = re.compile(r"(?![yYnN]\Z)[A-Za-z/][ -~]*")
"""What needs no quotes unless it is a word of YAML. A leading digit, sign or dot may be a number to some reader, and
so may a lone y be a bool."""


def plan_json(plan: Plan, target: Target, *, compact: bool = False) -> str:
    """`compact`: one line, for many in a row."""
    return _json(_of_plan(plan, target), compact=compact)


def plan_yaml(plan: Plan, target: Target) -> str:
    return _yaml(_of_plan(plan, target))


def report_json(report: Report, target: Target, *, compact: bool = False) -> str:
    return _json(_of_report(report, target), compact=compact)


def report_yaml(report: Report, target: Target) -> str:
    return _yaml(_of_report(report, target))


def _of_plan(plan: Plan, target: Target) -> PlanDocument:
    return plan_document(plan, target.context, target.server, target.scope)


def _of_report(report: Report, target: Target) -> ReportDocument:
    return report_document(report, target.context, target.server, target.scope)


def _json(document: PlanDocument | ReportDocument, *, compact: bool = False) -> str:
    separators, indent = ((",", ":"), None) if compact else (None, 2)
    return json.dumps(msgspec.to_builtins(document), indent=indent, separators=separators)


def _yaml(document: PlanDocument | ReportDocument) -> str:
    import yaml  # 20 ms, and most commands print none

    class Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
        def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - what is the same is written again
            return True

    def text(dumper: Any, value: str) -> Any:
        style = None if _PLAIN.fullmatch(value) else '"'
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    Dumper.add_representer(str, text)
    return str(yaml.dump(msgspec.to_builtins(document), Dumper=Dumper, sort_keys=False, width=1 << 30)).rstrip("\n")
