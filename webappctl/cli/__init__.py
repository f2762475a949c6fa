"""The commands: options in, exit code out. The only wiring, the only Typer.

Nothing heavy is imported here: each command imports what it needs, so that `--help` and completion stay fast.
"""

from __future__ import annotations

import io
import os
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer
from typer._completion_classes import completion_init

from webappctl.cli import applying, cluster_setup, completion, doctoring, local, planning, saved, watching

app = typer.Typer(
    name="webappctl",
    help="Keeps one Deployment per WebApp, with a plan you can read first.",
    no_args_is_help=True,
    add_completion=False,  # a command does it, as in kubectl: Typer's own scripts ask twice, or split contexts at `:`
    rich_markup_mode=None,
    pretty_exceptions_enable=False,  # its tracebacks show local variables, and those hold tokens
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
app.command("plan")(planning.plan)
app.command("apply")(applying.apply)
app.command("watch")(watching.watch)
app.command("show")(saved.show)
app.command("crd")(cluster_setup.crd)
app.command("doctor")(doctoring.doctor)
app.add_typer(local.sandbox_app, name="sandbox")
app.command("demo")(local.demo)
app.command("schema")(saved.schema)
app.command("completion")(completion.completion)


def _print_version(ctx: typer.Context, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:  # the latter: somebody presses Tab behind it
        typer.echo(f"webappctl {version('webappctl')}")
        raise typer.Exit


@app.callback()
def _root(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """The program. Text that the terminal's encoding cannot hold is escaped, never an error."""
    sys.stdin = sys.stdin or Path(os.devnull).open()  # noqa: SIM115 - one that was closed, for as long as we live
    sys.stdout = sys.stdout or Path(os.devnull).open("w")  # noqa: SIM115
    sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    completion_init()  # Typer leaves this out with its two options
    app(complete_var=completion.VARIABLE)
