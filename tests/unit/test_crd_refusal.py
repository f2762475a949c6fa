"""What the shipped CRD would refuse, without a cluster. tests/integration/test_crd.py holds it to a real API server."""

from __future__ import annotations

import pytest

from tests.builders import webapp
from webappctl import crd
from webappctl.core.objects import ObjectMeta, Unreadable


@pytest.mark.parametrize("name", ["a", "1", "a-b", "a" * 52])
def test_a_dns_label_of_52_is_fine(name: str) -> None:
    """The longest, and those that begin with a digit."""
    assert crd.refusal(webapp(name)) == ""


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a" * 53, "its name has 53 characters, at most 52 are allowed"),
        ("a.b", "its name is not a DNS label"),
        ("a-", "its name is not a DNS label"),
        ("a\n", "its name is not a DNS label"),
    ],
)
def test_other_names_are_refused(name: str, said: str) -> None:
    """The limit is in it."""
    assert crd.refusal(webapp(name)) == said


def test_what_no_deployment_can_be_is_refused() -> None:
    """In the words of a plan that blocks it."""
    assert crd.refusal(webapp(port=70_000)) == "spec.port is 70000, it must be from 1 to 65535"


def test_what_cannot_be_read_is_refused() -> None:
    """With the field that is wrong."""
    odd = Unreadable(ObjectMeta("web", "shop"), "spec.replicas: expected int, got str")
    assert crd.refusal(odd) == odd.problem


def test_a_name_and_a_spec_are_refused_on_one_line() -> None:
    """Neither hides the other."""
    assert crd.refusal(webapp("a.b", spec=None)) == "its name is not a DNS label; it has no spec"
