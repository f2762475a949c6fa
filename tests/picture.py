"""Makes examples/pictures again, from a real control plane: `python -m tests.picture`.

plan.svg is of a plan, and watch.svg of what carries it out, some changes later.
"""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from tests.conftest import ROOT, Kubectl, Webappctl, run
from tests.manifests import webapp
from tests.screen import on_screen
from tests.terminal import on_terminal
from webappctl import sandbox

PICTURES = ROOT / "examples" / "pictures"
COLUMNS, LINES = 100, 40
LIGHT = TerminalTheme(
    (255, 255, 255),
    (36, 41, 47),
    [
        (36, 41, 47),
        (207, 34, 46),
        (17, 99, 41),
        (154, 103, 0),
        (9, 105, 218),
        (130, 80, 223),
        (27, 124, 131),
        (110, 119, 129),
    ],
)


def main() -> None:
    with sandbox.throwaway("picture", say=lambda line: print(line, file=sys.stderr)) as found:
        assert found.kubectl
        kubectl, webappctl = Kubectl(found.kubectl, found.kubeconfig), Webappctl(found.kubeconfig)
        _make_a_mess(kubectl, webappctl)
        seen = on_terminal(webappctl.command("plan"), env=webappctl.env(), columns=COLUMNS)
        _save("plan", seen.text.replace("\r\n", "\n"))
        _save("watch", _watched(kubectl, webappctl))


def _watched(kubectl: Kubectl, webappctl: Webappctl) -> str:
    """The view after it has carried out the plan, and repaired what was done to two Deployments and a WebApp."""
    with on_screen(webappctl.command("watch"), env=webappctl.env(), columns=COLUMNS, lines=LINES) as screen:
        screen.until("leading", "configured", seconds=120)
        kubectl("wait", "deployments", "--all", "--for=condition=Available", "--timeout=60s", "--namespace=shop")
        kubectl("set", "image", "deployment/frontpage-deployment", "app=nginx:1.24", "--namespace=blog")
        screen.until("kubectl-set")
        kubectl("delete", "deployment", "cart-deployment", "--namespace=shop")
        screen.until("missing")
        kubectl("patch", "webapp", "launch", "--namespace=blog", "--type=merge", "--patch", '{"spec":{"replicas":4}}')
        screen.until("replicas  2 → 4", "next pass  in")
        return screen.pictures[-1]


def _make_a_mess(kubectl: Kubectl, webappctl: Webappctl) -> None:
    """One of almost everything that a plan can show."""
    run(webappctl.command("crd", "--install"), env=webappctl.env())
    kubectl("apply", "-f", str(ROOT / "examples"))
    run(webappctl.command("apply", "--yes"), env=webappctl.env())
    kubectl("set", "image", "deployment/cart-deployment", "app=nginx:1.24", "--namespace=shop")
    kubectl("scale", "deployment/frontpage-deployment", "--replicas=5", "--namespace=blog")
    kubectl("patch", "webapp", "my-service", "--type=merge", "--patch", '{"spec":{"image":"myregistry/myapp:v2.2.0"}}')
    port = "/spec/template/spec/containers/0/ports/0/containerPort"
    edit = json.dumps([{"op": "replace", "path": port, "value": 8081}])
    kubectl("patch", "deployment", "payments-gateway-deployment", "--namespace=shop", "--type=json", "--patch", edit)
    kubectl("create", "deployment", "legacy-deployment", "--image=httpd:2.2", "--namespace=blog")
    kubectl(
        "autoscale", "deployment", "checkout-deployment", "--namespace=shop", "--min=2", "--max=9", "--name=checkout"
    )
    kubectl("scale", "deployment/checkout-deployment", "--replicas=7", "--namespace=shop")
    kubectl("rollout", "pause", "deployment/feed-deployment", "--namespace=blog")
    kubectl("delete", "webapp", "comments", "--namespace=blog", "--cascade=orphan")
    for name, image in (("legacy", "httpd:2.4"), ("launch", "nginx:1.27")):
        kubectl("apply", "-f", "-", stdin=json.dumps(webapp(name, "blog", {"image": image, "replicas": 2, "port": 80})))


def _save(command: str, text: str) -> None:
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(f"$ webappctl {command}\n{text}"))
    picture = console.export_svg(title=f"webappctl {command}", theme=LIGHT, unique_id=command)
    path = PICTURES / f"{command}.svg"
    path.parent.mkdir(exist_ok=True)
    # Rich's template names web fonts on another host; any monospace font will do.
    path.write_text(re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL).replace("Fira Code", "ui-monospace"))
    print(f"wrote {path.relative_to(Path.cwd())}")


if __name__ == "__main__":
    main()
