from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Protocol

import pytest

from tests.conftest import Kubectl, Webappctl
from tests.world import World


@pytest.fixture
def world(namespace: str, kubectl: Kubectl, webappctl: Webappctl) -> World:
    return World(namespace, kubectl, webappctl)


class Start(Protocol):
    def __call__(self, *arguments: str, env: dict[str, str] | None = None) -> subprocess.Popen[str]: ...


@pytest.fixture
def start(webappctl: Webappctl) -> Iterator[Start]:
    """Start the program in the background; it is killed at the end of the test if it still runs."""
    with ExitStack() as stack:

        def begin(*arguments: str, env: dict[str, str] | None = None) -> subprocess.Popen[str]:
            process = stack.enter_context(webappctl.popen(*arguments, env=env))
            stack.callback(process.kill)
            return process

        yield begin
