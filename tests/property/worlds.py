"""Generated clusters, and what others do to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from hypothesis import Phase, note, settings
from hypothesis import strategies as st

from tests.double import World, key
from tests.double.fields import Obj
from webappctl.cluster.requests import DEPLOYMENTS, WEBAPPS
from webappctl.core.objects import deployment_key
from webappctl.core.plan import Adopt, Policy

few = settings(max_examples=20, deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate))
"""Not shrunk: a world costs milliseconds, so that would take minutes; its notes tell how it came about."""

IMAGES: Final = st.sampled_from(
    ["nginx:1.25", "nginx:1.26", "nginx:latest", "registry.example:5000/team/app@sha256:0a"]
)
SPECS: Final[st.SearchStrategy[dict[str, Any]]] = st.fixed_dictionaries(
    {"image": IMAGES, "port": st.integers(1, 65_535), "replicas": st.none() | st.integers(1, 9)}
)
BAD_SPECS: Final[st.SearchStrategy[dict[str, Any]]] = st.sampled_from(
    [{"image": None}, {"image": "a b"}, {"port": 0}, {"port": 65_536}, {"replicas": 0}, {"replicas": "two"}]
)
NAMES: Final = st.lists(st.from_regex(r"[a-z0-9]{1,8}", fullmatch=True), min_size=1, max_size=6, unique=True)
MANAGERS: Final = st.sampled_from(["kubectl-edit", "istio", "argocd", "kube-controller-manager"])


@dataclass(frozen=True)
class Edit:
    """Something that somebody does to a Deployment. `paths` are the rows that it must make."""

    name: str
    change: Callable[[Obj], Any]
    paths: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        return self.name


def app(live: Obj) -> Obj:
    """Its container; where it was renamed, the one that was it."""
    containers: list[Obj] = live["spec"]["template"]["spec"]["containers"]
    return next((c for c in containers if c["name"] == "app"), containers[-1])


def _tcp(live: Obj) -> Obj:
    """Our port: those that others add here are of other protocols."""
    return next(port for port in app(live)["ports"] if port["protocol"] == "TCP")


def _pod(live: Obj) -> Obj:
    spec: Obj = live["spec"]["template"]["spec"]
    return spec


def _metadata(live: Obj) -> Obj:
    return dict.setdefault(live["spec"]["template"], "metadata", {})


def _add(parent: Obj, field: str, item: object, at: int = 0) -> None:
    parent.setdefault(field, []).insert(at, item)


FOREIGN: Final = (
    Edit("sidecar first", lambda d: _add(_pod(d), "containers", {"name": "proxy", "image": "envoy:1"})),
    Edit("sidecar last", lambda d: _add(_pod(d), "containers", {"name": "log", "image": "vector:1"}, at=99)),
    Edit("init container", lambda d: _add(_pod(d), "initContainers", {"name": "init", "image": "busybox"})),
    Edit("volume", lambda d: _add(_pod(d), "volumes", {"name": "tmp", "emptyDir": {}})),
    Edit("toleration", lambda d: _add(_pod(d), "tolerations", {"operator": "Exists"})),
    Edit("service account", lambda d: _pod(d).update(serviceAccountName="app")),
    Edit("grace period", lambda d: _pod(d).update(terminationGracePeriodSeconds=5)),
    Edit("env", lambda d: _add(app(d), "env", {"name": "A", "value": "b"})),
    Edit("resources", lambda d: app(d).update(resources={"requests": {"cpu": "1"}})),
    Edit("pull policy", lambda d: app(d).update(imagePullPolicy="Always")),
    Edit("UDP port", lambda d: _add(app(d), "ports", {"containerPort": 5353, "protocol": "UDP"})),
    Edit("port before ours", lambda d: _add(app(d), "ports", {"containerPort": 65_535, "protocol": "SCTP"})),
    Edit("label", lambda d: d["metadata"]["labels"].update(team="a")),
    Edit("pod label", lambda d: _metadata(d)["labels"].update(version="v2")),
    Edit("annotation", lambda d: d["metadata"].setdefault("annotations", {}).update(note="x")),
    Edit("restart stamp", lambda d: _metadata(d).setdefault("annotations", {}).update(restartedAt="now")),
    Edit("strategy", lambda d: d["spec"].update(strategy={"type": "Recreate"})),
    Edit("history", lambda d: d["spec"].update(revisionHistoryLimit=2)),
    Edit("second owner", lambda d: _add(d["metadata"], "ownerReferences", {"kind": "X", "name": "x", "uid": "u"})),
)
"""What is not ours: never drift, and never undone."""


def _owned(name: str, change: Callable[[Obj], Any], *paths: str) -> Edit:
    return Edit(name, change, frozenset(paths))


def _mark(live: Obj, **flags: bool) -> None:
    next(o for o in live["metadata"]["ownerReferences"] if o["kind"] == "WebApp").update(flags)


OWNED: Final = (
    _owned("other image", lambda d: app(d).update(image="evil:1"), "image"),
    _owned("other replicas", lambda d: d["spec"].update(replicas=17), "replicas"),
    _owned("no replicas", lambda d: d["spec"].update(replicas=0), "replicas"),
    _owned("no ports", lambda d: app(d).pop("ports"), "port"),
    _owned("port of another protocol", lambda d: _tcp(d).update(protocol="UDP"), "port"),
    _owned("no label app", lambda d: d["metadata"]["labels"].pop("app"), "labels.app"),
    _owned("other label", lambda d: d["metadata"]["labels"].update({"managed-by": "me"}), "labels.managed-by"),
    _owned("no labels", lambda d: d["metadata"].pop("labels"), "labels.app", "labels.managed-by"),
    _owned("no owner", lambda d: d["metadata"].pop("ownerReferences"), "ownerReference"),
    _owned("owner without mark", lambda d: _mark(d, controller=False), "ownerReference"),
    _owned("owner that blocks nothing", lambda d: _mark(d, blockOwnerDeletion=False), "ownerReference"),
    _owned("renamed container", lambda d: app(d).update(name="theirs"), "image", "port"),
)
"""What is ours: each makes its rows, and is put back."""


def foreign_part(live: Obj, port: int) -> Obj:
    """A Deployment without what is ours, and without what every write changes."""
    kept = ("labels", "annotations", "ownerReferences", "finalizers")
    metadata = {field: live["metadata"].get(field) for field in kept}
    metadata["labels"] = {k: v for k, v in (metadata["labels"] or {}).items() if k not in ("app", "managed-by")}
    metadata["ownerReferences"] = [o for o in metadata["ownerReferences"] or () if o["kind"] != "WebApp"]
    spec = {field: value for field, value in live["spec"].items() if field != "replicas"}
    containers = [{k: v for k, v in c.items() if c["name"] != "app" or k != "image"} for c in _pod(live)["containers"]]
    for container in containers:
        ports = [p for p in container.get("ports", ()) if (p["containerPort"], p["protocol"]) != (port, "TCP")]
        container["ports"] = ports
    template = live["spec"]["template"]
    return {
        "metadata": metadata,
        "spec": spec | {"template": template | {"spec": template["spec"] | {"containers": containers}}},
    }


def with_webapp(**spec: object) -> World:
    """A world with `web` in it, rolled out and reported."""
    world = World()
    world.declare("web", **spec)
    world.settle()
    return world


OWNERS: Final = st.sampled_from(["ours", "absent", "helm", "another webapp", "former webapp", "nobody", "terminating"])


def take_over(world: World, name: str, owner: str) -> None:
    """Make the Deployment of that WebApp be somebody's."""
    webapp = key(name)
    hold = {"metadata": {"finalizers": ["example.com/hold"]}}
    references: dict[str, Obj] = {
        "helm": {"apiVersion": "helm.example/v1", "kind": "HelmRelease", "name": name},
        "another webapp": {"apiVersion": "apps.example.com/v1", "kind": "WebApp", "name": "other"},
        "former webapp": {"apiVersion": "apps.example.com/v1", "kind": "WebApp", "name": name},
    }
    if owner in references:
        reference = references[owner] | {"uid": f"uid-{owner}", "controller": True}
        world.others.edit(webapp, lambda live: live["metadata"].update(ownerReferences=[reference]))
    elif owner == "nobody":
        world.others.edit(webapp, lambda live: live["metadata"].update(ownerReferences=[], managedFields=[{}]))
    elif owner == "absent":
        world.others.delete(DEPLOYMENTS, deployment_key(webapp))
    elif owner == "terminating":
        world.others.patch(DEPLOYMENTS, deployment_key(webapp), hold, manager="somebody")
        world.others.delete(DEPLOYMENTS, deployment_key(webapp))


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """WebApps, good and bad, some with a Deployment, each Deployment edited and owned by whoever."""
    world = World()
    names = draw(NAMES)
    for name in names:
        spec = draw(SPECS)
        note(f"{name}: {spec}")
        world.declare(name, **spec)
    world.reconcile()
    for name in names:
        for edit in draw(st.lists(st.sampled_from((*FOREIGN, *OWNED)), max_size=3, unique=True)):
            _try(world, name, edit)
        owner = draw(OWNERS)
        take_over(world, name, owner)
        spec = draw(SPECS | BAD_SPECS | st.just({}))
        world.others.patch(WEBAPPS, key(name), {"spec": spec}, manager="kubectl-edit")
        note(f"{name}: the Deployment is {owner}, spec becomes {spec}")
        if draw(st.booleans()):
            world.others.autoscale(key(name), 2, 9)
            note(f"{name}: an autoscaler has its replicas")
        if owner in ("ours", "helm", "nobody") and draw(st.booleans()):
            _abandon(world, name)
            note(f"{name}: the WebApp goes, its Deployment stays")
    world.policy = Policy(draw(st.sampled_from(Adopt)), draw(st.booleans()))
    note(f"{world.policy}")
    if draw(st.booleans()):
        world.others.roll_out()
        note("rolled out")
    world.double.log.clear()
    return world


def _abandon(world: World, name: str) -> None:
    """`kubectl delete --cascade=orphan`: the garbage collector takes our reference off."""
    uid = world.others.webapp(key(name))["metadata"]["uid"]
    world.others.delete(WEBAPPS, key(name))

    def without_us(live: Obj) -> None:
        owners = live["metadata"].get("ownerReferences", ())
        live["metadata"]["ownerReferences"] = [owner for owner in owners if owner["uid"] != uid]

    world.others.edit(key(name), without_us, "kube-controller-manager")


def _try(world: World, name: str, edit: Edit) -> None:
    """Edits may get into each other's way: what was removed cannot be changed."""
    try:
        world.others.edit(key(name), edit.change)
        note(f"{name}: {edit}")
    except (KeyError, StopIteration, IndexError):
        return
