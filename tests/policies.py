"""Admission policies of a test's own: they deny one kind of request in one namespace."""

from __future__ import annotations

import json
from typing import Any, Final

from tests.conftest import Kubectl

GROUP: Final = "admissionregistration.k8s.io"


def deny(kubectl: Kubectl, namespace: str, operation: str, resource: str, **validation: str) -> None:
    """`resource` is `deployments.apps`; `validation` its CEL `expression`, with a `message` or `messageExpression`.

    It takes effect some seconds after it is stored: the caller waits until it does.
    """
    plural, _, group = resource.partition(".")
    name = f"{namespace}-{operation}-{plural}".lower()
    rule = {"apiGroups": [group], "apiVersions": ["v1"], "operations": [operation], "resources": [plural]}
    there = {"matchLabels": {"kubernetes.io/metadata.name": namespace}}
    policy = {
        "failurePolicy": "Fail",
        "matchConstraints": {"namespaceSelector": there, "resourceRules": [rule]},
        "validations": [validation],
    }
    items = [
        _object("ValidatingAdmissionPolicy", name, policy),
        _object("ValidatingAdmissionPolicyBinding", name, {"policyName": name, "validationActions": ["Deny"]}),
    ]
    kubectl("create", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))


def _object(kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": f"{GROUP}/v1", "kind": kind, "metadata": {"name": name}, "spec": spec}
