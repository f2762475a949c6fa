"""Command lines of the control plane's components, and the files that they read.

etcd and the API server listen on 127.0.0.1 and ask for a client certificate or RBAC; the others listen nowhere. Rates
and concurrency are raised: one user, one machine, and nobody wants to wait.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from webappctl.sandbox import certificates
from webappctl.sandbox.binaries import Binaries
from webappctl.sandbox.state import Ports, write_private

NODE = "sandbox"

# They serve storage, clouds, real kubelets and certificate requests, which a sandbox has none of. The node lifecycle is
# among them on purpose: a laptop that slept must not find its only node unreachable and its pods evicted.
_USELESS = (
    "certificatesigningrequest-approving-controller",
    "certificatesigningrequest-cleaner-controller",
    "certificatesigningrequest-signing-controller",
    "cloud-node-lifecycle-controller",
    "ephemeral-volume-controller",
    "legacy-serviceaccount-token-cleaner-controller",
    "node-ipam-controller",
    "node-lifecycle-controller",
    "node-route-controller",
    "persistentvolume-attach-detach-controller",
    "persistentvolume-binder-controller",
    "persistentvolume-expander-controller",
    "service-lb-controller",
    "ttl-controller",
)
_CONCURRENT = ("deployment", "replicaset", "gc", "namespace", "job", "endpoint", "service-endpoint", "resource-quota")
_SYSTEM_USERS = (
    certificates.OURS,
    "system:apiserver",
    "system:kube-controller-manager",
    "system:kube-scheduler",
    "system:kwok",
)
_PROBES = ("/healthz*", "/livez*", "/readyz*")


@dataclass(frozen=True)
class Layout:
    """Where a sandbox's files lie."""

    directory: Path

    @property
    def pki(self) -> Path:
        return self.directory / "pki"

    @property
    def kubeconfig(self) -> Path:
        return self.directory / "kubeconfig"

    @property
    def audit_log(self) -> Path:
        return self.directory / "audit.jsonl"

    def log(self, component: str) -> Path:
        return self.directory / "logs" / f"{component}.log"

    def kubeconfig_of(self, component: str) -> Path:
        return self.pki / f"{component}.kubeconfig"

    def pair(self, name: str) -> tuple[Path, Path]:
        return self.pki / f"{name}.crt", self.pki / f"{name}.key"


@dataclass(frozen=True)
class Component:
    """`name` is also the program's."""

    name: str
    arguments: tuple[str, ...]


def etcd(layout: Layout, ports: Ports) -> Component:
    """Only bearers of a certificate of this sandbox are let in: other users of the machine reach the port too."""
    certificate, key = layout.pair("etcd")
    client, peer = f"https://127.0.0.1:{ports.etcd}", f"https://127.0.0.1:{ports.etcd_peer}"
    tls = []
    for prefix in ("", "peer-"):
        tls += [f"--{prefix}cert-file={certificate}", f"--{prefix}key-file={key}", f"--{prefix}client-cert-auth=true"]
        tls += [f"--{prefix}trusted-ca-file={layout.pki / 'ca.crt'}"]
    return Component(
        "etcd",
        (
            "--name=sandbox",
            f"--data-dir={layout.directory / 'etcd'}",
            f"--listen-client-urls={client}",
            f"--advertise-client-urls={client}",
            f"--listen-peer-urls={peer}",
            f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=sandbox={peer}",
            "--unsafe-no-fsync",  # a power cut may cost the sandbox, never anything else
            "--log-level=warn",
            "--log-outputs=stderr",
            "--quota-backend-bytes=8589934592",
            *tls,
        ),
    )


def apiserver(
    layout: Layout, ports: Ports, *, audit: bool, service_accounts: bool, admission: Sequence[str] = ()
) -> Component:
    """`service_accounts` False: nobody makes the default ones, and pods are admitted without.

    `admission`: plugins beyond those that are on by default.
    """
    certificate, key = layout.pair("kube-apiserver")
    etcd_certificate, etcd_key = layout.pair("kube-apiserver-etcd-client")
    ca, account_key = layout.pki / "ca.crt", layout.pki / certificates.SERVICE_ACCOUNT_KEY
    return Component(
        "kube-apiserver",
        (
            "--bind-address=127.0.0.1",
            "--advertise-address=127.0.0.1",  # else it looks for a default route, and fails on a plane
            "--endpoint-reconciler-type=none",  # a loopback address is no valid endpoint
            f"--secure-port={ports.apiserver}",
            f"--tls-cert-file={certificate}",
            f"--tls-private-key-file={key}",
            f"--client-ca-file={ca}",
            f"--etcd-servers=https://127.0.0.1:{ports.etcd}",
            f"--etcd-cafile={ca}",
            f"--etcd-certfile={etcd_certificate}",
            f"--etcd-keyfile={etcd_key}",
            "--authorization-mode=RBAC",
            "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
            f"--service-account-key-file={account_key}",
            f"--service-account-signing-key-file={account_key}",
            "--service-cluster-ip-range=10.96.0.0/16",
            "--max-requests-inflight=800",
            "--max-mutating-requests-inflight=400",
            "--profiling=false",
            *(() if service_accounts else ("--disable-admission-plugins=ServiceAccount",)),
            *((f"--enable-admission-plugins={','.join(admission)}",) if admission else ()),
            *(_audit(layout) if audit else ()),
        ),
    )


def controller_manager(layout: Layout) -> Component:
    return Component(
        "kube-controller-manager",
        (
            f"--kubeconfig={layout.kubeconfig_of('kube-controller-manager')}",
            "--secure-port=0",
            "--leader-elect=false",
            "--use-service-account-credentials=true",
            f"--service-account-private-key-file={layout.pki / certificates.SERVICE_ACCOUNT_KEY}",
            f"--root-ca-file={layout.pki / 'ca.crt'}",
            f"--controllers=*,{','.join(f'-{name}' for name in _USELESS)}",
            *(f"--concurrent-{name}-syncs=20" for name in _CONCURRENT),
            "--horizontal-pod-autoscaler-sync-period=2s",
            "--kube-api-qps=1000",
            "--kube-api-burst=2000",
            "--profiling=false",
        ),
    )


def scheduler(layout: Layout) -> Component:
    return Component(
        "kube-scheduler",
        (
            f"--kubeconfig={layout.kubeconfig_of('kube-scheduler')}",
            "--secure-port=0",
            "--leader-elect=false",
            "--kube-api-qps=1000",
            "--kube-api-burst=2000",
            "--profiling=false",
        ),
    )


def kwok(layout: Layout, binaries: Binaries) -> Component:
    """Leases stay off: no node lifecycle controller looks at them."""
    return Component(
        "kwok",
        (
            f"--kubeconfig={layout.kubeconfig_of('kwok')}",
            f"--config={binaries.stages}",
            "--manage-all-nodes=true",
            "--node-lease-duration-seconds=0",
            "--cidr=10.244.0.0/16",
            "--node-ip=127.0.0.1",
        ),
    )


def node() -> dict[str, object]:
    """kwok fills in its status: 1,000 CPUs, 1 TiB and a million pods."""
    labels = {"kubernetes.io/hostname": NODE, "kubernetes.io/os": "linux", "type": "kwok"}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE, "labels": labels}}


def _audit(layout: Layout) -> tuple[str, ...]:
    """One JSON line a request, in the log when the request is answered; not the system's own traffic."""
    policy = {
        "apiVersion": "audit.k8s.io/v1",
        "kind": "Policy",
        "omitStages": ["RequestReceived"],
        "rules": [
            {"level": "None", "users": _SYSTEM_USERS},
            {"level": "None", "userGroups": ["system:serviceaccounts:kube-system"]},
            {"level": "None", "nonResourceURLs": _PROBES},
            {"level": "Metadata"},
        ],
    }
    path = layout.directory / "audit-policy.yaml"
    write_private(path, json.dumps(policy, indent=1).encode())  # JSON is YAML
    return (
        f"--audit-policy-file={path}",
        f"--audit-log-path={layout.audit_log}",
        "--audit-log-mode=blocking",
        "--audit-log-maxsize=2048",
        "--audit-log-maxbackup=1",
    )
