"""The roles that ship, each on a stage of its own, less one right or none.

An act is a run as a ServiceAccount that is bound to the roles of a file, over the WebApps of a namespace in which one
pass needs every right: one WebApp has no Deployment yet, that of another has vanished, that of a third has drifted as
it did before, and that of a fourth is changed by somebody else in the middle of the update.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import yaml

from tests import shipped
from tests.conftest import Kubectl, Webappctl
from tests.identities import RBAC, kubeconfig_of, token_of
from tests.manifests import webapp
from tests.watching import watches
from tests.webhook import asked
from tests.world import Audit, eventually
from webappctl.sandbox import Sandbox

FILES: Final = {
    "plan": "examples/in-cluster/plan.yaml",
    "apply": "cronjob.yaml",
    "watch": "examples/in-cluster/watch.yaml",
    "namespaced": "examples/in-cluster/namespaced.yaml",
    "plan-only": "examples/in-cluster/plan-only.yaml",
    "shard": "examples/scale-out/statefulset.yaml",
}
ACTORS: Final = ("fresh", "vanished", "drifted", "moving")
OLD, NEW, PROBE = "nginx:1.25", "nginx:1.26", "nginx:probe"
AUTOSCALERS: Final = "list horizontalpodautoscalers.autoscaling"
INSIDE: Final = {"create deployments.apps", "update webapps.apps.example.com/finalizers"}
"""The API server asks itself for these in the middle of a patch, and its log has the patch only."""


@dataclass(frozen=True)
class Act:
    """A role, less one right; none is missing where `missing` is empty."""

    role: str
    missing: str = ""

    @property
    def namespace(self) -> str:
        """Its own: all its objects are there, and have this as their label `act`."""
        words = f"{self.role} {self.missing}".lower().replace("/", " ").replace(".", " ").split()
        return "-".join(word[:12] for word in words[:3] + words[-1:] * bool(words[3:]))

    def __str__(self) -> str:
        return self.namespace

    @property
    def writes(self) -> bool:
        return self.role not in ("plan", "plan-only")

    @property
    def user(self) -> str:
        account = shipped.one(self.rbac(), "ServiceAccount")["metadata"]["name"]
        return f"system:serviceaccount:{self.namespace}:{account}"

    @property
    def arguments(self) -> list[str]:
        """As in the file, but for the port, of which there is one on this machine, and for all shards in one."""
        if self.role == "plan":
            return ["plan"]
        given = shipped.arguments(shipped.one(shipped.moved(FILES[self.role], self.namespace), *shipped.RUNNERS))
        here = {"--listen=:8080": "--listen=127.0.0.1:0", "--shard=$(POD_INDEX)/3": "--shard=0/1"}
        return [here.get(argument, argument) for argument in given]

    @property
    def narrowed(self) -> list[str]:
        """To its own WebApps, where all namespaces are listed; and with a Lease of its own."""
        interval = ["--interval=1s"] if "watch" in self.arguments else []
        lease = [f"--lease-namespace={self.namespace}"] if self.writes else []
        return ["-l", f"act={self.namespace}", *interval, *lease]

    def tells(self, text: str) -> bool:
        """Whether it says what is missing, in its own words or in those of the API server."""
        verb, resource = self.missing.split()
        plural, _, group = resource.partition(".")
        own = "HorizontalPodAutoscalers may not be listed" if self.missing == AUTOSCALERS else f"may not {self.missing}"
        return own in text or f'cannot {verb} resource "{plural}" in API group "{group}"' in text

    def rbac(self) -> list[shipped.Document]:
        found = shipped.without(shipped.moved(FILES[self.role], self.namespace), self.missing)
        rights = [document for document in found if document["kind"] in shipped.RIGHTS]
        return rights + (_binding(self.namespace) if self.role == "plan" else [])


def _binding(namespace: str) -> list[shipped.Document]:
    """As the file says how to bind it."""
    account = {"kind": "ServiceAccount", "metadata": {"name": "planner", "namespace": namespace}}
    name = f"webappctl-plan-{namespace}"
    binding = {
        "apiVersion": f"{RBAC}/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": name},
        "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": name},
        "subjects": [{"kind": "ServiceAccount", **account["metadata"]}],  # type: ignore[dict-item]
    }
    return [{"apiVersion": "v1", **account}, binding]


def rights_of(role: str) -> list[str]:
    return sorted(shipped.granted(shipped.documents(FILES[role])))


ROLES: Final = [Act(role) for role in FILES]
LESS: Final = [
    Act(role, right)
    for role in FILES
    if role != "namespaced"  # the rights of watch, elsewhere
    for right in rights_of(role)
    if role != "shard" or right not in rights_of("watch")
]


@dataclass(frozen=True)
class Run:
    """`asked`: what the API server was asked for, and whether the right to it was there."""

    returncode: int
    text: str
    asked: frozenset[tuple[str, bool]]

    @property
    def used(self) -> set[str]:
        return {right for right, allowed in self.asked if allowed}


@dataclass(frozen=True)
class Plane:
    """The control plane, as its admin has it. Every act is run once, by the first test that asks for it."""

    sandbox: Sandbox
    kubectl: Kubectl
    webappctl: Webappctl
    folder: Path
    runs: dict[Act, Run] = field(default_factory=dict)

    def create(self, manifests: Iterable[shipped.Document]) -> None:
        self.kubectl("create", "-f", "-", stdin=yaml.safe_dump_all(manifests))

    def apply(self, manifests: Iterable[shipped.Document]) -> None:
        """One request for each, which is half of what it would be without `--server-side`."""
        self.kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", stdin=yaml.safe_dump_all(manifests))

    def prepare(self, acts: list[Act]) -> None:
        """All at once, which is a matter of seconds: one by one it would be minutes."""
        names = [act.namespace for act in acts]
        self.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in names)
        self.create(document for act in acts for document in act.rbac())
        self.create(_lease(act.namespace) for act in acts if act.missing.startswith("update leases"))
        self.create(_webapp(name, actor, OLD) for name in names for actor in ACTORS[1:])
        done = self.webappctl("apply", "--yes", "--no-lock")
        assert done.returncode == 0, done.stderr
        self.kubectl("delete", "deployments", "-A", "-l", "app=vanished")
        self.apply(_scaled(name) for name in names)
        self.apply(_webapp(name, *changed) for name in names for changed in (("fresh", OLD), ("moving", NEW)))

    def run(self, act: Act) -> Run:
        if act not in self.runs:
            folder = self.folder / act.namespace
            folder.mkdir()
            audit = Audit.from_now(self.sandbox)
            with ExitStack() as stack:
                if act.writes and act.missing in ("", "get deployments.apps"):
                    stack.enter_context(self._interfering(act.namespace, folder))
                kubeconfig = self._kubeconfig(act, folder)
                if "watch" in act.arguments:
                    code, text = self._watch(act, kubeconfig, audit)
                else:
                    done = self.webappctl(*act.arguments, *act.narrowed, kubeconfig=kubeconfig)
                    code, text = done.returncode, done.stdout + done.stderr
            self.runs[act] = Run(code, text.replace('\\"', '"'), frozenset(_asked(audit, act.user)))
        return self.runs[act]

    def pending(self, act: Act) -> str:
        """What the admin would still change; empty for nothing."""
        return self.webappctl("plan", "-l", f"act={act.namespace}").stdout

    def _watch(self, act: Act, kubeconfig: Path, audit: Audit) -> tuple[int, str]:
        """Until it has said what is missing, or used all that it has."""
        with watches(self.webappctl, kubeconfig.parent) as started:
            watch = started.start(*act.arguments[1:], *act.narrowed, kubeconfig=kubeconfig)

            def done() -> bool:
                if act.missing:
                    return act.tells(watch.log.read_text().replace('\\"', '"'))
                used = {right for right, allowed in _asked(audit, act.user) if allowed}
                return used >= {*rights_of(act.role)} - INSIDE

            with suppress(AssertionError):  # the test says what it misses
                eventually(lambda: done() or watch.process.poll() is not None, seconds=20)
            return watch.end(), watch.log.read_text()

    @contextmanager
    def _interfering(self, namespace: str, folder: Path) -> Iterator[None]:
        """Somebody changes the Deployment of `moving` while its update is on the way."""
        changed: list[str] = []

        def judge(image: str) -> dict[str, Any] | None:
            if image == NEW and not changed:
                changed.append(image)
                self.kubectl("annotate", "deployment", "moving-deployment", "seen=yes", "-n", namespace)
            return {"code": 403, "message": "it is asked"} if image == PROBE else None

        probe = ("create", "deployment", "probe", f"--image={PROBE}", "-n", namespace, "--dry-run=server")
        with asked(self.kubectl, namespace, folder, judge):
            eventually(lambda: "it is asked" in self.kubectl(*probe, check=False).stderr)
            yield

    def _kubeconfig(self, act: Act, folder: Path) -> Path:
        token = token_of(self.kubectl, act.namespace, act.user.rpartition(":")[2])
        return kubeconfig_of(token, self.sandbox.kubeconfig, folder)


def _asked(audit: Audit, user: str) -> Iterator[tuple[str, bool]]:
    """Reviews of its own rights apart, to which everybody has the right."""
    with audit.log.open() as lines:
        lines.seek(audit.start)
        entries = [json.loads(line) for line in lines if line.endswith("\n")]
    for entry in entries:
        target = entry.get("objectRef", {})
        if entry["user"]["username"] == user and target.get("apiGroup") != "authorization.k8s.io":
            resource = "/".join(part for key in ("resource", "subresource") if (part := target.get(key)))
            allowed = entry["annotations"]["authorization.k8s.io/decision"] == "allow"
            yield shipped.right(entry["verb"], resource, target.get("apiGroup", "")), allowed


def _webapp(namespace: str, name: str, image: str) -> dict[str, Any]:
    return webapp(name, namespace, {"image": image, "port": 80, "replicas": 1}, labels={"act": namespace})


def _scaled(namespace: str) -> dict[str, Any]:
    meta = {"name": "drifted-deployment", "namespace": namespace}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": {"replicas": 2}}


def _lease(namespace: str) -> dict[str, Any]:
    """One that somebody held."""
    meta = {"name": "webapp-operator-lock", "namespace": namespace}
    return {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": meta, "spec": {"holderIdentity": ""}}
