"""Which owned fields differ, since when, and by whom."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.builders import EARLIER, applied_entry, container, deployment, entry, managed, owner, webapp
from webappctl.core.desired import desired_fields, labels_of
from webappctl.core.diff import Cause, FieldChange, diff
from webappctl.core.objects import Deployment, WebApp, port_path


def _changes(live: Deployment, wanted: WebApp | None = None) -> tuple[FieldChange, ...]:
    return diff(live, desired_fields(wanted or webapp()))


def _only(live: Deployment, wanted: WebApp | None = None) -> FieldChange:
    (change,) = _changes(live, wanted)
    return change


def _port_entry(manager: str, *ports: tuple[int, str], **fields: Any) -> dict[str, Any]:
    items: dict[str, Any] = {
        f'k:{{"containerPort":{number},"protocol":"{protocol}"}}': {".": {}} for number, protocol in ports
    }
    app: dict[str, Any] = {'k:{"name":"app"}': {"f:ports": items}}
    return entry(manager, {"f:spec": {"f:template": {"f:spec": {"f:containers": app}}}}, **fields)


def test_what_we_made_does_not_differ() -> None:
    """The Deployment of a WebApp is what the WebApp asks for."""
    assert _changes(deployment()) == ()


@pytest.mark.parametrize(
    "fields",
    [
        {"labels": labels_of("web") | {"team": "a"}},
        {"pod_labels": labels_of("web") | {"version": "2"}},
        {"containers": (container("proxy", "envoy"), container())},
        {"ports": (9090, 80, (80, "UDP"))},
        {"ports": (80, 80)},
        {"owner_references": (owner(controller=False), *(deployment().metadata.owner_references or ()))},
        {"paused": True},
    ],
)
def test_what_we_do_not_set_is_never_drift(fields: dict[str, Any]) -> None:
    """More labels, containers, ports and owners, in any place."""
    assert _changes(deployment(**fields)) == ()


@pytest.mark.parametrize(
    ("fields", "path", "actual", "desired"),
    [
        ({"image": "nginx:1.24"}, "image", "nginx:1.24", "nginx:1.25"),
        ({"replicas": 2}, "replicas", 2, 3),
        ({"ports": (8080,)}, "port", None, 80),
        ({"ports": ((80, "UDP"),)}, "port", None, 80),
        ({"labels": {"managed-by": "webapp-operator"}}, "labels.app", None, "web"),
        ({"labels": {"app": "web", "managed-by": "me"}}, "labels.managed-by", "me", "webapp-operator"),
        ({"pod_labels": {"managed-by": "webapp-operator"}}, "template.labels.app", None, "web"),
        ({"owner_references": ()}, "ownerReference", None, "apps.example.com/v1 WebApp web"),
    ],
)
def test_each_owned_field_makes_its_own_row(
    fields: dict[str, Any], path: str, actual: str | int | None, desired: str | int
) -> None:
    """One field, one row, with the old value and the new one."""
    change = _only(deployment(**fields))
    assert (change.path, change.actual, change.desired) == (path, actual, desired)


def test_a_missing_container_is_its_image_and_its_port() -> None:
    """Renamed or removed is the same: there is no `app`."""
    live = deployment(containers=(container("theirs"),))
    assert [(change.path, change.actual) for change in _changes(live)] == [("image", None), ("port", None)]


def test_changes_are_sorted_by_path() -> None:
    """So that a plan is the same bytes each time."""
    live = deployment(image="other", replicas=1, labels={}, ports=())
    assert [c.path for c in _changes(live)] == ["image", "labels.app", "labels.managed-by", "port", "replicas"]


def test_replicas_that_are_not_ours_never_differ() -> None:
    """Unset in the WebApp: any number is right."""
    assert _changes(deployment(replicas=17), webapp(replicas=None)) == ()


@pytest.mark.parametrize("flag", ["controller", "block_owner_deletion"])
def test_a_mark_of_the_owner_reference_is_part_of_it(flag: str) -> None:
    """The row says which one is off."""
    (reference,) = deployment().metadata.owner_references or ()
    live = deployment(owner_references=(msgspec.structs.replace(reference, **{flag: False}),))
    assert "false" in str(_only(live).actual)


def test_still_in_our_entry_means_that_the_spec_changed() -> None:
    """The live value is what we wrote last."""
    change = _only(deployment(image="nginx:1.24"))
    assert (change.cause, change.manager) == (Cause.SPEC_CHANGED, "")


def test_a_field_of_another_is_drift_by_him_with_the_time() -> None:
    """The last write of that manager."""
    theirs = entry("kubectl-edit", {"f:spec": {"f:replicas": {}}}, time=EARLIER)
    live = deployment(replicas=2, managed_fields=managed(applied_entry(without=("replicas",)), theirs))
    change = _only(live)
    assert (change.cause, change.manager, change.time) == (Cause.LIVE_DRIFT, "kubectl-edit", EARLIER)


def test_an_update_by_our_name_is_not_what_we_applied() -> None:
    """Only the Apply entry tells what we wrote last."""
    theirs = entry("webappctl", {"f:spec": {"f:replicas": {}}}, operation="Update")
    change = _only(deployment(replicas=2, managed_fields=managed(theirs)))
    assert (change.cause, change.manager) == (Cause.LIVE_DRIFT, "webappctl")


def test_a_scale_has_no_time() -> None:
    """The API server keeps none for it."""
    theirs = entry("kubectl", {"f:spec": {"f:replicas": {}}}, time=None)
    live = deployment(replicas=2, managed_fields=managed(applied_entry(without=("replicas",)), theirs))
    assert _only(live).time is None


def test_a_field_that_nobody_owns_is_drift_by_somebody() -> None:
    """A removed label leaves no trace of who removed it."""
    live = deployment(
        labels={"managed-by": "webapp-operator"}, managed_fields=managed(applied_entry(without=("labels",)))
    )
    change = _only(live)
    assert (change.cause, change.manager, change.time) == (Cause.LIVE_DRIFT, "", None)


@pytest.mark.parametrize("raw", [b"", b"null", b"[]", b'[{"fieldsV1": 7}]', b'{"a": 1}'])
def test_odd_managed_fields_leave_the_writer_unknown(raw: bytes) -> None:
    """They never stop a plan."""
    change = _only(deployment(replicas=2, managed_fields=msgspec.Raw(raw)))
    assert (change.cause, change.manager) == (Cause.LIVE_DRIFT, "")


def test_our_own_port_goes_when_the_spec_changed() -> None:
    """The row has the old number and the new one."""
    change = _only(deployment(), webapp(port=8080))
    assert (change.actual, change.desired, change.cause, change.stays) == (80, 8080, Cause.SPEC_CHANGED, "")


def test_a_port_put_where_ours_was_stays_and_is_named() -> None:
    """Server-side apply will not take it away."""
    theirs = _port_entry("kubectl-edit", (8081, "TCP"), time=EARLIER)
    live = deployment(ports=(8081,), managed_fields=managed(applied_entry(without=("port",)), theirs))
    change = _only(live)
    assert (change.actual, change.manager, change.time) == (None, "kubectl-edit", EARLIER)
    assert change.stays == "8081 of kubectl-edit"


def test_a_port_of_another_protocol_is_named_with_it() -> None:
    """80/UDP is not our 80."""
    live = deployment(ports=((80, "UDP"),), managed_fields=managed(applied_entry(without=("port",))))
    assert _only(live).stays == "80/UDP"


def test_ports_beside_ours_stay_when_ours_goes() -> None:
    """Each with its owner."""
    theirs = _port_entry("mesh", (9090, "TCP"), (53, "UDP"))
    live = deployment(ports=(80, 9090, (53, "UDP")), managed_fields=managed(applied_entry(), theirs))
    change = _only(live, webapp(port=8080))
    assert (change.actual, change.stays) == (80, "9090 of mesh, 53/UDP of mesh")


def test_a_port_that_we_share_stays() -> None:
    """Applying another number gives up our half only: a former operator's Update entry keeps it."""
    theirs = _port_entry("webapp-operator", (80, "TCP"))
    live = deployment(managed_fields=managed(applied_entry(), theirs))
    change = _only(live, webapp(port=8080))
    assert (change.cause, change.actual, change.stays) == (Cause.SPEC_CHANGED, None, "80 of webapp-operator")


@pytest.mark.parametrize(
    ("fields", "restarts"),
    [
        ({"image": "other"}, True),
        ({"ports": ()}, True),
        ({"pod_labels": {"app": "web"}}, True),
        ({"replicas": 1}, False),
        ({"labels": {"app": "web"}}, False),
        ({"owner_references": ()}, False),
    ],
)
def test_a_change_in_the_pod_template_replaces_the_pods(fields: dict[str, Any], restarts: bool) -> None:
    """And no other does."""
    assert _only(deployment(**fields)).in_pod_template is restarts


def _named(entry_of_ours: dict[str, Any]) -> msgspec.Raw:
    """Somebody gave our port a name and a host port."""
    fields: dict[str, Any] = {"f:name": {}, "f:hostPort": {}}
    for step in reversed(port_path(80, "TCP")):
        fields = {step: fields}
    return managed(entry_of_ours, entry("kubectl-edit", fields))


def test_what_others_set_of_a_port_goes_with_it_and_is_named() -> None:
    """A Service may know the port by its name."""
    live = deployment(managed_fields=_named(applied_entry()))
    (change,) = diff(live, desired_fields(webapp(port=8080)))
    assert (change.actual, change.stays) == (80, "")
    assert change.loses == "name of kubectl-edit, hostPort of kubectl-edit"
