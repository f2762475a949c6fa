"""The story on a throwaway control plane: what a user types, and what the real commands answer."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from webappctl import crd, sandbox
from webappctl.errors import SandboxError
from webappctl.sandbox import Sandbox

Say = Callable[[str], None]

WAIT: Final = "--timeout=60s"


def run(*, keep: bool, say: Say) -> int:
    """Run it to its end; about half a minute once the control plane's programs are there.

    `keep`: leave the sandbox running. Returns the exit code. Raises SandboxError when a command does not do what the
    story says.
    """
    say("A throwaway control plane for the demo: etcd, kube-apiserver, controllers, one simulated node.")
    with sandbox.throwaway("demo", say=say, crds=[crd.shipped()], keep=lambda: keep) as found:
        if found.kubectl is None or found.missing:
            missing = ", ".join(found.missing) or "kubectl"
            raise SandboxError(
                f"the demo needs a whole control plane, and this one has no {missing}",
                remedy="unset KUBEBUILDER_ASSETS to have it built",
            )
        _tell(_Stage(found, found.kubectl))
        _say_how_to_go_on(found, keep=keep, say=say)
    return 0


@dataclass(frozen=True)
class _Stage:
    """Where the commands run, and where their output goes: straight to this program's own streams."""

    sandbox: Sandbox
    kubectl: Path

    def title(self, text: str) -> None:
        from rich.console import Console
        from rich.text import Text

        Console(highlight=False).print(Text(f"\n── {text}", "bold cyan"))

    def webappctl(self, *arguments: str, expect: int = 0) -> None:
        self._run([sys.executable, "-m", "webappctl"], "webappctl", arguments, expect)

    def kubectl_(self, *arguments: str) -> None:
        self._run([str(self.kubectl)], "kubectl", arguments, 0)

    def _run(self, program: list[str], name: str, arguments: tuple[str, ...], expect: int) -> None:
        print(f"$ {shlex.join([name, *arguments])}", flush=True)
        inherited = {key: value for key, value in os.environ.items() if not key.startswith("WEBAPPCTL_")}
        environment = {**inherited, "KUBECONFIG": str(self.sandbox.kubeconfig)}
        folder = crd.examples().parent
        code = subprocess.run(
            [*program, *arguments], env=environment, cwd=folder, stdin=subprocess.DEVNULL, check=False
        ).returncode
        if code != expect:
            raise SandboxError(f"{name} {shlex.join(arguments)} exited {code}, and the story needs {expect}")


def _tell(stage: _Stage) -> None:
    webappctl, kubectl = stage.webappctl, stage.kubectl_

    stage.title("Teach the cluster what a WebApp is (this one has been told; yours needs it once)")
    webappctl("crd", "--install")

    stage.title("Developers declare their WebApps")
    kubectl("apply", "-f", "examples/")

    stage.title("Preview: what would be done, and why (exit 3: changes are pending)")
    webappctl("plan", "--exit-code", expect=3)

    stage.title("Do it, and wait until all of it is ready")
    webappctl("apply", "--yes", "--wait", "--wait-timeout", "1m")
    kubectl("get", "webapps", "--all-namespaces")

    stage.title("Somebody changes things by hand")
    kubectl("set", "image", "deployment/cart-deployment", "app=nginx:1.24", "--namespace=shop")
    kubectl("scale", "deployment/frontpage-deployment", "--replicas=5", "--namespace=blog")
    kubectl("rollout", "restart", "deployment/checkout-deployment", "--namespace=shop")

    stage.title("The plan finds the drift; the restart of checkout is none, and is left alone")
    webappctl("plan", "--exit-code", expect=3)

    stage.title("Repair it, and look again (exit 0: nothing is pending)")
    webappctl("apply", "--yes")
    webappctl("plan", "--exit-code")
    kubectl("get", "events", "--namespace=shop", "--field-selector=reason=Reconciled")

    stage.title("Delete a WebApp: the cluster's own garbage collector takes its Deployment")
    kubectl("delete", "webapp", "comments", "--namespace=blog")
    kubectl("wait", "--for=delete", "deployment/comments-deployment", "--namespace=blog", WAIT)
    kubectl("get", "deployments", "--namespace=blog")


def _say_how_to_go_on(found: Sandbox, *, keep: bool, say: Say) -> None:
    say("")
    if not keep:
        say("That was it. To look around yourself: webappctl demo --keep, or webappctl sandbox up")
        return
    say("The sandbox goes on. To look around:")
    for line in found.shell_lines:
        say(f"  {line}")
    say("  kubectl get webapps,deployments --all-namespaces")
    say("  kubectl describe webapp my-service")
    say("  kubectl edit webapp my-service      # then: webappctl plan; webappctl apply")
    say(f"  webappctl sandbox down --name {found.name}      # when you are done")
