"""Every error that webappctl raises, as one tree. The class says what to do with it.

WebappctlError
├── UsageError            the user asked for something that makes no sense: exit 2
├── Refused               for safety, before anything was written: exit 4
│   └── LeaseHeld         another process does the writing
├── ConfigError           no usable kubeconfig or in-cluster credentials: exit 1
├── SandboxError          the local control plane cannot be built, started or stopped: exit 1
├── Stopped               a signal asked us to end, so nothing more was sent
│   ├── OutOfTime         the same, because the time of --timeout is up
│   └── LeaseLost         the same, because another process may do the writing now
└── ClusterError          the API server did not do what was asked
    ├── Unreachable       no answer in time, or no connection: the next pass may succeed
    ├── TooSlow           no answer to a write within the time that is left of the Lease, which is held still
    ├── Unauthorized      401: the credentials are not accepted
    ├── BadAnswer         an answer that no API server gives (HTML, a cut body): unknown, never empty
    └── Rejected          the API server answered with a failure Status
        ├── Forbidden     403
        ├── NotFound      404
        ├── Conflict      409: read again, and decide again
        ├── Gone          410: the list's continue token has expired, start it again
        ├── Invalid       400, 422, and the 500 of a body that does not fit the schema: never retried
        │   └── UnknownField  of a field that the stored CRD does not have: it is older than this program
        ├── Throttled     429, after all tries
        └── ServerFailure 5xx, after all tries

No message ever holds a credential, a header, or a body that the server sent beyond its own `message`.
"""

from __future__ import annotations

from dataclasses import dataclass


def with_remedy(text: str, remedy: str) -> str:
    """What is wrong, and what to do: `the disk is full (delete something)`."""
    return f"{text} ({remedy})" if remedy else text


class WebappctlError(Exception):
    """Base of all. `subject` names the object concerned, `remedy` what the user can do; both may be empty.

    str() is one line: `subject: message (remedy)`.
    """

    def __init__(self, message: str, *, subject: str = "", remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.subject = subject
        self.remedy = remedy

    def __str__(self) -> str:
        head = f"{self.subject}: {self.message}" if self.subject else self.message
        return with_remedy(head, self.remedy)


class UsageError(WebappctlError):
    """The command line, or a file it names, cannot be understood. Nothing was done."""


class Refused(WebappctlError):
    """For safety: a guard tripped, or a saved plan is stale. Nothing was written."""


class LeaseHeld(Refused):
    """Another process holds the Lease, and with it the right to write."""


class ConfigError(WebappctlError):
    """Credentials or the server's address cannot be had."""


class SandboxError(WebappctlError):
    """The local control plane failed; the message holds the last lines of the log concerned."""


class Stopped(WebappctlError):
    """Nothing more is sent. `may_have_happened`: an earlier try of this very request was sent, and its answer lost."""

    may_have_happened = False


class OutOfTime(Stopped):
    """The time of `--timeout` is up."""


class LeaseLost(Stopped):
    """The Lease could not be renewed in time, so another process may have it."""


class ClusterError(WebappctlError):
    """The API server did not do what was asked.

    `may_have_happened`: a try of this very request was sent and its answer lost, so it may have been carried out all
    the same; what this error says of the object may be our own doing.
    """

    may_have_happened = False


class Unreachable(ClusterError):
    """No connection, or no whole answer in time."""


class TooSlow(ClusterError):
    """A write that must not go on for so long. The server answers others: admission takes its time over this one."""


class Unauthorized(ClusterError):
    """401, after the credentials were read again once."""


class BadAnswer(ClusterError):
    """Not an answer of an API server, or one that was cut. What it would have said is unknown."""


@dataclass(frozen=True, slots=True)
class StatusCause:
    """One of `details.causes` of a failure Status. `reason` and `field` may be empty."""

    reason: str
    message: str
    field: str


class Rejected(ClusterError):
    """A failure Status. `server_message` is the server's own text, quoted and never parsed; decide by the other fields.

    It is one line and cut; `message` says what happened in our words, and quotes it where that helps.
    """

    def __init__(  # noqa: PLR0913 - a failure Status has that many fields
        self,
        message: str,
        *,
        code: int = 0,
        reason: str = "",
        causes: tuple[StatusCause, ...] = (),
        subject: str = "",
        remedy: str = "",
        server_message: str = "",
    ) -> None:
        super().__init__(message, subject=subject, remedy=remedy)
        self.code = code
        self.reason = reason
        self.causes = causes
        self.server_message = server_message


class Forbidden(Rejected):
    """403: a missing right, quota, a terminating namespace or pod security."""


class NotFound(Rejected):
    """404: the object, its namespace or its kind."""


class Conflict(Rejected):
    """409: the object moved, exists already, or another manager owns a field."""


class Gone(Rejected):
    """410: the continue token of a list has expired."""


class Invalid(Rejected):
    """The server will never accept this body."""


class UnknownField(Invalid):
    """500: the stored CRD has no such field."""


class Throttled(Rejected):
    """429 at every try."""


class ServerFailure(Rejected):
    """5xx at every try."""
