"""The examples: what a reader applies first."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.conftest import Kubectl
from webappctl import crd
from webappctl.core.objects import read_webapp
from webappctl.sandbox import throwaway

TOP = sorted(path for path in crd.examples().iterdir() if path.is_file() and path.suffix != ".svg")
IMAGE = crd.examples() / "image" / "Dockerfile"


def documents(name: str) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((crd.examples() / name).read_text()))


def every(kind: str) -> list[dict[str, Any]]:
    return [document for path in TOP for document in documents(path.name) if document["kind"] == kind]


@pytest.fixture(scope="module")
def empty() -> Iterator[Kubectl]:
    """kubectl on a control plane that has the CRD and nothing else."""
    with throwaway("examples", say=print) as own:
        assert own.kubectl is not None
        kubectl = Kubectl(own.kubectl, own.kubeconfig)
        kubectl("apply", "--server-side", "-f", str(crd.data("crds")))
        kubectl("wait", "--for=condition=Established", f"crd/{crd.NAME}", "--timeout=30s")
        yield kubectl


def test_the_folder_can_be_applied_at_once(empty: Kubectl) -> None:
    """The first apply on an empty cluster succeeds: each namespace comes before what is in it."""
    applied = empty("apply", "--validate=strict", "-f", str(crd.examples())).stdout
    assert applied.count("webapp.apps.example.com/") == len(every("WebApp"))
    assert "horizontalpodautoscaler.autoscaling/search created" in applied


def test_the_autoscaler_can_scale_its_webapp(empty: Kubectl) -> None:
    """The real HPA controller reads the WebApp's /scale."""
    empty("apply", "-f", str(crd.examples()))
    empty("wait", "--for=condition=AbleToScale", "--namespace=shop", "hpa/search", "--timeout=75s")


def test_row_12_my_service() -> None:
    """Row 12: the example of the operator that this one replaces."""
    (webapp,) = documents("my-service.yaml")
    assert webapp["metadata"] == {"name": "my-service"}
    assert webapp["spec"] == {"image": "myregistry/myapp:v2.1.0", "replicas": 5, "port": 8080}


def test_row_11_test_app() -> None:
    """Row 11: the WebApp that has to have its Deployment within 10 seconds."""
    (webapp,) = documents("test-app.yaml")
    assert webapp["metadata"] == {"name": "test-app"}
    assert webapp["spec"] == {"image": "nginx:1.25", "replicas": 3, "port": 80}


def test_the_top_level_holds_only_what_kubectl_may_apply() -> None:
    """Everything else lies in folders, which `kubectl apply -f examples/` does not look into."""
    kinds = {document["kind"] for path in TOP for document in documents(path.name)}
    assert kinds == {"Namespace", "WebApp", "HorizontalPodAutoscaler"}


def test_the_crd_would_refuse_none_of_them() -> None:
    """By our own reading of its limits."""
    assert {crd.refusal(read_webapp(json.dumps(webapp).encode())) for webapp in every("WebApp")} == {""}


def test_the_fleet_is_in_two_namespaces() -> None:
    """And brings them along, before anything that is in them."""
    kinds = [document["kind"] for document in documents("fleet.yaml")]
    namespaces = {document["metadata"]["namespace"] for document in documents("fleet.yaml")[2:]}
    assert kinds[:2] == ["Namespace", "Namespace"]
    assert namespaces == {document["metadata"]["name"] for document in documents("fleet.yaml")[:2]}


def test_the_autoscalers_least_is_at_most_what_the_webapp_has() -> None:
    """spec.replicas is set, and minReplicas does not change it at once."""
    webapp, autoscaler = documents("hpa.yaml")
    target = autoscaler["spec"]["scaleTargetRef"]
    assert (target["kind"], target["name"]) == ("WebApp", webapp["metadata"]["name"])
    assert autoscaler["spec"]["minReplicas"] <= webapp["spec"]["replicas"] <= autoscaler["spec"]["maxReplicas"]


def test_the_image_is_built_of_what_there_is() -> None:
    """Every path that the Dockerfile copies from the repository exists."""
    lines = re.findall(r"^COPY (?!--from)(.+) \S+$", IMAGE.read_text(), re.MULTILINE)
    copied = [path for line in lines for path in line.split()]
    root = crd.examples().parent
    assert "webappctl" in copied
    assert [path for path in copied if not (root / path).exists()] == []


def test_the_image_runs_as_a_number() -> None:
    """runAsNonRoot cannot judge a name; a base image without a minor version would change under us."""
    text = IMAGE.read_text()
    assert re.search(r"^USER [1-9]\d*:[1-9]\d*$", text, re.MULTILINE)
    assert set(re.findall(r"^FROM (\S+)", text, re.MULTILINE)) == {"python:3.13-slim"}
    assert text.rstrip().endswith('ENTRYPOINT ["webappctl"]')
