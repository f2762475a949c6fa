"""Server-side apply of Deployments: what is created, changed, refused, and what moves."""

from __future__ import annotations

from tests.contract.conftest import Server
from tests.double.fields import Obj
from webappctl.cluster.requests import DEPLOYMENTS, WEBAPPS
from webappctl.core.desired import creation
from webappctl.core.objects import ObjectKey, deployment_key


def _causes(body: Obj) -> set[tuple[str, str]]:
    return {(cause["reason"], cause["field"]) for cause in body.get("details", {}).get("causes", ())}


def _app(body: Obj) -> Obj:
    return next(c for c in body["spec"]["template"]["spec"]["containers"] if c["name"] == "app")


def test_an_absent_object_is_created_with_201(server: Server) -> None:
    """The create-only resourceVersion is no obstacle where nothing is there; the server's defaults are added."""
    status, body = server.apply(dict(creation(server.webapp())), force=False)
    assert (status, body["metadata"]["generation"]) == (201, 1)
    assert _app(body)["imagePullPolicy"] == "IfNotPresent"
    assert body["spec"]["replicas"] == 3


def test_the_create_only_version_never_touches_what_is_there(server: Server) -> None:
    """409 without causes, whoever made it, and nothing moves."""
    before = server.created()
    status, body = server.apply(dict(creation(server.webapp())), force=False)
    assert (status, body["reason"], _causes(body)) == (409, "Conflict", set())
    assert server.deployment().metadata == before.metadata


def test_the_same_again_moves_nothing(server: Server) -> None:
    """A no-op is a 200 that leaves resourceVersion, generation and managedFields alone."""
    before = server.created()
    status, _ = server.update()
    assert status == 200
    assert server.deployment().metadata == before.metadata


def test_a_change_of_the_spec_moves_the_generation(server: Server) -> None:
    """A new image is a new generation and a new resourceVersion."""
    before = server.created()
    server.others.respecify(server.key, image="nginx:1.26")
    status, body = server.update()
    assert (status, _app(body)["image"], body["metadata"]["generation"]) == (200, "nginx:1.26", 2)
    assert body["metadata"]["resourceVersion"] != before.metadata.resource_version


def test_a_change_of_labels_leaves_the_generation(server: Server) -> None:
    """Putting a label back is a new resourceVersion of the same generation."""
    server.created()
    server.others.edit(server.key, lambda live: live["metadata"]["labels"].pop("app"))
    status, body = server.update()
    assert (status, body["metadata"]["generation"], body["metadata"]["labels"]["app"]) == (200, 1, "web")


def test_a_change_of_annotations_moves_the_generation(server: Server) -> None:
    """Of a Deployment, and only of one."""
    server.created()
    live = server.others.edit(server.key, lambda live: live["metadata"].setdefault("annotations", {}).update(team="a"))
    assert live["metadata"]["generation"] == 2


def test_a_stale_version_is_refused(server: Server) -> None:
    """409 without causes, even where nothing would change."""
    server.created()
    status, body = server.update(resourceVersion="2")
    assert (status, body["reason"], _causes(body)) == (409, "Conflict", set())


def test_another_uid_is_refused(server: Server) -> None:
    """422 on metadata.uid, where the resourceVersion is the right one."""
    server.created()
    status, body = server.update(uid="825783b6-eea4-45d9-8207-e48c3ad3d38c")
    assert (status, _causes(body)) == (422, {("FieldValueInvalid", "metadata.uid")})


def test_a_stale_version_is_seen_before_another_uid(server: Server) -> None:
    """So an object that was made again since it was read is a 409."""
    server.created()
    status, _ = server.update(uid="825783b6-eea4-45d9-8207-e48c3ad3d38c", resourceVersion="2")
    assert status == 409


def test_an_update_never_creates(server: Server) -> None:
    """With a uid in it, an apply to an absent object is a 409."""
    body = server.projection()
    status, answer = server.apply(body | {"metadata": body["metadata"] | {"uid": "u-1", "resourceVersion": "33"}})
    assert (status, answer["reason"], _causes(answer)) == (409, "Conflict", set())


def test_what_is_left_out_and_owned_by_nobody_else_goes(server: Server) -> None:
    """A port that we no longer send is deleted."""
    server.created()
    server.others.respecify(server.key, port=8080)
    _, body = server.update()
    assert _app(body)["ports"] == [{"containerPort": 8080, "protocol": "TCP"}]


def test_replicas_left_out_fall_to_one(server: Server) -> None:
    """The default comes back when the only owner lets go."""
    server.created()
    body = server.projection()
    del body["spec"]["replicas"]
    _, answer = server.apply(body)
    assert answer["spec"]["replicas"] == 1


def test_replicas_of_another_owner_stay_when_left_out(server: Server) -> None:
    """An autoscaler's number survives an apply without one."""
    server.created()
    server.others.scale(server.key, 5)
    body = server.projection()
    del body["spec"]["replicas"]
    _, answer = server.apply(body)
    assert answer["spec"]["replicas"] == 5


def test_a_sidecar_that_comes_first_stays_first(server: Server) -> None:
    """Containers are matched by name; theirs and their order survive a forced apply."""
    server.created()
    sidecar = {"name": "proxy", "image": "envoy:1"}
    server.others.edit(server.key, lambda live: live["spec"]["template"]["spec"]["containers"].insert(0, sidecar))
    server.others.respecify(server.key, image="nginx:1.26")
    _, body = server.update()
    containers = body["spec"]["template"]["spec"]["containers"]
    assert [(c["name"], c["image"]) for c in containers] == [("proxy", "envoy:1"), ("app", "nginx:1.26")]


def test_a_port_of_another_stays_beside_ours(server: Server) -> None:
    """Ports are matched by number and protocol."""
    server.created()
    server.others.edit(server.key, lambda live: _app(live)["ports"].append({"containerPort": 80, "protocol": "UDP"}))
    server.others.respecify(server.key, port=8080)
    _, body = server.update()
    assert [(p["containerPort"], p["protocol"]) for p in _app(body)["ports"]] == [(80, "UDP"), (8080, "TCP")]


def test_a_port_without_protocol_is_tcp(server: Server) -> None:
    """Somebody's 8081 is 8081/TCP, and stays where our own was replaced by it."""
    server.created()
    server.others.edit(server.key, lambda live: _app(live).update(ports=[{"containerPort": 8081}]))
    _, body = server.update()
    assert [(p["containerPort"], p["protocol"]) for p in _app(body)["ports"]] == [(8081, "TCP"), (80, "TCP")]


def test_a_renamed_container_stays_beside_ours(server: Server) -> None:
    """Another name is another container, with everything that it had."""
    server.created()
    server.others.edit(server.key, lambda live: _app(live).update(name="theirs"))
    _, body = server.update()
    assert [c["name"] for c in body["spec"]["template"]["spec"]["containers"]] == ["theirs", "app"]


def test_a_port_listed_twice_is_one_after_an_apply(server: Server) -> None:
    """A create by POST may list it twice; an apply does not mind, and leaves one."""
    twice = server.projection()
    _app(twice)["ports"] *= 2
    assert len(_app(server.others.create(DEPLOYMENTS, twice))["ports"]) == 2
    server.others.respecify(server.key, image="nginx:1.26")
    status, body = server.update()
    assert (status, len(_app(body)["ports"])) == (200, 1)


def test_a_port_applied_twice_does_not_fit(server: Server) -> None:
    """A duplicate key in the body is a 500, which no retry can mend."""
    body = server.projection()
    _app(body)["ports"] *= 2
    status, answer = server.apply(body)
    assert status == 500
    assert answer["message"].startswith("failed to create typed patch object")


def test_a_value_of_the_wrong_type_does_not_fit(server: Server) -> None:
    """As a 500, too."""
    body = server.projection()
    body["spec"]["replicas"] = "two"
    status, answer = server.apply(body)
    assert status == 500
    assert answer["message"].startswith("failed to create typed patch object")


def test_the_selector_is_immutable(server: Server) -> None:
    """422 with a cause on spec.selector."""
    server.created()
    body = server.projection()
    labels = {"app": "other", "managed-by": "webapp-operator"}
    body["spec"]["selector"]["matchLabels"] = labels
    body["spec"]["template"]["metadata"]["labels"] = labels
    status, answer = server.apply(body)
    assert (status, _causes(answer)) == (422, {("FieldValueInvalid", "spec.selector")})


def test_the_pods_must_have_the_labels_of_the_selector(server: Server) -> None:
    """422 with a cause on the template's labels."""
    body = server.projection()
    body["spec"]["template"]["metadata"]["labels"] = {"app": "other"}
    status, answer = server.apply(body)
    assert (status, _causes(answer)) == (422, {("FieldValueInvalid", "spec.template.metadata.labels")})


def test_there_is_one_controller(server: Server) -> None:
    """A second owner with `controller: true` is a 422."""
    body = server.projection()
    another = {"apiVersion": "v1", "kind": "ConfigMap", "name": "x", "uid": "u-2", "controller": True}
    body["metadata"]["ownerReferences"].append(another)
    status, answer = server.apply(body)
    assert (status, _causes(answer)) == (422, {("FieldValueInvalid", "metadata.ownerReferences")})


def test_a_missing_namespace_is_what_is_not_found(server: Server) -> None:
    """404 that names the namespace, not the Deployment."""
    body = server.projection()
    body["metadata"]["namespace"] = "nowhere"
    status, answer = server.apply(body)
    assert (status, answer["details"]) == (404, {"name": "nowhere", "kind": "namespaces"})


def test_a_finalizer_holds_a_deleted_object(server: Server) -> None:
    """It stays, with a deletionTimestamp, until the finalizer goes."""
    server.created()
    server.others.edit(server.key, lambda live: live["metadata"].update(finalizers=["example.com/hold"]))
    server.others.delete(DEPLOYMENTS, deployment_key(server.key))
    assert server.deployment().metadata.terminating
    server.others.edit(server.key, lambda live: live["metadata"].pop("finalizers"))
    assert server.others.send_get(DEPLOYMENTS, deployment_key(server.key))[0] == 404


def test_a_webapp_generation_moves_with_its_spec_only(server: Server) -> None:
    """Not with a label."""
    server.others.patch(WEBAPPS, server.key, {"metadata": {"labels": {"team": "a"}}}, manager="kubectl-label")
    assert server.webapp().metadata.generation == 1
    server.others.respecify(server.key, replicas=None)
    assert server.webapp().metadata.generation == 2


def test_what_is_not_there_is_a_404_that_names_it(server: Server) -> None:
    """Only a 404 that names the object says that it is absent."""
    key = ObjectKey(server.namespace, "nothing")
    status, answer = server.others.send_get(WEBAPPS, key)
    named = {"name": "nothing", "group": "apps.example.com", "kind": "webapps"}
    assert (status, answer["reason"], answer["details"]) == (404, "NotFound", named)
