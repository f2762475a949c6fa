"""YAML, as kubectl and the API server read it; and YAML that was written to do harm."""

from __future__ import annotations

import pytest
import yaml

from tests.reading import manifest, refusal, webapps
from webappctl.manifests import nodes
from webappctl.manifests.scalars import resolved

NOT_YAML = [
    ("a: [\n", "stdin:2: this is not YAML: "),
    ("a: 'b\n", "stdin:2: this is not YAML: "),
    ("spec:\n\timage: a\n", "stdin:2: this is not YAML: there is a tab (indent with spaces)"),
    ("a: b\nc\n", "stdin:3: this is not YAML: "),
    (b"a: \xe9\n", "stdin:1: this is not UTF-8 (save it as UTF-8)"),
    ("a: b\n".encode("utf-16"), "stdin:1: this is not UTF-8 (save it as UTF-8)"),
    (b"a: b\nc: \0\n", "stdin:2: the character U+0000 cannot be in a YAML file (is it a text file?)"),
    (b"\x7fELF\x02\x01\x01", "stdin:1: the character U+007F cannot be in a YAML file (is it a text file?)"),
    ("a: \x1b[31m\n", "stdin:1: the character U+001B cannot be in a YAML file (is it a text file?)"),
]
REFUSED = [
    ("{a: 1, a: 2}", "spec.a is there twice (delete one of the two)"),
    ("{a: 1, 'a': 2}", "spec.a is there twice (delete one of the two)"),
    ("{a: {b: [{c: 1, c: 2}]}}", "spec.a.b[0].c is there twice (delete one of the two)"),
    ("{<<: {a: 1}, <<: {b: 1}}", "spec.<< is there twice (delete one of the two)"),
    ("{<<: 1}", "spec.<< is a number, not a mapping (merge mappings only)"),
    ("{a: 1, <<: {a: 2}}", "spec.<< sets a again (write << before it)"),
    ("{? [a] : b}", "spec: a key is a list or a mapping (write text)"),
    ("{~: b}", "spec: a key is empty (write text)"),
    ("&a {b: *a}", "spec.b: the alias *a is part of what it stands for (write the value itself)"),
    ("&a [*a]", "spec[0]: the alias *a is part of what it stands for (write the value itself)"),
    ("*a", "spec: the alias *a stands for nothing before it (write the value itself)"),
    ("!!python/object/apply:os.getcwd []", "spec: the tag !!python/object/apply:os.getcwd is not supported (leave it"),
    ("{image: !secret a}", "spec.image: the tag !secret is not supported (leave it out)"),
    ("{image: !!binary YQ==}", "spec.image: the tag !!binary is not supported (leave it out)"),
    ("{port: !!int a}", 'spec.port: "a" does not fit its tag !!int (leave it out)'),
]
LAUGHS = "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}' if level else 'lol'] * 10)}]\n" for level in range(10)
)
CHAIN = "".join(f"a{level}: &a{level} [{f'*a{level - 1}' if level else 'end'}]\n" for level in range(200))
TOO_MUCH = "this file has more than 100,000 keys and values, its aliases unfolded (split it into several files)"
TOO_DEEP = "more than 100 levels of lists and mappings (no Kubernetes object is that deep)"


@pytest.fixture(params=["CSafeLoader", "SafeLoader"], autouse=True)
def _loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The faster one is not everywhere."""
    monkeypatch.setattr(nodes, "_LOADER", getattr(yaml, request.param))


@pytest.mark.parametrize(("text", "said"), NOT_YAML)
def test_what_is_not_yaml_is_one_line(text: str | bytes, said: str) -> None:
    """With the line of the file."""
    told = refusal(text)
    assert told.startswith(said)
    assert len(told.splitlines()) == 1


@pytest.mark.parametrize(("spec", "said"), REFUSED)
def test_yaml_of_no_good_meaning_is_refused(spec: str, said: str) -> None:
    """With the line and the path."""
    assert refusal(manifest(spec)).startswith(f"stdin:4: {said}")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *[(word, True) for word in ("y", "Y", "yes", "On", "TRUE")],
        *[(word, False) for word in ("n", "No", "off", "false")],
        *[(word, None) for word in ("", "~", "null", "NULL")],
        *[("017", 15), ("0o17", 15), ("-017", -15), ("09", 9.0), ("0x50", 80), ("0b11", 3), ("1_000", 1000)],
        *[("+80", 80), ("8e1", 80.0), (".5", 0.5), ("1.", 1.0), ("18446744073709551616", 2.0**64)],
        *[(word, word) for word in ("2026-01-01", "1:20", "yEs", "=", "<<", "1.25.3", "0xg", "-", "_1", "1e999")],
    ],
)
def test_what_a_word_without_quotes_means(text: str, value: object) -> None:
    """To kubectl; YAML's editions and PyYAML differ in some."""
    assert (type(resolved(text)), resolved(text)) == (type(value), value)


@pytest.mark.parametrize("image", ["'80'", '"80"', "!!str 80", "! 80"])
def test_quotes_and_tags_make_text(image: str) -> None:
    """A number of quotes is text."""
    assert [found.spec and found.spec.image for found in webapps(manifest(f"{{image: {image}, port: 80}}"))] == ["80"]


@pytest.mark.parametrize(
    "spec",
    [
        "{<<: {image: a}, port: 80}",
        "{<<: [{image: a}, {image: b, port: 81}], port: 80}",
        "{<<: {image: b}, image: a, port: 80}",
        "{image: &a a, <<: {port: &p 80}, replicas: null}",
        "&a {image: &b a, port: 80}",
    ],
)
def test_anchors_and_merges(spec: str) -> None:
    """The first that has a key counts, and what is written out counts before all."""
    (found,) = webapps(manifest(spec))
    assert found.spec
    assert (found.spec.image, found.spec.port) == ("a", 80)


def test_an_alias_is_as_good_as_what_it_stands_for() -> None:
    """A fault is told at the line where it is used."""
    text = manifest("{image: &a 1.25, port: 80}") + "---\n" + manifest("{image: a, port: &p 0}", "{name: b}")
    text += "status: *p\n---\n" + manifest("{image: &x y z, port: 80}", "{name: &n c, labels: {a: *n}}")
    assert [line.partition(" ")[0] for line in refusal(text).splitlines()] == ["stdin:4:", "stdin:9:", "stdin:15:"]


def test_an_anchor_ends_with_its_document() -> None:
    """As the standard has it."""
    assert "the alias *a stands for nothing before it" in refusal(f"a: &a b\n---\n{manifest('*a')}")


def test_a_byte_order_mark_and_line_ends_of_windows() -> None:
    """Editors leave them."""
    assert len(webapps(b"\xef\xbb\xbf" + manifest().replace("\n", "\r\n").encode())) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LAUGHS, f"stdin:5: {TOO_MUCH}"),
        ("- a\n" * 100_001, f"stdin:100000: {TOO_MUCH}"),
        ("---\n" * 100_002, f"stdin:100002: {TOO_MUCH}"),
        (CHAIN, f"stdin:100: {TOO_DEEP}"),
        ("- " * 200, f"stdin:1: {TOO_DEEP}"),
        ("[" * 200, f"stdin:1: {TOO_DEEP}"),
        ("{a: " * 200, f"stdin:1: {TOO_DEEP}"),
        ("? " * 200, "stdin:1: a key is a list or a mapping (write text)"),
        ("{" * 200, "stdin:1: a key is a list or a mapping (write text)"),
    ],
    ids=["laughs", "long", "documents", "chain", "blocks", "flows", "mappings", "keys", "braces"],
)
def test_a_bomb_does_not_go_off(text: str, said: str) -> None:
    """It is counted, never unfolded."""
    assert refusal(text) == said


@pytest.mark.parametrize("char", ["\\e[31m", "\\u202e", "\\x85", "\\n", "\\0", "\\U000E0001"])
@pytest.mark.parametrize("where", ['{name: "a%s"}', '{name: a, "%s": b}', '{name: a, labels: {"%s": b}}'])
def test_no_message_holds_what_a_terminal_obeys(where: str, char: str) -> None:
    """YAML's escapes bring in what the file itself may not have."""
    assert refusal(manifest(metadata=where % char)).isprintable()


def test_a_name_of_a_megabyte_is_not_repeated() -> None:
    """A message is a line that can be read."""
    assert len(refusal(manifest(f"{{image: a, port: 80, {'? ' + 'x' * 2**20} : 1}}"))) < 200
