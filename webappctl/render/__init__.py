"""Plan and Report → table, plain lines, JSON. It returns; cli prints."""

from webappctl.core.document import SCHEMA_VERSION
from webappctl.core.text import safe
from webappctl.render.document import plan_json, plan_yaml, report_json, report_yaml
from webappctl.render.lines import plan_lines, plan_wide_lines, result_lines, result_wide_lines
from webappctl.render.markdown import plan_markdown, report_markdown
from webappctl.render.summary import Target, plan_summary, plan_warnings, report_summary, report_warnings
from webappctl.render.table import plan_table, problem_table
from webappctl.render.wide import plan_wide_table

__all__ = [
    "SCHEMA_VERSION",
    "Target",
    "plan_json",
    "plan_lines",
    "plan_markdown",
    "plan_summary",
    "plan_table",
    "plan_warnings",
    "plan_wide_lines",
    "plan_wide_table",
    "plan_yaml",
    "problem_table",
    "report_json",
    "report_markdown",
    "report_summary",
    "report_warnings",
    "report_yaml",
    "result_lines",
    "result_wide_lines",
    "safe",
]
