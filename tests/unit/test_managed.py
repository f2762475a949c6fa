"""metadata.managedFields, as far as it is read."""

from __future__ import annotations

import msgspec
import pytest

from tests.builders import applied_entry, entry, managed
from webappctl.core.objects import IMAGE_PATH, PORTS_PATH, REPLICAS_PATH, ManagedFields


def test_our_apply_entry_makes_an_object_ours() -> None:
    """Whatever is in it."""
    assert ManagedFields.read(managed(applied_entry())).applied_by_us


@pytest.mark.parametrize(
    "other",
    [
        entry("webappctl", {}, operation="Update"),
        entry("kubectl", {}, operation="Apply"),
        entry("webappctl", {}, operation="Apply") | {"subresource": "status"},
    ],
)
def test_no_other_entry_does(other: dict[str, object]) -> None:
    """Not an update by our name, not an apply by another's, not one of a status."""
    assert not ManagedFields.read(managed(other)).applied_by_us


def test_an_owner_is_whoever_has_exactly_that_field() -> None:
    """In the order of the entries."""
    fields = managed(applied_entry(), entry("kubectl", {"f:spec": {"f:replicas": {}}}), entry("x", {"f:spec": {}}))
    assert [owner.manager for owner in ManagedFields.read(fields).owners(REPLICAS_PATH)] == ["webappctl", "kubectl"]


def test_a_field_left_out_of_our_entry_is_not_ours() -> None:
    """Its neighbours are."""
    found = ManagedFields.read(managed(applied_entry(without=("image",))))
    assert not found.owned_by_us(IMAGE_PATH)
    assert found.owned_by_us(REPLICAS_PATH)


def test_the_keys_of_our_ports_can_be_had() -> None:
    """As the API server writes them."""
    found = ManagedFields.read(managed(applied_entry(port=8080)))
    assert found.our_list_keys(PORTS_PATH) == ({"containerPort": 8080, "protocol": "TCP"},)


@pytest.mark.parametrize("raw", [b"", b"null", b"7", b"{", b'[{"manager": 7}]', b'[{"fieldsV1": []}]'])
def test_what_cannot_be_read_is_as_good_as_nothing(raw: bytes) -> None:
    """Of an object that somebody stored by hand."""
    assert ManagedFields.read(msgspec.Raw(raw)) == ManagedFields()


def test_a_path_through_something_odd_ends_there() -> None:
    """fieldsV1 is a tree of maps; what is none holds nothing."""
    odd = managed(entry("x", {"f:spec": 7}), entry("y", {"f:spec": None}), entry("z", {"f:spec": "f:replicas"}))
    assert ManagedFields.read(odd).owners(REPLICAS_PATH) == ()
