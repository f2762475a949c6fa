"""Paths → texts. No more of a file is read than a manifest may have."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final, TextIO

from webappctl.manifests.faults import Fault

STDIN: Final = "-"
MAX_MIB: Final = 10
SUFFIXES: Final = (".yaml", ".yml", ".json")

_UNPRINTABLE: Final = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What YAML allows in quotes with a backslash only. A binary file that happens to be UTF-8 has some of these."""


def sources(paths: Sequence[str], stdin: TextIO) -> Iterator[tuple[str, str | Fault]]:
    """The name of each file, and its text or why there is none. A file that is named twice is read once."""
    seen: set[str] = set()
    for place, path in enumerate(paths):
        if path == STDIN:
            again = STDIN in paths[:place]
            yield "stdin", Fault(0, "it can be read once only", "give `-` once") if again else _read(stdin.buffer)
            continue
        for name, found in _files(path):
            if isinstance(found, Fault):
                yield name, found
            elif (same := os.path.realpath(found)) not in seen:
                seen.add(same)
                yield name, _open(found)


def _files(path: str) -> Iterator[tuple[str, Path | Fault]]:
    """The file itself, or those directly in that directory."""
    if not path:
        yield "''", Fault(0, "an empty name of a file")
        return
    try:
        files = _manifests_in(Path(path)) if Path(path).is_dir() else None
    except OSError as error:
        yield path, _reason(error)
        return
    if files is None:
        yield path, Path(path)
    elif not files:
        yield path, Fault(0, "there is no *.yaml, *.yml or *.json in it", "its sub-folders are not looked into")
    for file in files or ():
        yield str(file), file


def _manifests_in(folder: Path) -> list[Path]:
    return sorted(file for file in folder.iterdir() if file.suffix in SUFFIXES and not file.is_dir())


def _open(file: Path) -> str | Fault:
    try:
        with file.open("rb") as stream:
            return _read(stream)
    except OSError as error:
        return _reason(error)


def _read(stream: BinaryIO) -> str | Fault:
    try:
        data = stream.read(MAX_MIB * 2**20 + 1)
    except OSError as error:
        return _reason(error)
    if len(data) > MAX_MIB * 2**20:
        return Fault(0, f"it is larger than {MAX_MIB} MiB", "split it into several files")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return Fault(data.count(b"\n", 0, error.start) + 1, "this is not UTF-8", "save it as UTF-8")
    if odd := _UNPRINTABLE.search(text):
        line = text.count("\n", 0, odd.start()) + 1
        return Fault(line, f"the character U+{ord(odd[0]):04X} cannot be in a YAML file", "is it a text file?")
    return text


def _reason(error: OSError) -> Fault:
    return Fault(0, error.strerror or str(error))
