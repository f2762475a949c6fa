"""Each role that ships runs its mode, and each of its rights is needed: without it, the program names what is missing.

On a control plane of its own, with OwnerReferencesPermissionEnforcement on, as OpenShift has it. See tests/acts.py.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.acts import INSIDE, LESS, ROLES, Act, Plane, rights_of
from tests.conftest import Kubectl, Webappctl
from tests.world import READS
from webappctl import crd
from webappctl import sandbox as sandboxes

pytestmark = [pytest.mark.xdist_group("roles"), pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Plane]:
    plugins = ("OwnerReferencesPermissionEnforcement",)
    with sandboxes.throwaway("roles", say=print, audit=True, crds=[crd.shipped()], admission=plugins) as found:
        assert found.kubectl is not None
        kubectl, webappctl = Kubectl(found.kubectl, found.kubeconfig), Webappctl(found.kubeconfig)
        made = Plane(found, kubectl, webappctl, tmp_path_factory.mktemp("acts"))
        made.prepare([*ROLES, *LESS])
        yield made


@pytest.mark.parametrize("act", ROLES, ids=str)
def test_it_runs_its_mode(plane: Plane, act: Act) -> None:
    """To its end, and misses nothing."""
    run = plane.run(act)
    assert run.returncode == 0, run.text
    assert "may not" not in run.text
    assert "forbidden" not in run.text


@pytest.mark.parametrize("act", ROLES, ids=str)
def test_it_uses_every_right(plane: Plane, act: Act) -> None:
    """By the log of the API server; what that does not show is needed by the test below."""
    assert {*rights_of(act.role)} - plane.run(act).used - INSIDE == set()


@pytest.mark.parametrize("act", ROLES, ids=str)
def test_it_asks_for_nothing_else(plane: Plane, act: Act) -> None:
    """What is refused on every run would be an alarm to whoever reads audit logs."""
    assert {right for right, allowed in plane.run(act).asked if not allowed} == set()


@pytest.mark.parametrize("act", [act for act in ROLES if act.writes], ids=str)
def test_it_brings_about_what_is_asked_for(plane: Plane, act: Act) -> None:
    """All four of them."""
    plane.run(act)
    assert plane.pending(act) == ""


@pytest.mark.parametrize("act", [act for act in ROLES if not act.writes], ids=str)
def test_it_only_looks(plane: Plane, act: Act) -> None:
    """No request of it is a write."""
    assert {right.split()[0] for right, _ in plane.run(act).asked} <= READS


@pytest.mark.parametrize("act", LESS, ids=str)
def test_without_a_right_it_says_which(plane: Plane, act: Act) -> None:
    """Verb and resource."""
    run = plane.run(act)
    assert act.tells(run.text), run.text


@pytest.mark.parametrize("act", [act for act in LESS if act.missing.startswith("watch ")], ids=str)
def test_without_watching_it_goes_on_by_its_interval(plane: Plane, act: Act) -> None:
    """Its passes list everything as before."""
    run = plane.run(act)
    assert run.returncode == 0
    assert '"source": "list"' in run.text
    assert not act.writes or plane.pending(act) == ""
