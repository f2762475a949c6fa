"""Lists and snapshots: whole, or an exception."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.cluster_fakes import FakeTime, Paths, Step, answer, failure
from webappctl import errors
from webappctl.cluster import Answer, Cluster, Transport
from webappctl.core.objects import ALL_NAMESPACES, ObjectKey, Scope

WEBAPPS = "/apis/apps.example.com/v1/webapps"
DEPLOYMENTS = "/apis/apps/v1/deployments"
AUTOSCALERS = "/apis/autoscaling/v2/horizontalpodautoscalers"


def page(kind: str, *names: str, token: str = "", **labels: str) -> Answer:
    items = [{"metadata": {"namespace": "shop", "name": name, "labels": labels}} for name in names]
    return answer(200, {"kind": kind, "items": items, "metadata": {"continue": token} if token else {}})


def webapps(*names: str, token: str = "") -> Answer:
    return page("WebAppList", *names, token=token)


def deployments(*names: str, token: str = "", **labels: str) -> Answer:
    return page("DeploymentList", *names, token=token, **labels)


def autoscalers(*targets: str, token: str = "", namespace: str = "shop") -> Answer:
    """One for each of these Deployments, named after it."""
    items = [
        {
            "metadata": {"namespace": namespace, "name": f"of-{target}"},
            "spec": {
                "scaleTargetRef": {"kind": "Deployment", "name": target, "apiVersion": "apps/v1"},
                "maxReplicas": 9,
            },
        }
        for target in targets
    ]
    return answer(200, {"kind": "HorizontalPodAutoscalerList", "items": items, "metadata": {"continue": token}})


def cluster(**steps: list[Step]) -> tuple[Cluster, Paths]:
    wire = Paths(
        {
            WEBAPPS: steps.get("webapps", [webapps()]),
            DEPLOYMENTS: steps.get("deployments", [deployments()]),
            AUTOSCALERS: steps.get("autoscalers", [autoscalers()]),
        }
    )
    time = FakeTime()
    transport = Transport(wire, request_timeout=30, stop=time, clock=time, jitter=lambda: 0.5)
    return Cluster(transport, context="c", workers=4), wire


def names(objects: Any) -> list[str]:
    return [webapp.key.name for webapp in objects]


def test_a_list_is_all_its_pages() -> None:
    """Each page is asked for with the token of the one before, and the same limit."""
    asked, wire = cluster(webapps=[webapps("a", token="t1"), webapps("b", token="t2"), webapps("c")])
    assert names(asked.snapshot(Scope()).webapps) == ["a", "b", "c"]
    assert wire.queries(WEBAPPS) == [
        {"limit": "500"},
        {"limit": "500", "continue": "t1"},
        {"limit": "500", "continue": "t2"},
    ]


def test_an_expired_token_starts_the_list_again() -> None:
    """What came before it is dropped: it is of another moment. The token that the 410 offers is never used."""
    expired = answer(410, {"kind": "Status", "code": 410, "metadata": {"continue": "inconsistent"}})
    asked, wire = cluster(webapps=[webapps("old", token="t1"), expired, webapps("a")])
    assert names(asked.snapshot(Scope()).webapps) == ["a"]
    assert "continue" not in wire.queries(WEBAPPS)[2]


def test_a_list_that_expires_each_time_is_given_up() -> None:
    """After four starts."""
    asked, wire = cluster(webapps=[webapps("a", token="t"), failure(410)] * 8)
    with pytest.raises(errors.Gone):
        asked.snapshot(Scope())
    assert len(wire.queries(WEBAPPS)) == 8


@pytest.mark.parametrize("tokens", [["t", "t"], ["t", "u", "t"]])
def test_a_list_that_goes_round_in_circles_is_an_error(tokens: list[str]) -> None:
    """A proxy that ignores the token would have us read the same page for ever."""
    asked, _ = cluster(webapps=[webapps("a", token=token) for token in tokens])
    with pytest.raises(errors.BadAnswer, match="does not end"):
        asked.snapshot(Scope())


@pytest.mark.parametrize(
    "step",
    [
        failure(403),
        failure(500),
        answer(200, b"<html>"),
        answer(200, {"kind": "Status"}),
        answer(200, {"kind": "DeploymentList", "items": None}),
        answer(200, {"kind": "DeploymentList"}),
        answer(200, {"kind": "WebAppList", "items": []}),
        answer(200, b'{"kind": "DeploymentList", "items": [}'),
        errors.Unreachable("no answer"),
    ],
    ids=str,
)
def test_a_page_that_fails_is_never_a_short_list(step: Step) -> None:
    """The objects that it would have held are unknown, not absent."""
    asked, _ = cluster(deployments=[deployments("a-deployment", token="t"), step])
    with pytest.raises(errors.ClusterError, match=r"deployments\.apps in all namespaces"):
        asked.snapshot(Scope())


def test_without_the_crd_the_remedy_is_named() -> None:
    """The server answers a list of a kind that it does not know with a bare 404."""
    asked, _ = cluster(webapps=[answer(404, b"404 page not found\n")])
    with pytest.raises(errors.NotFound, match=r"CRD is not installed \(webappctl crd --install\)"):
        asked.snapshot(Scope())


def test_webapps_are_sorted_and_narrowed() -> None:
    """The selector goes to the server, names are looked for here."""
    asked, wire = cluster(webapps=[webapps("c", "a", "b")])
    found = asked.snapshot(Scope(selector="team=a", names=(ObjectKey("", "c"), ObjectKey("shop", "a"))))
    assert names(found.webapps) == ["a", "c"]
    assert wire.queries(WEBAPPS) == [{"limit": "500", "labelSelector": "team=a"}]


def test_deployments_of_no_concern_are_left_out() -> None:
    """Those with another name and without our label; they are listed without a selector."""
    ours = deployments("renamed", token="t", **{"managed-by": "webapp-operator"})
    asked, wire = cluster(deployments=[ours, deployments("a-deployment", "postgres")])
    found = asked.snapshot(Scope(selector="team=a")).deployments
    assert [key.name for key in found] == ["renamed", "a-deployment"]
    assert wire.queries(DEPLOYMENTS)[0] == {"limit": "500"}


def of_namespaces(**listed: Answer) -> tuple[Cluster, Transport]:
    """By namespace, what the list of its autoscalers answers."""
    paths: dict[str, list[Step]] = {}
    for name, answered in listed.items():
        prefix = "/apis/{}/namespaces/" + name + "/{}"
        paths[prefix.format("apps.example.com/v1", "webapps")] = [webapps(f"w{name}")]
        paths[prefix.format("apps/v1", "deployments")] = [deployments()]
        paths[prefix.format("autoscaling/v2", "horizontalpodautoscalers")] = [answered]
    transport = Transport(Paths(paths), request_timeout=30, stop=FakeTime())
    return Cluster(transport, context="c", workers=2), transport


def test_each_namespace_of_the_scope_is_listed_once() -> None:
    """And nothing outside of them, so that a Role there is enough."""
    asked, transport = of_namespaces(a=autoscalers(), b=autoscalers())
    found = asked.snapshot(Scope(namespaces=("b", "a", "b")))
    assert names(found.webapps) == ["wa", "wb"]
    assert transport.requests == {"GET": 6}


def test_a_snapshot_knows_the_autoscalers_of_its_deployments() -> None:
    """Of all pages, listed without a selector."""
    asked, wire = cluster(autoscalers=[autoscalers("a-deployment", token="t"), autoscalers("b-deployment")])
    found = asked.snapshot(Scope(selector="team=a")).autoscalers
    targets = {key.name: autoscaler.metadata.name for key, autoscaler in found.by_target.items()}
    assert targets == {"a-deployment": "of-a-deployment", "b-deployment": "of-b-deployment"}
    assert wire.queries(AUTOSCALERS)[0] == {"limit": "500"}


def test_autoscalers_that_may_not_be_listed_are_unknown_everywhere() -> None:
    """The other two lists are there."""
    asked, _ = cluster(webapps=[webapps("a")], autoscalers=[failure(403)])
    found = asked.snapshot(Scope())
    assert (found.autoscalers.unknown, names(found.webapps)) == (frozenset((ALL_NAMESPACES,)), ["a"])


def test_autoscalers_are_unknown_only_where_they_may_not_be_listed() -> None:
    """In one of two namespaces here."""
    asked, _ = of_namespaces(a=failure(403), b=autoscalers("b-deployment", namespace="b"))
    found = asked.snapshot(Scope(namespaces=("a", "b"))).autoscalers
    assert (found.unknown, list(found.by_target)) == (frozenset("a"), [ObjectKey("b", "b-deployment")])


@pytest.mark.parametrize(
    "step",
    [
        failure(500),
        failure(404),
        answer(200, b"<html>"),
        answer(200, {"kind": "HorizontalPodAutoscalerList", "items": None}),
        answer(200, {"kind": "HorizontalPodAutoscalerList", "items": [{"metadata": {"name": "x"}}]}),
        errors.Unreachable("no answer"),
    ],
    ids=str,
)
def test_autoscalers_that_cannot_be_listed_fail_the_pass(step: Step) -> None:
    """Only a missing right may be lived with: else a pass would take replicas from an autoscaler."""
    asked, _ = cluster(autoscalers=[autoscalers("a-deployment", token="t"), step])
    with pytest.raises(errors.ClusterError, match=r"horizontalpodautoscalers\.autoscaling in all namespaces"):
        asked.snapshot(Scope())


@pytest.mark.parametrize(
    ("scope", "every"),
    [
        (Scope(), True),
        (Scope(namespaces=("shop",)), True),
        (Scope(selector="team=a"), False),
        (Scope(names=(ObjectKey("", "a"),)), False),
    ],
    ids=str,
)
def test_a_snapshot_says_whether_every_webapp_is_in_it(scope: Scope, every: bool) -> None:
    """Every one of its namespaces: a selector and names leave some out."""
    answers = [webapps(), deployments(), autoscalers()]
    kinds = ("apps.example.com/v1/{}webapps", "apps/v1/{}deployments", "autoscaling/v2/{}horizontalpodautoscalers")
    inside = "namespaces/shop/" if scope.namespaces else ""
    wire = Paths({f"/apis/{kind.format(inside)}": [step] for kind, step in zip(kinds, answers, strict=True)})
    asked = Cluster(Transport(wire, request_timeout=30, stop=FakeTime()), context="c", workers=1)
    assert asked.snapshot(scope).every_webapp is every


def test_an_object_with_odd_fields_does_not_spoil_the_list() -> None:
    """It is there, and said to be unreadable."""
    odd = {"kind": "WebAppList", "items": [{"metadata": {"name": "odd"}, "spec": {"replicas": "two"}}]}
    asked, _ = cluster(webapps=[answer(200, odd)])
    assert names(asked.snapshot(Scope()).webapps) == ["odd"]


def test_all_webapps_are_those_of_every_page_and_namespace() -> None:
    """In the server's order."""
    asked, wire = cluster(webapps=[webapps("b", token="t"), webapps("a")])
    assert names(asked.webapps()) == ["b", "a"]
    assert len(wire.queries(WEBAPPS)) == 2


@pytest.mark.parametrize("may", [True, False])
def test_the_autoscalers_of_one_namespace_are_one_list(may: bool) -> None:
    """That namespace is unknown where they may not be listed."""
    asked, transport = of_namespaces(shop=autoscalers("a-deployment") if may else failure(403))
    found = asked.autoscalers("shop")
    assert (list(found.by_target), found.unknown) == (
        ([ObjectKey("shop", "a-deployment")], frozenset()) if may else ([], frozenset(("shop",)))
    )
    assert transport.requests == {"GET": 1}
