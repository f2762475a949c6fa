"""What becomes of the streams of a mirror: how they end, where they go on, and what it says of it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.double import Sent, World, key
from tests.mirrored import SLOWLY, Mirrored, mirrored, soon
from tests.unit.cluster_fakes import Spoken
from webappctl.cluster.requests import CRDS, WEBAPPS
from webappctl.core.objects import ObjectKey, Scope, deployment_key
from webappctl.crd import NAME
from webappctl.crd.shipped import shipped
from webappctl.errors import Unreachable
from webappctl.mirror.follower import LIVED

WEB = key("web")
CHILD = deployment_key(WEB)


@pytest.fixture
def here(world: World) -> Iterator[Mirrored]:
    """With a WebApp `web`, settled."""
    world.declare("web")
    world.settle()
    with mirrored(world) as here:
        yield here


@pytest.mark.parametrize("plural", ["webapps", "deployments"])
def test_a_stream_that_ends_in_good_time_goes_on_without_a_list(here: Mirrored, plural: str) -> None:
    """From the last thing that it told, and nobody calls that a trouble."""
    here.stream(plural).told()
    here.stream(plural).close()
    here.world.declare("a")
    assert here.names() == ["a", "web"]
    assert (here.world.sent, here.mirror.live) == ({f"watch {plural}": 1}, True)


def test_a_stream_that_is_lost_goes_on_where_it_was(here: Mirrored) -> None:
    """What it had told is not told again, and what it had not told is."""
    here.stream("webapps").silent = True
    here.world.declare("a")
    here.stream("webapps").lose()
    soon(lambda: here.mirror.live)
    assert here.names() == ["a", "web"]
    assert here.world.sent == {"watch webapps": 1}


def test_a_stream_that_is_cut_begins_with_a_list(here: Mirrored) -> None:
    """Nobody knows what the half of a line would have said."""
    here.stream("webapps").cut()
    here.world.declare("a")
    soon(lambda: here.mirror.live)
    assert here.names() == ["a", "web"]
    assert here.world.sent == {"list webapps": 1, "watch webapps": 1}


@pytest.mark.parametrize(
    "line",
    [b"<html>", b"{}", b'{"type": "ADDED"}', b'{"type": "ODD", "object": {}}', b'{"type": "ADDED", "object": {}}'],
)
def test_a_line_that_is_no_event_begins_with_a_list(here: Mirrored, line: bytes) -> None:
    here.stream("deployments").say(line)
    soon(lambda: here.world.sent == {"list deployments": 1, "watch deployments": 1})
    assert here.replicas(CHILD) == 3


def test_an_autoscaler_that_cannot_be_read_begins_with_a_list(here: Mirrored) -> None:
    """It may be the one that holds."""
    odd = b'{"type": "ADDED", "object": {"metadata": {"name": "a", "resourceVersion": "9999"}, "spec": {}}}'
    here.stream("horizontalpodautoscalers").say(odd)
    soon(lambda: here.world.sent["list horizontalpodautoscalers"])


def test_a_position_that_is_too_old_begins_with_a_list_of_that_kind(here: Mirrored) -> None:
    """410, inside the stream; of the other kinds nothing is listed."""
    here.stream("webapps").silent = True
    here.world.declare("a")
    here.world.double.store.horizon = here.world.double.store.revision
    here.stream("webapps").lose()
    soon(lambda: here.world.sent["list webapps"])
    soon(lambda: here.mirror.live)
    assert here.names() == ["a", "web"]
    assert here.world.sent == {"watch webapps": 2, "list webapps": 1}


def test_a_deletion_that_no_stream_told_is_told_by_the_list_after_it(here: Mirrored) -> None:
    here.stream("webapps").silent = True
    here.world.others.delete(WEBAPPS, WEB)
    here.stream("webapps").cut()
    soon(lambda: here.mirror.live)
    assert here.names() == []


def test_a_bookmark_is_from_where_it_goes_on(here: Mirrored) -> None:
    """Although nothing of that kind happened for long."""
    here.world.others.scale(WEB, 5)
    here.stream("webapps").bookmark()
    here.stream("webapps").told()
    here.world.double.store.horizon = here.world.double.store.revision
    here.stream("webapps").close()
    here.world.declare("a")
    assert (here.names(), here.world.sent) == (["a", "web"], {"watch webapps": 1})


def test_a_mirror_tells_which_stream_is_down_and_why(here: Mirrored) -> None:
    """And that it is not live meanwhile; what it holds is still there."""
    here.world.double.denied.add(("watch", "deployments.apps"))
    here.stream("deployments").close()
    soon(lambda: not here.mirror.live)
    assert "may not watch deployments.apps in all namespaces" in here.mirror.trouble
    assert (here.mirror.filled, list(here.mirror.snapshot().deployments)) == (True, [CHILD])


def _ends_at_once(_: Sent) -> Any:
    return Spoken([])


@pytest.mark.parametrize("trouble", ["forbidden", "ends at once", "always too old"])
def test_a_stream_that_cannot_be_had_is_not_asked_for_all_the_time(here: Mirrored, trouble: str) -> None:
    """Each wait is twice as long as the one before, here from 10 ms on."""
    match trouble:
        case "forbidden":
            here.world.double.denied.add(("watch", "deployments.apps"))
        case "ends at once":
            here.world.double.on("watch deployments", _ends_at_once, times=1000)
        case _:
            here.world.double.store.horizon = 10**9
    here.stream("deployments").close()
    time.sleep(0.6)
    assert 1 < here.world.sent["watch deployments"] < 9


def test_a_right_that_is_granted_ends_the_trouble(here: Mirrored) -> None:
    here.world.double.denied.add(("watch", "deployments.apps"))
    here.stream("deployments").close()
    soon(lambda: here.mirror.trouble)
    here.world.double.denied.clear()
    soon(lambda: here.mirror.live)
    assert here.mirror.trouble == ""


def test_without_its_crd_a_kind_is_unknown_and_not_empty(here: Mirrored) -> None:
    here.world.others.delete(CRDS, ObjectKey("", NAME))
    here.stream("webapps").close()
    soon(lambda: not here.mirror.filled)
    with pytest.raises(Unreachable, match="not every kind could be listed"):
        here.mirror.snapshot()
    soon(lambda: "webappctl crd --install" in here.mirror.trouble)


def test_a_mirror_that_was_not_started_is_unknown(world: World) -> None:
    fresh = Mirrored(world, Scope()).mirror
    assert (fresh.filled, fresh.live) == (False, False)


def test_the_age_is_that_of_the_stream_that_was_silent_for_longest(here: Mirrored) -> None:
    """Anything that it says counts, and the others do not."""
    here.now = 60.0
    here.stream("webapps").bookmark()
    here.stream("webapps").told()
    assert here.mirror.age() == 60.0
    for plural in ("deployments", "horizontalpodautoscalers"):
        here.stream(plural).bookmark()
        here.stream(plural).told()
    assert here.mirror.age() == 0.0


def test_a_fault_of_our_own_is_not_taken_for_a_stream(here: Mirrored) -> None:
    """The thread is gone: the mirror says so, and wakes who can raise it."""

    def fault(_: Sent) -> Any:
        raise KeyError

    before = here.wakes
    here.world.double.on("watch webapps", fault)
    here.stream("webapps").close()
    soon(lambda: here.wakes > before)
    assert isinstance(here.mirror.crash, KeyError)
    assert ("fault of this program" in here.mirror.trouble, here.mirror.live) == (True, False)


def test_a_stream_that_waits_for_somebody_tries_again_when_a_pass_could_list(here: Mirrored) -> None:
    """It would have waited for minutes; the CRD was gone for as long, and is back."""
    here.chance, here.now = SLOWLY, LIVED
    here.world.others.delete(CRDS, ObjectKey("", NAME))
    here.stream("webapps").close()
    soon(lambda: not here.mirror.filled)
    here.world.others.create(CRDS, dict(shipped()))
    here.differences()
    soon(lambda: here.mirror.live)
