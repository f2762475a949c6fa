"""What a `watch` is beside its passes: pages over HTTP, a life without writes, an end by signals, a shard."""

from __future__ import annotations

import json
import signal
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.identities import kubeconfig_of, service_account
from tests.watching import Watch, Watches, watches
from tests.world import Audit, World, eventually
from webappctl.core.objects import Shard
from webappctl.sandbox import Sandbox

READ_ONLY = tuple(
    f"{verb} {resource}"
    for verb in ("list", "watch")
    for resource in ("webapps.apps.example.com", "deployments.apps", "horizontalpodautoscalers.autoscaling")
)
LISTEN = ("--listen", "127.0.0.1:0")


@pytest.fixture
def started(world: World, tmp_path: Path) -> Iterator[Watches]:
    with watches(world.webappctl, tmp_path) as found:
        yield found


def _page(watch: Watch, path: str) -> tuple[int, str]:
    (serving,) = watch.lines("Serving metrics")
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{serving['port']}/{path}", timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def _metric(watch: Watch, metric: str, /, **labels: str) -> float:
    """The sum of those with the labels."""
    families = text_string_to_metric_families(_page(watch, "metrics")[1])
    samples = [sample for family in families for sample in family.samples if sample.name == f"webappctl_{metric}"]
    return sum(sample.value for sample in samples if labels.items() <= sample.labels.items())


def test_metrics_tell_of_passes_changes_and_requests(world: World, started: Watches) -> None:
    watch = started.start("-n", world.namespace, "--interval", "1s", *LISTEN)
    watch.until("Pass finished")
    world.declare("web")
    eventually(lambda: _metric(watch, "changes_total", action="create", outcome="created", cause="missing") == 1)
    assert _metric(watch, "passes_total", result="success", source="list") >= 1
    assert _metric(watch, "leader") == _metric(watch, "mirror_live") == 1
    assert _metric(watch, "api_requests_total", verb="watch", code="200") >= 3
    lease = {"verb": "update", "resource": "leases.coordination.k8s.io"}
    eventually(lambda: _metric(watch, "api_requests_total", **lease) >= 1)
    assert _metric(watch, "mirror_differences_total") == 0


def test_the_series_of_what_was_deleted_go_away(world: World, started: Watches) -> None:
    """One for each WebApp that is not in order, while it is not."""
    world.kubectl("create", "deployment", "web-deployment", "--image=nginx")
    world.declare("web")
    watch = started.start("-n", world.namespace, "--interval", "1s", *LISTEN)
    watch.until("Pass finished")
    assert _metric(watch, "webapp_not_in_order", name="web") == 1
    world.kubectl("delete", "webapp", "web")
    eventually(lambda: "webapp_not_in_order{" not in _page(watch, "metrics")[1])


def test_a_leader_and_a_follower_are_alive_and_ready(world: World, started: Watches) -> None:
    pair = [started.start("-n", world.namespace, *LISTEN) for _ in range(2)]
    eventually(lambda: sum(bool(watch.lines("Leading")) for watch in pair) == 1)
    for watch in pair:
        watch.until("Serving metrics")
        eventually(lambda: _page(watch, "readyz") == (200, "ok\n"))  # noqa: B023 - it is called at once
        assert _page(watch, "healthz") == (200, "ok\n")


def test_one_that_has_listed_nothing_is_not_ready(world: World, started: Watches, tmp_path: Path) -> None:
    token = service_account(world.kubectl_, world.namespace)
    kubeconfig = kubeconfig_of(token, world.webappctl.kubeconfig, tmp_path)
    watch = started.start("-n", world.namespace, "--no-lock", *LISTEN, kubeconfig=kubeconfig)
    watch.until("Pass failed")
    status, why = _page(watch, "readyz")
    assert (status, "may not list" in why) == (503, True)
    assert _page(watch, "healthz")[0] == 200


def test_plan_only_needs_rights_to_read_and_writes_nothing(
    world: World, started: Watches, tmp_path: Path, sandbox: Sandbox
) -> None:
    world.declare("web")
    token = service_account(world.kubectl_, world.namespace, *READ_ONLY)
    kubeconfig = kubeconfig_of(token, world.webappctl.kubeconfig, tmp_path)
    audit = Audit.from_now(sandbox)
    watch = started.start("-n", world.namespace, "--plan-only", "--interval", "1s", *LISTEN, kubeconfig=kubeconfig)
    watch.until("Pass planned", times=2)
    assert _metric(watch, "drift", namespace=world.namespace, action="create") == 1
    assert [verb for verb, _, _ in audit.by_webappctl(world.namespace) if verb not in ("list", "watch")] == []
    assert watch.lines("Warning") == []


def test_plan_only_sees_a_change_at_once(world: World, started: Watches) -> None:
    watch = started.start("-n", world.namespace, "--plan-only", "--interval", "10m")
    watch.until("Pass planned")
    world.declare("web")
    watch.until("Pass planned", times=2, seconds=10)
    assert watch.lines("Pass planned")[-1]["create"] == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_with_0_within_ten_seconds_and_frees_the_lease(
    world: World, started: Watches, number: signal.Signals
) -> None:
    watch = started.start("-n", world.namespace, "--lease-namespace", world.namespace)
    watch.until("Pass finished")
    began = time.monotonic()
    assert watch.end(number) == 0
    assert time.monotonic() - began < 10
    lease = json.loads(world.kubectl("get", "lease", "webapp-operator-lock", "-o", "json").stdout)
    assert not lease["spec"].get("holderIdentity")


def test_every_line_of_a_pass_says_which_one_it_is_of(world: World, started: Watches) -> None:
    world.declare("web")
    watch = started.start("-n", world.namespace, "--interval", "10m")
    watch.until("Pass finished")
    (created,), finished = watch.lines("Creating Deployment"), watch.lines("Pass finished")[0]
    assert created["pass"] == finished["pass"] != ""


def test_a_shard_looks_after_its_namespaces_and_no_others(world: World, started: Watches) -> None:
    """Of two, one does."""
    owner = next(index for index in range(2) if Shard(index, 2).owns(world.namespace))
    world.declare("web")
    other = started.start("--shard", f"{1 - owner}/2", "--lease-namespace", world.namespace, "--plan-only")
    other.until("Pass planned")
    plan = world.webappctl("plan", "--shard", f"{1 - owner}/2", "-o", "json")
    assert world.namespace not in {change["namespace"] for change in json.loads(plan.stdout)["changes"]}
    plan = world.webappctl("plan", "--shard", f"{owner}/2", "-o", "json")
    assert world.namespace in {change["namespace"] for change in json.loads(plan.stdout)["changes"]}


def test_a_shard_beside_one_for_everything_refuses(world: World, started: Watches) -> None:
    """And names it."""
    lock = ("--lease-namespace", world.namespace)
    started.start("-n", world.namespace, *lock).until("Leading")
    done = world.webappctl("apply", "--yes", "--shard", "0/2", *lock)
    assert done.returncode == 4
    assert "runs without --shard" in done.stderr
    watch = started.start("--shard", "0/2", *lock)
    assert watch.process.wait(30) == 4
