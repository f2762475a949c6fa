"""A WebApp that its annotation pauses: planned, shown, and left alone until it goes on."""

from __future__ import annotations

import pytest

from tests.e2e.conftest import Start
from tests.world import World, eventually

PAUSED = "apps.example.com/paused"
UNTIL = "apps.example.com/paused-until"
REASON = "moving the database"


def _annotate(world: World, *annotations: str) -> None:
    world.kubectl("annotate", "webapp", "web", "--overwrite", *annotations)


def _replicas(world: World) -> int:
    return int(world.deployment("web")["spec"]["replicas"])


@pytest.fixture
def web(world: World) -> World:
    """Rolled out with 2 replicas, then paused, then scaled to 3 by somebody."""
    world.declare("web")
    world.converge()
    world.settle()
    _annotate(world, f"{PAUSED}={REASON}")
    world.kubectl("scale", "deployment", "web-deployment", "--replicas=3")
    return world


def test_a_paused_webapp_drifts_and_stays(web: World) -> None:
    """The plan shows why and what would change, and nothing is pending."""
    web.converge()
    assert _replicas(web) == 3
    done = web.plan()
    (paused, field) = web.lines(done)
    assert (done.returncode, paused[1], paused[5]) == (0, "paused", "paused-by-annotation")
    assert paused[6].startswith(f"paused: {REASON} (kubectl -n {web.namespace} annotate webapp web {PAUSED}-")
    assert field[1:] == ["paused", "replicas", "3", "2", "live-drift", "none"]
    assert "0 to update, 0 to delete; 1 paused, 0 unchanged" in done.stderr


def test_its_status_says_that_it_is_paused(web: World) -> None:
    web.converge()
    paused, ready = web.condition("web", "Paused") or {}, web.condition("web", "Ready") or {}
    assert (paused["status"], paused["reason"], paused["message"]) == (
        "True",
        "PausedByAnnotation",
        f"paused: {REASON}",
    )
    assert (ready["status"], ready["reason"]) == ("False", "Paused")
    assert (web.condition("web", "Stalled"), web.condition("web", "Reconciling")) == (None, None)


def test_kubectl_get_has_a_column_for_it(web: World) -> None:
    head, row = web.kubectl("get", "webapps").stdout.splitlines()
    column = slice(head.index("PAUSED"), head.rindex("AGE"))
    assert row[column].strip() == REASON


def test_it_goes_on_when_the_remedy_is_followed(web: World) -> None:
    web.converge()
    (_, row) = web.kubectl("get", "webapps").stdout.splitlines()
    assert REASON in row
    (change,) = web.rows()
    web.kubectl_(*change["remedy"].split()[1:])
    web.converge()
    assert _replicas(web) == 2
    web.settle()
    assert web.condition("web", "Paused") is None
    assert (web.condition("web", "Ready") or {})["status"] == "True"


def test_a_pause_that_is_over_goes_on_by_itself(web: World) -> None:
    _annotate(web, f"{UNTIL}=2999-01-01T00:00:00Z")
    web.converge()
    assert _replicas(web) == 3
    _annotate(web, f"{UNTIL}=2026-01-01T01:00:00.5+01:00")
    web.converge()
    assert _replicas(web) == 2


def test_an_end_that_cannot_be_read_is_warned_of(web: World) -> None:
    """And nothing is done."""
    _annotate(web, f"{UNTIL}=tomorrow")
    done = web.apply()
    assert (done.returncode, _replicas(web)) == (0, 3)
    assert f'{UNTIL} is "tomorrow", which is no RFC 3339 time' in web.plan().stderr


def test_a_paused_webapp_gets_no_new_deployment(web: World) -> None:
    web.kubectl("delete", "deployment", "web-deployment")
    web.converge()
    assert not web.exists("deployment", "web-deployment")
    assert [line[4] for line in web.lines(web.plan())] == ["", "2 replicas of nginx:1.25, port 80"]


def test_the_deployment_of_a_paused_webapp_goes_with_it(web: World) -> None:
    """It is the garbage collector's, as ever."""
    web.converge()
    web.kubectl("delete", "webapp", "web")
    eventually(lambda: not web.exists("deployment", "web-deployment"))


def test_a_saved_plan_of_one_that_is_paused_now_is_stale(web: World, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = str(tmp_path_factory.mktemp("plan") / "plan.json")
    _annotate(web, f"{PAUSED}-")
    web.webappctl("plan", "-n", web.namespace, "--out", file)
    _annotate(web, f"{PAUSED}={REASON}")
    done = web.webappctl("apply", "--yes", "--plan", file)
    assert (done.returncode, _replicas(web)) == (4, 3)
    assert f"now it would be: paused (replicas 3 → 2): paused: {REASON}" in done.stderr


def test_watch_leaves_it_alone_until_its_time_has_come(web: World, start: Start) -> None:
    _annotate(web, f"{UNTIL}=2999-01-01T00:00:00Z")
    start("watch", "-n", web.namespace, "--interval", "100ms")
    eventually(lambda: web.condition("web", "Paused"))
    assert _replicas(web) == 3
    _annotate(web, f"{UNTIL}=2026-01-01T00:00:00Z")
    eventually(lambda: _replicas(web) == 2)
    eventually(lambda: web.condition("web", "Paused") is None)
