"""Watches: what they tell of which write, where they go on, and how they end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

from tests.contract.conftest import Server
from tests.double.fields import Obj
from webappctl.cluster import Answer, requests
from webappctl.cluster.requests import WEBAPPS
from webappctl.cluster.wire import Stream

LONG = 30
"""Seconds: far more than any test waits."""


def _version(server: Server) -> str:
    """Of now."""
    _, body = server.send(requests.list_page(WEBAPPS, server.namespace, {}))
    return str(body["metadata"]["resourceVersion"])


@contextmanager
def _watching(server: Server, version: str = "", selector: str = "", seconds: int = LONG) -> Iterator[Iterator[Obj]]:
    request = requests.watch(WEBAPPS, server.namespace, selector, version or _version(server), seconds)
    opened = server.wire.stream(request, opening=10, timeout=LONG, quiet=LONG)
    assert not isinstance(opened, Answer), opened
    with opened as stream:
        yield _events(stream)


def _events(stream: Stream) -> Iterator[Obj]:
    for line in stream:
        yield json.loads(line)


def _told(events: Iterator[Obj]) -> tuple[str, Obj]:
    """The next event that is no bookmark."""
    event = next(event for event in events if event["type"] != "BOOKMARK")
    return event["type"], event["object"]


def _label(server: Server, team: str | None) -> Obj:
    patch = {"metadata": {"labels": {"team": team}}}
    return server.others.patch(WEBAPPS, server.key, patch, manager="kubectl-label")


def test_a_new_object_is_told_as_it_was_answered(server: Server) -> None:
    """With its kind, and with the resourceVersion of that answer."""
    with _watching(server) as events:
        made = server.others.declare(server.key._replace(name="a"))
        assert _told(events) == ("ADDED", made)


def test_a_change_is_told_as_it_was_answered(server: Server) -> None:
    with _watching(server) as events:
        changed = server.others.respecify(server.key, replicas=5)
        assert _told(events) == ("MODIFIED", changed)


def test_a_deletion_is_told_with_the_last_state_and_a_version_of_its_own(server: Server) -> None:
    """Which is later than that of any write before."""
    last = server.others.webapp(server.key)
    with _watching(server) as events:
        server.others.delete(WEBAPPS, server.key)
        kind, told = _told(events)
    assert (kind, told["spec"], told["metadata"]["uid"]) == ("DELETED", last["spec"], last["metadata"]["uid"])
    assert int(told["metadata"]["resourceVersion"]) > int(last["metadata"]["resourceVersion"])


def test_what_happened_after_the_version_is_told_first(server: Server) -> None:
    """So nothing is lost between a list and a watch, nor between two watches."""
    version = _version(server)
    changed, again = (server.others.respecify(server.key, replicas=number) for number in (5, 6))
    with _watching(server, version) as events:
        assert [_told(events), _told(events)] == [("MODIFIED", changed), ("MODIFIED", again)]


def test_a_write_that_changes_nothing_is_not_told(server: Server) -> None:
    with _watching(server) as events:
        server.others.respecify(server.key, replicas=3)
        changed = server.others.respecify(server.key, replicas=5)
        assert _told(events) == ("MODIFIED", changed)


def test_what_enters_a_selection_is_new(server: Server) -> None:
    with _watching(server, selector="team=a") as events:
        labelled = _label(server, "a")
        assert _told(events) == ("ADDED", labelled)


def test_what_leaves_a_selection_is_gone(server: Server) -> None:
    """As it was in it, with the version of the write by which it left."""
    before = _label(server, "a")
    with _watching(server, selector="team=a") as events:
        after = _label(server, None)
        kind, told = _told(events)
    version = after["metadata"]["resourceVersion"]
    assert (kind, told) == ("DELETED", before | {"metadata": before["metadata"] | {"resourceVersion": version}})


def test_other_namespaces_are_not_told_of(server: Server) -> None:
    other = f"{server.namespace}-other"
    server.others.namespace(other)
    with _watching(server) as events:
        server.others.declare(server.key._replace(namespace=other))
        changed = server.others.respecify(server.key, replicas=5)
        assert _told(events) == ("MODIFIED", changed)


def test_a_watch_ends_when_it_was_asked_to_with_a_bookmark(server: Server) -> None:
    """Of a version that is not older than any write that was told. The end is no error. A busy server may leave the
    bookmark out, so it is not asked only once.
    """
    version = _version(server)
    changed = server.others.respecify(server.key, replicas=5)
    told = []
    for _ in range(5):
        with _watching(server, version, seconds=4) as events:
            told = list(events)
        assert ("MODIFIED", changed) in [(event["type"], event["object"]) for event in told]
        if told[-1]["type"] == "BOOKMARK":
            break
    assert told[-1]["type"] == "BOOKMARK"
    assert int(told[-1]["object"]["metadata"]["resourceVersion"]) >= int(changed["metadata"]["resourceVersion"])


def test_a_version_that_is_forgotten_is_an_error_in_the_stream(server: Server) -> None:
    """A 410 after a 200."""
    with _watching(server, "1") as events:
        error = next(events)
    status = error["object"]
    assert (error["type"], status["kind"], status["code"], status["reason"]) == ("ERROR", "Status", 410, "Expired")


def test_a_selector_that_is_none_is_a_400(server: Server) -> None:
    request = requests.watch(WEBAPPS, server.namespace, "team in (", "1", LONG)
    answer = server.wire.stream(request, opening=10, timeout=LONG, quiet=LONG)
    assert isinstance(answer, Answer)
    assert answer.status == 400


def test_closing_a_watch_ends_it(server: Server) -> None:
    """Nothing is told any more, and that is no error."""
    request = requests.watch(WEBAPPS, server.namespace, "", _version(server), LONG)
    opened = server.wire.stream(request, opening=10, timeout=LONG, quiet=LONG)
    assert not isinstance(opened, Answer)
    with opened as stream:
        stream.close()
        assert list(stream) == []
