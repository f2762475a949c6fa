"""The options that commands share. Every flag has a WEBAPPCTL_… environment variable."""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from webappctl.cli import completion
from webappctl.errors import UsageError

if TYPE_CHECKING:
    from webappctl.core.objects import ObjectKey, Scope

_SECONDS: Final = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_DURATION: Final = re.compile(r"(?:[0-9]+(?:\.[0-9]+)?(?:h|ms|m|s))+")
_PART: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)(h|ms|m|s)")
_SHARD: Final = re.compile(r"[0-9]{1,4}/[0-9]{1,4}")
_LABEL: Final = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_NAME: Final = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")


class Output(Enum):
    TABLE = "table"
    WIDE = "wide"
    JSON = "json"
    YAML = "yaml"
    MARKDOWN = "markdown"

    @property
    def for_people(self) -> bool:
        """True where a terminal gets something else than a pipe."""
        return self in (Output.TABLE, Output.WIDE)


def duration(text: str) -> float:
    """`30s`, `5m`, `1h30m` → seconds."""
    if not _DURATION.fullmatch(text):
        raise typer.BadParameter(f"{text!r} is no duration; write it as 30s, 5m or 1h30m")
    seconds = sum(float(number) * _SECONDS[unit] for number, unit in _PART.findall(text))
    if seconds <= 0:
        raise typer.BadParameter("it must be longer than zero")
    return seconds


def shard(text: str) -> tuple[int, int]:
    """`0/3` → (0, 3)."""
    if not _SHARD.fullmatch(text):
        raise typer.BadParameter(f"{text!r} is no shard; write I/N, as 0/3 for the first of three")
    index, count = map(int, text.split("/"))
    if index >= count:
        raise typer.BadParameter(f"there is no shard {index} of {count}: they are numbered from 0")
    return index, count


def in_words(seconds: float) -> str:
    """Seconds → `10m`, `1h30m`, `0.5s`."""
    if seconds % 1:
        return f"{seconds:g}s"
    hours, rest = divmod(int(seconds), 3600)
    minutes, left = divmod(rest, 60)
    return "".join(f"{n}{unit}" for n, unit in ((hours, "h"), (minutes, "m"), (left, "s")) if n) or "0s"


Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[NAMESPACE/]NAME",
        help="Only these WebApps. Default: all.",
        show_default=False,
        autocompletion=completion.names,
    ),
]
Namespaces = Annotated[
    list[str] | None,
    typer.Option(
        "--namespace",
        "-n",
        envvar="WEBAPPCTL_NAMESPACE",
        metavar="NAME",
        help="Only this namespace; may be given again. Default: all namespaces.",
        show_default=False,
        autocompletion=completion.namespaces,
    ),
]
AllNamespaces = Annotated[
    bool,
    typer.Option(
        "--all-namespaces", "-A", envvar="WEBAPPCTL_ALL_NAMESPACES", help="The default; it overrides --namespace."
    ),
]
Selector = Annotated[
    str,
    typer.Option(
        "--selector",
        "-l",
        envvar="WEBAPPCTL_SELECTOR",
        metavar="SELECTOR",
        help="Only WebApps with these labels, as in kubectl: team=a,tier!=x.",
        show_default=False,
    ),
]
Shard = Annotated[
    Any,
    typer.Option(
        "--shard",
        envvar="WEBAPPCTL_SHARD",
        metavar="I/N",
        parser=shard,
        help="Only the namespaces that fall to this one of N processes by a hash of their names; I counts from 0.",
        show_default=False,
    ),
]
Context = Annotated[
    str | None,
    typer.Option(
        "--context",
        envvar="WEBAPPCTL_CONTEXT",
        metavar="NAME",
        help="The kubeconfig context.",
        show_default=False,
        autocompletion=completion.contexts,
    ),
]
Kubeconfig = Annotated[
    str | None,
    typer.Option(
        "--kubeconfig",
        envvar="WEBAPPCTL_KUBECONFIG",
        metavar="FILE",
        help="Default: $KUBECONFIG, then ~/.kube/config, then the pod's own credentials.",
        show_default=False,
    ),
]
OutputFormat = Annotated[
    Output,
    typer.Option(
        "--output",
        "-o",
        envvar="WEBAPPCTL_OUTPUT",
        help="table and wide are plain lines where stdout is no terminal; json and yaml have everything.",
    ),
]
RequestTimeout = Annotated[
    float,
    typer.Option(
        "--request-timeout",
        envvar="WEBAPPCTL_REQUEST_TIMEOUT",
        metavar="DURATION",
        parser=duration,
        help="For each try of a request, from connecting to the last byte.",
    ),
]
Timeout = Annotated[
    float,
    typer.Option(
        "--timeout", envvar="WEBAPPCTL_TIMEOUT", metavar="DURATION", parser=duration, help="For the whole command."
    ),
]
Expires = Annotated[
    float,
    typer.Option(
        "--expires",
        envvar="WEBAPPCTL_EXPIRES",
        metavar="DURATION",
        parser=duration,
        help="With --out: for how long the saved plan may be applied.",
    ),
]
Workers = Annotated[
    int,
    typer.Option(
        "--workers", envvar="WEBAPPCTL_WORKERS", min=1, max=64, metavar="N", help="How many writes at the same time."
    ),
]
DEFAULT_WORKERS: Final = 8

# What Typer parses: the text of a duration, where the command gets its seconds.
DEFAULT_INTERVAL: Any = "30s"
DEFAULT_REQUEST_TIMEOUT: Any = "30s"
DEFAULT_TIMEOUT: Any = "10m"
DEFAULT_EXPIRES: Any = "24h"
DEFAULT_WAIT: Any = "1m"


def scope_of(
    names: list[str] | None,
    namespaces: list[str] | None,
    selector: str,
    *,
    all_namespaces: bool,
    shard: tuple[int, int] | None = None,
) -> Scope:
    """The Scope that the options ask for. Raises UsageError for what cannot be a name."""
    from webappctl.core.objects import Scope

    if all_namespaces:
        namespaces = None  # as in kubectl; else it could not undo a namespace of the environment
    if shard is not None:
        return _of_shard(shard, names, namespaces, selector)
    keys = tuple(dict.fromkeys(_key(name) for name in names or ()))
    wanted = tuple(dict.fromkeys(_namespace(name) for name in namespaces or ()))
    outside = next((key for key in keys if wanted and key.namespace and key.namespace not in wanted), None)
    if outside:
        raise UsageError(
            f"{outside} is not in the namespaces given with --namespace or WEBAPPCTL_NAMESPACE ({', '.join(wanted)})"
        )
    if not wanted and keys and all(key.namespace for key in keys):
        wanted = tuple(dict.fromkeys(key.namespace for key in keys))
    return Scope(wanted, selector, keys)


def _of_shard(shard: tuple[int, int], names: list[str] | None, namespaces: list[str] | None, selector: str) -> Scope:
    from webappctl.core.objects import Scope, Shard

    if names or namespaces:
        raise UsageError("--shard has its own namespaces: leave out names and --namespace (or WEBAPPCTL_NAMESPACE)")
    return Scope(selector=selector, shard=Shard(*shard))


def _namespace(text: str) -> str:
    if not _LABEL.fullmatch(text):
        raise UsageError(f"{text!r} cannot be the name of a namespace")
    return text


def _key(text: str) -> ObjectKey:
    from webappctl.core.objects import ObjectKey

    namespace, slash, name = text.rpartition("/")
    if (slash and not _LABEL.fullmatch(namespace)) or not _NAME.fullmatch(name):
        raise UsageError(f"{text!r} is no WebApp; write NAME or NAMESPACE/NAME")
    return ObjectKey(namespace, name)
