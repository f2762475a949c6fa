"""Plan and Report ↔ the versioned document that programs read, and its JSON Schema."""

from webappctl.core.document.read import plan_of, scope_of
from webappctl.core.document.schema import schema_text
from webappctl.core.document.shapes import (
    SCHEMA_VERSION,
    ChangeDocument,
    PlanDocument,
    PolicyDocument,
    ReportDocument,
    ResultDocument,
    SavedPlanDocument,
)
from webappctl.core.document.write import live_fields, plan_document, report_document

__all__ = [
    "SCHEMA_VERSION",
    "ChangeDocument",
    "PlanDocument",
    "PolicyDocument",
    "ReportDocument",
    "ResultDocument",
    "SavedPlanDocument",
    "live_fields",
    "plan_document",
    "plan_of",
    "report_document",
    "schema_text",
    "scope_of",
]
