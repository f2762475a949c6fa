"""show and schema: what is read without a cluster. And the files of saved plans."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from webappctl.cli.options import Output, OutputFormat
from webappctl.cli.session import guarded, say
from webappctl.errors import UsageError, WebappctlError

if TYPE_CHECKING:
    from webappctl.core.plan import Plan, Policy
    from webappctl.planfile import SavedPlan
    from webappctl.render import Target

MAX_MIB: Final = 256
"""Of a saved plan. One of ten thousand WebApps that all change has 20."""
SCHEMAS: Final = Path(__file__).parents[1] / "schemas"


class Printed(Enum):
    """What has a schema."""

    OUTPUT = "output"
    DOCTOR = "doctor"


@guarded
def show(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A plan that was saved with plan --out.")],
    output: OutputFormat = Output.TABLE,
    exit_code: Annotated[
        bool,
        typer.Option(
            "--exit-code",
            envvar="WEBAPPCTL_EXIT_CODE",
            help="Exit 3 when changes are pending, 5 when only blocked or waiting ones are left.",
        ),
    ] = False,
) -> int:
    """Show a saved plan, as plan showed it. Asks no cluster."""
    from webappctl.cli import show as printing
    from webappctl.core.report import plan_exit_code
    from webappctl.render import Target

    saved = load(file)
    printing.plan(saved.plan, Target(saved.context, saved.server, saved.scope), output)
    expiry = saved.expiry(datetime.now(UTC))
    if expiry:
        say(f"warning: {file}: {expiry}")
    return plan_exit_code(saved.plan) if exit_code else 0


@guarded
def schema(
    of: Annotated[
        Printed, typer.Argument(metavar="WHAT", help="output: of plan, show, apply, watch and saved plans.")
    ] = Printed.OUTPUT,
) -> int:
    """Print the JSON Schema of what --output json and yaml print."""
    typer.echo((SCHEMAS / f"{of.value}.v1.schema.json").read_text(encoding="utf-8"), nl=False)
    return 0


def save(plan: Plan, target: Target, policy: Policy, path: str, expires: float) -> None:
    """`expires`: in so many seconds. Raises what `write_plan_file` raises."""
    from webappctl import planfile

    now = datetime.now(UTC)
    try:
        end = now + timedelta(seconds=expires)
    except OverflowError as error:
        raise UsageError("--expires is too long") from error
    where = {"context": target.context, "server": target.server}
    data = planfile.save(plan, **where, scope=target.scope, policy=policy, created=now, expires=end)
    write_plan_file(path, data)


def load(path: str) -> SavedPlan:
    """Raises what `read_plan_file` and `planfile.load` raise, with the file as the subject."""
    from webappctl import planfile

    data = read_plan_file(path)
    try:
        return planfile.load(data)
    except WebappctlError as error:
        error.subject = path
        raise


def read_plan_file(path: str) -> bytes:
    """Raises UsageError for a file that cannot be read."""
    try:
        with _place(path).open("rb") as stream:
            data = stream.read(MAX_MIB * 2**20 + 1)
    except OSError as error:
        raise UsageError(error.strerror or str(error), subject=path) from error
    if len(data) > MAX_MIB * 2**20:
        raise UsageError(f"it is larger than {MAX_MIB} MiB, so it is no saved plan", subject=path)
    return data


def write_plan_file(path: str, data: bytes) -> None:
    """The whole of it, or what was there before. A link stays one. Raises UsageError where no file can be."""
    try:
        target = _place(path).resolve()
        if target.exists() and not target.is_file():
            raise UsageError("it is there, and no file", subject=path, remedy="name a file to save the plan in")
        _replace(target, data)
    except (OSError, RuntimeError) as error:  # the latter: links that go round in a circle
        reason = (isinstance(error, OSError) and error.strerror) or str(error)
        raise WebappctlError(f"the plan was not saved: {reason}", subject=path) from error


def _replace(target: Path, data: bytes) -> None:
    import secrets  # some ms

    beside = target.with_name(f".webappctl-{secrets.token_hex(8)}")
    try:
        beside.write_bytes(data)
        beside.replace(target)
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def _place(path: str) -> Path:
    if path in ("", "-"):
        raise UsageError("a saved plan is a file", remedy="name one, or use -o json for a pipe")
    return Path(path)
