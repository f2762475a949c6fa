"""Installing the CRD, on a cluster that is a list of answers."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.builders import webapp
from webappctl import crd
from webappctl.core.objects import Json, Unreadable, WebApp
from webappctl.errors import ClusterError, Forbidden, NotFound, Stopped, WebappctlError


def stored(generation: int = 1, *, names: str = "True", established: str = "True", **meta: Any) -> Json:
    conditions = [
        {"type": "NamesAccepted", "status": names, "message": '"wa" is already in use'},
        {"type": "Established", "status": established, "message": "not all names are accepted"},
    ]
    return {"metadata": {"name": crd.NAME, "generation": generation, **meta}, "status": {"conditions": conditions}}


@dataclass
class Answers:
    """`seen`: what each look at the CRD finds, the last one for ever. `after`: what applying it makes.

    `lists`: what the first lists of WebApps fail with; the others find `holds`.
    """

    seen: list[Json | None]
    after: Json = field(default_factory=stored)
    holds: tuple[WebApp | Unreadable, ...] = ()
    lists: list[WebappctlError] = field(default_factory=list)
    applied: list[Json] = field(default_factory=list)

    def get_crd(self, name: str) -> Json | None:
        assert name == crd.NAME
        return self.seen.pop(0) if len(self.seen) > 1 else self.seen[0]

    def apply_crd(self, manifest: Json) -> Json:
        self.applied.append(manifest)
        return self.after

    def webapps(self) -> tuple[WebApp | Unreadable, ...]:
        if self.lists:
            raise self.lists.pop(0)
        return self.holds


@dataclass
class Outcome:
    installed: crd.Installed
    said: list[str]


def install(cluster: Answers, wait: float = 5) -> Outcome:
    said: list[str] = []
    return Outcome(crd.install(cluster, said.append, wait, threading.Event()), said)


def test_created_where_there_was_none() -> None:
    """And applied once, as it ships."""
    cluster = Answers([None, stored()])
    assert install(cluster).installed is crd.Installed.CREATED
    assert cluster.applied == [crd.shipped()]


@pytest.mark.parametrize(("generation", "installed"), [(3, "unchanged"), (4, "configured")])
def test_a_new_generation_means_configured(generation: int, installed: str) -> None:
    """The API server counts a generation when what the CRD says has changed, not its annotations."""
    assert install(Answers([stored(3)], after=stored(generation))).installed == installed


def test_waits_until_it_is_established() -> None:
    """No status, then names accepted, then established."""
    bare = {"metadata": {"name": crd.NAME, "generation": 1}}
    cluster = Answers([None, bare, stored(established="False"), stored()])
    assert install(cluster).installed is crd.Installed.CREATED
    assert cluster.seen == [stored()]


def test_waits_until_it_is_served() -> None:
    """Established comes a moment earlier."""
    cluster = Answers([None, stored()], lists=[NotFound("not there yet")])
    assert install(cluster).installed is crd.Installed.CREATED
    assert cluster.lists == []


def test_names_what_it_would_refuse_and_goes_on() -> None:
    """One line for each, by its key."""
    cluster = Answers([stored()], holds=(webapp("api"), webapp("web", port=None), webapp("worker")))
    (line,) = install(cluster).said
    assert line.startswith("shop/web: the CRD would refuse it today: spec.port is missing (it stays")
    assert cluster.applied


def test_says_when_it_may_not_look_at_stored_objects() -> None:
    """Unknown is not none; and a person who may install CRDs need not be allowed to read WebApps."""
    cluster = Answers([stored()], lists=[Forbidden("may not list"), Forbidden("may not list")])
    outcome = install(cluster)
    assert outcome.said == ["stored WebApps are not checked: may not list"]
    assert outcome.installed is crd.Installed.UNCHANGED


@pytest.mark.timeout(20)
def test_refused_names_are_an_error_with_the_servers_words() -> None:
    """Long before the deadline of a minute: nothing is going to change it."""
    with pytest.raises(ClusterError, match='its names are not accepted: "wa" is already in use'):
        install(Answers([None, stored(names="False")]), wait=60)


def test_ends_at_the_deadline() -> None:
    """And says what there was to wait for."""
    with pytest.raises(ClusterError, match="it is not established: not all names are accepted"):
        install(Answers([None, stored(established="False")]), wait=0.2)


def test_touches_nothing_while_it_is_being_deleted() -> None:
    """Every WebApp is going with it; applying would only hide that."""
    cluster = Answers([stored(deletionTimestamp="2026-11-30T12:00:00Z")])
    with pytest.raises(ClusterError, match="being deleted, and every WebApp with it"):
        install(cluster)
    assert cluster.applied == []


def test_a_signal_ends_the_wait() -> None:
    """What was done is said."""
    stop = threading.Event()
    stop.set()
    with pytest.raises(Stopped, match="the CRD was applied, but it is not established"):
        crd.install(Answers([None, stored(established="False")]), print, 60, stop)
