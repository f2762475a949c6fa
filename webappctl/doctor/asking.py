"""What the doctor needs of a cluster, and how it takes a refusal: as one more thing that it found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from webappctl.core.lease import Json
from webappctl.core.objects import Scope, Snapshot
from webappctl.errors import BadAnswer, ClusterError, OutOfTime, Unauthorized, Unreachable, WebappctlError

T = TypeVar("T")


class Patient(Protocol):
    """Every method raises the errors of errors.py."""

    @property
    def context(self) -> str: ...
    @property
    def server(self) -> str: ...

    def version(self) -> str:
        """`v1.36.3`."""

    def whoami(self) -> str: ...

    def served(self) -> tuple[str, ...]:
        """The resources of our group and version, `webapps/status` among them; empty when there are none."""

    def get_crd(self, name: str) -> Json | None: ...
    def snapshot(self, scope: Scope) -> Snapshot: ...
    def has_namespace(self, name: str) -> bool: ...
    def get_lease(self, namespace: str, name: str) -> Json | None: ...
    def leases(self, namespace: str) -> tuple[Json, ...]: ...

    def may(self, verb: str, *, group: str, resource: str, subresource: str = "", namespace: str = "") -> bool: ...


class Asking:
    """Errors become values. Once no answer came, no more is asked: each question would wait for it as long again.

    Safe to be used by several threads.
    """

    def __init__(self) -> None:
        self.silence: WebappctlError | None = None
        """Why nothing more is asked."""

    def __call__(self, question: Callable[[], T]) -> T | WebappctlError:
        if self.silence is not None:
            return self.silence
        try:
            return question()
        except (Unreachable, Unauthorized, OutOfTime) as error:
            self.silence = error
            return error
        except ClusterError as error:
            return error

    def first(self, question: Callable[[], T]) -> T | WebappctlError:
        """The same, and what does not answer as an API server does is not asked any more."""
        answer = self(question)
        if isinstance(answer, BadAnswer):
            self.silence = answer
        return answer
