"""A real admission webhook: it denies with whatever code it likes, in other words each time, or is not there at all."""

from __future__ import annotations

import itertools
import json
import re
import socket
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Kubectl, Webappctl
from tests.e2e.conftest import Start
from tests.webhook import Judge, asked, registered
from tests.world import READS, Audit, Done, World, eventually, until_passes
from webappctl.sandbox import Sandbox

SAID = 'admission webhook "images.example.com" denied the request: not from our registry'
every_code = pytest.mark.parametrize("code", [0, 400, 401, 403, 404, 409, 422])


def _by_code(image: str) -> dict[str, Any] | None:
    """`code404:x` is denied with 404, `code000:x` without a code, and neither with a reason."""
    found = re.fullmatch(r"code(\d{3}):x", image)
    if found is None:
        return None
    code = int(found[1])
    return {"message": "not from our registry"} | ({"code": code} if code else {})


def _image(code: int) -> str:
    return f"code{code:03}:x"


def _until_refused(world: World) -> None:
    create = ("create", "deployment", "any", f"--image={_image(0)}", "--dry-run=server")
    eventually(lambda: world.kubectl(*create, check=False).returncode != 0)


@contextmanager
def _watched_over(world: World, folder: Path, judge: Judge) -> Iterator[World]:
    with asked(world.kubectl_, world.namespace, folder, judge):
        _until_refused(world)
        yield world


@pytest.fixture
def guarded(world: World, tmp_path: Path) -> Iterator[World]:
    """The image tells with which code it is denied; others may run."""
    with _watched_over(world, tmp_path, _by_code) as watched_over:
        yield watched_over


@pytest.fixture
def wordy(world: World, tmp_path: Path) -> Iterator[World]:
    """Everything is denied, in a new text each time."""
    number = itertools.count(1)
    with _watched_over(world, tmp_path, lambda _: {"message": f"denial {next(number)}"}) as watched_over:
        yield watched_over


@pytest.fixture
def deaf(world: World) -> Iterator[World]:
    """The API server must ask a webhook that is not there. Its port is taken, so that nobody else listens on it."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        with registered(world.kubectl_, world.namespace, taken.getsockname()[1]):
            _until_refused(world)
            yield world


@pytest.fixture
def elsewhere(kubectl: Kubectl, webappctl: Webappctl) -> Iterator[World]:
    """Another namespace."""
    name = f"t-{uuid.uuid4().hex[:10]}"
    kubectl("create", "namespace", name)
    yield World(name, kubectl, webappctl)
    kubectl("delete", "namespace", name, "--wait=false")


def _results(done: Done) -> dict[str, dict[str, Any]]:
    return {result["name"]: result for result in json.loads(done.stdout)["results"]}


def _outcomes(done: Done) -> dict[str, tuple[str, str | None]]:
    return {name: (result["outcome"], result["obstacle"]) for name, result in _results(done).items()}


@every_code
def test_what_it_denies_is_blocked_and_the_next_one_is_created(guarded: World, code: int) -> None:
    """A 401 is no lost login, after which nothing more would be tried, nor a 404 a WebApp that is gone."""
    guarded.declare("bad", image=_image(code))
    guarded.declare("good")
    done = guarded.apply("-o", "json", "--workers", "1")
    assert done.returncode == 5, done.stderr
    assert _outcomes(done) == {"bad": ("blocked", "denied"), "good": ("created", None)}
    assert SAID in _results(done)["bad"]["message"]


@every_code
def test_an_update_that_it_denies_is_blocked_too(guarded: World, code: int) -> None:
    """A 409 does not say that the Deployment moved."""
    guarded.declare("web")
    guarded.converge()
    guarded.declare("web", image=_image(code))
    done = guarded.apply("-o", "json")
    assert done.returncode == 5, done.stderr
    assert _outcomes(done) == {"web": ("blocked", "denied")}


@every_code
def test_what_it_would_deny_is_marked_in_the_plan(guarded: World, code: int) -> None:
    """It is asked in a dry run as well."""
    guarded.declare("bad", image=_image(code))
    guarded.declare("good")
    verdicts = {row["name"]: row["verdict"] for row in guarded.rows("--server-side")}
    assert {name: verdict["answer"] for name, verdict in verdicts.items()} == {"bad": "denied", "good": "accepted"}
    assert SAID in verdicts["bad"]["message"]


def test_without_it_only_what_it_would_be_asked_about_fails(deaf: World, elsewhere: World) -> None:
    """The API server calls that an error of its own (500): tried again for a minute, it may come back."""
    deaf.declare("web")
    elsewhere.declare("other")
    done = deaf.apply("-n", elsewhere.namespace, "-o", "json")
    assert done.returncode == 1, done.stderr
    assert _outcomes(done) == {"web": ("failed", None), "other": ("created", None)}
    assert 'failed calling webhook "images.example.com"' in _results(done)["web"]["message"]


def test_a_new_text_at_each_try_is_told_once_in_ten_passes(wordy: World, start: Start, sandbox: Sandbox) -> None:
    """It is not even asked again: the status stays, and there is one event."""
    wordy.declare("web")
    audit = Audit.from_now(sandbox)
    watch = start("watch", "-n", wordy.namespace, "--interval", "200ms")
    until_passes(watch, 1)
    told = wordy.webapp("web")["metadata"]["resourceVersion"]
    until_passes(watch, 9)
    assert wordy.webapp("web")["metadata"]["resourceVersion"] == told
    asked_for = [(verb, resource) for verb, resource, _ in audit.by_webappctl(wordy.namespace)]
    writes = [request for request in asked_for if request[0] not in READS]
    assert writes == [("patch", "deployments"), ("patch", "webapps"), ("create", "events")]
