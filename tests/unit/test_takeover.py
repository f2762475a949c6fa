"""What is handed over before the first write to a Deployment that another wrote."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.builders import deployment, entry, managed, scale_entry, webapp
from webappctl.core.desired import desired_fields
from webappctl.core.objects import IMAGE_PATH, REPLICAS_PATH, Deployment, ManagedFields, port_path
from webappctl.core.takeover import handed_over, takeover

PORT = port_path(80, "TCP")
HIS: dict[str, Any] = {
    "f:metadata": {"f:labels": {".": {}, "f:app": {}, "f:team": {}}},
    "f:spec": {
        "f:replicas": {},
        "f:template": {
            "f:spec": {
                "f:containers": {
                    'k:{"name":"app"}': {
                        ".": {},
                        "f:image": {},
                        "f:env": {},
                        "f:ports": {
                            'k:{"containerPort":80,"protocol":"TCP"}': {".": {}, "f:containerPort": {}, "f:name": {}}
                        },
                    }
                }
            }
        },
    },
}


def _his(**parts: Any) -> Deployment:
    return deployment(managed_fields=managed(entry("manager", HIS), scale_entry("kubectl")), **parts)


def _owners(live: Deployment, path: tuple[str, ...]) -> list[tuple[str, str]]:
    after = ManagedFields.read(managed(*(dict(each) for each in handed_over(live))))
    return [(owner.manager, owner.operation) for owner in after.owners(path)]


@pytest.mark.parametrize("step", [".", "f:containerPort"])
def test_what_makes_a_port_becomes_ours_alone(step: str) -> None:
    assert _owners(_his(), (*PORT, step)) == [("webappctl", "Apply")]


@pytest.mark.parametrize(
    "path",
    [
        (*PORT, "f:name"),
        IMAGE_PATH,
        ("f:metadata", "f:labels", "f:team"),
        ("f:spec", "f:template", "f:spec", "f:containers", 'k:{"name":"app"}', "f:env"),
    ],
)
def test_everything_else_stays_his(path: tuple[str, ...]) -> None:
    """What of it is ours, the forced apply takes."""
    assert _owners(_his(), path) == [("manager", "Update")]


def test_what_came_through_a_subresource_stays() -> None:
    assert _owners(_his(), REPLICAS_PATH) == [("manager", "Update"), ("kubectl", "Update")]


def test_ports_that_no_entry_has_are_claimed() -> None:
    """Entries can be cleared by anybody."""
    cleared = deployment(ports=(80, 9090), managed_fields=managed())
    assert _owners(cleared, (*port_path(9090, "TCP"), ".")) == [("webappctl", "Apply")]


def test_an_entry_that_becomes_empty_goes() -> None:
    fields: dict[str, Any] = {".": {}}
    for step in reversed(PORT):
        fields = {step: fields}
    only_ports = deployment(managed_fields=managed(entry("manager", fields)))
    assert [each["manager"] for each in handed_over(only_ports)] == ["webappctl"]


def test_an_earlier_try_of_ours_is_replaced() -> None:
    """Of two entries with one name the API server takes the last only."""
    once = handed_over(_his())
    again = deployment(managed_fields=managed(*(dict(each) for each in once)))
    assert handed_over(again) == once


def test_a_try_that_was_not_carried_out_is_no_write_of_ours() -> None:
    """It is still to be taken over, and from the others only."""
    tried = deployment(ports=(80, 9090), managed_fields=managed(*(dict(each) for each in handed_over(_his()))))
    found = takeover(tried, desired_fields(webapp()))
    assert found is not None
    assert (found.managers, found.falls_away) == (("manager",), ("port 9090",))


def test_what_an_entry_says_of_itself_is_kept() -> None:
    """Time, apiVersion and what we know nothing of."""
    before = entry("manager", HIS) | {"apiVersion": "apps/v1", "fieldsType": "FieldsV1"}
    first, *_ = handed_over(deployment(managed_fields=managed(before)))
    assert {key: first[key] for key in before if key != "fieldsV1"} == {
        key: before[key] for key in before if key != "fieldsV1"
    }


def test_entries_that_cannot_be_read_hold_nothing() -> None:
    odd = deployment(managed_fields=managed({"manager": 3}))
    assert json.dumps(handed_over(odd))
