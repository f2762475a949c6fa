"""The API server will not have it: of which kind that is, and what can be done about it.

Decided by class, reason, causes and fields of its answer; its text is quoted and never parsed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from webappctl.apply.results import gone
from webappctl.apply.writer import Writer
from webappctl.core.objects import GROUP, PLURAL, ObjectKey
from webappctl.core.plan import Action, Change, Obstacle
from webappctl.core.report import Outcome, Result
from webappctl.errors import ClusterError, Forbidden, NotFound, Rejected, Stopped

NAMESPACE_TERMINATING: Final = "NamespaceTerminating"
GRANT: Final = 'grant that right to this identity, see "webappctl doctor --for apply"'
SELECTOR_FIELD: Final = "spec.selector"


@dataclass(frozen=True, slots=True)
class Refusal:
    """`message` and `remedy` are for people."""

    obstacle: Obstacle
    message: str
    remedy: str


class Refusals:
    """Those of one pass."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._may: dict[tuple[str, str, tuple[str, str, str]], bool] = {}

    def result_of(self, change: Change, error: Rejected) -> Result:
        """The server will not have it. That is this object's own trouble, and stays so in the next passes."""
        if isinstance(error, NotFound) and (change.webapp is None or self._is_gone(change.key)):
            return gone(change)
        refusal = self.kind_of(change, error)
        refused = Result(change, Outcome.BLOCKED, change.deployment, tried=True, obstacle=refusal.obstacle)
        return replace(refused, message=refusal.message, remedy=refusal.remedy)

    def kind_of(self, change: Change, error: Rejected) -> Refusal:
        """What kind of refusal it is."""
        namespace = change.key.namespace
        quoted = f"refused by the API server: {error.server_message or error.message}"
        if any(cause.reason == NAMESPACE_TERMINATING for cause in error.causes):
            message = f"namespace {namespace} is being deleted"
            return Refusal(Obstacle.TERMINATING_NAMESPACE, message, "it goes with its namespace")
        if isinstance(error, NotFound):
            return Refusal(Obstacle.MISSING_NAMESPACE, error.message, f"create namespace {namespace}")
        if any(cause.field == SELECTOR_FIELD for cause in error.causes):
            remedy = "delete the Deployment, it is created again"
            return Refusal(Obstacle.IMMUTABLE_SELECTOR, quoted, remedy)
        missing = self._missing_right(change) if isinstance(error, Forbidden) and not error.causes else ""
        if missing:
            message = f"forbidden: may not {missing} deployments.apps in namespace {namespace}"
            return Refusal(Obstacle.MISSING_RIGHT, message, GRANT)
        if isinstance(error, Forbidden) or _denied_by_a_policy(error):
            remedy = "make room in the quota, or keep to the admission rule that the API server names"
            return Refusal(Obstacle.DENIED, quoted, error.remedy or f"{self._owner_right_missing(change)}{remedy}")
        return Refusal(Obstacle.INVALID, quoted, error.remedy or "put right what the API server names")

    def _is_gone(self, key: ObjectKey) -> bool:
        try:
            return self._writer.get_webapp(key).metadata.terminating
        except NotFound:
            return True
        except (ClusterError, Stopped):
            return False

    def _missing_right(self, change: Change) -> str:
        """Quota and a missing right are the same 403: a SelfSubjectAccessReview tells them apart."""
        try:
            return next((verb for verb in _verbs(change) if not self._may_write(verb, change.key.namespace)), "")
        except (ClusterError, Stopped):
            return ""

    def _owner_right_missing(self, change: Change) -> str:
        """A right that is needed in some clusters only, so that its lack may be the reason, or not."""
        if not _names_a_new_owner(change):
            return ""
        try:
            may = self._may_write("update", change.key.namespace, (GROUP, PLURAL, "finalizers"))
        except (ClusterError, Stopped):
            return ""
        right = f"may not update {PLURAL}.{GROUP}/finalizers"
        return "" if may else f"this identity {right}: grant that if it is about blockOwnerDeletion, else "

    def _may_write(self, verb: str, namespace: str, what: tuple[str, str, str] = ("apps", "deployments", "")) -> bool:
        """Asked once in a pass; by two workers at the same time perhaps twice. `what`: group, resource, subresource."""
        key = (verb, namespace, what)
        if key not in self._may:
            group, resource, subresource = what
            self._may[key] = self._writer.may(
                verb, group=group, resource=resource, subresource=subresource, namespace=namespace
            )
        return self._may[key]


def _denied_by_a_policy(error: Rejected) -> bool:
    """A ValidatingAdmissionPolicy denies with causes that name no field; what is invalid has one."""
    return bool(error.causes) and not any(cause.field for cause in error.causes)


def _verbs(change: Change) -> tuple[str, ...]:
    """The rights that the write needs.

    Server-side apply is a patch, and creates with both. Where OwnerReferencesPermissionEnforcement is on, a new owner
    of an object that is there needs the right to delete it.
    """
    if change.action is Action.CREATE:
        return ("patch", "create")
    if change.action is Action.DELETE:
        return ("delete",)
    return ("patch", "delete") if _names_a_new_owner(change) else ("patch",)


def _names_a_new_owner(change: Change) -> bool:
    return change.action is Action.CREATE or any(field.path == "ownerReference" for field in change.fields)
