"""Plan and Report → table, plain lines, JSON. It returns; cli prints."""

from webappctl.render.document import SCHEMA_VERSION, plan_document, report_document
from webappctl.render.lines import plan_lines, result_lines
from webappctl.render.summary import Target, plan_summary, plan_warnings, report_summary, report_warnings
from webappctl.render.table import plan_table, problem_table
from webappctl.render.text import safe

__all__ = [
    "SCHEMA_VERSION",
    "Target",
    "plan_document",
    "plan_lines",
    "plan_summary",
    "plan_table",
    "plan_warnings",
    "problem_table",
    "report_document",
    "report_summary",
    "report_warnings",
    "result_lines",
    "safe",
]
