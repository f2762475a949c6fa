"""A Deployment on which somebody has set everything that webappctl does not."""

from __future__ import annotations

import copy
from typing import Any

Json = dict[str, Any]

HTTP = {"httpGet": {"path": "/", "port": 80}}
AFFINITY: Json = {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": []}, "nodeAffinity": {}}
SPREAD = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}

OF_THE_DEPLOYMENT: Json = {
    "minReadySeconds": 1,
    "progressDeadlineSeconds": 700,
    "revisionHistoryLimit": 3,
    "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
}
OF_THE_POD: Json = {
    "affinity": AFFINITY,
    "automountServiceAccountToken": False,
    "dnsConfig": {"nameservers": ["10.0.0.10"], "options": [{"name": "ndots", "value": "2"}]},
    "dnsPolicy": "None",
    "enableServiceLinks": False,
    "hostAliases": [{"ip": "127.0.0.1", "hostnames": ["web.test"]}],
    "hostname": "web",
    "imagePullSecrets": [{"name": "pull"}],
    "initContainers": [
        {"name": "prepare", "image": "busybox", "command": ["true"]},
        {"name": "mesh", "image": "envoy", "restartPolicy": "Always"},
    ],
    "nodeSelector": {"kubernetes.io/os": "linux"},
    "os": {"name": "linux"},
    "preemptionPolicy": "Never",
    "priorityClassName": "system-cluster-critical",
    "readinessGates": [{"conditionType": "example.com/ready"}],
    "schedulerName": "another",
    "securityContext": {"runAsUser": 1000, "fsGroup": 1000, "seccompProfile": {"type": "RuntimeDefault"}},
    "serviceAccountName": "default",
    "setHostnameAsFQDN": True,
    "shareProcessNamespace": True,
    "subdomain": "web",
    "terminationGracePeriodSeconds": 5,
    "tolerations": [{"operator": "Exists"}],
    "topologySpreadConstraints": [SPREAD | {"labelSelector": {"matchLabels": {"app": "web"}}}],
    "volumes": [
        {"name": "scratch", "emptyDir": {}},
        {"name": "settings", "configMap": {"name": "settings", "optional": True}},
        {"name": "keys", "secret": {"secretName": "keys", "optional": True}},
        {"name": "disk", "persistentVolumeClaim": {"claimName": "disk"}},
    ],
}
OF_THE_CONTAINER: Json = {
    "args": ["-g", "daemon off;"],
    "command": ["nginx"],
    "env": [{"name": "A", "value": "b"}, {"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}],
    "envFrom": [{"configMapRef": {"name": "settings", "optional": True}}],
    "imagePullPolicy": "IfNotPresent",
    "lifecycle": {"preStop": {"exec": {"command": ["sleep", "1"]}}},
    "livenessProbe": HTTP,
    "readinessProbe": HTTP,
    "startupProbe": HTTP,
    "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "NotRequired"}],
    "resources": {"requests": {"cpu": "10m"}, "limits": {"memory": "64Mi"}},
    "securityContext": {"readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}},
    "stdin": True,
    "terminationMessagePath": "/tmp/log",
    "terminationMessagePolicy": "FallbackToLogsOnError",
    "tty": True,
    "volumeDevices": [{"name": "disk", "devicePath": "/dev/disk"}],
    "volumeMounts": [{"name": "scratch", "mountPath": "/scratch"}],
    "workingDir": "/",
}
PORTS: Json = {"ports": [{"containerPort": 9090, "name": "metrics"}, {"containerPort": 80, "name": "http"}]}
SIDECAR: Json = {"name": "a-sidecar", "image": "envoy:1", "ports": [{"containerPort": 80}]}


def fill_in(live: Json) -> None:
    """Every optional field that there is, and a container before ours."""
    for metadata in (live["metadata"], live["spec"]["template"]["metadata"]):
        metadata.setdefault("annotations", {}).update(note="by hand")
        metadata["labels"].update(team="a")
    live["spec"].update(OF_THE_DEPLOYMENT)
    pod = live["spec"]["template"]["spec"]
    pod.update(OF_THE_POD)
    pod["containers"][0].update(OF_THE_CONTAINER | PORTS)
    pod["containers"].insert(0, SIDECAR)


def foreign_part(live: Json) -> Json:
    """What is not ours; the revision is the controller's."""
    rest = copy.deepcopy({"metadata": {key: live["metadata"][key] for key in ("annotations", "labels")}})
    rest |= {"spec": copy.deepcopy(live["spec"])}
    rest["metadata"]["annotations"].pop("deployment.kubernetes.io/revision", None)
    app = next(c for c in rest["spec"]["template"]["spec"]["containers"] if c["name"] == "app")
    del app["image"]
    return rest
