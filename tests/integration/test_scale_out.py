"""The manifests for shards on the real controllers: what each pod of theirs would run, run side by side.

The nodes of a sandbox run nothing. So every pod that a controller has made is asked for its command line, its
variables and a token of its own, and a process here does what its container would do. By the pod in the token the log
of the API server tells the shards apart.
"""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import pytest
import yaml

from tests.conftest import ROOT, Kubectl, clean
from tests.manifests import webapp
from tests.shipped import Document
from tests.world import Audit, eventually
from webappctl import crd
from webappctl import sandbox as sandboxes
from webappctl.core.objects import Shard
from webappctl.sandbox import Sandbox

pytestmark = [pytest.mark.xdist_group("scale-out"), pytest.mark.timeout(600)]

SHARDS: Final = 3
TEAMS: Final = [f"team-{number}" for number in range(12)]
POD_OF: Final = "authentication.kubernetes.io/pod-name"
_VARIABLE: Final = re.compile(r"\$\((\w+)\)")
_LABEL: Final = re.compile(r"metadata\.(labels|annotations)\['(.+)'\]")


@dataclass(frozen=True)
class Plane:
    sandbox: Sandbox
    kubectl: Kubectl

    def apply(self, path: str) -> None:
        self.kubectl("apply", "--validate=strict", "-f", str(ROOT / path))

    def declare(self, *names: str) -> None:
        """A WebApp of each name in every namespace."""
        spec = {"image": "nginx:1.25", "port": 80, "replicas": 1}
        self.kubectl(
            "create", "-f", "-", stdin=yaml.safe_dump_all(webapp(name, team, spec) for team in TEAMS for name in names)
        )

    def pods(self, selector: str) -> list[Document]:
        """The shards of a controller, when all of them are there."""

        def listed() -> list[Document]:
            found = self.kubectl("get", "pods", "-n", "webappctl", "-l", selector, "-o", "json").stdout
            items: list[Document] = json.loads(found)["items"]
            return items

        eventually(lambda: len(listed()) == SHARDS, seconds=60)
        return listed()

    def start(self, pod: Document, folder: Path) -> subprocess.Popen[str]:
        """What its container would do, in a process here."""
        variables = {**_variables(pod), **self._account(pod, folder), "HOME": str(folder)}
        return subprocess.Popen(
            [sys.executable, "-m", "webappctl", *_arguments(pod, variables)],
            env=clean(variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def _account(self, pod: Document, folder: Path) -> dict[str, str]:
        """Where the kubelet would put the credentials of the pod, and how it would say where the API server is."""
        config = yaml.safe_load(self.sandbox.kubeconfig.read_text())["clusters"][0]["cluster"]
        server, meta = urlsplit(config["server"]), pod["metadata"]
        bound = ("--bound-object-kind=Pod", f"--bound-object-name={meta['name']}")
        token = self.kubectl(
            "create", "token", pod["spec"]["serviceAccountName"], "-n", meta["namespace"], *bound
        ).stdout
        (folder / "token").write_text(token.strip())
        (folder / "ca.crt").write_bytes(base64.b64decode(config["certificate-authority-data"]))
        (folder / "namespace").write_text(meta["namespace"])
        return {
            "KUBERNETES_SERVICE_HOST": str(server.hostname),
            "KUBERNETES_SERVICE_PORT": str(server.port),
            "WEBAPPCTL_SERVICE_ACCOUNT_DIR": str(folder),
        }


def _variables(pod: Document) -> dict[str, str]:
    """As the kubelet sets them."""
    found = {"HOSTNAME": pod["spec"].get("hostname") or pod["metadata"]["name"]}
    for variable in pod["spec"]["containers"][0].get("env", ()):
        if "value" in variable:
            found[variable["name"]] = variable["value"]
        else:
            path = _LABEL.fullmatch(variable["valueFrom"]["fieldRef"]["fieldPath"])
            assert path, variable
            found[variable["name"]] = pod["metadata"][path[1]][path[2]]
    return found


def _arguments(pod: Document, variables: Mapping[str, str]) -> list[str]:
    """As the kubelet expands them; the port, of which there is one on this machine, is left to chance."""
    expanded = [_VARIABLE.sub(lambda found: variables[found[1]], a) for a in pod["spec"]["containers"][0]["args"]]
    return ["--listen=127.0.0.1:0" if argument == "--listen=:8080" else argument for argument in expanded]


@dataclass(frozen=True)
class Outcome:
    """`creates`: (pod, namespace, name) of each Deployment that came into being. `pods`: name → shard."""

    pods: Mapping[str, int]
    returncodes: list[int]
    said: str
    creates: list[tuple[str, str, str]]
    refused: set[str]
    leases: list[str]


@pytest.fixture(scope="module")
def plane() -> Iterator[Plane]:
    plugins = ("OwnerReferencesPermissionEnforcement",)
    with sandboxes.throwaway("scale-out", say=print, audit=True, crds=[crd.shipped()], admission=plugins) as found:
        assert found.kubectl is not None
        kubectl = Kubectl(found.kubectl, found.kubeconfig)
        namespaces = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": team}} for team in TEAMS]
        kubectl("create", "-f", "-", stdin=yaml.safe_dump_all(namespaces))
        yield Plane(found, kubectl)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Document], Path]:
    return lambda pod: tmp_path_factory.mktemp(pod["metadata"]["name"])


@pytest.fixture(scope="module")
def indexed(plane: Plane, folders: Callable[[Document], Path]) -> Outcome:
    """The Job, once: its pods begin at the same time, and there is work in every namespace."""
    plane.apply("examples/scale-out/cronjob.yaml")
    plane.declare("web", "shop")
    plane.kubectl("create", "job", "--from=cronjob/webappctl", "now", "-n", "webappctl")
    pods = plane.pods("batch.kubernetes.io/job-name=now")
    audit = Audit.from_now(plane.sandbox)
    with ExitStack() as stack:
        started = [stack.enter_context(plane.start(pod, folders(pod))) for pod in pods]
        said = [process.communicate(timeout=120)[1] for process in started]
    index = "batch.kubernetes.io/job-completion-index"
    shards = {pod["metadata"]["name"]: int(pod["metadata"]["labels"][index]) for pod in pods}
    return _outcome(plane, audit, shards, [process.returncode for process in started], "".join(said))


@pytest.fixture(scope="module")
def stateful(plane: Plane, folders: Callable[[Document], Path]) -> Outcome:
    """Its pods run, and WebApps are declared before they begin and while they are at it."""
    plane.apply("examples/scale-out/statefulset.yaml")
    plane.declare("before")
    pods = plane.pods("app.kubernetes.io/component=shard")
    audit = Audit.from_now(plane.sandbox)
    with ExitStack() as stack:
        started = [stack.enter_context(plane.start(pod, folders(pod))) for pod in pods]
        for process in started:
            stack.callback(process.kill)
        eventually(lambda: len(_creates(audit)) >= len(TEAMS), seconds=60)
        plane.declare("later")
        eventually(lambda: len(_creates(audit)) >= 2 * len(TEAMS), seconds=60)
        for process in started:
            process.terminate()
        said = [process.communicate(timeout=30)[1] for process in started]
    index = "apps.kubernetes.io/pod-index"
    shards = {pod["metadata"]["name"]: int(pod["metadata"]["labels"][index]) for pod in pods}
    return _outcome(plane, audit, shards, [process.returncode for process in started], "".join(said))


@pytest.fixture(params=["indexed", "stateful"])
def outcome(request: pytest.FixtureRequest) -> Outcome:
    found: Outcome = request.getfixturevalue(request.param)
    return found


def _outcome(plane: Plane, audit: Audit, pods: Mapping[str, int], returncodes: list[int], said: str) -> Outcome:
    refused = {
        f"{entry['verb']} {entry['requestURI']}"
        for entry in _entries(audit)
        if entry["annotations"]["authorization.k8s.io/decision"] != "allow"
    }
    listed = plane.kubectl("get", "leases", "-n", "webappctl", "-o", "jsonpath={.items[*].metadata.name}").stdout
    return Outcome(pods, returncodes, said, _creates(audit), refused, listed.split())


def _entries(audit: Audit) -> list[dict[str, Any]]:
    """Of our pods."""
    with audit.log.open() as lines:
        lines.seek(audit.start)
        entries = [json.loads(line) for line in lines if line.endswith("\n")]
    return [entry for entry in entries if POD_OF in entry["user"].get("extra", {})]


def _creates(audit: Audit) -> list[tuple[str, str, str]]:
    """By server-side apply, which answers 201 then."""
    return [
        (entry["user"]["extra"][POD_OF][0], entry["objectRef"]["namespace"], entry["objectRef"]["name"])
        for entry in _entries(audit)
        if entry.get("objectRef", {}).get("resource") == "deployments" and entry["responseStatus"]["code"] == 201
    ]


def test_every_shard_ends_well(outcome: Outcome) -> None:
    """One Job's pods, or by a signal."""
    assert outcome.returncodes == [0] * SHARDS, outcome.said


def test_the_pods_are_all_the_shards(outcome: Outcome) -> None:
    """Each number once."""
    assert sorted(outcome.pods.values()) == list(range(SHARDS))


def test_no_webapp_is_done_twice_or_not_at_all(outcome: Outcome) -> None:
    """Each of the two in every namespace has its Deployment by one write."""
    done = Counter((namespace, name) for _, namespace, name in outcome.creates)
    assert set(done.values()) == {1}
    assert Counter(namespace for namespace, _ in done) == dict.fromkeys(TEAMS, 2)


def test_each_shard_does_its_own_namespaces(outcome: Outcome) -> None:
    """And each has some."""
    assert {outcome.pods[pod] for pod, _, _ in outcome.creates} == set(range(SHARDS))
    assert all(Shard(outcome.pods[pod], SHARDS).owns(namespace) for pod, namespace, _ in outcome.creates)


def test_nothing_is_refused(outcome: Outcome) -> None:
    """The roles of the file are enough, and nothing is tried beyond them."""
    assert outcome.refused == set()


def test_each_shard_has_a_lease(outcome: Outcome) -> None:
    """In the namespace of the pods."""
    assert {f"webapp-operator-lock-{index}-of-{SHARDS}" for index in range(SHARDS)} <= set(outcome.leases)
