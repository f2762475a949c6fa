from __future__ import annotations

import pytest
import typer

from webappctl.cli.options import duration, in_words, scope_of, shard
from webappctl.core.objects import ObjectKey
from webappctl.errors import UsageError


@pytest.mark.parametrize(
    ("text", "seconds"), [("30s", 30), ("5m", 300), ("1h30m", 5400), ("500ms", 0.5), ("1.5s", 1.5), ("1m30s", 90)]
)
def test_durations_are_written_as_kubernetes_writes_them(text: str, seconds: float) -> None:
    """Numbers with units, added up."""
    assert duration(text) == seconds


@pytest.mark.parametrize("text", ["", "5", "s", "5 s", "-5s", "5d", "0s", "5sm", "\u0661s"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    """Also one without a unit, which could mean anything, and one of no length."""
    with pytest.raises(typer.BadParameter):
        duration(text)


@pytest.mark.parametrize("text", ["30s", "10m", "1h30m", "1h"])
def test_durations_are_said_as_they_are_written(text: str) -> None:
    """In messages."""
    assert in_words(duration(text)) == text


def test_names_with_namespaces_list_only_there() -> None:
    """So that the rights in those namespaces are enough."""
    scope = scope_of(["shop/cart", "blog/feed", "shop/web"], None, "", all_namespaces=False)
    assert scope.namespaces == ("shop", "blog")
    assert scope.covers(ObjectKey("shop", "cart"))
    assert not scope.covers(ObjectKey("blog", "cart"))


def test_a_bare_name_is_meant_in_every_listed_namespace() -> None:
    """As a pattern would be."""
    scope = scope_of(["cart"], ["shop", "blog"], "", all_namespaces=False)
    assert scope.covers(ObjectKey("shop", "cart"))
    assert scope.covers(ObjectKey("blog", "cart"))


def test_all_namespaces_is_the_default_and_may_be_said() -> None:
    """-A is a habit of every kubectl user; it undoes a namespace that the environment gives."""
    everywhere = scope_of(None, None, "", all_namespaces=False)
    assert scope_of(None, None, "", all_namespaces=True) == everywhere
    assert scope_of(None, ["shop"], "", all_namespaces=True) == everywhere


@pytest.mark.parametrize("text", ["", "3", "1/", "/3", "-1/3", "a/b", "3/3", "0/0", "1/2/3"])
def test_what_is_no_shard_is_refused(text: str) -> None:
    """They are numbered from 0."""
    with pytest.raises(typer.BadParameter):
        shard(text)


@pytest.mark.parametrize("narrowed", [{"names": ["cart"]}, {"namespaces": ["shop"]}])
def test_a_shard_has_its_own_namespaces(narrowed: dict[str, list[str]]) -> None:
    with pytest.raises(UsageError, match="--shard has its own namespaces"):
        scope_of(narrowed.get("names"), narrowed.get("namespaces"), "", all_namespaces=False, shard=(0, 3))
