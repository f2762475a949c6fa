"""sandbox and demo: a real control plane on this machine."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from webappctl.cli.session import guarded, say

sandbox_app = typer.Typer(
    help="A real Kubernetes control plane on this machine, for trying things out.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Name = Annotated[
    str, typer.Option("--name", envvar="WEBAPPCTL_SANDBOX", metavar="NAME", help="One of several sandboxes.")
]
DEFAULT_NAME = "default"


@sandbox_app.command("up")
@guarded
def up(
    name: Name = DEFAULT_NAME,
    audit: Annotated[
        bool,
        typer.Option("--audit-log", envvar="WEBAPPCTL_AUDIT_LOG", help="Log every request that the API server gets."),
    ] = False,
) -> int:
    """Start it, or find it running. The first time, its programs are built: some minutes."""
    from webappctl import sandbox

    found = sandbox.up(name, say=say, audit=audit)
    say(f"Sandbox {found.name} is up: {found.server}")
    typer.echo(f"export KUBECONFIG={_in_shell(found.kubeconfig)}")
    if found.kubectl:
        typer.echo(f"alias kubectl={_in_shell(found.kubectl)}")
    return 0


def _in_shell(path: Path) -> str:
    """So that `eval "$(webappctl sandbox up)"` works; short where it can be."""
    home = Path.home()
    if path.is_relative_to(home) and shlex.quote(str(path)) == str(path):
        return f"~/{path.relative_to(home)}"
    return shlex.quote(str(path))


@sandbox_app.command("status")
@guarded
def status(name: Name = DEFAULT_NAME) -> int:
    """Say what runs. Exits 1 when the sandbox is not there or not whole."""
    from webappctl import sandbox

    found = sandbox.find(name)
    if found is None:
        say(f"There is no sandbox {name}")
        return 1
    healthy = found.healthy
    typer.echo(f"{found.name}: {'healthy' if healthy else 'not healthy'}, {found.server}")
    for component, pid, alive in found.processes:
        version = found.versions.get("kubernetes" if component.startswith("kube-") else component, "")
        typer.echo(f"  {component:<24} {version:<10} pid {pid:<8} {'running' if alive else 'ended'}")
    return 0 if healthy else 1


@sandbox_app.command("kubeconfig")
@guarded
def kubeconfig(name: Name = DEFAULT_NAME) -> int:
    """Print the path of its kubeconfig: export KUBECONFIG=$(webappctl sandbox kubeconfig)."""
    from webappctl import sandbox

    found = sandbox.find(name)
    if found is None:
        say(f"There is no sandbox {name} (webappctl sandbox up)")
        return 1
    typer.echo(found.kubeconfig)
    return 0


@sandbox_app.command("down")
@guarded
def down(name: Name = DEFAULT_NAME) -> int:
    """Stop it and delete all that was in it."""
    from webappctl import sandbox

    say(f"Sandbox {name} is down" if sandbox.down(name) else f"There is no sandbox {name}")
    return 0


@guarded
def demo(
    keep: Annotated[
        bool, typer.Option("--keep", envvar="WEBAPPCTL_KEEP", help="Leave the sandbox running at the end.")
    ] = False,
) -> int:
    """Show the whole story on a throwaway control plane: plan, apply, drift, repair, garbage collection."""
    from webappctl import demo

    return demo.run(keep=keep, say=say)
