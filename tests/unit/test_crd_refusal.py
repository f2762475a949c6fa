"""What the shipped CRD would refuse, without a cluster."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webappctl import crd
from webappctl.core.desired import problem_of
from webappctl.core.objects import ObjectKey, ObjectMeta, WebApp, WebAppSpec

GOOD = {"image": "nginx:1.25", "port": 80}


def problem(spec: object, name: str = "web") -> str:
    """Empty when it would be admitted."""
    found = crd.refusals([{"metadata": {"name": name, "namespace": "shop"}, "spec": spec}])
    return found[0][1] if found else ""


@pytest.mark.parametrize("name", ["a", "1", "a-b", "a" * 52])
def test_a_dns_label_of_52_is_fine(name: str) -> None:
    """The longest, and those that begin with a digit."""
    assert problem(GOOD, name) == ""


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a" * 53, "the name has 53 characters, at most 52 are allowed"),
        ("a.b", "the name is not a DNS label"),
        ("a-", "the name is not a DNS label"),
        ("a\n", "the name is not a DNS label"),
    ],
)
def test_other_names_are_named(name: str, said: str) -> None:
    """The limit is in it."""
    assert problem(GOOD, name) == said


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (None, "spec is missing"),
        ("hello", 'spec is "hello", which is not of type object'),
        ({}, "spec.image is missing; spec.port is missing"),
        ({"image": None, "port": 80}, "spec.image is missing"),
        ({**GOOD, "image": ""}, "spec.image has 0 characters, at least 1 are needed"),
        ({**GOOD, "image": "a" * 513}, "spec.image has 513 characters, at most 512 are allowed"),
        ({**GOOD, "image": 5}, "spec.image is 5, which is not of type string"),
        ({**GOOD, "port": 0}, "spec.port is 0, at least 1 is needed"),
        ({**GOOD, "port": 65_536}, "spec.port is 65536, at most 65535 is allowed"),
        ({**GOOD, "port": "80"}, 'spec.port is "80", which is not of type integer'),
        ({**GOOD, "port": True}, "spec.port is true, which is not of type integer"),
        ({**GOOD, "replicas": 2.5}, "spec.replicas is 2.5, which is not of type integer"),
        ({**GOOD, "replicas": 100_001}, "spec.replicas is 100001, at most 100000 is allowed"),
    ],
)
def test_each_problem_is_one_sentence_with_field_value_and_limit(spec: object, said: str) -> None:
    """Several problems of one object are on one line."""
    assert problem(spec) == said


@pytest.mark.parametrize("spec", [GOOD, {**GOOD, "replicas": 3.0}, {**GOOD, "replicas": None}, {**GOOD, "more": 1}])
def test_what_the_api_server_takes_is_no_problem(spec: Any) -> None:
    """3.0 is stored as 3, a null as absent, an unknown field not at all."""
    assert problem(spec) == ""


@pytest.mark.parametrize("space", [" ", "\t", "\n", "\v", "\x1c", "\x85", "\u00a0", "\u2003", "\u3000"])
def test_white_space_of_every_kind_is_found(space: str) -> None:
    """At the end too, where Python's `$` would let a newline pass."""
    assert "does not match" in problem({**GOOD, "image": f"nginx{space}"})


def test_a_wrong_value_cannot_move_the_cursor_or_fill_the_screen() -> None:
    """It comes from the cluster: shown in ASCII, and cut."""
    said = problem({**GOOD, "port": "\x1b[2J\u202e" + "x" * 10_000})
    assert said.isprintable()
    assert said.isascii()
    assert len(said) < 150


def test_only_the_refused_are_named_by_their_key() -> None:
    """In the order of the list."""
    stored = [{"metadata": {"name": name, "namespace": "shop"}, "spec": GOOD} for name in ("web", "a.b", "api", "c.d")]
    assert [key for key, _ in crd.refusals(stored)] == [ObjectKey("shop", "a.b"), ObjectKey("shop", "c.d")]


numbers = st.none() | st.integers(-2, 2) | st.integers(65_530, 100_002)


@given(st.none() | st.text(max_size=4) | st.just("a" * 513), numbers, numbers)
def test_what_a_plan_blocks_is_what_the_crd_refuses(image: str | None, port: int | None, replicas: int | None) -> None:
    """Two readers of the same limits: neither admits what the other does not."""
    webapp = WebApp(ObjectMeta("web", "shop"), WebAppSpec(image, port, replicas))
    assert bool(problem_of(webapp)) == bool(problem({"image": image, "port": port, "replicas": replicas}))
