"""What `plan -f` reads is what the API server would store: odd manifests, good and bad, and where we differ."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.conftest import Kubectl
from tests.manifests import webapp
from tests.reading import manifest, refusal, webapps

GOOD_SPEC = {"image": "a", "port": 80}
ACCEPTED = {
    "octal": manifest("{image: a, port: 017, replicas: 0o17}"),
    "nine with a zero": manifest("{image: a, port: 09}"),
    "hexadecimal and binary": manifest("{image: a, port: 0x50, replicas: 0b11}"),
    "underscores": manifest("{image: a, port: 1_0_0}"),
    "whole floats": manifest("{image: a, port: 80.0, replicas: 1e2}"),
    "a sign": manifest("{image: a, port: +80}"),
    "null replicas": manifest("{image: a, port: 80, replicas: null}"),
    "dates are text": manifest("{image: 2026-01-01, port: 80}"),
    "times are text": manifest("{image: 12:30:45, port: 80}"),
    "versions are text": manifest("{image: 1.25.3, port: 80}"),
    "tags": manifest("{image: !!str 1.25, port: !!int '80', replicas: !!float 3}"),
    "merges": manifest("{<<: [{image: a}, {image: b, port: 81}], port: 80}"),
    "anchors": manifest("{image: &a web, port: 80}", "{name: &n web, labels: {name: *n}}"),
    "escapes": manifest('{image: "a\\e[31m\\u200b", port: 80}'),
    "a tab behind a colon": manifest("{image:\ta, port:\t80}"),
    "null labels": manifest(metadata="{name: web, labels: null, annotations: null}"),
    "labels of null": manifest(metadata="{name: web, labels: {a: null, b: ''}}"),
    "keys that are no text": manifest(metadata="{name: web, labels: {yes: a, 1: b, 1.5: c}}"),
    "keys with a prefix": manifest(metadata="{name: web, labels: {example.com/a: b}, annotations: {Example.com/a: b}}"),
    "stored before": json.dumps(webapp("web", spec=GOOD_SPEC, uid="u", resourceVersion="7", generation=4)),
    "with a status": json.dumps(webapp("web", spec=GOOD_SPEC, status={"replicas": "x"})),
    "json with tabs": json.dumps(webapp("web", spec=GOOD_SPEC), indent="\t"),
    "a list": json.dumps({"apiVersion": "v1", "kind": "List", "items": [webapp("web", spec=GOOD_SPEC)]}),
    "empty documents": f"---\n# nothing\n---\nnull\n---\n{manifest()}---\n",
    "two names": manifest(metadata="{name: web, generateName: web-}"),
    "52 characters": manifest(metadata=f"{{name: {'a' * 52}}}"),
}
REFUSED = {
    "a number as image": manifest("{image: 1.25, port: 80}"),
    "yes as image": manifest("{image: y, port: 80}"),
    "null image": manifest("{image: , port: 80}"),
    "a space in the image": manifest('{image: "a\\u3000", port: 80}'),
    "a number in quotes": manifest("{image: a, port: '80'}"),
    "sexagesimal": manifest("{image: a, port: 1:20}"),
    "half a port": manifest("{image: a, port: 80.5}"),
    "no number": manifest("{image: a, port: .nan}"),
    "no replicas": manifest("{image: a, port: 80, replicas: 0}"),
    "very many replicas": manifest("{image: a, port: 80, replicas: 99999999999999999999999}"),
    "an unknown field": manifest("{image: a, port: 80, replica: null}"),
    "an unknown field of metadata": manifest(metadata="{name: web, clusterName: a}"),
    "an unknown part": manifest() + "metdata: {}\n",
    "a key of null": manifest("{image: a, port: 80, ~: b}"),
    "a list as key": manifest("{image: a, port: 80, ? [a] : b}"),
    "a quoted merge": manifest('{"<<": {image: a}, port: 80, image: b}'),
    "a merge of nothing": manifest("{<<: , image: a, port: 80}"),
    "a tag that does not fit": manifest("{image: a, port: !!int b}"),
    "no spec": manifest("null"),
    "a list as spec": manifest("[]"),
    "no name": manifest(metadata="{namespace: default}"),
    "a number as name": manifest(metadata="{name: 42}"),
    "a dot in the name": manifest(metadata="{name: web.shop}"),
    "53 characters": manifest(metadata=f"{{name: {'a' * 53}}}"),
    "a number as label": manifest(metadata="{name: web, labels: {a: 1}}"),
    "a label with a space": manifest(metadata="{name: web, labels: {a: b c}}"),
    "a capital in a prefix": manifest(metadata="{name: web, labels: {A.com/b: c}}"),
    "an annotation with a space": manifest(metadata="{name: web, annotations: {a b: c}}"),
    "another version": manifest().replace("/v1", "/v2"),
    "another kind": manifest().replace("WebApp", "Webapp"),
    "no kind": manifest().replace("kind: WebApp\n", ""),
    "no object": "- a\n",
    "nothing": "# nothing\n",
    "a list without items": "apiVersion: v1\nkind: List\n",
    "a recursive alias": manifest("&a {image: a, port: 80, b: *a}"),
    "a tab": "a:\n\tb: c\n",
    "half a surrogate": manifest('{image: "\\ud800", port: 80}'),
    "a control character": manifest("{image: a\x1b, port: 80}"),
}
STRICTER = {
    "a field twice: kubectl takes the last": manifest("{image: a, port: 80, port: 81}"),
    "a WebApp twice: the second create would fail": f"{manifest()}---\n{manifest()}",
    "a merge behind a field: kubectl lets it win, other readers do not": manifest(
        "{image: a, <<: {image: b}, port: 1}"
    ),
    "a tag of somebody's own: kubectl passes over it": manifest("{image: !secret a, port: 80}"),
    "bytes: they are no text": manifest("{image: !!binary YQ==, port: 80}"),
    "no name yet: there would be nothing to plan for": manifest(metadata="{generateName: web-}"),
    "items of a WebAppList without a kind": "apiVersion: apps.example.com/v1\nkind: WebAppList\nitems:\n"
    "- {metadata: {name: web}, spec: {image: a, port: 80}}\n",
    "JSON objects one after another: YAML wants dashes": json.dumps(webapp("web", spec=GOOD_SPEC)) * 2,
    "a surrogate pair of JSON: YAML has none": json.dumps(
        webapp("web", spec=GOOD_SPEC, annotations={"a": "\U0001f600"})
    ),
    "what comes after an end without dashes: kubectl drops it": f"{manifest()}...\n{manifest(metadata='{name: b}')}",
}
LAXER = {
    "an unknown field of status: it is not read": json.dumps(webapp("web", spec=GOOD_SPEC, status={"a": 1})),
    "an unknown field of an owner: it is not read": json.dumps(
        webapp("web", spec=GOOD_SPEC, ownerReferences=[{"a": 1}])
    ),
    "an odd uid: it is not read": json.dumps(webapp("web", spec=GOOD_SPEC, uid=5)),
    "a directive: kubectl splits the file before it": f"%YAML 1.1\n---\n{manifest()}",
}


def attempt(kubectl: Kubectl, text: str) -> subprocess.CompletedProcess[str]:
    """Nothing is stored."""
    command = ("create", "--dry-run=server", "--validate=strict", "--namespace=default", "-o", "json", "-f", "-")
    return kubectl(*command, stdin=text, check=False)


@pytest.mark.parametrize("text", ACCEPTED.values(), ids=ACCEPTED)
def test_what_the_api_server_would_store_is_read_as_it_would_be_stored(kubectl: Kubectl, text: str) -> None:
    """Name, namespace, labels and spec."""
    theirs = json.loads(attempt(kubectl, text).stdout)
    (ours,) = webapps(text)
    assert {"name": ours.metadata.name, "namespace": ours.metadata.namespace, "labels": ours.metadata.labels} == {
        field: theirs["metadata"].get(field) for field in ("name", "namespace", "labels")
    }
    assert ours.spec
    assert theirs["spec"] == {
        field: value for field in ("image", "port", "replicas") if (value := getattr(ours.spec, field)) is not None
    }


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_what_the_api_server_would_refuse_is_refused(kubectl: Kubectl, text: str) -> None:
    """Or kubectl, before it is sent."""
    theirs = attempt(kubectl, text)
    assert theirs.returncode != 0
    assert refusal(text), theirs.stderr


@pytest.mark.parametrize("text", STRICTER.values(), ids=STRICTER)
def test_where_we_are_stricter(kubectl: Kubectl, text: str) -> None:
    """Each for the reason it is named after."""
    theirs = attempt(kubectl, text)
    assert theirs.returncode == 0, theirs.stderr
    assert refusal(text)


@pytest.mark.parametrize("text", LAXER.values(), ids=LAXER)
def test_where_we_are_laxer(kubectl: Kubectl, text: str) -> None:
    """Each for the reason it is named after."""
    assert attempt(kubectl, text).returncode != 0
    assert refusal(text) == ""
