"""What is asked for with a watch, and what becomes of what it says."""

from __future__ import annotations

import json

import pytest

from tests.unit.cluster_fakes import (
    Script,
    answer,
    failure,
)
from webappctl import errors
from webappctl.cluster import Answer, Cluster, Transport
from webappctl.cluster.requests import DEPLOYMENTS, watch
from webappctl.core.objects import Kind

WATCH = watch(DEPLOYMENTS, "", "", "7", 300)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
LINE = b'{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"8"}}}'


def cluster(wire: Script) -> Cluster:
    return Cluster(wire.transport(), context="c", workers=1)


def events(*said: bytes) -> list[str]:
    wire = Script(answer(200, b"\n".join(said)))
    with cluster(wire).watch(Kind.DEPLOYMENTS, "", "", "7", seconds=300) as stream:
        return [event.resource_version for event in stream]


def test_a_watch_asks_for_bookmarks_from_where_the_list_was() -> None:
    wire = Script(answer(200, LINE))
    cluster(wire).watch(Kind.WEBAPPS, "shop", "team=a", "7", seconds=300)
    assert wire.sent[0].path.endswith("/namespaces/shop/webapps")
    assert wire.sent[0].query == {
        "watch": "true",
        "allowWatchBookmarks": "true",
        "resourceVersion": "7",
        "timeoutSeconds": "300",
        "labelSelector": "team=a",
    }


def test_a_selector_is_for_webapps_alone() -> None:
    wire = Script(answer(200, LINE))
    cluster(wire).watch(Kind.DEPLOYMENTS, "", "team=a", "7", seconds=300)
    assert "labelSelector" not in wire.sent[0].query


def test_a_watch_gets_more_time_than_the_server_and_opens_within_that_of_a_request() -> None:
    wire = Script(answer(200, LINE))
    cluster(wire).watch(Kind.DEPLOYMENTS, "", "", "7", seconds=300)
    assert wire.bounds == [(30.0, 315.0, 180.0)]


def test_a_watch_is_counted_and_heard_of() -> None:
    wire, heard = Script(failure(403), answer(200, LINE)), []
    transport = wire.transport()
    transport.heard = lambda request, status, _: heard.append((request.purpose.verb, status))
    with pytest.raises(errors.Forbidden):
        transport.stream(WATCH, timeout=9, quiet=9)
    transport.stream(WATCH, timeout=9, quiet=9)
    assert (heard, transport.requests) == ([("watch", "403"), ("watch", "200")], {"GET": 2})


@pytest.mark.parametrize(
    ("step", "kind", "words"),
    [
        (failure(403), errors.Forbidden, r"may not watch deployments\.apps in all namespaces"),
        (failure(404), errors.NotFound, r"deployments\.apps in all namespaces: not found"),
        (failure(410), errors.Gone, "gone"),
        (failure(429), errors.Throttled, "overloaded"),
        (failure(500), errors.ServerFailure, "failed"),
        (answer(204, b""), errors.BadAnswer, "not JSON"),
        (errors.Unreachable("no answer"), errors.Unreachable, r"deployments\.apps in all namespaces: no answer"),
    ],
    ids=str,
)
def test_a_watch_that_is_refused_is_the_error_of_any_request(
    step: Answer | errors.ClusterError, kind: type[errors.ClusterError], words: str
) -> None:
    """And is tried once."""
    wire = Script(step)
    with pytest.raises(kind, match=words):
        cluster(wire).watch(Kind.DEPLOYMENTS, "", "", "7", seconds=300)
    assert len(wire.sent) == 1


@pytest.mark.parametrize(("code", "kind"), [(410, errors.Gone), (403, errors.Forbidden), (504, errors.ServerFailure)])
def test_an_error_within_a_watch_is_that_of_any_request(code: int, kind: type[errors.ClusterError]) -> None:
    """It comes after a 200, as the last line."""
    status = json.loads(failure(code).body)
    with pytest.raises(kind):
        events(LINE, json.dumps({"type": "ERROR", "object": status}).encode())


@pytest.mark.parametrize("line", [b"<html>", b'{"type":"ERROR","object":{}}', LINE[:-1], b"[]", b"\xff"])
def test_a_line_that_cannot_be_read_names_what_was_watched(line: bytes) -> None:
    with pytest.raises(errors.BadAnswer, match=r"deployments\.apps in all namespaces"):
        events(LINE, line)


def test_no_watch_outlives_the_command() -> None:
    wire = Script(answer(200, LINE))
    transport: Transport = wire.transport(until=1012.0)
    transport.stream(WATCH, timeout=300, quiet=9)
    assert wire.bounds == [(12.0, 12.0, 9)]
