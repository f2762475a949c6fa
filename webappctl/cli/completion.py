"""What Tab offers: WebApps and namespaces from the cluster, contexts from the kubeconfig; in a second or not at all.

Whatever goes wrong, nothing is offered and nothing is said: somebody is in the middle of typing a line.
"""

from __future__ import annotations

import functools
import os
import re
import threading
import time
from collections.abc import Callable, Iterable
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Final, NoReturn

import typer

from webappctl.cli.session import end_login_plugins, guarded

if TYPE_CHECKING:
    from webappctl.core.objects import ObjectKey

VARIABLE: Final = "_WEBAPPCTL_COMPLETE"
"""The scripts set it to how they want to be answered; the program then completes, whatever its name is."""

LIMIT: Final = 1.0
"""Seconds from the question to the end of the program, unless the variable says otherwise."""
LIMIT_VARIABLE: Final = "WEBAPPCTL_COMPLETION_TIMEOUT"
OF_REQUESTS: Final = 0.8
"""The part of it after which requests and login plugins are ended in good order."""

STDERR: Final = 2

_LABEL: Final = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_NAME: Final = re.compile(rf"(?=.{{1,253}}\Z){_LABEL}(?:\.{_LABEL})*")
_CONTEXT: Final = re.compile(r"[A-Za-z0-9_][-A-Za-z0-9_@%+=:,./]*")

Offer = Callable[[typer.Context, str], list[str]]


def _quietly(offer: Offer) -> Offer:
    """The same within the limit. Where it has nothing to offer, for any reason, the program ends, and prints nothing.

    Where no such function is asked, Typer prints at least an empty line; the scripts then complete file names.
    """

    @functools.wraps(offer)
    def quiet(ctx: typer.Context, incomplete: str) -> list[str]:
        os.dup2(os.open(os.devnull, os.O_WRONLY), STDERR)  # a login plugin, or a library, may have something to say
        watchdog = threading.Timer(_limit(), _end)
        watchdog.daemon = True
        watchdog.start()
        try:
            fitting = [text for text in offer(ctx, incomplete) if text.startswith(incomplete)]
        except (Exception, KeyboardInterrupt):  # noqa: BLE001 - on a prompt, no answer is better than any error
            _end()
        if not fitting:
            _end()
        watchdog.cancel()
        return fitting

    return quiet


def _limit() -> float:
    """Seconds. A login plugin may need more than one; on a prompt, a wrong value is not worth a word."""
    from webappctl.cli.options import duration

    try:
        return duration(os.environ.get(LIMIT_VARIABLE, ""))
    except typer.BadParameter:
        return LIMIT


def _end() -> NoReturn:
    end_login_plugins()
    os._exit(0)


@_quietly
def names(ctx: typer.Context, incomplete: str) -> list[str]:
    """NAME where --namespace is given, else NAMESPACE/NAME; without those that are on the line already."""
    given = () if ctx.params.get("all_namespaces") else tuple(ctx.params.get("namespace") or ())
    asked, slash, _ = incomplete.rpartition("/")
    if slash and not _NAME.fullmatch(asked):
        return []
    keys = _webapps(ctx, (asked,) if slash and not given else given)
    there = ctx.params.get("names") or ()
    return [text for text in texts(keys, bare=bool(given) and not slash) if text not in there]


@_quietly
def namespaces(ctx: typer.Context, incomplete: str) -> list[str]:  # noqa: ARG001 - what does not fit it is dropped
    """Those that have WebApps: no right is needed but to list these."""
    return sorted({key.namespace for key in _webapps(ctx, ()) if _NAME.fullmatch(key.namespace)})


@_quietly
def contexts(ctx: typer.Context, incomplete: str) -> list[str]:  # noqa: ARG001 - what does not fit it is dropped
    """Those whose names need no quotes. No cluster is asked."""
    from webappctl.cluster import kubeconfig

    names = kubeconfig.context_names(ctx.params.get("kubeconfig"), os.environ)
    return [name for name in names if _CONTEXT.fullmatch(name)]


def texts(keys: Iterable[ObjectKey], *, bare: bool) -> list[str]:
    """Sorted. What no API server accepts as a name is left out: a shell may take the text for more than a text."""
    valid = [key for key in keys if _NAME.fullmatch(key.namespace) and _NAME.fullmatch(key.name)]
    return sorted({key.name if bare else str(key) for key in valid})


def _webapps(ctx: typer.Context, listed: tuple[str, ...]) -> list[ObjectKey]:
    """Of those namespaces, or of all, in the cluster that the rest of the line and the environment name."""
    seconds = OF_REQUESTS * _limit()
    ends = time.monotonic() + seconds
    from webappctl.cluster import open_cluster
    from webappctl.cluster.listing import whole_list
    from webappctl.cluster.requests import WEBAPPS
    from webappctl.core.objects import read_webapps

    cluster = open_cluster(
        kubeconfig=ctx.params.get("kubeconfig"),
        context=ctx.params.get("context"),
        workers=1,
        request_timeout=seconds,
        stop=threading.Event(),
        until=ends,
    )
    selector = ctx.params.get("selector") or ""
    lists = (whole_list(cluster.transport, WEBAPPS, namespace, selector, read_webapps) for namespace in listed or ("",))
    return [webapp.key for webapps in lists for webapp in webapps]


class Shell(Enum):
    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


@guarded
def completion(shell: Annotated[Shell, typer.Argument(metavar="SHELL")]) -> int:
    """Print what makes a shell complete webappctl.

    Commands, options, WebApps, namespaces and contexts. To have it always, add one line to a file of your shell:

    \b
      ~/.bashrc                   source <(webappctl completion bash)
      ~/.zshrc, after compinit    source <(webappctl completion zsh)
      ~/.config/fish/config.fish  webappctl completion fish | source

    Names come from the cluster that the line means, within a second or not at all
    (WEBAPPCTL_COMPLETION_TIMEOUT=3s waits longer).
    """
    typer.echo(SCRIPTS[shell], nl=False)
    return 0


# Readline takes a word for several, at = and : and @. It is given what is left of an offer after what it has passed.
_BASH: Final = r"""# webappctl completion for bash
_webappctl() {
    local line="${COMP_LINE:0:COMP_POINT}" offer word
    word="${line##*[[:space:]]}"
    [[ $word == --*=* ]] && word="${word#*=}"
    COMPREPLY=()
    while IFS= read -r offer; do
        if [[ -n $offer ]]; then
            COMPREPLY+=("${offer#"${word%"$2"}"}")
        else
            compopt -o default 2>/dev/null
        fi
    done < <(_WEBAPPCTL_COMPLETE=complete_bash COMP_WORDS="$line''" COMP_CWORD=-1 "$1" 2>/dev/null)
}
complete -F _webappctl webappctl
"""

_ZSH: Final = r"""#compdef webappctl
_webappctl() {
    local line
    local -a offers files
    while IFS= read -r line; do
        case $line in
            '') files=(yes) ;;
            *$'\t'*) offers+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
            *) offers+=("${line//:/\\:}") ;;
        esac
    done < <(_WEBAPPCTL_COMPLETE=complete_fish _TYPER_COMPLETE_FISH_ACTION=get-args \
        _TYPER_COMPLETE_ARGS="${(j: :)words[1,CURRENT-1]} $PREFIX" "${words[1]}" 2>/dev/null)
    [[ $PREFIX == --*=* ]] && compset -P '*='
    if (( $#files )); then
        _files
    else
        _describe webappctl offers
    fi
}
if [[ $funcstack[1] == _webappctl ]]; then
    _webappctl "$@"
else
    compdef _webappctl webappctl
fi
"""

_FISH: Final = r"""# webappctl completion for fish
function __webappctl_complete
    set -l words (commandline -opc)
    set -l flag (commandline -ct | string match --regex '^--[^=]*=')
    env _WEBAPPCTL_COMPLETE=complete_fish _TYPER_COMPLETE_FISH_ACTION=get-args \
        _TYPER_COMPLETE_ARGS=(commandline -cp | string collect) $words[1] 2>/dev/null | while read --local line
        if test -n "$line"
            printf '%s\n' "$flag$line"
        else
            for path in (__fish_complete_path (commandline -ct | string replace --regex '^--[^=]*=' ''))
                printf '%s\n' "$flag$path"
            end
        end
    end
end
complete --command webappctl --no-files --arguments '(__webappctl_complete)'
"""

SCRIPTS: Final = {Shell.BASH: _BASH, Shell.ZSH: _ZSH, Shell.FISH: _FISH}
