"""Failure answers → errors: class, fields, and words."""

from __future__ import annotations

import pytest

from tests.unit.cluster_fakes import SERVER, Script, answer, failure
from webappctl import errors
from webappctl.cluster import Answer, Request
from webappctl.cluster.requests import CRDS, DEPLOYMENTS, WEBAPPS, apply, get_one, list_page

GET = get_one(DEPLOYMENTS, "shop", "web")
MANIFEST = {"metadata": {"namespace": "shop", "name": "web"}}
APPLY = apply(DEPLOYMENTS, MANIFEST, force=True)
STATUS = apply(WEBAPPS, MANIFEST, force=True, subresource="status")


def refused(step: Answer, request: Request = GET) -> errors.ClusterError:
    with pytest.raises(errors.ClusterError) as caught:
        Script(step).transport().send(request)
    return caught.value


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, errors.Invalid),
        (401, errors.Unauthorized),
        (403, errors.Forbidden),
        (404, errors.NotFound),
        (409, errors.Conflict),
        (410, errors.Gone),
        (413, errors.Invalid),
        (422, errors.Invalid),
        (429, errors.Throttled),
        (500, errors.ServerFailure),
        (599, errors.ServerFailure),
        (302, errors.BadAnswer),
    ],
)
def test_the_status_code_chooses_the_class(status: int, kind: type[errors.ClusterError]) -> None:
    """And nothing else does."""
    assert type(refused(failure(status, name="web"))) is kind


@pytest.mark.parametrize("request_", [GET, list_page(DEPLOYMENTS, "", {})], ids=["get", "list"])
def test_a_404_of_a_proxy_is_not_an_absent_object(request_: Request) -> None:
    """Absent objects have consequences, so the server must have said that it is this object that is absent."""
    assert type(refused(answer(404, b"<html>404</html>"), request_)) is errors.BadAnswer


@pytest.mark.parametrize("body", [b"404 page not found\n", failure(404, "no such resource").body])
def test_a_404_without_an_object_is_not_an_absent_object(body: bytes) -> None:
    """It is how a server answers that does not serve this kind, after its CRD went away for example."""
    error = refused(answer(404, body), get_one(WEBAPPS, "shop", "web"))
    assert type(error) is errors.BadAnswer
    assert "does not serve webapps.apps.example.com" in str(error)


def test_causes_are_kept() -> None:
    """They are what tells two 409s, or two 422s, apart."""
    cause = {"reason": "FieldManagerConflict", "message": "by kubectl", "field": ".spec.replicas"}
    error = refused(failure(409, reason="Conflict", causes=[cause, "odd", {"reason": 7}]), APPLY)
    assert isinstance(error, errors.Rejected)
    assert error.causes[0] == errors.StatusCause("FieldManagerConflict", "by kubectl", ".spec.replicas")
    assert (error.code, error.reason, error.subject) == (409, "Conflict", "shop/web")


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[]", b'{"kind":"Status","message":7,"details":[]}', b"\xff", b"nul"]
)
def test_a_failure_without_a_proper_status_is_still_that_failure(body: bytes) -> None:
    """The code alone decides."""
    assert type(refused(answer(409, body))) is errors.Conflict


def test_a_forbidden_list_names_what_we_asked_for() -> None:
    """In one line, and without the server's text: only a missing right forbids a read."""
    error = refused(failure(403, 'User "x" cannot'), list_page(DEPLOYMENTS, "", {}))
    remedy = 'grant that right to this identity, see "webappctl doctor"'
    assert str(error) == f"forbidden: may not list deployments.apps in all namespaces ({remedy})"


def test_a_forbidden_write_quotes_the_server_too() -> None:
    """A quota and an admission rule answer 403 as well."""
    error = refused(failure(403, "exceeded quota: q"), APPLY)
    assert error.message == "forbidden: may not patch deployments.apps in namespace shop: exceeded quota: q"
    assert isinstance(error, errors.Forbidden)
    assert (error.subject, error.server_message) == ("shop/web", "exceeded quota: q")


@pytest.mark.parametrize("code", [400, 401, 403, 404, 409, 422])
def test_a_webhook_denies_with_whatever_code_it_likes(code: int) -> None:
    """And without a reason: that is no lost login, no missing object and no conflict."""
    error = refused(failure(code, 'admission webhook "x" denied the request: no', reason=""), APPLY)
    assert type(error) is errors.Forbidden
    assert error.message == 'denied: admission webhook "x" denied the request: no'


@pytest.mark.parametrize(("code", "kind"), [(401, errors.Unauthorized), (404, errors.NotFound)])
def test_a_read_is_never_denied_by_a_webhook(code: int, kind: type[errors.ClusterError]) -> None:
    assert type(refused(failure(code, "no", reason="", name="web"), GET)) is kind


def test_the_servers_text_becomes_one_line_without_control_characters() -> None:
    """Line breaks, escapes and bidi marks do not reach a terminal."""
    error = refused(failure(409, "a\nb\x1b[31m\u202ec\td\x9b"))
    assert error.message == "conflict: a b [31m c d"


def test_the_servers_text_is_cut() -> None:
    """An immutable selector repeats the whole object."""
    assert len(refused(failure(422, "x" * 100_000)).message) < 600


@pytest.mark.parametrize(("request_", "remedy"), [(STATUS, "webappctl crd --install"), (APPLY, "")])
def test_a_field_that_the_schema_lacks_is_told_apart(request_: Request, remedy: str) -> None:
    """Of a WebApp it means an older CRD."""
    error = refused(failure(500, ".status.x: field not declared in schema"), request_)
    assert (type(error), error.remedy) == (errors.UnknownField, remedy)


def test_a_redirect_is_no_answer() -> None:
    """It is never followed: body and token would go elsewhere."""
    error = refused(answer(307, b"", location="https://elsewhere"))
    assert SERVER in str(error)
    assert "elsewhere" not in str(error)


def test_a_crd_has_no_namespace_to_speak_of() -> None:
    """Its subject is its kind and name."""
    error = refused(failure(403), get_one(CRDS, "", "x"))
    assert str(error).startswith("customresourcedefinitions.apiextensions.k8s.io x: forbidden: may not get")


def test_a_name_can_not_leave_its_place_in_the_path() -> None:
    """Every part of a path is quoted."""
    assert get_one(DEPLOYMENTS, "a/b", "../x?y").path == "/apis/apps/v1/namespaces/a%2Fb/deployments/..%2Fx%3Fy"
