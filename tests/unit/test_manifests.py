"""Documents → WebApps: which are taken, which are passed over, and as what they are read."""

from __future__ import annotations

import json

import pytest

from tests.manifests import webapp
from tests.reading import manifest, read, refusal, webapps
from webappctl import crd
from webappctl.core.objects import ObjectKey, ObjectMeta, WebApp, WebAppSpec, annotations_of

NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n"


def test_a_webapp_is_read_as_it_would_be_created() -> None:
    """No uid and no generation yet."""
    text = manifest("{image: 'nginx:1.25', port: 80, replicas: 3}", "{name: web, namespace: shop, labels: {team: a}}")
    meta = ObjectMeta(name="web", namespace="shop", labels={"team": "a"})
    assert webapps(text) == [WebApp(meta, WebAppSpec("nginx:1.25", 80, 3))]


def test_one_without_a_namespace_goes_to_the_default_one() -> None:
    """An empty one is none."""
    assert [found.key for found in webapps(manifest(metadata="{name: web, namespace: ''}"))] == [
        ObjectKey("default", "web")
    ]


def test_it_knows_the_line_where_it_begins() -> None:
    """Of the document, not of the dashes or the comment before it."""
    assert [found.source for found in read(f"---\n# web\n{manifest()}")] == ["stdin:3"]


def test_every_document_is_read_in_its_order_and_empty_ones_are_nothing() -> None:
    """Dashes alone, a comment, a null."""
    text = f"---\n---\n# none\n---\n{manifest(metadata='{name: b}')}---\nnull\n---\n{manifest(metadata='{name: a}')}"
    assert [found.metadata.name for found in webapps(text)] == ["b", "a"]


@pytest.mark.parametrize("kind", [("v1", "List"), ("apps.example.com/v1", "WebAppList")])
def test_a_list_is_its_items(kind: tuple[str, str]) -> None:
    """As `kubectl get -o yaml` prints several objects."""
    items = [webapp("a", spec={"image": "a", "port": 1}), json.loads('{"apiVersion": "v1", "kind": "Secret"}')]
    listed = {"apiVersion": kind[0], "kind": kind[1], "metadata": {"resourceVersion": ""}, "items": items}
    assert [found.metadata.name for found in webapps(json.dumps(listed))] == ["a"]


@pytest.mark.parametrize(
    ("items", "said"),
    [("", "stdin:1: items is missing (it is a list of objects)"), ("items: {}\n", "stdin:3: items is a mapping")],
)
def test_a_list_without_items_is_none(items: str, said: str) -> None:
    """kubectl says so too."""
    assert said in refusal(f"apiVersion: v1\nkind: List\n{items}---\n{manifest()}")


def test_json_is_yaml() -> None:
    """Indented with tabs, and with a slash that somebody escaped."""
    text = json.dumps(webapp("web", spec={"image": "a/b", "port": 80}), indent="\t").replace("a/b", "a\\/b")
    assert [found.spec for found in webapps(text)] == [WebAppSpec("a/b", 80)]


def test_what_lies_beside_a_webapp_is_passed_over() -> None:
    """The namespaces and the autoscaler of the examples."""
    found = read(paths=[str(crd.examples())])
    assert [manifest.webapp.metadata.name for manifest in found] == [
        *("checkout", "cart", "payments-gateway", "frontpage", "comments", "feed"),
        *("search", "my-service", "test-app"),
    ]


@pytest.mark.parametrize("text", ["", "# nothing\n", NAMESPACE, "apiVersion: v1\nkind: List\nitems: []\n"])
def test_no_webapp_at_all_is_an_error(text: str) -> None:
    """Somebody named the wrong file."""
    assert refusal(text) == "there is no WebApp in stdin (looked for apiVersion apps.example.com/v1, kind WebApp)"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("kind: WebApp\n", "stdin:1: apiVersion is missing (every object of Kubernetes has one)"),
        ("apiVersion: v1\nkind: ''\n", "stdin:1: kind is missing (every object of Kubernetes has one)"),
        ("apiVersion: 1\nkind: WebApp\n", "stdin:1: apiVersion is a number (write text)"),
        ("- a\n", "stdin:1: a document is a list, not an object (begin it with apiVersion and kind)"),
        ("hello\n", "stdin:1: a document is text, not an object (begin it with apiVersion and kind)"),
        ("{}\n", "stdin:1: apiVersion is missing (every object of Kubernetes has one)"),
    ],
)
def test_a_document_that_is_no_object_is_an_error(text: str, said: str) -> None:
    """kubectl refuses them, too."""
    assert refusal(text) == said


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        (
            "example.com/v1",
            "example.com/v2",
            "1: a WebApp of apiVersion apps.example.com/v2 (write apps.example.com/v1",
        ),
        ("apps.example.com/v1", "v1", "1: a WebApp of apiVersion v1 (write apps.example.com/v1)"),
        ("WebApp", "Webapp", "2: apps.example.com/v1 has no kind Webapp (write apps.example.com/v1 and WebApp)"),
    ],
)
def test_what_is_nearly_a_webapp_is_an_error(was: str, now: str, said: str) -> None:
    """Passed over, nobody would notice."""
    assert f"stdin:{said}" in refusal(manifest().replace(was, now))


def test_what_the_api_server_writes_is_not_read() -> None:
    """A manifest that was `kubectl get -o yaml`."""
    written = {"uid": "u", "resourceVersion": "7", "generation": 4, "creationTimestamp": "2026-01-01T00:00:00Z"}
    more = {"managedFields": [{"manager": "kubectl"}], "ownerReferences": [{"uid": "o"}], "finalizers": ["a.b/c"]}
    end = {"deletionTimestamp": "2026-01-01T00:00:00Z", "selfLink": "/x"}
    stored = webapp("web", "shop", {"image": "a", "port": 80}, status={"replicas": "x"}, **written, **more, **end)
    assert webapps(json.dumps(stored)) == [WebApp(ObjectMeta(name="web", namespace="shop"), WebAppSpec("a", 80))]


def test_a_label_without_a_value_is_an_empty_one() -> None:
    """As the API server stores it."""
    (found,) = webapps(manifest(metadata="{name: web, labels: {a: , 1: b}}"))
    assert found.metadata.labels == {"a": "", "1": "b"}


def test_annotations_are_those_of_the_file() -> None:
    """One of them pauses."""
    (found,) = webapps(manifest(metadata="{name: web, annotations: {apps.example.com/paused: moving}}"))
    assert annotations_of(found.metadata) == {"apps.example.com/paused": "moving"}


def test_the_same_webapp_twice_names_both_places() -> None:
    """By what the namespace comes to."""
    text = f"{manifest()}---\n{manifest(metadata='{name: web, namespace: default}')}"
    assert refusal(text) == "stdin:6: default/web is at stdin:1 already (delete one of the two)"


def test_the_same_name_in_two_namespaces_is_two_webapps() -> None:
    """A fleet has many of that kind."""
    assert len(webapps(f"{manifest()}---\n{manifest(metadata='{name: web, namespace: shop}')}")) == 2


def test_everything_that_is_wrong_is_told_at_once() -> None:
    """In the order of the lines, and of the documents."""
    bad = manifest("{image: a b, port: 0, replica: 3}", "{name: Web}")
    assert [line.split(" is ")[0] for line in refusal(f"{bad}---\n{bad}").splitlines()] == [
        *("stdin:3: metadata.name", "stdin:4: spec.port", "stdin:4: spec.replica"),
        *("stdin:8: metadata.name", "stdin:9: spec.port", "stdin:9: spec.replica"),
    ]


def test_a_document_behind_broken_yaml_cannot_be_read_but_those_before_it_are_judged() -> None:
    """Two lines: what is wrong with the first, and where the file breaks off."""
    said = refusal(f"{manifest('{image: a}')}---\na: [\n---\n{manifest()}").splitlines()
    assert said[0] == "stdin:4: spec.port is missing"
    assert said[1].startswith("stdin:7: this is not YAML: ")
    assert len(said) == 2


def test_of_many_faults_twenty_are_told_and_the_rest_counted() -> None:
    """A page is read by nobody."""
    said = refusal("---\n".join(manifest("{image: a}", f"{{name: web{n}}}") for n in range(25))).splitlines()
    assert len(said) == 21
    assert said[-1] == "and 5 more"
