"""managedFields: who owns which field after what."""

from __future__ import annotations

from tests.contract.conftest import Server
from tests.double.fields import Obj
from webappctl.core.objects import IMAGE_PATH, PORTS_PATH, REPLICAS_PATH, FieldPath, ManagedFields

LABEL: FieldPath = ("f:metadata", "f:labels", "f:app")


def _owners(server: Server, path: FieldPath) -> list[tuple[str, str]]:
    return sorted((owner.manager, owner.operation) for owner in server.managers().owners(path))


def _app(body: Obj) -> Obj:
    return next(c for c in body["spec"]["template"]["spec"]["containers"] if c["name"] == "app")


def _owner_path(server: Server) -> FieldPath:
    return ("f:metadata", "f:ownerReferences", f'k:{{"uid":"{server.webapp().metadata.uid}"}}')


def test_we_own_what_we_apply(server: Server) -> None:
    """Each field of the projection, in one Apply entry."""
    server.created()
    paths = (REPLICAS_PATH, IMAGE_PATH, LABEL, _owner_path(server), ("f:spec", "f:selector"))
    assert [_owners(server, path) for path in paths] == [[("webappctl", "Apply")]] * len(paths)
    assert server.managers().our_list_keys(PORTS_PATH) == ({"containerPort": 80, "protocol": "TCP"},)


def test_nobody_owns_a_default(server: Server) -> None:
    """What the server added is not in our entry."""
    server.created()
    assert _owners(server, (*IMAGE_PATH[:-1], "f:imagePullPolicy")) == []


def test_an_edit_takes_the_field(server: Server) -> None:
    """It leaves our entry, and theirs has a time."""
    server.created()
    server.others.edit(server.key, lambda live: live["spec"].update(replicas=2))
    (owner,) = server.managers().owners(REPLICAS_PATH)
    assert (owner.manager, owner.operation, owner.time is not None) == ("kubectl-edit", "Update", True)


def test_scaling_takes_the_replicas_without_a_time(server: Server) -> None:
    """Entries of the subresource `scale` have none."""
    server.created()
    server.others.scale(server.key, 2)
    (owner,) = server.managers().owners(REPLICAS_PATH)
    assert (owner.manager, owner.operation, owner.time) == ("kubectl", "Update", None)


def test_an_edit_that_changes_nothing_takes_nothing(server: Server) -> None:
    """An unchanged object keeps its resourceVersion, too."""
    before = server.created()
    server.others.edit(server.key, lambda live: live["spec"].update(replicas=3))
    assert server.deployment().metadata == before.metadata


def test_a_removed_field_is_owned_by_nobody(server: Server) -> None:
    """Whoever removed a label leaves no trace of it."""
    server.created()
    server.others.edit(server.key, lambda live: live["metadata"]["labels"].pop("app"))
    assert _owners(server, LABEL) == []


def test_force_takes_a_field_back(server: Server) -> None:
    """The other loses it."""
    server.created()
    server.others.edit(server.key, lambda live: live["spec"].update(replicas=2))
    assert server.update()[0] == 200
    assert _owners(server, REPLICAS_PATH) == [("webappctl", "Apply")]


def test_without_force_a_field_of_another_is_a_conflict(server: Server) -> None:
    """A 409 whose cause is FieldManagerConflict: another 409 than that of a moved object."""
    server.created()
    server.others.edit(server.key, lambda live: live["spec"].update(replicas=2))
    status, body = server.apply(server.projection(), force=False)
    causes = [(cause["reason"], cause["field"]) for cause in body["details"]["causes"]]
    assert (status, body["reason"], causes) == (409, "Conflict", [("FieldManagerConflict", ".spec.replicas")])


def test_the_conflict_names_the_item_of_a_list(server: Server) -> None:
    """`containers[name="app"].image`."""
    server.created()
    server.others.edit(server.key, lambda live: _app(live).update(image="nginx:9"))
    _, body = server.apply(server.projection(), force=False)
    assert body["details"]["causes"][0]["field"] == '.spec.template.spec.containers[name="app"].image'


def test_who_applies_the_same_value_owns_it_too(server: Server) -> None:
    """Two owners of one field, and no conflict."""
    server.created()
    mine = server.projection()
    small = {key: mine[key] for key in ("apiVersion", "kind")} | {"spec": {"replicas": 3}}
    meta = {key: mine["metadata"][key] for key in ("name", "namespace")}
    server.others.apply(small | {"metadata": meta}, manager="another")
    assert _owners(server, REPLICAS_PATH) == [("another", "Apply"), ("webappctl", "Apply")]


def test_a_port_put_in_place_of_ours_is_theirs(server: Server) -> None:
    """Our entry lets go of 80, and 8081 is the editor's."""
    server.created()
    server.others.edit(server.key, lambda live: _app(live).update(ports=[{"containerPort": 8081}]))
    assert server.managers().our_list_keys(PORTS_PATH) == ()
    assert _owners(server, (*PORTS_PATH, 'k:{"containerPort":8081,"protocol":"TCP"}')) == [("kubectl-edit", "Update")]


def test_a_changed_owner_reference_is_the_changers(server: Server) -> None:
    """The reference is owned as a whole."""
    server.created()
    server.others.edit(server.key, lambda live: live["metadata"]["ownerReferences"][0].update(controller=False))
    assert _owners(server, _owner_path(server)) == [("kubectl-edit", "Update")]


def test_a_removed_owner_reference_leaves_our_other_fields(server: Server) -> None:
    """So a Deployment that lost it can still be known as ours, and gets it back."""
    server.created()
    server.others.edit(server.key, lambda live: live["metadata"].pop("ownerReferences"))
    assert server.managers().applied_by_us
    _, body = server.update()
    assert body["metadata"]["ownerReferences"][0]["controller"] is True


def test_our_entry_keeps_its_time_when_nothing_changed(server: Server) -> None:
    """The no-op is not in managedFields either."""
    before = server.created().metadata.managed_fields
    server.update()
    assert ManagedFields.read(before) == server.managers()


def test_the_controllers_status_is_an_entry_of_its_own(server: Server) -> None:
    """It owns no field of ours."""
    server.created()
    assert _owners(server, ("f:status", "f:availableReplicas")) == [("kube-controller-manager", "Update")]


def test_managed_fields_can_be_cleared(server: Server) -> None:
    """Then nobody is known to have applied it, until somebody does."""
    server.created()
    server.others.edit(server.key, lambda live: live["metadata"].update(managedFields=[{}]))
    assert not server.managers().applied_by_us
    assert server.update()[0] == 200
    assert server.managers().owned_by_us(IMAGE_PATH)
