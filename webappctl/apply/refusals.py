"""The API server will not have it: why, and what can be done about it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from webappctl.apply.results import gone
from webappctl.apply.writer import Writer
from webappctl.core.objects import ObjectKey
from webappctl.core.plan import Action, Change, Obstacle
from webappctl.core.report import Outcome, Result
from webappctl.errors import ClusterError, Forbidden, NotFound, Rejected, Stopped

TRIED_AGAIN: Final = "put right what the API server names; it is tried again in every pass"


class Refusals:
    """Those of one pass."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._may: dict[tuple[str, str], bool] = {}

    def result_of(self, change: Change, error: Rejected) -> Result:
        """The server will not have it. That is this object's own trouble, and stays so in the next passes."""
        if isinstance(error, NotFound) and self._webapp_is_gone(change.key):
            return gone(change)
        message, remedy = error.message, error.remedy or TRIED_AGAIN
        if isinstance(error, Forbidden):
            message, remedy = self._forbidden(change, error)
        refused = Result(change, Outcome.BLOCKED, change.deployment, tried=True, obstacle=Obstacle.REFUSED)
        return replace(refused, message=message, remedy=remedy)

    def _forbidden(self, change: Change, error: Forbidden) -> tuple[str, str]:
        """Message and remedy: of a missing right; where none is missing, what the server says of quota or admission."""
        missing = "" if error.causes else self._missing_right(change)
        if missing:
            message = f"forbidden: may not {missing} deployments.apps in namespace {change.key.namespace}"
            return message, "grant that right to this identity"
        return f"refused by the API server: {error.server_message or error.message}", TRIED_AGAIN

    def _webapp_is_gone(self, key: ObjectKey) -> bool:
        try:
            return self._writer.get_webapp(key).metadata.terminating
        except NotFound:
            return True
        except (ClusterError, Stopped):
            return False

    def _missing_right(self, change: Change) -> str:
        """Quota and a missing right are the same 403: a SelfSubjectAccessReview tells them apart."""
        verbs = ("patch", "create") if change.action is Action.CREATE else ("patch",)
        try:
            return next((verb for verb in verbs if not self._may_write(verb, change.key.namespace)), "")
        except (ClusterError, Stopped):
            return ""

    def _may_write(self, verb: str, namespace: str) -> bool:
        """Asked once in a pass; by two workers at the same time perhaps twice."""
        key = (verb, namespace)
        if key not in self._may:
            self._may[key] = self._writer.may(verb, group="apps", resource="deployments", namespace=namespace)
        return self._may[key]
