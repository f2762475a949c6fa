"""What the doctor finds, on a cluster that is a list of answers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import deployment, owner, snapshot, webapp
from tests.diagnosed import NOW, Answers, check, checks, diagnose, edited_crd, stored_crd
from webappctl.core.objects import Scope
from webappctl.doctor import ADDED, BUILDS_ON, RIGHTS, Check, Mode, Question, Verdict, Where, without_server
from webappctl.doctor.crds import INSTALL
from webappctl.errors import BadAnswer, ConfigError, Forbidden, OutOfTime, ServerFailure, Unauthorized, Unreachable

NO_RIGHT = Forbidden("forbidden: may not")


def lease(name: str = "webapp-operator-lock", **spec: Any) -> dict[str, Any]:
    return {"metadata": {"namespace": "webappctl", "name": name}, "spec": spec}


def held(seconds_ago: int, name: str = "webapp-operator-lock") -> dict[str, Any]:
    renewed = f"2026-01-01T11:59:{60 - seconds_ago:02d}.000000Z"
    times = {"acquireTime": "2026-01-01T11:00:00.000000Z", "renewTime": renewed}
    return lease(name, holderIdentity="pod-1", leaseDurationSeconds=15, **times)


def test_where_all_is_well_every_mode_can_run() -> None:
    """And nothing is to be done."""
    found = diagnose(Answers(), *Mode)
    assert found.unable == ()
    assert {ability.mode: ability.text for ability in found.abilities} == dict.fromkeys(Mode, "can run")
    assert {check.verdict for section in found.sections for check in section.checks} == {Verdict.OK}


def test_every_mode_has_the_rights_of_the_one_that_it_builds_on() -> None:
    """And its own after them."""
    for mode, below in BUILDS_ON.items():
        assert {*RIGHTS[mode]} == {*RIGHTS[below], *ADDED[mode]}
        assert len({*RIGHTS[mode]}) == len(RIGHTS[mode])


def test_a_plan_needs_three_lists() -> None:
    """The roles that ship are held to this table."""
    assert [str(right) for right in RIGHTS[Mode.PLAN]] == [
        "list webapps.apps.example.com",
        "list deployments.apps",
        "list horizontalpodautoscalers.autoscaling",
    ]


@pytest.mark.parametrize("right", [right for right in RIGHTS[Mode.WATCH] if not right.without], ids=str)
def test_each_right_that_is_missing_is_named_and_stops_the_modes_that_need_it(right: Any) -> None:
    """`watch` needs all that `apply` needs, and that all that `plan` needs."""
    place = "webappctl" if right.where is Where.LEASE else "shop"
    found = diagnose(Answers(denied=[str(right)]), Mode.WATCH, namespaces=("shop",))
    (ability,) = found.unable
    assert ability.missing == (f"{right} in namespace {place}",)
    lines = [line.message for section in found.sections for line in section.checks if line.verdict is Verdict.FAILED]
    assert f"may not {right} in namespace {place}" in lines


BEARABLE = [right for right in RIGHTS[Mode.WATCH] if right.without]


@pytest.mark.parametrize("right", [right for right in BEARABLE if right.where is Where.SCOPE], ids=str)
def test_a_right_without_which_it_runs_is_a_warning_that_says_what_is_missed(right: Any) -> None:
    """The pass does without autoscalers and events, and the last right matters on some clusters only."""
    found = diagnose(Answers(denied=[str(right)]), Mode.WATCH)
    assert found.unable == ()
    lines = [line for section in found.sections for line in section.checks if line.verdict is not Verdict.OK]
    assert {line.verdict for line in lines} == {Verdict.WARNING}
    assert all(line.message == f"may not {right} in all namespaces: {right.without}" for line in lines)


def test_without_the_right_to_list_leases_everything_runs_but_shards() -> None:
    """What is missed is said."""
    found = diagnose(Answers(denied=["list leases.coordination.k8s.io"]), *Mode)
    assert [ability.mode for ability in found.unable] == [Mode.SHARD]
    missing = "may not list leases.coordination.k8s.io in namespace webappctl"
    lines = [line.message for line in checks(found, "rights", "apply")]
    assert lines == ["can run", f"{missing}: shards that write to the same WebApps would not be noticed"]


def test_a_right_may_be_missing_in_one_namespace_of_several() -> None:
    """Each is asked for."""
    denied = ["patch deployments.apps in namespace blog"]
    found = diagnose(Answers(denied=denied), Mode.APPLY, namespaces=("shop", "blog", "team"))
    assert found.unable[0].missing == tuple(denied)


def test_a_mode_that_nobody_asked_for_is_no_failure() -> None:
    """Though it is told that it cannot run."""
    found = diagnose(Answers(denied=["patch deployments.apps"]), Mode.PLAN)
    assert found.unable == ()
    assert [line.verdict for line in checks(found, "rights", "apply")] == [Verdict.WARNING, Verdict.WARNING]


def test_the_order_does_not_depend_on_which_answer_came_first() -> None:
    """Reviews go out side by side."""
    denied = [str(right) for right in RIGHTS[Mode.SHARD]]
    found = [diagnose(Answers(denied=denied), Mode.SHARD, namespaces=("b", "a")) for _ in range(3)]
    assert found[0] == found[1] == found[2]


def test_no_right_is_asked_for_twice() -> None:
    """Modes share most of theirs."""
    cluster = Answers()
    diagnose(cluster, namespaces=("shop", "blog"))
    assert len(cluster.asked) == len(set(cluster.asked))


def test_rights_that_may_not_be_asked_for_are_unknown() -> None:
    """And a mode of which nobody knows is none that can run."""
    found = diagnose(Answers(review=NO_RIGHT), Mode.PLAN)
    assert [ability.text for ability in found.unable] == [f"not known: {NO_RIGHT}"]
    assert check(found, "owners", "owner references").verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("error", [Unreachable("no answer"), Unauthorized("401"), BadAnswer("a page"), OutOfTime("up")])
def test_a_server_that_does_not_answer_is_asked_no_more(error: Any) -> None:
    """What is known is told all the same."""
    cluster = Answers(version_=error)
    found = diagnose(cluster, Mode.PLAN)
    assert cluster.asked == ["version"]
    assert check(found, "connection", "server").message == f"prod (https://10.0.0.1:6443): {error}"
    assert [section.name for section in found.sections] == ["connection", "versions"]
    assert [ability.mode for ability in found.unable] == [Mode.PLAN]


def test_a_server_that_stops_answering_is_asked_no_more() -> None:
    """What was found before stays."""
    cluster = Answers(served_=Unreachable("no answer"))
    found = diagnose(cluster, Mode.PLAN)
    assert cluster.asked == ["version", "whoami", "served"]
    assert check(found, "connection", "identity") == Check("identity", Verdict.OK, "jane")
    assert [ability.text for ability in found.unable] == ["not known: no answer"]


def test_without_a_kubeconfig_there_is_nothing_to_ask() -> None:
    """The remedy is the error's."""
    question = Question(Scope(), {Mode.PLAN}, ("webappctl",), "0.1.0", NOW)
    found = without_server(question, ConfigError("no cluster is configured", remedy="set KUBECONFIG"))
    expected = Check("server", Verdict.FAILED, "no cluster is configured", "set KUBECONFIG")
    assert check(found, "connection", "server") == expected
    assert len(found.unable) == 1


@pytest.mark.parametrize(
    ("version", "verdict"),
    [
        ("v1.30.0", "ok"),
        ("v1.31.4-eks-a18cd3a", "ok"),
        ("v2.0.0", "ok"),
        ("v1.29.9", "warning"),
        ("v1.9.0", "warning"),
        ("?", "unknown"),
    ],
)
def test_an_old_api_server_is_a_warning(version: str, verdict: str) -> None:
    """Before 1.30, the CRD's rules would not bind on creation only."""
    assert check(diagnose(Answers(version_=version)), "versions", "API server").verdict.value == verdict


def test_a_version_that_may_not_be_read_is_no_reason_to_stop() -> None:
    """The server has answered."""
    found = diagnose(Answers(version_=NO_RIGHT, who=NO_RIGHT), Mode.PLAN)
    assert check(found, "versions", "API server").verdict is Verdict.UNKNOWN
    assert check(found, "connection", "identity").verdict is Verdict.UNKNOWN
    assert found.unable == ()


@pytest.mark.parametrize("crd", [None, NO_RIGHT])
def test_no_crd_and_no_mode_can_run(crd: Any) -> None:
    """What is served tells it to those who may not read CRDs."""
    cluster = Answers(crd=crd, served_=())
    found = diagnose(cluster, Mode.PLAN)
    (absent,) = (line for line in found.sections[2].checks if line.verdict is Verdict.FAILED)
    assert (absent.message, absent.remedy) == ("not installed", INSTALL)
    assert "not installed" in found.unable[0].text
    assert "lists in all namespaces" not in cluster.asked


@pytest.mark.parametrize(
    ("crd", "message"),
    [
        (stored_crd(deletionTimestamp="2026-01-01T11:00:00Z"), "being deleted, and every WebApp with it"),
        (stored_crd() | {"status": {}}, "its names are not accepted: not looked at yet"),
    ],
)
def test_a_crd_that_is_there_may_still_be_none(crd: Any, message: str) -> None:
    """On its way out, or not yet in."""
    found = diagnose(Answers(crd=crd), Mode.PLAN)
    assert found.sections[2].checks[0].message == message
    assert len(found.unable) == 1


def test_what_differs_from_the_shipped_crd_is_named() -> None:
    """Lists are compared by the names in them, and what the server adds is no difference."""

    def edit(spec: dict[str, Any]) -> None:
        (version,) = spec["versions"]
        version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["port"]["maximum"] = 9
        del version["additionalPrinterColumns"][1]
        spec["names"]["shortNames"].append("wap")

    found = check(diagnose(Answers(crd=edited_crd(edit))), "CRD", "same as shipped")
    assert (found.verdict, found.remedy) == (Verdict.WARNING, INSTALL)
    assert found.message.split("; ") == [
        "no: spec.names.shortNames[1] is not in the shipped one",
        "spec.versions[v1].additionalPrinterColumns[Desired] is missing",
        "spec.versions[v1].schema.openAPIV3Schema.properties.spec.properties.port.maximum differs",
    ]


def test_an_older_crd_is_known_by_its_subresources_to_those_who_may_not_read_it() -> None:
    """Else it is not known whether it is the same."""
    found = diagnose(Answers(crd=NO_RIGHT, served_=("webapps", "webapps/status")))
    assert check(found, "CRD", "same as shipped").message == "another one: webapps/scale not served"
    found = diagnose(Answers(crd=NO_RIGHT))
    assert check(found, "CRD", "same as shipped").verdict is Verdict.UNKNOWN


def test_stored_objects_that_the_shipped_crd_would_refuse_are_named() -> None:
    """The first few, and how many."""
    odd = [webapp(f"web{number}", port=None) for number in range(5)]
    found = check(diagnose(Answers(snapshot_=snapshot(webapp(), *odd))), "CRD", "stored WebApps")
    assert found.verdict is Verdict.WARNING
    assert found.message.startswith("the shipped CRD would refuse 5 of 6: shop/web0: spec.port is missing; ")
    assert found.message.endswith("; and 2 more")


def test_lists_that_fail_though_they_are_allowed_stop_every_mode() -> None:
    """The reason is the list's."""
    found = diagnose(Answers(snapshot_=ServerFailure("the server failed")), Mode.PLAN)
    assert found.unable[0].text == "cannot run: the server failed"


def test_foreign_owners_are_told_with_the_plans_words() -> None:
    """And those of a WebApp that is gone."""
    wanted, gone = webapp(), webapp("gone")
    objects = snapshot(wanted, deployment(wanted, owner_references=(owner(),)), deployment(gone))
    found = diagnose(Answers(snapshot_=objects))
    foreign, dangling = check(found, "owners", "foreign owner"), check(found, "owners", "owner is gone")
    assert foreign.message == "1: shop/web: Deployment web-deployment is owned by HelmRelease legacy"
    assert dangling.message.startswith("1: shop/gone-deployment: its WebApp gone was deleted")
    assert check(found, "owners", "no owner") == Check("no owner", Verdict.OK, "none")


def test_who_holds_the_lease_and_since_when() -> None:
    """And of each shard; what else is in that namespace does not matter."""
    leases = (held(5, "webapp-operator-lock-0-of-2"), held(5), lease("other", holderIdentity="x"))
    found = diagnose(Answers(leases_=leases))
    messages = [line.message for line in found.sections[4].checks]
    since = "since 2026-01-01T11:00:00.000000Z (1 h ago), last renewed 5 s ago"
    assert messages == ["webappctl", f"held by pod-1, {since}", f"held by pod-1, {since}"]


def test_a_lease_that_was_not_renewed_in_time_looks_expired() -> None:
    """By our clock, which may be wrong."""
    found = check(diagnose(Answers(leases_=(held(20),))), "Lease", "webapp-operator-lock")
    assert found.message.endswith("by this machine's clock it has expired: it was for 15 s")


@pytest.mark.parametrize("leases", [(), (lease(holderIdentity=""),)])
def test_a_lease_may_be_free(leases: Any) -> None:
    """Given back, or never taken."""
    found = check(diagnose(Answers(leases_=leases)), "Lease", "webapp-operator-lock")
    assert found.message.startswith("nobody holds it")


@pytest.mark.parametrize("times", [{}, {"acquireTime": 7, "renewTime": "soon"}, {"renewTime": "2026-01-01T11:00:00"}])
def test_odd_times_of_a_lease_are_no_reason_to_fail(times: Any) -> None:
    """Anybody can write one."""
    cluster = Answers(leases_=(lease(holderIdentity="pod-1", leaseDurationSeconds=15, **times),))
    assert check(diagnose(cluster), "Lease", "webapp-operator-lock").message.startswith("held by pod-1")


def test_without_the_right_to_list_leases_the_one_of_all_webapps_is_read() -> None:
    """That is a right of `apply`."""
    found = diagnose(Answers(leases_=NO_RIGHT, lease=held(5)))
    assert check(found, "Lease", "webapp-operator-lock").message.startswith("held by pod-1")


def test_a_lease_that_may_not_be_read_is_unknown() -> None:
    """Not free."""
    found = diagnose(Answers(leases_=NO_RIGHT, lease=NO_RIGHT))
    assert check(found, "Lease", "webapp-operator-lock").verdict is Verdict.UNKNOWN


def test_where_there_is_no_namespace_for_the_lease_it_is_in_default() -> None:
    """Both are tried, so rights are needed in both."""
    cluster = Answers(namespaces={"webappctl": False}, denied=["create leases.coordination.k8s.io"])
    found = diagnose(cluster, Mode.APPLY)
    assert check(found, "Lease", "namespace").message == "default: there is no namespace webappctl"
    assert found.unable[0].missing == (
        "create leases.coordination.k8s.io in namespace webappctl",
        "create leases.coordination.k8s.io in namespace default",
    )


def test_a_lease_namespace_that_is_not_there_stops_what_needs_the_lease() -> None:
    """A plan does not."""
    cluster = Answers(namespaces={"locks": False})
    found = diagnose(cluster, Mode.PLAN, Mode.APPLY, lease_namespaces=("locks",))
    assert [(ability.mode, ability.text) for ability in found.unable] == [
        (Mode.APPLY, "cannot run: there is no namespace locks")
    ]
