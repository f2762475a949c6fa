"""apply and the Lease: it waits for another's, names it, gives its own back, and can do without."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path
from typing import Any

from tests.e2e.conftest import Start
from tests.identities import kubeconfig_of, service_account
from tests.terminal import on_terminal
from tests.world import World, eventually
from webappctl.core.lease import LOCK

ELSEWHERE = "somebody-else"
LISTS = ("list webapps.apps.example.com", "list deployments.apps", "list horizontalpodautoscalers.autoscaling")


def _hold(world: World, *, seconds: int = 600, name: str = LOCK, holder: str = ELSEWHERE) -> None:
    spec = {"holderIdentity": holder, "leaseDurationSeconds": seconds, "acquireTime": "2026-01-01T00:00:00.000000Z"}
    lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": name}, "spec": spec}
    world.kubectl("create", "-f", "-", stdin=json.dumps(lease))


def _lease(world: World) -> dict[str, Any]:
    spec: dict[str, Any] = world.get("lease", LOCK)["spec"]
    return spec


def test_apply_waits_for_the_lease_and_then_names_its_holder(world: World) -> None:
    """Refused for safety, and nothing is written; the Lease, since when, and what can be done are said."""
    world.declare("web")
    _hold(world)
    began = time.monotonic()
    done = world.apply("--lock-timeout", "2s")
    assert time.monotonic() - began >= 2
    assert (done.returncode, done.stdout) == (4, "")
    said = f"{world.namespace}/{LOCK}: the Lease is held by {ELSEWHERE} since 2026-01-01T00:00:00.000000Z (wait"
    assert said in done.stderr
    assert not world.exists("deployment", "web-deployment")


def test_apply_takes_it_when_its_holder_is_dead(world: World) -> None:
    """After as long as that holder says, by a clock of our own: its times are long ago, and say nothing."""
    world.declare("web")
    _hold(world, seconds=3)
    world.converge()
    assert _lease(world)["leaseTransitions"] == 1


def test_apply_gives_the_lease_back(world: World) -> None:
    """For the next one it is free at once."""
    world.declare("web")
    world.converge()
    assert _lease(world).get("holderIdentity", "") == ""
    began = time.monotonic()
    world.converge()
    assert time.monotonic() - began < 12


def test_apply_takes_the_lease_though_nothing_is_pending(world: World) -> None:
    """Statuses are written, too."""
    world.converge()
    assert _lease(world)["leaseTransitions"] == 0
    _hold_again(world)
    assert world.apply("--lock-timeout", "1s").returncode == 4


def _hold_again(world: World) -> None:
    patch = {"spec": {"holderIdentity": ELSEWHERE, "leaseDurationSeconds": 600}}
    world.kubectl("patch", "lease", LOCK, "--type=merge", "-p", json.dumps(patch))


def test_plan_never_takes_it(world: World) -> None:
    world.declare("web")
    assert world.plan().returncode == 3
    assert not world.exists("lease", LOCK)


def test_apply_can_do_without(world: World) -> None:
    world.declare("web")
    _hold(world)
    world.converge("--no-lock")
    assert _lease(world)["holderIdentity"] == ELSEWHERE


def test_a_saved_plan_needs_the_lease_too(world: World, tmp_path: Path) -> None:
    world.declare("web")
    assert world.webappctl("plan", "-n", world.namespace, "--out", str(tmp_path / "plan")).returncode == 0
    _hold(world)
    done = world.webappctl("apply", "--plan", str(tmp_path / "plan"), "--lock-timeout", "1s")
    assert (done.returncode, done.stdout) == (4, "")


def test_on_a_terminal_the_question_comes_before_the_wait(world: World) -> None:
    """Nobody waits for a person's answer; and the person is told whom the program waits for."""
    world.declare("web")
    _hold(world)
    command = world.webappctl.command("apply", "-n", world.namespace, "--lock-timeout", "2s")
    seen = on_terminal(command, env=world.webappctl.env(), answer="y")
    assert seen.returncode == 4
    assert seen.text.index("[y/N]") < seen.text.index(f"waiting for the Lease {world.namespace}/{LOCK}, held by")


def test_a_signal_while_waiting_ends_at_once(world: World, start: Start) -> None:
    """And leaves the Lease to its holder."""
    _hold(world)
    apply = start("apply", "--yes", "-n", world.namespace)
    time.sleep(2)
    apply.send_signal(signal.SIGTERM)
    _, talk = apply.communicate(timeout=10)
    assert (apply.returncode, talk) == (143, "webappctl: interrupted, nothing was written\n")
    assert _lease(world)["holderIdentity"] == ELSEWHERE


def test_a_signal_while_writing_gives_the_lease_back(world: World, start: Start) -> None:
    """After the writes in flight."""
    for number in range(12):
        world.declare(f"web-{number}")
    apply = start("apply", "--yes", "-n", world.namespace, "--workers", "1")
    eventually(lambda: world.exists("deployment", "web-0-deployment"), every=0.05)
    apply.send_signal(signal.SIGTERM)
    apply.communicate(timeout=20)
    assert apply.returncode == 143
    assert _lease(world).get("holderIdentity", "") == ""


def test_one_that_loses_it_stops_writing_and_says_what_is_left(world: World, start: Start) -> None:
    """Somebody takes it by force. Exit 4, and the rows that were not tried are told."""
    for number in range(40):
        world.declare(f"web-{number:02}")
    fast = ("--lease-duration", "3s", "--renew-deadline", "2s", "--retry-period", "50ms")
    apply = start("apply", "--yes", "-n", world.namespace, "--workers", "1", *fast)
    eventually(lambda: world.exists("deployment", "web-00-deployment"), every=0.02)
    _hold_again(world)
    out, talk = apply.communicate(timeout=60)
    assert apply.returncode == 4, talk
    assert f"the Lease {world.namespace}/{LOCK} was lost" in talk
    left = [line for line in out.splitlines() if "\tnot tried" in line]
    assert len(left) == 40 - len(world.kubectl("get", "deployments", "-o", "name").stdout.split())


def test_beside_a_live_shard_it_is_refused(world: World) -> None:
    """Both would write to the same WebApps. A shard is alive when it renews its Lease."""
    _hold(world, name=f"{LOCK}-0-of-2", seconds=60)

    def renew(number: int) -> None:
        patch = json.dumps({"spec": {"leaseTransitions": number}})
        world.kubectl("patch", "lease", f"{LOCK}-0-of-2", "--type=merge", "-p", patch)

    apply = world.webappctl.popen("apply", "--yes", "-n", world.namespace)
    with apply:
        number = 0
        while apply.poll() is None:
            renew(number := number + 1)
        _, talk = apply.communicate(timeout=30)
    assert apply.returncode == 4
    assert f"{ELSEWHERE} runs with 2 shards" in talk


def test_a_missing_right_is_named_with_the_ways_out(world: World, tmp_path: Path) -> None:
    token = service_account(world.kubectl_, world.namespace, *LISTS)
    kubeconfig = kubeconfig_of(token, world.kubectl_.kubeconfig, tmp_path)
    done = world.webappctl("apply", "--yes", "-n", world.namespace, kubeconfig=kubeconfig)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"may not get leases.coordination.k8s.io in namespace {world.namespace}" in done.stderr
    assert "--no-lock" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_without_the_right_to_look_for_shards_it_warns_and_goes_on(world: World, tmp_path: Path) -> None:
    """Once, with the right and what is risked."""
    lease = [f"{verb} leases.coordination.k8s.io" for verb in ("get", "create", "update")]
    token = service_account(world.kubectl_, world.namespace, *LISTS, *lease)
    kubeconfig = kubeconfig_of(token, world.kubectl_.kubeconfig, tmp_path)
    done = world.webappctl("apply", "--yes", "-n", world.namespace, kubeconfig=kubeconfig)
    assert done.returncode == 0, done.stderr
    (warning,) = [line for line in done.stderr.splitlines() if "would not be noticed" in line]
    assert f"may not list leases.coordination.k8s.io in namespace {world.namespace}" in warning


def test_what_may_be_created_and_not_updated_cannot_be_given_back_which_is_said(world: World, tmp_path: Path) -> None:
    """Others wait for as long as it lasts."""
    lease = [f"{verb} leases.coordination.k8s.io" for verb in ("get", "list", "create")]
    token = service_account(world.kubectl_, world.namespace, *LISTS, *lease)
    kubeconfig = kubeconfig_of(token, world.kubectl_.kubeconfig, tmp_path)
    done = world.webappctl("apply", "--yes", "-n", world.namespace, kubeconfig=kubeconfig)
    assert done.returncode == 0, done.stderr
    (warning,) = [line for line in done.stderr.splitlines() if "Lease not released" in line]
    assert f"may not update leases.coordination.k8s.io in namespace {world.namespace}" in warning


def test_a_namespace_for_it_that_is_not_there_is_said(world: World) -> None:
    done = world.apply("--lease-namespace", "no-such-namespace")
    assert (done.returncode, done.stdout) == (1, "")
    assert 'namespaces "no-such-namespace" not found' in done.stderr
    assert "--lease-namespace" in done.stderr


def test_times_that_do_not_fit_each_other_are_wrong_usage(world: World) -> None:
    done = world.apply("--lease-duration", "10s", "--renew-deadline", "10s")
    assert done.returncode == 2
    assert "--lease-duration must be longer than --renew-deadline" in done.stderr


def test_without_a_namespace_of_its_own_the_lease_is_in_default(world: World) -> None:
    """As outside of a pod, where nobody has made the namespace webappctl."""
    done = world.webappctl("apply", "--yes", "-n", world.namespace, env={"WEBAPPCTL_LEASE_NAMESPACE": ""})
    assert done.returncode == 0, done.stderr
    lease = json.loads(world.kubectl_("get", "lease", LOCK, "-n", "default", "-o", "json").stdout)
    assert lease["spec"].get("leaseDurationSeconds") == 1
