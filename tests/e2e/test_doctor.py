"""doctor on a real API server."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Kubectl, Webappctl
from tests.diagnosed import misfits
from tests.identities import kubeconfig_of, service_account
from tests.manifests import webapp
from tests.terminal import on_terminal
from tests.unit.cluster_fakes import kubeconfig
from tests.world import Done, World
from webappctl import crd, sandbox
from webappctl.doctor import RIGHTS, Mode, Right

As = Callable[..., Path]
EVERYTHING = ("--for", "plan", "--for", "apply", "--for", "watch")


@pytest.fixture
def kubeconfig_for(world: World, tmp_path: Path) -> As:
    """A kubeconfig of a new ServiceAccount that has these rights, in its namespace or everywhere."""

    def make(rights: tuple[Right, ...], *, everywhere: bool = False) -> Path:
        texts = dict.fromkeys(map(_as_granted, rights))
        token = service_account(world.kubectl_, world.namespace, *texts, everywhere=everywhere)
        return kubeconfig_of(token, world.kubectl_.kubeconfig, tmp_path)

    return make


def _as_granted(right: Right) -> str:
    subresource, group = f"/{right.subresource}" * bool(right.subresource), f".{right.group}" * bool(right.group)
    return f"{right.verb} {right.resource}{subresource}{group}"


@pytest.fixture(scope="module")
def bare() -> Iterator[World]:
    """A control plane of its own, without the CRD."""
    with sandbox.throwaway("bare", say=print) as own:
        assert own.kubectl is not None
        yield World("default", Kubectl(own.kubectl, own.kubeconfig), Webappctl(own.kubeconfig))


def doctor(world: World, *arguments: str, kubeconfig: Path | None = None) -> Done:
    """With the Lease in the namespace of the test."""
    where = ("-n", world.namespace, "--lease-namespace", world.namespace)
    return world.webappctl("doctor", *where, *arguments, kubeconfig=kubeconfig)


def verdicts(done: Done) -> set[str]:
    return {line.split("\t")[2] for line in done.stdout.splitlines()}


def test_an_admin_can_run_everything(world: World) -> None:
    """In a namespace where all is well, and in all of them."""
    done = doctor(world, *EVERYTHING)
    assert (done.returncode, verdicts(done)) == (0, {"ok"}), done.stdout
    assert done.stderr == "can run here: plan, apply, watch\n"
    assert world.webappctl("doctor", *EVERYTHING).returncode == 0


def test_the_role_of_plan_is_not_enough_for_apply(world: World, kubeconfig_for: As) -> None:
    """Each right that is missing is named, with its namespace."""
    file = kubeconfig_for(RIGHTS[Mode.PLAN])
    assert doctor(world, "--for", "plan", kubeconfig=file).returncode == 0
    done = doctor(world, "--for", "apply", kubeconfig=file)
    assert done.returncode == 1
    added = [right for right in RIGHTS[Mode.APPLY] if right not in RIGHTS[Mode.PLAN]]
    assert all(f"\tmay not {right} in namespace {world.namespace}" in done.stdout for right in added)
    assert "webappctl: apply: cannot run: 8 rights are missing\n" in done.stderr


@pytest.mark.parametrize("mode", [Mode.PLAN, Mode.APPLY])
def test_the_rights_in_the_table_are_enough(world: World, kubeconfig_for: As, mode: Mode) -> None:
    """In the namespaces that are asked for, no more than a Role there."""
    world.declare("web")
    file = kubeconfig_for(RIGHTS[mode])
    assert doctor(world, "--for", mode.value, kubeconfig=file).returncode == 0
    more = ("--yes", "--lease-namespace", world.namespace) if mode is Mode.APPLY else ()
    done = world.webappctl(mode.value, "-n", world.namespace, *more, kubeconfig=file)
    assert done.returncode == 0, done.stderr
    assert world.exists("deployment", "web-deployment") is (mode is Mode.APPLY)


def test_a_role_in_one_namespace_is_not_enough_for_all(world: World, kubeconfig_for: As) -> None:
    """Which is the default."""
    done = world.webappctl("doctor", kubeconfig=kubeconfig_for(RIGHTS[Mode.PLAN]))
    assert done.returncode == 1
    assert "rights\tplan\tfailed\tmay not list deployments.apps in all namespaces\t" in done.stdout


def test_every_right_is_one_that_the_api_server_knows(world: World, kubeconfig_for: As) -> None:
    """With all of them, and no others, everything can run everywhere: none has a group or a plural that is none."""
    rights = tuple(right for mode in Mode for right in RIGHTS[mode])
    file = kubeconfig_for(rights, everywhere=True)
    document = json.loads(world.webappctl("doctor", "-o", "json", kubeconfig=file).stdout)
    assert {mode["mode"]: mode["canRun"] for mode in document["modes"]} == {mode.value: True for mode in Mode}
    assert not [mode["mode"] for mode in document["modes"] if mode["missingBearable"]]
    served = set(world.kubectl("api-resources", "-o", "name").stdout.split())
    assert {f"{right.resource}.{right.group}".rstrip(".") for right in rights} <= served


def test_who_holds_the_lease_is_told(world: World) -> None:
    """As the Lease itself has it."""
    held = {"holderIdentity": "pod-1", "leaseDurationSeconds": 15, "renewTime": "2026-01-01T12:00:00.000000Z"}
    held |= {"acquireTime": "2026-01-01T11:00:00.000000Z"}
    meta = {"namespace": world.namespace, "name": "webapp-operator-lock-1-of-3"}
    manifest = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": meta, "spec": held}
    world.kubectl("create", "-f", "-", stdin=json.dumps(manifest))
    done = doctor(world, *EVERYTHING)
    assert done.returncode == 0
    said = "held by pod-1, since 2026-01-01T11:00:00.000000Z ("
    assert f"Lease\twebapp-operator-lock-1-of-3\tok\t{said}" in done.stdout


def test_foreign_owners_are_told(world: World) -> None:
    """With the plan's words."""
    world.declare("web")
    world.kubectl("create", "deployment", "web-deployment", "--image=nginx")
    (line,) = [line for line in doctor(world).stdout.splitlines() if line.startswith("owners\tno owner\t")]
    assert line.startswith(
        f"owners\tno owner\twarning\t1: {world.namespace}/web: Deployment web-deployment has no owner"
    )


def test_json_and_yaml_are_the_same_document_of_the_schema(world: World) -> None:
    """Which ships, and is printed."""
    schema = json.loads(world.webappctl("schema", "doctor").stdout)
    assert schema["$id"] == "urn:webappctl:doctor:v1"
    as_json, as_yaml = doctor(world, "-o", "json"), doctor(world, "-o", "yaml")
    assert misfits(as_json.stdout) == []
    document = json.loads(as_json.stdout)
    assert document == yaml.safe_load(as_yaml.stdout)
    assert (document["ok"], document["namespaces"], as_json.stderr) == (True, [world.namespace], "")


@pytest.mark.parametrize("columns", [20, 80, 140])
def test_a_terminal_gets_a_table_that_cuts_nothing(world: World, columns: int) -> None:
    """One that is too narrow gets lines."""
    command = world.webappctl.command("doctor", "-n", world.namespace)
    seen = on_terminal(command, env=world.webappctl.env(), columns=columns)
    assert seen.returncode == 0
    assert "…" not in seen.text
    assert ("Found" in seen.text) is (columns > 20)
    assert "can run here: plan, apply, watch" in seen.text


@pytest.mark.parametrize("output", ["table", "json"])
def test_a_server_that_is_not_there_is_told_with_what_is_known(
    webappctl: Webappctl, tmp_path: Path, output: str
) -> None:
    """The rest of the checks is left out."""
    file = kubeconfig(tmp_path / "config", "https://127.0.0.1:1", token="x")
    done = webappctl("doctor", "-o", output, "--request-timeout", "1s", kubeconfig=Path(file))
    assert done.returncode == 1
    assert "here (https://127.0.0.1:1): " in done.stdout
    assert "webappctl: plan: cannot run: " in done.stderr
    assert output == "table" or misfits(done.stdout) == []


def test_without_a_kubeconfig_that_is_what_is_found(webappctl: Webappctl, tmp_path: Path) -> None:
    """And the remedy."""
    done = webappctl("doctor", kubeconfig=tmp_path / "nowhere")
    assert done.returncode == 1
    assert done.stdout.startswith("connection\tserver\tfailed\tno cluster is configured")
    assert "webappctl sandbox up" in done.stdout


@pytest.mark.xdist_group("bare")
def test_without_the_crd_no_mode_can_run(bare: World) -> None:
    """The remedy is to install it."""
    done = bare.webappctl("doctor", "--for", "plan")
    assert done.returncode == 1
    assert "CRD\twebapps.apps.example.com\tfailed\tnot installed\twebappctl crd --install\n" in done.stdout
    assert done.stderr.endswith("webappctl: plan: cannot run: CRD webapps.apps.example.com: not installed\n")


@pytest.mark.xdist_group("bare")
def test_a_laxer_crd_is_told_apart_with_what_ours_would_refuse(bare: World) -> None:
    """It is no reason that a plan could not be made; installed as it ships, it is the same again."""
    lax: dict[str, Any] = copy.deepcopy(dict(crd.shipped()))
    spec = lax["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    spec["properties"]["port"]["maximum"] = 99_999
    bare.kubectl("apply", "--server-side", "-f", "-", stdin=json.dumps(lax))
    bare.kubectl("wait", f"crd/{crd.NAME}", "--for=condition=Established")
    high = webapp("high", bare.namespace, {"image": "nginx", "replicas": 1, "port": 70_000})
    bare.kubectl("create", "-f", "-", stdin=json.dumps(high))
    said = bare.webappctl("doctor").stdout
    assert "properties.port.maximum differs\twebappctl crd --install\n" in said
    assert "would refuse 1 of 1: default/high: spec.port is 70000" in said
    bare.webappctl("crd", "--install")
    assert "CRD\tsame as shipped\tok\t" in bare.webappctl("doctor").stdout


def test_doctor_writes_nothing(world: World) -> None:
    """A review is not stored."""
    world.declare("web")
    before = world.kubectl("get", "webapps,deployments,leases,events", "-o", "name").stdout
    doctor(world, *EVERYTHING)
    assert world.kubectl("get", "webapps,deployments,leases,events", "-o", "name").stdout == before


def test_what_it_can_be_asked_for_is_completed(webappctl: Webappctl) -> None:
    """The three commands."""
    asked = {"_WEBAPPCTL_COMPLETE": "complete_fish", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    done = webappctl(env=asked | {"_TYPER_COMPLETE_ARGS": "webappctl doctor --for "})
    assert [line.partition("\t")[0] for line in done.stdout.splitlines()] == ["plan", "apply", "watch"]


def test_what_it_has_not_is_wrong_usage(webappctl: Webappctl) -> None:
    """A mode or a format."""
    assert webappctl("doctor", "--for", "prune").returncode == 2
    assert webappctl("doctor", "-o", "markdown").returncode == 2
