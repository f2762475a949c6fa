"""What Tab gets from a real API server."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from tests.conftest import run
from tests.identities import kubeconfig_of, service_account
from tests.world import World

PROGRAM = f"{shlex.quote(sys.executable)} -m webappctl"
PATIENT = {"WEBAPPCTL_COMPLETION_TIMEOUT": "30s"}
"""A second may be too short to start in, on a busy machine."""


@pytest.fixture
def shop(world: World) -> World:
    """Two WebApps."""
    world.declare("web")
    world.declare("cart")
    return world


def asked(line: str, shell: str) -> dict[str, str]:
    """What the script for that shell asks; for bash also what Typer's own scripts ask."""
    words = shlex.split(f"{line}''")
    return {
        "bash": {"COMP_WORDS": f"{line}''", "COMP_CWORD": "-1"},
        "typer": {"COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)},
        "fish": {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
    }[shell] | {"_WEBAPPCTL_COMPLETE": "complete_fish" if shell == "fish" else "complete_bash"}


def offers(world: World, line: str, shell: str = "bash", kubeconfig: Path | None = None, **env: str) -> list[str]:
    done = world.webappctl(env=asked(f"webappctl {line}", shell) | PATIENT | env, kubeconfig=kubeconfig)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def in_bash(world: World, line: str, word: str) -> list[str]:
    """COMPREPLY of a bash that has read the script; `word` is what readline takes for the word at the cursor."""
    script = f"""
        webappctl() {{ {PROGRAM} "$@"; }}
        source <(webappctl completion bash)
        COMP_LINE={shlex.quote(line)}
        COMP_POINT=${{#COMP_LINE}}
        _webappctl webappctl {shlex.quote(word)} ""
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = run(["bash", "--norc", "-c", script], env=world.webappctl.env(PATIENT))
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize("shell", ["bash", "fish", "typer"])
def test_names_are_offered_with_their_namespaces(shop: World, shell: str) -> None:
    """Each shell asks in its own way."""
    there = [f"{shop.namespace}/cart", f"{shop.namespace}/web"]
    assert offers(shop, f"plan {shop.namespace}/", shell) == there
    assert offers(shop, f"plan {shop.namespace[:-1]}", shell) == there


def test_names_are_offered_alone_where_the_namespace_is_given(shop: World) -> None:
    """On the line or in the environment; -A undoes it, as it does for the command."""
    assert offers(shop, f"apply -n {shop.namespace} ") == ["cart", "web"]
    assert offers(shop, "watch w", WEBAPPCTL_NAMESPACE=shop.namespace) == ["web"]
    there = f"{shop.namespace}/web"
    assert offers(shop, f"plan -A {shop.namespace}/w", WEBAPPCTL_NAMESPACE="other") == [there]


def test_names_that_are_on_the_line_or_do_not_match_the_selector_are_not_offered(shop: World) -> None:
    """The command would not take them."""
    shop.kubectl("label", "webapp", "web", "team=a")
    assert offers(shop, f"plan -n {shop.namespace} cart ") == ["web"]
    assert offers(shop, f"plan -n {shop.namespace} -l team=a ") == ["web"]


def test_namespaces_are_those_that_have_webapps(shop: World) -> None:
    """There are others."""
    assert shop.namespace in offers(shop, "plan -n ")
    assert "kube-system" not in offers(shop, "plan -n ")


def test_the_right_to_list_webapps_in_a_namespace_is_enough_for_its_names(shop: World, tmp_path: Path) -> None:
    """Whether it is given by -n or typed in front of the name."""
    token = service_account(shop.kubectl_, shop.namespace, "list webapps.apps.example.com")
    file = kubeconfig_of(token, shop.kubectl_.kubeconfig, tmp_path)
    assert offers(shop, f"plan -n {shop.namespace} w", kubeconfig=file) == ["web"]
    there = f"{shop.namespace}/web"
    assert offers(shop, f"plan {shop.namespace}/w", kubeconfig=file) == [there]
    assert offers(shop, "plan -n ", kubeconfig=file) == []


def test_the_cluster_is_the_one_that_the_line_names(shop: World, tmp_path: Path) -> None:
    """--kubeconfig and --context count; a context that is not there has no names."""
    nowhere = tmp_path / "nowhere"
    line = f"plan --kubeconfig {shop.webappctl.kubeconfig} -n {shop.namespace} w"
    assert offers(shop, line, kubeconfig=nowhere) == ["web"]
    assert offers(shop, f"plan --context nowhere -n {shop.namespace} w") == []
    assert offers(shop, f"plan -n {shop.namespace} w", WEBAPPCTL_CONTEXT="nowhere") == []


def test_bash_completes_with_the_script(shop: World) -> None:
    """Names, and namespaces behind `=`, where readline begins a new word."""
    line = f"webappctl plan -n {shop.namespace} w"
    assert in_bash(shop, line, "w") == ["web"]
    start = shop.namespace[:-1]
    assert in_bash(shop, f"webappctl plan --namespace={start}", start) == [shop.namespace]


def test_bash_completes_contexts_with_colons(shop: World, tmp_path: Path) -> None:
    """Readline begins a new word there too: it gets what is left of the name."""
    file = tmp_path / "config"
    file.write_text('{"contexts": [{"name": "arn:aws:eks:one"}]}')
    line = f"webappctl plan --kubeconfig {file} --context arn:aws:e"
    assert in_bash(shop, line, "e") == ["eks:one"]
