"""Run webappctl as a pod's user, who has a number and no more: no account, no home.

Only root can become somebody else: other users run it as themselves. And root's Python may lie where nobody else may
look, in a home of mode 0700 (pyenv, uv, a venv there). Then the pod's user runs a copy: of the interpreter, of its
library, of the packages and of webappctl.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import ROOT

_UNUSED = shutil.ignore_patterns("site-packages", "test", "config-*", "__pycache__")


@dataclass(frozen=True)
class PodUser:
    """`program` and `environment`: a Python that this user can run, and that finds webappctl."""

    uid: int
    gid: int
    program: Path
    environment: Mapping[str, str]

    def run(self, arguments: Sequence[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        """Without the groups of who tests, and with nothing of the environment but what is given."""
        is_root = os.geteuid() == 0
        return subprocess.run(
            [self.program, *arguments],
            env={**self.environment, **environment},
            user=self.uid if is_root else None,
            group=self.gid if is_root else None,
            extra_groups=[] if is_root else None,
            cwd="/",
            check=False,
            capture_output=True,
            text=True,
            timeout=200,
        )

    def give(self, folder: Path) -> None:
        """The folder and the files in it, to be read by this user alone."""
        for path in (*folder.iterdir(), folder):
            path.chmod(0o700 if path.is_dir() else 0o400)
            if os.geteuid() == 0:
                os.chown(path, self.uid, self.gid)


def pod_user(uid: int, gid: int, open_folder: Path) -> PodUser:
    """`open_folder` is one that everybody can enter: a copy goes there if one is needed."""
    own = PodUser(uid, gid, Path(sys.executable), {"PYTHONPATH": str(ROOT)})
    if _works(own):
        return own
    copied = _copy(own, open_folder)
    assert _works(copied), f"user {uid} cannot run the copy of Python in {open_folder}"
    return copied


def _works(user: PodUser) -> bool:
    try:
        return user.run(["-c", "import kubernetes, webappctl.cli, webappctl.cluster"], {}).returncode == 0
    except PermissionError:
        return False


def _copy(own: PodUser, folder: Path) -> PodUser:
    library = Path(sysconfig.get_path("stdlib"))
    _tree(library, folder / "lib" / library.name, ignore=True)
    _tree(Path(sysconfig.get_path("purelib")), folder / "packages")
    for name in ("webappctl", "crds", "examples"):
        _tree(ROOT / name, folder / "source" / name)
    interpreter = own.program.resolve()
    (folder / "bin").mkdir()
    program = Path(shutil.copy2(interpreter, folder / "bin" / interpreter.name))
    shared = Path(sysconfig.get_config_var("LIBDIR") or "", sysconfig.get_config_var("INSTSONAME") or "")
    if shared.is_file():
        shutil.copy2(shared, folder / "lib")
    environment = {
        "PYTHONHOME": str(folder),
        "PYTHONPATH": f"{folder / 'source'}{os.pathsep}{folder / 'packages'}",
        "LD_LIBRARY_PATH": str(folder / "lib"),
    }
    return PodUser(own.uid, own.gid, program, environment)


def _tree(source: Path, target: Path, *, ignore: bool = False) -> None:
    shutil.copytree(
        source, target, ignore=_UNUSED if ignore else None, copy_function=_link, ignore_dangling_symlinks=True
    )


def _link(source: str, target: str) -> None:
    """Half a gigabyte is not worth copying where a second name does."""
    try:
        os.link(source, target)
    except OSError:  # another file system
        shutil.copy2(source, target)
