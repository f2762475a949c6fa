"""watch, put together: what its passes read and write, who hears of them, and in which order it begins and ends."""

from __future__ import annotations

import logging
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from webappctl import reconcile, render, watch
from webappctl.cli import live, logs
from webappctl.cli.options import Output
from webappctl.cli.passes import unknown_names
from webappctl.cli.session import Interrupts, write
from webappctl.core.plan import Memory
from webappctl.core.report import Outcome, Report
from webappctl.errors import LeaseHeld, WebappctlError
from webappctl.mirror import Mirror, Relisted, Relisting, Remembered
from webappctl.watch import Source

if TYPE_CHECKING:
    from webappctl.apply import Orders
    from webappctl.cluster import Cluster
    from webappctl.core.objects import ObjectKey
    from webappctl.core.plan import Budget, Plan
    from webappctl.leader import Elector
    from webappctl.render import Target
    from webappctl.watch import Finished, Observer, Shape

log = logging.getLogger(__name__)


class Operation:
    """One `watch`, from its beginning to its end. `elector`: None where nobody is asked for the right to write."""

    def __init__(
        self,
        cluster: Cluster,
        target: Target,
        interrupts: Interrupts,
        interval: float,
        *,
        elector: Elector | None,
        plan_only: bool = False,
    ) -> None:
        self.mirror = Mirror(cluster, target.scope, wake=self._woken)
        relisting = Relisting(cluster, self.mirror, target.scope)
        conditions = watch.Conditions(self.may_run, relisting.ready, lambda: self.mirror.filled)
        self.schedule = watch.Schedule(interval, stop=interrupts.stop, chance=random.random, conditions=conditions)
        relisting.done = self.schedule.alarm.ring
        self._views: dict[Source, reconcile.Cluster] = {
            Source.LIST: Relisted(cluster, self.mirror, relisting),
            Source.MIRROR: Remembered(cluster, self.mirror),
        }
        self.pulse = watch.Pulse()
        self._cluster = cluster
        self._target = target
        self._interrupts = interrupts
        self._interval = interval
        self._elector = elector
        self._plan_only = plan_only
        self._leads = False

    def run(self, orders: Orders, budget: Budget, output: Output, observers: Sequence[Observer] = ()) -> None:
        """Until a signal. Raises LeaseHeld where others run in another mode."""
        with self._shown(output) as views, self._begun():
            passes = _Passes(self._views, self._target, orders, self._interrupts, output, self.may_run)
            passes.announces = not views
            run_pass = passes.planned if self._plan_only else passes.carried_out
            # The last of them takes the pass id off the log lines.
            streams = _Streams(lambda: self.mirror.trouble)
            heard: tuple[Observer, ...] = (watch.Journal(), streams, self.pulse, *observers, *views, logs.PassIds())
            watch.watch(run_pass, self.schedule, budget=budget, observers=heard)
        crash = self.mirror.crash or (self._elector and self._elector.crash)
        if crash:
            raise crash
        if self._elector is not None and self._elector.conflict:
            raise LeaseHeld(self._elector.conflict)

    def role(self) -> str:
        """`leading`, `following NAME`, `unlocked`, `plan only`."""
        if self._plan_only:
            return "plan only"
        if self._elector is None:
            return "unlocked"
        return "leading" if self._elector.leading else f"following {self._elector.holder}".rstrip()

    def ailing(self) -> str:
        """Why this process should be started anew; empty when it is well. An API server that is down is no reason."""
        if self._elector is not None and self._elector.overdue:
            return "the Lease has not been looked at for too long"
        return self.pulse.ailing(self._interval) if self.may_run() else ""

    def unready(self) -> str:
        """Why it could not do its work now; a follower is ready when it could lead."""
        if self.mirror.filled or self.pulse.passes:
            return ""
        return f"nothing could be listed so far: {self.mirror.trouble or 'no answer yet'}"

    @contextmanager
    def _begun(self) -> Iterator[None]:
        """At the end the Lease is given back first: after the last pass, and before anything that takes time."""
        self._interrupts.woken = self.schedule.alarm.ring
        with ExitStack() as ending:
            ending.callback(self.mirror.close)
            self.mirror.start()
            if self._elector is not None:
                self._cluster.transport.fence = self._elector.fence
                self._elector.on_change = self._lease_changed
                self._interrupts.last = self._elector.release
                ending.callback(self._elector.release)
                self._elector.campaign()
            yield

    @property
    def locked(self) -> bool:
        """It needs the Lease to write."""
        return self._elector is not None

    def may_run(self) -> bool:
        return self._elector is None or self._elector.leading

    def _woken(self) -> None:
        if self.mirror.crash:
            self._interrupts.stop.set()
        self.schedule.wake()

    def _lease_changed(self) -> None:
        """Told by the elector's thread, also of what is no change of who leads."""
        if self._elector is not None and (self._elector.conflict or self._elector.crash):
            self._interrupts.stop.set()
        before, self._leads = self._leads, self.may_run()
        if self._leads and not before:
            self.pulse.reset()
            self.schedule.begin_anew()
        self.schedule.alarm.ring()

    def _shown(self, output: Output) -> AbstractContextManager[list[live.LiveView]]:
        return live.shown(
            self._target,
            output,
            role=self.role,
            next_listing=lambda: self.schedule.next_listing,
            mirror=lambda: self.mirror.trouble,
        )


class _Streams:
    """An Observer that logs when changes are not seen as they happen, and when they are again. `trouble`: why not."""

    def __init__(self, trouble: Callable[[], str]) -> None:
        self._trouble = trouble
        self._said = ""

    def began(self, pass_id: str) -> None:
        """Nothing is known anew."""

    def finished(self, finished: Finished) -> None:  # noqa: ARG002 - a pass is the time to look, no more
        self._tell()

    def failed(self, error: WebappctlError, seconds: float) -> None:  # noqa: ARG002 - so is this
        self._tell()

    def _tell(self) -> None:
        trouble = self._trouble()
        if trouble and not self._said:
            log.warning("Changes are not seen as they happen", extra={"keys": {"error": trouble}})
        elif self._said and not trouble:
            log.info("Changes are seen as they happen again")
        self._said = trouble


class _Passes:
    """`announces`: the plan of each pass is shown to people, as nothing else does."""

    announces = True

    def __init__(
        self,
        views: Mapping[Source, reconcile.Cluster],
        target: Target,
        orders: Orders,
        interrupts: Interrupts,
        output: Output,
        may_run: Callable[[], bool],
    ) -> None:
        self._views = views
        self._may_run = may_run
        self._target = target
        self._orders = orders
        self._interrupts = interrupts
        self._output = output
        self._memory = Memory()
        self._unknown: tuple[ObjectKey, ...] = ()
        self._warnings: tuple[str, ...] = ()

    def carried_out(self, source: Source, shape: Shape) -> Report:
        view, scope = self._views[source], self._target.scope
        report = reconcile.reconcile(view, scope, self._orders, self._writing, shape, memory=self._memory)
        if report.count(Outcome.NOT_TRIED) and (why := self._interruption()):
            report = replace(report, interruption=why)
        if source is Source.LIST or any(result.tried for result in report.results):
            self._print(
                lambda: render.report_json(report, self._target, compact=True),
                lambda: render.report_yaml(report, self._target),
            )
        return report

    def _interruption(self) -> str:
        if self._interrupts.number:
            return "interrupted by a signal"
        return "" if self._may_run() else "the Lease was lost"

    def planned(self, source: Source, shape: Shape) -> None:
        made = shape(reconcile.plan(self._views[source], self._target.scope, self._orders.policy))
        self._look_at(made)
        if source is Source.LIST or made.pending:
            self._print(
                lambda: render.plan_json(made, self._target, compact=True), lambda: render.plan_yaml(made, self._target)
            )

    @contextmanager
    def _writing(self, made: Plan) -> Iterator[None]:
        self._look_at(made)
        with self._interrupts.writing():
            yield

    def _look_at(self, made: Plan) -> None:
        """Shows what is pending to people, and says once what is wrong."""
        from webappctl.cli import show

        unknown = unknown_names(self._target.scope, made)
        if unknown and unknown != self._unknown:
            log.warning("No such WebApp", extra={"keys": {"names": ", ".join(str(key) for key in unknown)}})
        self._unknown = unknown
        for warning in made.warnings:
            if warning not in self._warnings:
                log.warning("Warning", extra={"keys": {"warning": warning}})
        self._warnings = made.warnings
        if made.pending and self.announces and self._output.for_people and sys.stdout.isatty():
            show.plan_for_people(made, self._target, sys.stdout, self._output)

    def _print(self, json: Callable[[], str], yaml: Callable[[], str]) -> None:
        """One line, or one document."""
        if self._output is Output.JSON:
            write(sys.stdout, [json()])
        elif self._output is Output.YAML:
            write(sys.stdout, ["---", yaml()])
