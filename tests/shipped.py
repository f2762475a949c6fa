"""The manifests that run webappctl in a cluster, and moved to a namespace of a test's own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

import yaml

from tests.conftest import ROOT

Document = dict[str, Any]

CLUSTER_WIDE: Final = ("ClusterRole", "ClusterRoleBinding")
RUNNERS: Final = ("CronJob", "Deployment", "StatefulSet")
RIGHTS: Final = ("ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding")
_NAMESPACE: Final = re.compile(r"(\bnamespace: |--namespace=)(?:webappctl|shop)\b")


def documents(path: str) -> list[Document]:
    """From the top of the repository, as they are."""
    return list(yaml.safe_load_all((ROOT / path).read_text()))


def moved(path: str, namespace: str) -> list[Document]:
    """Into that namespace. What is in none is named after it, so that no other test has it too."""
    found = list(yaml.safe_load_all(_NAMESPACE.sub(rf"\g<1>{namespace}", (ROOT / path).read_text())))
    for document in found:
        if document["kind"] == "Namespace":
            document["metadata"]["name"] = namespace
        if document["kind"] in CLUSTER_WIDE:
            document["metadata"]["name"] += f"-{namespace}"
        if document.get("roleRef", {}).get("kind") == "ClusterRole":
            document["roleRef"]["name"] += f"-{namespace}"
    return found


def one(found: Iterable[Document], *kinds: str) -> Document:
    """The only one of these kinds."""
    (document,) = (document for document in found if document["kind"] in kinds)
    return document


def pod_template(runner: Document) -> Document:
    spec = runner["spec"]
    template: Document = (spec["jobTemplate"]["spec"] if runner["kind"] == "CronJob" else spec)["template"]
    return template


def arguments(runner: Document) -> list[str]:
    """Of webappctl in its pods; `$(NAME)` stands for a variable."""
    found: list[str] = pod_template(runner)["spec"]["containers"][0]["args"]
    return found


def granted(found: Iterable[Document]) -> Iterator[str]:
    """What their roles allow, as `patch webapps.apps.example.com/status`."""
    for document in found:
        for rule in document.get("rules", ()):
            for resource in rule["resources"]:
                yield from (right(verb, resource, rule["apiGroups"][0]) for verb in rule["verbs"])


def right(verb: str, resource: str, group: str) -> str:
    plural, slash, subresource = resource.partition("/")
    return f"{verb} {f'{plural}.{group}'.rstrip('.')}{slash}{subresource}"


def without(found: list[Document], missing: str) -> list[Document]:
    """Changed so that their roles do not allow that any more."""
    for role in (document for document in found if "rules" in document):
        for rule in role["rules"]:
            (resource,), (group,) = rule["resources"], rule["apiGroups"]
            rule["verbs"] = [verb for verb in rule["verbs"] if right(verb, resource, group) != missing]
        role["rules"] = [rule for rule in role["rules"] if rule["verbs"]]
    return found
