from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Protocol

import pytest

from tests.conftest import Kubectl, Webappctl
from tests.world import World


@pytest.fixture
def world(namespace: str, kubectl: Kubectl, webappctl: Webappctl) -> World:
    """Its Lease is its own: a `watch` that is killed at the end of a test leaves it behind."""
    return World(namespace, kubectl, replace(webappctl, lease_namespace=namespace))


class Start(Protocol):
    def __call__(self, *arguments: str, env: dict[str, str] | None = None) -> subprocess.Popen[str]: ...


@pytest.fixture
def start(request: pytest.FixtureRequest) -> Iterator[Start]:
    """Start the program in the background; it is killed at the end of the test if it still runs."""
    has_world = "world" in request.fixturenames
    webappctl: Webappctl = (
        request.getfixturevalue("world").webappctl if has_world else request.getfixturevalue("webappctl")
    )
    with ExitStack() as stack:

        def begin(*arguments: str, env: dict[str, str] | None = None) -> subprocess.Popen[str]:
            process = stack.enter_context(webappctl.popen(*arguments, env=env))
            stack.callback(process.kill)
            return process

        yield begin
