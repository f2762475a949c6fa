"""Pod: only what tells why it is not ready."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from webappctl.core.objects.meta import Condition, ObjectKey, ObjectMeta

LONGEST: Final = 200
"""Characters of a message: those of a scheduler or a registry go on for pages."""
STARTING: Final = frozenset({"ContainerCreating", "PodInitializing"})


class Waiting(msgspec.Struct, frozen=True):
    reason: str = ""
    message: str = ""


class Terminated(msgspec.Struct, frozen=True):
    reason: str = ""
    message: str = ""


class ContainerState(msgspec.Struct, frozen=True):
    waiting: Waiting | None = None
    terminated: Terminated | None = None


class ContainerStatus(msgspec.Struct, frozen=True, rename="camel"):
    name: str
    ready: bool = False
    restart_count: int = 0
    state: ContainerState = ContainerState()
    last_state: ContainerState = ContainerState()


class PodStatus(msgspec.Struct, frozen=True, rename="camel"):
    """`reason` and `message` are those of a pod that failed as a whole, as one that was evicted."""

    phase: str = ""
    reason: str = ""
    message: str = ""
    conditions: tuple[Condition, ...] | None = None
    container_statuses: tuple[ContainerStatus, ...] | None = None
    init_container_statuses: tuple[ContainerStatus, ...] | None = None

    def condition(self, kind: str) -> Condition | None:
        return next((condition for condition in self.conditions or () if condition.type == kind), None)


class Pod(msgspec.Struct, frozen=True):
    metadata: ObjectMeta
    status: PodStatus = PodStatus()

    @property
    def key(self) -> ObjectKey:
        return self.metadata.key

    @property
    def trouble(self) -> str:
        """Why it is not ready, as `ImagePullBackOff: Back-off pulling image "x"`.

        Empty for one that is ready, that is on its way out, or that is just being started.
        """
        if self.metadata.terminating or _is(self.status.condition("Ready"), "True"):
            return ""
        return next(_troubles(self.status), "")


def _troubles(status: PodStatus) -> Iterator[str]:
    """What is to be mended first comes first: no node, then a container that cannot run, then one that is not ready."""
    if status.phase == "Failed" and status.reason:
        yield _line(status.reason, status.message)
    scheduled, ready = status.condition("PodScheduled"), status.condition("Ready")
    if scheduled and _is(scheduled, "False"):
        yield _line(scheduled.reason, scheduled.message)
    for container in status.init_container_statuses or ():
        if not _completed(container):
            yield from _trouble_of(container)
    for container in status.container_statuses or ():
        yield from _trouble_of(container)
    if ready and _is(ready, "False") and not _starting(status):
        yield _line(ready.reason, ready.message)


def _trouble_of(container: ContainerStatus) -> Iterator[str]:
    waiting, terminated = container.state.waiting, container.state.terminated
    if waiting and waiting.reason not in STARTING:
        yield _line(waiting.reason, _with_its_end(container, waiting.message))
    if terminated:
        yield _line(terminated.reason, terminated.message or f"container {container.name} ended")
    if not waiting and not terminated and not container.ready and container.restart_count:
        yield _line("ContainersNotReady", _with_its_end(container, f"container {container.name} is not ready"))


def _with_its_end(container: ContainerStatus, message: str) -> str:
    """A container that is started over and over again says by its last end what is wrong with it."""
    ended = container.last_state.terminated
    last = f"last ended with {ended.reason}" if ended and ended.reason else ""
    return ", ".join(part for part in (last, message) if part)


def _starting(status: PodStatus) -> bool:
    """Its conditions call it unready from the first moment on."""
    containers = (*(status.init_container_statuses or ()), *(status.container_statuses or ()))
    return not containers or any(c.state.waiting and c.state.waiting.reason in STARTING for c in containers)


def _completed(container: ContainerStatus) -> bool:
    return container.state.terminated is not None and container.state.terminated.reason == "Completed"


def _is(condition: Condition | None, status: str) -> bool:
    return condition is not None and condition.status == status


def _line(reason: str, message: str) -> str:
    text = " ".join(message.split())
    cut = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    return ": ".join(part for part in (reason, cut) if part)
