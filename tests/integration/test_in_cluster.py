"""The manifests for pods in a cluster: the API server takes each as it is, and their parts fit each other."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml

from tests import shipped
from tests.conftest import ROOT, Kubectl
from tests.shipped import Document, documents, moved, one, pod_template
from tests.world import eventually
from webappctl.doctor.rights import ADDED, RIGHTS, Mode, Right

Apply = Callable[[str], None]

FOLDERS = (ROOT / "examples" / "in-cluster", ROOT / "examples" / "scale-out")
FILES = [str(path.relative_to(ROOT)) for folder in FOLDERS for path in sorted(folder.iterdir())]
CRONJOB = "cronjob.yaml"
WATCH = "examples/in-cluster/watch.yaml"
NAMESPACED = "examples/in-cluster/namespaced.yaml"
PLAN = "examples/in-cluster/plan.yaml"
PLAN_ONLY = "examples/in-cluster/plan-only.yaml"
POLICY = "examples/in-cluster/networkpolicy.yaml"
INDEXED = "examples/scale-out/cronjob.yaml"
STATEFUL = "examples/scale-out/statefulset.yaml"
DEPLOYED = [WATCH, NAMESPACED, PLAN_ONLY]
CONTINUOUS = [*DEPLOYED, STATEFUL]
RUNNING = [*CONTINUOUS, INDEXED]

ROLES: dict[str, tuple[Right, ...]] = {
    PLAN: RIGHTS[Mode.PLAN],
    CRONJOB: RIGHTS[Mode.APPLY],
    WATCH: RIGHTS[Mode.WATCH],
    NAMESPACED: RIGHTS[Mode.WATCH],
    PLAN_ONLY: RIGHTS[Mode.PLAN_ONLY],
    INDEXED: tuple(dict.fromkeys((*RIGHTS[Mode.APPLY], *ADDED[Mode.SHARD]))),
    STATEFUL: RIGHTS[Mode.SHARD],
}


@pytest.fixture
def restricted(kubectl: Kubectl, namespace: str) -> str:
    """A namespace that enforces it, and warns of what would make no pods."""
    labels = ("enforce=restricted", "enforce-version=latest", "warn=restricted")
    kubectl("label", "namespace", namespace, *(f"pod-security.kubernetes.io/{label}" for label in labels))
    return namespace


def runner(path: str) -> Document:
    return one(documents(path), *shipped.RUNNERS)


def container(path: str) -> dict[str, Any]:
    found: dict[str, Any] = pod_template(runner(path))["spec"]["containers"][0]
    return found


@pytest.mark.parametrize("path", FILES)
def test_the_api_server_takes_it(kubectl: Kubectl, restricted: str, path: str) -> None:
    """Every object of it, strictly validated and without a warning, where pods must be restricted."""
    body = yaml.safe_dump_all(moved(path, restricted))
    done = kubectl("apply", "--server-side", "--dry-run=server", "--validate=strict", "-f", "-", stdin=body)
    assert len(done.stdout.splitlines()) == len(documents(path))
    assert done.stderr == ""


@pytest.mark.parametrize("path", [CRONJOB, *RUNNING])
def test_a_restricted_namespace_takes_its_pod(kubectl: Kubectl, restricted: str, path: str) -> None:
    """It is the pods that pod security judges, not what makes them."""
    found = moved(path, restricted)
    account = one(found, "ServiceAccount")
    kubectl("create", "-f", "-", stdin=json.dumps(account))
    pod = pod_template(one(found, *shipped.RUNNERS)) | {"apiVersion": "v1", "kind": "Pod"}
    pod["metadata"] |= {"name": "trial", "namespace": restricted}
    assert kubectl("create", "--dry-run=server", "-f", "-", stdin=json.dumps(pod)).stderr == ""


@pytest.fixture
def applied(kubectl: Kubectl, restricted: str) -> Iterator[Apply]:
    """Apply a file for real; what is in no namespace is deleted at the end."""
    cluster_wide: list[Document] = []

    def apply(path: str) -> None:
        found = moved(path, restricted)
        cluster_wide.extend(document for document in found if document["kind"] in shipped.CLUSTER_WIDE)
        kubectl("apply", "-f", "-", stdin=yaml.safe_dump_all(found))

    yield apply
    kubectl("delete", "--ignore-not-found", "-f", "-", stdin=yaml.safe_dump_all(cluster_wide))


@pytest.mark.parametrize("path", CONTINUOUS)
def test_the_real_controllers_make_its_pods(kubectl: Kubectl, restricted: str, applied: Apply, path: str) -> None:
    """As many as it says, and pod security lets each of them in."""
    applied(path)
    made = runner(path)
    ready = f"jsonpath={{.status.readyReplicas}}={made['spec']['replicas']}"
    what = f"{made['kind'].lower()}/{made['metadata']['name']}"
    kubectl("wait", what, "-n", restricted, "--for", ready, "--timeout=60s")


@pytest.mark.parametrize("path", [WATCH, NAMESPACED, STATEFUL])
def test_a_drain_takes_one_pod_at_a_time(kubectl: Kubectl, restricted: str, applied: Apply, path: str) -> None:
    """By what the disruption controller makes of its budget and its pods."""
    applied(path)
    replicas = runner(path)["spec"]["replicas"]
    shown = "jsonpath={.items[*].status.expectedPods}/{.items[*].status.disruptionsAllowed}"
    listed = ("get", "pdb", "-n", restricted, "-o", shown)
    eventually(lambda: kubectl(*listed).stdout == f"{replicas}/1", seconds=60, every=0.5)


@pytest.mark.parametrize("path", ROLES)
def test_its_role_is_what_doctor_asks_for(path: str) -> None:
    """In each place, and nothing else, and no right twice."""
    found = list(shipped.granted(documents(path)))
    assert sorted(found) == sorted(map(str, ROLES[path]))


def test_the_role_of_the_lease_is_the_same_in_each_file() -> None:
    """They share its name, so that one file applied after another would take rights from the pods of that."""
    roles = [document for path in (CRONJOB, WATCH, INDEXED, STATEFUL) for document in documents(path)]
    first, *others = [role["rules"] for role in roles if role["kind"] == "Role"]
    assert others == [first] * 3


@pytest.mark.parametrize("path", ROLES)
def test_no_rule_says_everything(path: str) -> None:
    """No star stands for what nobody thought of."""
    assert not any("*" in right for right in shipped.granted(documents(path)))


@pytest.mark.parametrize("path", RUNNING)
def test_its_account_is_bound_to_its_own_roles(path: str) -> None:
    """Each role once; to the account of its pods, and to nobody else."""
    found = documents(path)
    account = one(found, "ServiceAccount")["metadata"]
    subject = {"kind": "ServiceAccount", "name": account["name"], "namespace": account["namespace"]}
    bindings = [document for document in found if "roleRef" in document]
    assert all(binding["subjects"] == [subject] for binding in bindings)
    bound = sorted((binding["roleRef"]["kind"], binding["roleRef"]["name"]) for binding in bindings)
    assert bound == sorted((role["kind"], role["metadata"]["name"]) for role in found if "rules" in role)
    assert pod_template(runner(path))["spec"]["serviceAccountName"] == account["name"]


def test_the_namespaced_one_has_nothing_beyond_its_namespace() -> None:
    """Who may write in that namespace only can apply it."""
    found = documents(NAMESPACED)
    assert {document["metadata"]["namespace"] for document in found} == {"shop"}
    assert "--namespace=shop" in shipped.arguments(runner(NAMESPACED))


@pytest.mark.parametrize("path", CONTINUOUS)
def test_its_probes_and_metrics_share_one_port(path: str) -> None:
    """The one that `--listen` names."""
    found = container(path)
    assert found["ports"] == [{"name": "metrics", "containerPort": 8080}]
    assert "--listen=:8080" in found["args"]
    assert found["livenessProbe"]["httpGet"] == {"path": "/healthz", "port": "metrics"}
    assert found["readinessProbe"]["httpGet"] == {"path": "/readyz", "port": "metrics"}


@pytest.mark.parametrize("path", RUNNING)
def test_it_differs_from_the_cronjob_only_where_it_must(path: str) -> None:
    """Image, user and locks are the same."""
    for part in ("image", "imagePullPolicy", "securityContext"):
        assert container(path)[part] == container(CRONJOB)[part]
    pods, cronjobs = pod_template(runner(path))["spec"], pod_template(runner(CRONJOB))["spec"]
    for part in ("securityContext", "enableServiceLinks", "automountServiceAccountToken"):
        assert pods[part] == cronjobs[part]


@pytest.mark.parametrize("path", CONTINUOUS)
def test_each_selector_selects_its_pods(path: str) -> None:
    """That of what makes them, of the budget, and of the spread over nodes; and they are no other file's."""
    found = documents(path)
    labels = pod_template(runner(path))["metadata"]["labels"]
    spread = pod_template(runner(path))["spec"].get("topologySpreadConstraints", ())
    budgets = [document["spec"] for document in found if document["kind"] == "PodDisruptionBudget"]
    for selecting in (runner(path)["spec"], *budgets):
        assert selecting["selector"] == {"matchLabels": labels}
    assert all(constraint["labelSelector"] == {"matchLabels": labels} for constraint in spread)


@pytest.mark.parametrize("path", [CRONJOB, *RUNNING])
def test_the_network_policy_is_about_its_pods(path: str) -> None:
    """All have the label that it selects."""
    (policy,) = documents(POLICY)
    selected = policy["spec"]["podSelector"]["matchLabels"]
    assert selected.items() <= pod_template(runner(path))["metadata"]["labels"].items()


@pytest.mark.parametrize("path", CONTINUOUS)
def test_prometheus_finds_its_pods(path: str) -> None:
    """By the label and the name of the port that the scrape config keeps."""
    (job,) = yaml.safe_load((ROOT / "examples" / "monitoring" / "scrape.yaml").read_text())["scrape_configs"]
    kept = {rule["source_labels"][0]: rule["regex"] for rule in job["relabel_configs"] if rule.get("action") == "keep"}
    labels = pod_template(runner(path))["metadata"]["labels"]
    assert kept.pop("__meta_kubernetes_pod_label_app_kubernetes_io_name") == labels["app.kubernetes.io/name"]
    assert kept == {"__meta_kubernetes_pod_container_port_name": container(path)["ports"][0]["name"]}


def test_the_network_policy_lets_in_nothing_but_scrapes() -> None:
    """And out nothing but to an API server, and names."""
    (policy,) = documents(POLICY)
    spec = policy["spec"]
    assert spec["policyTypes"] == ["Ingress", "Egress"]
    (ingress,) = spec["ingress"]
    assert [port["port"] for port in ingress["ports"]] == ["metrics"]
    assert [[port["port"] for port in rule["ports"]] for rule in spec["egress"]] == [[443, 6443], [53, 53]]


@pytest.mark.parametrize("path", [WATCH, NAMESPACED, STATEFUL])
def test_it_has_the_time_to_stop(path: str) -> None:
    """Ten seconds, and some for a slow node."""
    assert pod_template(runner(path))["spec"]["terminationGracePeriodSeconds"] > 10


def test_a_shard_that_fails_does_not_end_the_others() -> None:
    """And is not tried again, as in cronjob.yaml."""
    job = runner(INDEXED)["spec"]["jobTemplate"]["spec"]
    assert job["completions"] == job["parallelism"]
    assert (job["completionMode"], job["backoffLimitPerIndex"]) == ("Indexed", 0)
    assert "backoffLimit" not in job


@pytest.mark.parametrize(("path", "count"), [(INDEXED, "completions"), (STATEFUL, "replicas")])
def test_there_are_as_many_pods_as_shards(path: str, count: str) -> None:
    """A shard without a pod would be nobody's work."""
    spec = runner(path)["spec"]
    pods = spec["jobTemplate"]["spec"][count] if path == INDEXED else spec[count]
    (shard,) = (argument for argument in shipped.arguments(runner(path)) if argument.startswith("--shard="))
    assert shard.endswith(f")/{pods}")


def test_the_indexed_job_takes_the_place_of_the_cronjob(kubectl: Kubectl, restricted: str, applied: Apply) -> None:
    """Applied over it, nothing is left of the other one that would end its shards."""
    applied(CRONJOB)
    applied(INDEXED)
    (job,) = json.loads(kubectl("get", "cronjobs", "-n", restricted, "-o", "json").stdout)["items"]
    assert job["spec"]["jobTemplate"]["spec"]["completions"] == 3
    assert job["spec"]["jobTemplate"]["spec"].get("backoffLimit", 1) > 0
    kubectl("delete", "cronjob", "webappctl", "-n", restricted)
