"""Admission policies of a test's own: they deny or change one kind of request in one namespace."""

from __future__ import annotations

import json
from typing import Any, Final

from tests.conftest import Kubectl

GROUP: Final = "admissionregistration.k8s.io"


def deny(kubectl: Kubectl, namespace: str, operation: str, resource: str, **validation: str) -> None:
    """`resource` is `deployments.apps`; `validation` its CEL `expression`, with a `message` or `messageExpression`.

    It takes effect some seconds after it is stored: the caller waits until it does.
    """
    name = f"{namespace}-{operation.replace('*', 'any')}-{resource}".lower()
    policy = _matching(namespace, operation, resource) | {"failurePolicy": "Fail", "validations": [validation]}
    items = [
        _object("ValidatingAdmissionPolicy", name, policy),
        _object("ValidatingAdmissionPolicyBinding", name, {"policyName": name, "validationActions": ["Deny"]}),
    ]
    kubectl("create", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))


def mirror_images(kubectl: Kubectl, namespace: str) -> str:
    """Every Deployment there gets its first image from `mirror/`; returns the name to delete it by, and its binding.

    It takes effect some seconds after it is stored.
    """
    path = "/spec/template/spec/containers/0/image"
    image = "object.spec.template.spec.containers[0].image"
    expression = f"[JSONPatch{{op: 'replace', path: '{path}', value: 'mirror/' + {image}}}]"
    policy = _matching(namespace, "*", "deployments.apps") | {
        "failurePolicy": "Fail",
        "reinvocationPolicy": "Never",
        "matchConditions": [{"name": "not-yet", "expression": f"!{image}.startsWith('mirror/')"}],
        "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": expression}}],
    }
    items = [
        _object("MutatingAdmissionPolicy", namespace, policy),
        _object("MutatingAdmissionPolicyBinding", namespace, {"policyName": namespace}),
    ]
    kubectl("create", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    return namespace


def _matching(namespace: str, operation: str, resource: str) -> dict[str, Any]:
    plural, _, group = resource.partition(".")
    rule = {"apiGroups": [group], "apiVersions": ["v1"], "operations": [operation], "resources": [plural]}
    there = {"matchLabels": {"kubernetes.io/metadata.name": namespace}}
    return {"matchConstraints": {"namespaceSelector": there, "resourceRules": [rule]}}


def _object(kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": f"{GROUP}/v1", "kind": kind, "metadata": {"name": name}, "spec": spec}
