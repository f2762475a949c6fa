"""What is wrong with the fields of a WebApp, in one line that says where and what to do.

tests/integration/test_manifests.py holds this to a real API server.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.reading import SCHEMA, manifest, refusal, webapps
from webappctl.core.objects import Json, WebAppSpec
from webappctl.manifests.schema import KEYWORDS

SPECS = [
    ("{image: 1.25, port: 80}", "spec.image is a number (write it in quotes)"),
    ("{image: yes, port: 80}", "spec.image is true or false (write it in quotes)"),
    ("{image: [a], port: 80}", "spec.image is a list (write text)"),
    ("{image: a, port: '80'}", "spec.port is text (write it without quotes)"),
    ("{image: a, port: http}", "spec.port is text (write a whole number)"),
    ("{image: a, port: 80.5}", "spec.port is a number (write a whole number)"),
    ("{image: a, port: .inf}", "spec.port is a number (write a whole number)"),
    ("{image: a, port: 80, replicas: yes}", "spec.replicas is true or false (write a whole number)"),
    ("{image: a, port: 80, replicas: 0}", "spec.replicas is 0, it must be from 1 to 100000"),
    ("{image: a, port: 80, replicas: 100001}", "spec.replicas is 100001, it must be from 1 to 100000"),
    ("{image: a, port: 65536}", "spec.port is 65536, it must be from 1 to 65535"),
    ("{image: a, port: 1e300}", "spec.port is 1e+300, it must be from 1 to 65535"),
    ("{image: a}", "spec.port is missing"),
    ("{image: a, port: null}", "spec.port is missing"),
    ("{image: '', port: 80}", "spec.image is empty"),
    ("{image: a b, port: 80}", "spec.image has white space in it"),
    ('{image: "a\\n", port: 80}', "spec.image has white space in it"),
    (f"{{image: {'a' * 513}, port: 80}}", "spec.image has 513 characters, at most 512 are allowed"),
    ("{image: a, port: 80, replica: 3}", "spec.replica is unknown (did you mean replicas?)"),
    ("{image: a, port: 80, Replicas: 3}", "spec.Replicas is unknown (did you mean replicas?)"),
    ("{image: a, port: 80, cpu: null}", "spec.cpu is unknown (known: image, port, replicas)"),
    ("[a]", "spec is a list (write fields and values below it)"),
]
METADATA = [
    ("{}", "metadata.name is missing"),
    ("{generateName: a-}", "metadata.name is missing (a name that the API server generates cannot be planned)"),
    ("{name: 42}", "metadata.name is a number (write it in quotes)"),
    (f"{{name: {'a' * 53}}}", "metadata.name has 53 characters, at most 52 are allowed (choose a shorter one)"),
    ("{name: Web}", 'metadata.name is "Web", which is no DNS label (write lower case'),
    ("{name: web.shop}", 'metadata.name is "web.shop", which is no DNS label'),
    ("{name: -a}", 'metadata.name is "-a", which is no DNS label'),
    ("{name: web, namespace: Shop}", 'metadata.namespace is "Shop", which is no DNS label'),
    (f"{{name: web, namespace: {'a' * 64}}}", "metadata.namespace has 64 characters, at most 63 are allowed"),
    ("{name: web, nmespace: shop}", "metadata.nmespace is unknown (did you mean namespace?)"),
    ("{name: web, x: y}", "metadata.x is unknown (known: annotations, generateName, labels, name, namespace)"),
    ("{name: web, labels: {a: 1}}", "metadata.labels.a is a number (write it in quotes)"),
    ("{name: web, labels: {a: b c}}", 'metadata.labels.a is "b c", which is no value of a label (at most 63'),
    ("{name: web, labels: {a b: c}}", "metadata.labels.a b cannot be a key (write team, or example.com/team)"),
    ("{name: web, labels: {/b: c}}", "metadata.labels./b cannot be a key"),
    ("{name: web, labels: {A.com/b: c}}", "metadata.labels.A.com/b cannot be a key"),
    ("{name: web, annotations: {a b: c}}", "metadata.annotations.a b cannot be a key"),
    ("{name: web, annotations: {a: [b]}}", "metadata.annotations.a is a list (write text)"),
]


@pytest.mark.parametrize(("spec", "said"), SPECS)
def test_a_spec_that_the_api_server_refuses(spec: str, said: str) -> None:
    """One fault, one line."""
    assert refusal(manifest(spec)) == f"stdin:4: {said}"


@pytest.mark.parametrize(("metadata", "said"), METADATA)
def test_metadata_that_the_api_server_refuses(metadata: str, said: str) -> None:
    """One fault, one line."""
    assert refusal(manifest(metadata=metadata)).startswith(f"stdin:3: {said}")


def test_the_line_is_that_of_the_field() -> None:
    """Not that of the document, nor of the value when it begins further down."""
    text = manifest("\n  image:\n    - a\n  port: 80\n  replica: 3")
    assert [line.partition(" is ")[0] for line in refusal(text).splitlines()] == [
        *("stdin:5: spec.image", "stdin:8: spec.replica")
    ]


@pytest.mark.parametrize(("was", "now"), [("spec: {", "# {"), ("spec: {", "spec: null # {")])
def test_a_webapp_without_a_spec(was: str, now: str) -> None:
    """A null is no spec."""
    assert refusal(manifest().replace(was, now)) == "stdin:1: spec is missing (add spec.image and spec.port)"


def test_a_webapp_without_metadata() -> None:
    """It is the name that is missing."""
    assert refusal(manifest(metadata="null")) == "stdin:1: metadata.name is missing"


def test_an_unknown_part_of_a_webapp() -> None:
    """The remedy is a guess at what was meant."""
    assert refusal(manifest() + "metdata: {}\n") == "stdin:5: metdata is unknown (did you mean metadata?)"


@pytest.mark.parametrize("replicas", ["3", "3.0", "3e0", "0x3", "0b11", "003"])
def test_a_whole_number_may_be_written_in_many_ways(replicas: str) -> None:
    """They are all the same to the API server."""
    (found,) = webapps(manifest(f"{{image: a, port: 80, replicas: {replicas}}}"))
    assert found.spec == WebAppSpec("a", 80, 3)
    assert type(found.spec.replicas) is int


def test_replicas_of_null_are_none() -> None:
    """As if they were not there."""
    assert [found.spec for found in webapps(manifest("{image: a, port: 80, replicas: null}"))] == [WebAppSpec("a", 80)]


@pytest.mark.parametrize("key", ["a", "A.b_c-d", "example.com/team", f"{'a' * 253}/{'b' * 63}"])
def test_a_key_of_a_label_may_have_a_prefix(key: str) -> None:
    """Of up to 253 characters."""
    assert refusal(manifest(metadata=f"{{name: web, labels: {{? {key} : b}}}}")) == ""


@pytest.mark.parametrize("key", ["''", "a/", "a/b/c", f"{'a' * 254}/b", "b" * 64, "a./b", "-a"])
def test_other_keys_are_none(key: str) -> None:
    """The API server's rule."""
    assert "cannot be a key" in refusal(manifest(metadata=f"{{name: web, labels: {{? {key} : b}}}}"))


def test_every_keyword_of_the_crd_is_known() -> None:
    """One that is passed over would let a WebApp through that the API server refuses."""
    assert set(keywords(SCHEMA["properties"]["spec"])) <= KEYWORDS


def keywords(schema: Json) -> Iterator[str]:
    yield from schema
    for below in schema.get("properties", {}).values():
        yield from keywords(below)
