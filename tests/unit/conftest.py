from __future__ import annotations

import pytest

from tests.double import World


@pytest.fixture
def world() -> World:
    """webappctl on a double of the API server, with nothing in it."""
    return World()
