"""sandbox and demo: a real control plane on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from webappctl.cli.session import guarded, say

if TYPE_CHECKING:
    from webappctl.sandbox import Sandbox

sandbox_app = typer.Typer(
    help="A real control plane on this machine.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

NAME = typer.Option("--name", envvar="WEBAPPCTL_SANDBOX", metavar="NAME", help="One of several sandboxes.")
Name = Annotated[str, NAME]
NameOrAll = Annotated[str | None, NAME]
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

    for line in sandbox.up(name, say=say, audit=audit).shell_lines:
        typer.echo(line)
    return 0


@sandbox_app.command("status")
@guarded
def status(name: NameOrAll = None) -> int:
    """Say what runs: all sandboxes, or one with its components. Exits 1 when none is there or one is not whole."""
    from webappctl import sandbox

    names = sandbox.all_names() if name is None else (name,)
    found = [one for one in map(sandbox.find, names) if one]
    if not found:
        say("There is no sandbox (webappctl sandbox up)" if name is None else f"There is no sandbox {name}")
        return 1
    healthy = [_show(one, components=len(found) == 1) for one in found]
    return 0 if all(healthy) else 1


def _show(found: Sandbox, *, components: bool) -> bool:
    """Returns whether it is healthy."""
    healthy = found.healthy
    typer.echo(f"{found.name}: {'healthy' if healthy else 'not healthy'}, {found.server}")
    for component, pid, alive in found.processes if components else ():
        version = found.versions.get("kubernetes" if component.startswith("kube-") else component, "")
        typer.echo(f"  {component:<24} {version:<10} pid {pid:<8} {'running' if alive else 'ended'}")
    return healthy


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
    """Show the whole story on a throwaway control plane."""
    from webappctl import demo

    return demo.run(keep=keep, say=say)
