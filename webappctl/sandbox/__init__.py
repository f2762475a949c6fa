"""A real Kubernetes control plane on this machine: etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kwok.

    sandbox = up("mine", say=print)     # some seconds; the very first time it is built from source, some minutes
    … sandbox.kubeconfig, sandbox.server …
    down("mine")

On loopback, with RBAC; pods of Deployments become Ready on a simulated node. Start reading at lifecycle.py.
"""

from webappctl.sandbox.lifecycle import down, find, throwaway, up
from webappctl.sandbox.state import all_names
from webappctl.sandbox.view import Sandbox

__all__ = ["Sandbox", "all_names", "down", "find", "throwaway", "up"]
