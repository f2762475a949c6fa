"""Conditions of others, which need not have all that ours have."""

from __future__ import annotations

import pytest

from tests.contract.conftest import Server
from tests.double.fields import Obj
from webappctl.cluster.requests import WEBAPPS
from webappctl.core.objects import Condition, WebAppStatus
from webappctl.core.status import status_manifest, with_foreign_conditions

OURS = Condition("Available", "True", "DeploymentReady", "All replicas are available", "2026-01-01T12:00:00Z", 1)


@pytest.mark.parametrize("time", [{}, {"lastTransitionTime": "2026-01-01T12:00:00Z"}])
def test_a_condition_of_others_comes_back_as_it_was(server: Server, time: Obj) -> None:
    """With a time or without one, when a merge patch replaces the whole list."""
    theirs = {"type": "Theirs", "status": "True"} | time
    server.others.patch(WEBAPPS, server.key, {"status": {"conditions": [theirs]}}, manager="another", sub="status")
    live = server.webapp()
    wanted = with_foreign_conditions(WebAppStatus(conditions=(OURS,)), live.status)
    written = server.cluster.merge_status(status_manifest(live, wanted))
    assert written.status is not None
    assert written.status.conditions == wanted.conditions
