"""The Lease of a command: the options, and having it while the command writes."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from webappctl.cli.options import duration
from webappctl.cli.session import Interrupts, Reach, say
from webappctl.errors import OutOfTime, WebappctlError

if TYPE_CHECKING:
    from webappctl.cluster import Cluster, Heard
    from webappctl.leader import Elector, Timing

LeaseNamespace = Annotated[
    str | None,
    typer.Option(
        "--lease-namespace",
        envvar="WEBAPPCTL_LEASE_NAMESPACE",
        metavar="NAME",
        help="Where the Lease webapp-operator-lock is. Default: the pod's namespace, else webappctl, else default.",
        show_default=False,
    ),
]
LockTimeout = Annotated[
    float,
    typer.Option(
        "--lock-timeout",
        envvar="WEBAPPCTL_LOCK_TIMEOUT",
        metavar="DURATION",
        parser=duration,
        help="How long to wait for the Lease, when another process has it.",
    ),
]
NoLock = Annotated[
    bool,
    typer.Option(
        "--no-lock",
        envvar="WEBAPPCTL_NO_LOCK",
        help="Write without the Lease. Another process that writes may undo this one's work, and this one its.",
    ),
]
LeaseDuration = Annotated[
    float,
    typer.Option(
        "--lease-duration",
        envvar="WEBAPPCTL_LEASE_DURATION",
        metavar="DURATION",
        parser=duration,
        help="After so long without a renewal, others take the Lease.",
    ),
]
RenewDeadline = Annotated[
    float,
    typer.Option(
        "--renew-deadline",
        envvar="WEBAPPCTL_RENEW_DEADLINE",
        metavar="DURATION",
        parser=duration,
        help="After so long without a renewal, nothing more is written.",
    ),
]
RetryPeriod = Annotated[
    float,
    typer.Option(
        "--retry-period",
        envvar="WEBAPPCTL_RETRY_PERIOD",
        metavar="DURATION",
        parser=duration,
        help="Between renewals of the Lease, and between looks at it while another has it.",
    ),
]

# What Typer parses: the text of a duration, where the command gets its seconds.
DEFAULT_LOCK_TIMEOUT: Any = "30s"
DEFAULT_LEASE_DURATION: Any = "15s"
DEFAULT_RENEW_DEADLINE: Any = "10s"
DEFAULT_RETRY_PERIOD: Any = "2s"

Shard = tuple[int, int]


def timing_of(lease_duration: float, renew_deadline: float, retry_period: float) -> Timing:
    """Raises UsageError where they do not fit each other."""
    from webappctl.leader import Timing

    return Timing(lease_duration, renew_deadline, retry_period)


def elector_for(
    reach: Reach,
    timing: Timing,
    namespace: str | None,
    *,
    shard: Shard | None = None,
    on_change: Callable[[], None] = lambda: None,
    heard: Heard | None = None,
) -> Elector:
    """A candidate for the Lease of all WebApps, or of that shard, over a connection of its own; not begun yet.

    `heard` is told of each of its requests.
    """
    from webappctl.cluster.leases import open_leases
    from webappctl.core.lease import lock_name
    from webappctl.leader import Elector, identity

    store = open_leases(
        kubeconfig=reach.kubeconfig,
        context=reach.context,
        request_timeout=reach.request_timeout,
        namespace=namespace,
        name=lock_name(shard),
    )
    if heard is not None:
        store.transport.heard = heard
    return Elector(store, timing, identity(), on_change=on_change)


@dataclass
class Hold:
    """The Lease while a one-shot has it. Once it was lost it is lost for good, also if it was had again before anybody
    looked: what was planned with it is not to be carried out in two parts. Without an elector nothing can be lost."""

    elector: Elector | None = None
    lost: bool = False

    def __post_init__(self) -> None:
        self._term = self.elector.term if self.elector else 0

    def fence(self) -> float:
        """For `Transport.fence`."""
        if self.elector is None:
            return math.inf
        fence = self.elector.fence()  # before the term: see Candidate
        self.lost = self.lost or fence <= time.monotonic() or self.elector.term != self._term
        return -math.inf if self.lost else fence

    @property
    def why(self) -> str:
        """It was lost; one line."""
        if self.elector is None:
            return ""
        reason = self.elector.conflict or self.elector.trouble
        return f"the Lease {self.elector.lease} was lost" + (f": {reason}" if reason else "")


@dataclass(frozen=True, slots=True)
class Lock:
    """How a one-shot gets the Lease. `wait`: for so many seconds; None: not at all, it writes without."""

    reach: Reach
    timing: Timing
    namespace: str | None
    wait: float | None
    shard: Shard | None = None

    @contextmanager
    def held(self, cluster: Cluster, interrupts: Interrupts) -> Iterator[Hold]:
        """Have the Lease meanwhile: the cluster takes no write without it. It is given back after the work has ended,
        whatever ended it.

        Raises LeaseHeld, a ClusterError, OutOfTime.
        """
        if self.wait is None:
            yield Hold()
            return
        elector = elector_for(self.reach, self.timing, self.namespace, shard=self.shard)
        elector.on_change = _Waiting(elector).tell
        interrupts.last = elector.release
        try:
            self._acquire(elector, self.wait, cluster, interrupts)
            hold = Hold(elector)
            cluster.transport.fence = hold.fence
            yield hold
        finally:
            elector.release()
            interrupts.last = lambda: None

    def _acquire(self, elector: Elector, wait: float, cluster: Cluster, interrupts: Interrupts) -> None:
        """Within --timeout, too."""
        until = cluster.transport.until
        try:
            elector.acquire(min(wait, until - time.monotonic()), interrupts.stop)
        except WebappctlError as error:
            if time.monotonic() < until:
                raise
            raise OutOfTime(f"the time of --timeout is up; {error.message}", subject=error.subject) from error


class _Waiting:
    """Says once on a terminal whom it waits for."""

    def __init__(self, elector: Elector) -> None:
        self._elector = elector
        self._said = ""

    def tell(self) -> None:
        lease = self._elector.awaited
        if lease is None or self._elector.leading or self._said == lease.holder or not sys.stderr.isatty():
            return
        self._said = lease.holder
        say(f"waiting for the Lease {lease}, held by {lease.holder}")


def lock_of(
    reach: Reach,
    namespace: str | None,
    wait: float,
    times: tuple[float, float, float],
    *,
    no_lock: bool,
    shard: Shard | None = None,
) -> Lock:
    """`times`: lease duration, renew deadline, retry period. Raises UsageError where they do not fit each other."""
    return Lock(reach, timing_of(*times), namespace or None, None if no_lock else wait, shard)
