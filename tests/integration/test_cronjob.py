"""cronjob.yaml on the real controllers, and its pod's own command line with its own token.

Namespace and names are a test's own: everything else is as in the file.
"""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from tests.conftest import ROOT, Kubectl, Webappctl
from tests.identities import kubeconfig_of, token_of
from tests.integration.pod_user import PodUser, pod_user
from tests.manifests import webapp
from tests.watching import watches
from tests.world import eventually
from webappctl.sandbox import Sandbox

InPod = Callable[..., "subprocess.CompletedProcess[str]"]
Documents = Mapping[str, dict[str, Any]]

RIGHTS = {
    ("apps.example.com", "webapps", "get"),
    ("apps.example.com", "webapps", "list"),
    ("apps.example.com", "webapps/status", "patch"),
    ("apps.example.com", "webapps/finalizers", "update"),
    ("apps", "deployments", "get"),
    ("apps", "deployments", "list"),
    ("apps", "deployments", "create"),
    ("apps", "deployments", "patch"),
    ("autoscaling", "horizontalpodautoscalers", "list"),
    ("", "events", "get"),
    ("", "events", "create"),
    ("", "events", "patch"),
    ("coordination.k8s.io", "leases", "get"),
    ("coordination.k8s.io", "leases", "list"),
    ("coordination.k8s.io", "leases", "create"),
    ("coordination.k8s.io", "leases", "update"),
}


def shipped(namespace: str = "webappctl") -> Documents:
    """By kind, moved to that namespace; what is not in a namespace is named after it."""
    text = (ROOT / "cronjob.yaml").read_text().replace("namespace: webappctl\n", f"namespace: {namespace}\n")
    documents = {document["kind"]: document for document in yaml.safe_load_all(text)}
    if namespace != "webappctl":
        documents["Namespace"]["metadata"]["name"] = namespace
        for kind in ("ClusterRole", "ClusterRoleBinding"):
            documents[kind]["metadata"]["name"] = f"webappctl-{namespace}"
        documents["ClusterRoleBinding"]["roleRef"]["name"] = f"webappctl-{namespace}"
    return documents


def pod_spec(documents: Documents) -> dict[str, Any]:
    spec: dict[str, Any] = documents["CronJob"]["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    return spec


@pytest.fixture
def applied(kubectl: Kubectl, namespace: str) -> Iterator[Documents]:
    """The file, applied as a user would apply it, but that the API server refuses what it does not know."""
    documents = shipped(namespace)
    body = yaml.safe_dump_all(documents.values())
    kubectl("apply", "--server-side", "--force-conflicts", "--validate=strict", "-f", "-", stdin=body)
    yield documents
    kubectl("delete", "cronjob", "webappctl", "-n", namespace, "--ignore-not-found")
    kubectl("delete", "clusterrole,clusterrolebinding", f"webappctl-{namespace}")


def test_the_file_is_one_that_the_api_server_takes_as_it_is(kubectl: Kubectl, applied: Documents) -> None:
    """Strictly validated, a second apply of the same file changes nothing."""
    body = yaml.safe_dump_all(applied.values())
    again = kubectl("diff", "--server-side", "--force-conflicts", "-f", "-", stdin=body, check=False)
    assert (again.returncode, again.stdout) == (0, "")


def test_the_deadlines_nest() -> None:
    """--timeout ends a pass, activeDeadlineSeconds its Job, and both before the next start."""
    spec = shipped()["CronJob"]["spec"]
    arguments = pod_spec(shipped())["containers"][0]["args"]
    timeout = 60 * int(arguments[arguments.index("--timeout") + 1].removesuffix("m"))
    period = 60 * int(spec["schedule"].removeprefix("*/").split()[0])
    assert timeout < spec["jobTemplate"]["spec"]["activeDeadlineSeconds"] < period


def test_starts_never_overlap_and_are_never_given_up() -> None:
    """Forbid; and a start deadline, without which 100 missed starts would end the CronJob for good."""
    spec = shipped()["CronJob"]["spec"]
    assert spec["concurrencyPolicy"] == "Forbid"
    assert 10 <= spec["startingDeadlineSeconds"] < 100 * 60


def test_a_job_is_tried_once_and_cleaned_away() -> None:
    """The next start is the second try; histories and a time to live bound what stays."""
    spec = shipped()["CronJob"]["spec"]
    job = spec["jobTemplate"]["spec"]
    assert (job["backoffLimit"], job["template"]["spec"]["restartPolicy"]) == (0, "Never")
    assert {"successfulJobsHistoryLimit", "failedJobsHistoryLimit"} < set(spec)
    assert job["ttlSecondsAfterFinished"] > 0


def test_a_service_of_its_name_sets_no_option() -> None:
    """Service links would: WEBAPPCTL_SERVICE_HOST and others, in a program whose options are WEBAPPCTL_…."""
    assert pod_spec(shipped())["enableServiceLinks"] is False


def test_its_namespace_takes_its_pod_and_no_laxer_one(kubectl: Kubectl, namespace: str, applied: Documents) -> None:
    """Pod security `restricted` is enforced there, and the template passes it."""
    meta = {"name": "trial", "namespace": namespace}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": pod_spec(applied)}
    kubectl("create", "--dry-run=server", "-f", "-", stdin=json.dumps(pod))
    pod["spec"] = {"containers": [{"name": "webappctl", "image": "webappctl"}]}
    refused = kubectl("create", "--dry-run=server", "-f", "-", stdin=json.dumps(pod), check=False)
    assert 'violates PodSecurity "restricted:latest"' in refused.stderr


def test_the_real_controllers_make_its_job_and_its_pod(kubectl: Kubectl, namespace: str, applied: Documents) -> None:
    """Every minute here, so that the test need not wait for five."""
    kubectl("patch", "cronjob", "webappctl", "-n", namespace, "-p", '{"spec": {"schedule": "* * * * *"}}')
    eventually(lambda: kubectl("get", "pods", "-n", namespace, "-o", "name").stdout, seconds=75, every=0.5)
    pods = json.loads(kubectl("get", "pods", "-n", namespace, "-o", "json").stdout)["items"]
    assert pods[0]["spec"]["containers"][0]["args"] == pod_spec(applied)["containers"][0]["args"]
    owner = json.loads(kubectl("get", "jobs", "-n", namespace, "-o", "json").stdout)["items"][0]["metadata"]
    assert owner["ownerReferences"][0]["kind"] == "CronJob"


@pytest.fixture(scope="module")
def open_folder() -> Iterator[Path]:
    """One that every user can enter; pytest's own folders are for who tests alone."""
    with TemporaryDirectory(prefix="webappctl-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(scope="module")
def user(open_folder: Path) -> PodUser:
    """The pod's own user if root runs the tests, and else who runs them: see pod_user.py."""
    chosen = pod_spec(shipped())["securityContext"]
    return pod_user(chosen["runAsUser"], chosen["runAsGroup"], open_folder / "python")


@pytest.fixture
def in_pod(
    sandbox: Sandbox, kubectl: Kubectl, namespace: str, applied: Documents, open_folder: Path, user: PodUser
) -> InPod:
    """Runs webappctl as the pod does: its user, its token, the in-cluster environment, no HOME.

    WEBAPPCTL_NAMESPACE keeps it away from what other tests do at the same time.
    """
    account = open_folder / namespace
    account.mkdir()
    config = yaml.safe_load(sandbox.kubeconfig.read_text())["clusters"][0]["cluster"]
    server = urlsplit(config["server"])
    (account / "token").write_text(token_of(kubectl, namespace, "webappctl"))
    (account / "ca.crt").write_bytes(base64.b64decode(config["certificate-authority-data"]))
    (account / "namespace").write_text(namespace)
    user.give(account)
    environment = {
        "KUBERNETES_SERVICE_HOST": str(server.hostname),
        "KUBERNETES_SERVICE_PORT": str(server.port),
        "WEBAPPCTL_SERVICE_ACCOUNT_DIR": str(account),
        "WEBAPPCTL_NAMESPACE": namespace,
    }

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return user.run(["-m", "webappctl", *arguments], environment)

    return run


def test_the_pods_own_command_line_converges_with_its_own_token(
    kubectl: Kubectl, namespace: str, applied: Documents, in_pod: InPod
) -> None:
    """The Deployment is there, the status and the event are written, and nothing is pending."""
    web = webapp("web", namespace, {"image": "nginx:1.25", "port": 80, "replicas": 2})
    kubectl("create", "-f", "-", stdin=json.dumps(web))
    ran = in_pod(*pod_spec(applied)["containers"][0]["args"])
    assert ran.returncode == 0, ran.stderr
    assert in_pod("plan", "--exit-code").returncode == 0
    replicas = kubectl("get", "deployment", "web-deployment", "-n", namespace, "-o", "jsonpath={.spec.replicas}")
    assert replicas.stdout == "2"
    described = kubectl("describe", "webapp", "web", "-n", namespace).stdout
    assert "Observed Generation:" in described
    assert "Reconciled" in described


def test_one_teams_typo_does_not_fail_the_job(
    kubectl: Kubectl, namespace: str, applied: Documents, in_pod: InPod
) -> None:
    """A WebApp that is blocked, by a Deployment of somebody else here, is said; the Job succeeds."""
    kubectl("create", "deployment", "web-deployment", "--image=nginx:1.25", "-n", namespace)
    web = webapp("web", namespace, {"image": "nginx:1.25", "port": 80})
    kubectl("create", "-f", "-", stdin=json.dumps(web))
    ran = in_pod(*pod_spec(applied)["containers"][0]["args"])
    assert ran.returncode == 0, ran.stderr
    assert "blocked" in ran.stdout + ran.stderr


def test_a_pass_beside_live_shards_is_refused(
    webappctl: Webappctl, namespace: str, in_pod: InPod, tmp_path: Path
) -> None:
    """Its role lets it see them: both would write to the same WebApps. A selector keeps this shard from any."""
    with watches(webappctl, tmp_path) as started:
        shard = started.start("--shard", "0/2", "-l", "of=nobody", "--lease-namespace", namespace)
        shard.until("Leading")
        ran = in_pod("apply", "--yes")
    assert ran.returncode == 4, ran.stderr
    assert f"runs with 2 shards, and would write to the same WebApps: it holds the Lease {namespace}/" in ran.stderr


def rights(kubectl: Kubectl, namespace: str, account: str) -> set[tuple[str, str, str]]:
    """(group, resource, verb) of everything that the ServiceAccount may do in its namespace and in the cluster."""
    review: dict[str, Any] = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview"}
    review |= {"spec": {"namespace": namespace}}
    user = f"--as=system:serviceaccount:{namespace}:{account}"
    ask = ("create", "--validate=false", "-f", "-", "-o", "json", user)
    answer = json.loads(kubectl(*ask, stdin=json.dumps(review)).stdout)["status"]
    assert answer["incomplete"] is False
    return {
        (group, resource, verb)
        for rule in answer["resourceRules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }


def test_the_account_may_do_this_and_nothing_else(kubectl: Kubectl, namespace: str, applied: Documents) -> None:
    """Beyond what any ServiceAccount may. The API server itself says what is allowed."""
    assert rights(kubectl, namespace, "webappctl") - rights(kubectl, namespace, "default") == RIGHTS


def test_the_token_cannot_delete_or_read_secrets(
    sandbox: Sandbox, kubectl: Kubectl, namespace: str, applied: Documents, tmp_path: Path
) -> None:
    """Asked with the token itself, not by impersonation."""
    config = kubeconfig_of(token_of(kubectl, namespace, "webappctl"), sandbox.kubeconfig, tmp_path)
    account = Kubectl(kubectl.program, config)
    for verb, resource in (("delete", "deployments"), ("update", "deployments"), ("get", "secrets"), ("list", "pods")):
        asked = account("auth", "can-i", verb, resource, "-A", check=False)
        assert asked.stdout.strip() == "no", (verb, resource)
