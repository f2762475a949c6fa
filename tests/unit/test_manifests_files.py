"""Paths → texts: files, directories, stdin, and what cannot be read."""

from __future__ import annotations

import os
from pathlib import Path

from tests.reading import manifest, read, refusal


def named(name: str) -> str:
    return manifest(metadata=f"{{name: {name}}}")


def names(*paths: Path | str, stdin: str = "") -> list[str]:
    return [found.webapp.metadata.name for found in read(stdin, [str(path) for path in paths])]


def test_files_are_read_in_the_order_given(tmp_path: Path) -> None:
    """And stdin among them."""
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text(named(name))
    assert names(tmp_path / "b.txt", "-", tmp_path / "a.txt", stdin=named("c")) == ["b", "c", "a"]


def test_a_source_is_the_file_as_it_was_named(tmp_path: Path) -> None:
    """With the line."""
    (tmp_path / "a.yaml").write_text(f"# a\n{named('a')}")
    assert [found.source for found in read(paths=[str(tmp_path)])] == [f"{tmp_path}/a.yaml:2"]


def test_a_directory_is_its_manifests_in_alphabetical_order(tmp_path: Path) -> None:
    """Of the three endings, and no others; a folder is not looked into, whatever its name."""
    for name in ("c.yaml", "b.yml", "a.json", "README.md", "d.yaml.bak"):
        (tmp_path / name).write_text(named(name[0]))
    (tmp_path / "sub.yaml").mkdir()
    (tmp_path / "sub.yaml" / "e.yaml").write_text(named("e"))
    assert names(tmp_path) == ["a", "b", "c"]


def test_a_directory_without_manifests(tmp_path: Path) -> None:
    """Where people keep them in folders of a folder."""
    (tmp_path / "shop").mkdir()
    why = "there is no *.yaml, *.yml or *.json in it (its sub-folders are not looked into)"
    assert refusal(paths=[str(tmp_path)]) == f"{tmp_path}: {why}"


def test_a_file_named_twice_is_read_once(tmp_path: Path) -> None:
    """By itself, by its folder, and by another name for it."""
    (tmp_path / "a.yaml").write_text(named("a"))
    (tmp_path / "b.yaml").symlink_to("a.yaml")
    assert names(tmp_path / "a.yaml", tmp_path, tmp_path / "a.yaml") == ["a"]


def test_stdin_can_be_read_once_only() -> None:
    """The second time there would be nothing in it."""
    assert refusal(named("a"), ["-", "-"]) == "stdin: it can be read once only (give `-` once)"


def test_what_is_not_there_is_said_for_each(tmp_path: Path) -> None:
    """In the words of the operating system; the others are judged all the same."""
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    (tmp_path / "bad.yaml").write_text("- a\n")
    paths = [str(tmp_path / "none.yaml"), "", str(tmp_path)]
    assert refusal(paths=paths).splitlines() == [
        f"{tmp_path}/none.yaml: No such file or directory",
        "'': an empty name of a file",
        f"{tmp_path}/bad.yaml:1: a document is a list, not an object (begin it with apiVersion and kind)",
        f"{tmp_path}/loop.yaml: Too many levels of symbolic links",
    ]


def test_a_file_that_cannot_be_opened_is_said(tmp_path: Path) -> None:
    """One that root cannot open either."""
    (tmp_path / "a").touch()
    assert refusal(paths=[str(tmp_path / "a" / "b.yaml")]) == f"{tmp_path}/a/b.yaml: Not a directory"


def test_the_same_webapp_in_two_files_names_both(tmp_path: Path) -> None:
    """With their lines."""
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text(named("web"))
    said = f"{tmp_path}/b.yaml:1: default/web is at {tmp_path}/a.yaml:1 already (delete one of the two)"
    assert refusal(paths=[str(tmp_path)]) == said


def test_no_webapp_names_what_was_given(tmp_path: Path) -> None:
    """Not each file that was in it."""
    (tmp_path / "a.yaml").write_text("apiVersion: v1\nkind: Namespace\n")
    assert refusal(paths=[str(tmp_path), "-"]).startswith(f"there is no WebApp in {tmp_path}, stdin (looked for ")


def test_a_file_of_eleven_mebibytes_is_not_read(tmp_path: Path) -> None:
    """Not even when it is only a comment."""
    (tmp_path / "big.yaml").write_bytes(b"#" * (11 * 2**20))
    told = refusal(paths=[str(tmp_path)])
    assert told == f"{tmp_path}/big.yaml: it is larger than 10 MiB (split it into several files)"


def test_a_file_of_ten_mebibytes_is_read(tmp_path: Path) -> None:
    """The limit itself."""
    text = named("a").encode()
    (tmp_path / "big.yaml").write_bytes(text + b"#" * (10 * 2**20 - len(text)))
    assert names(tmp_path) == ["a"]


def test_a_file_without_an_end_is_read_up_to_the_limit() -> None:
    """As is a pipe."""
    assert refusal(paths=["/dev/zero"]) == "/dev/zero: it is larger than 10 MiB (split it into several files)"


def test_a_pipe_is_a_file() -> None:
    """What a shell makes of `-f <(helm template .)`."""
    reading, writing = os.pipe()
    os.write(writing, named("a").encode())
    os.close(writing)
    assert names(f"/dev/fd/{reading}") == ["a"]
    os.close(reading)


def test_the_name_of_a_file_cannot_forge_a_line(tmp_path: Path) -> None:
    """Nor colour it."""
    told = refusal(paths=[str(tmp_path / "a\n\x1b[31mb.yaml")])
    assert told == f"{tmp_path}/a\\n\\x1b[31mb.yaml: No such file or directory"
