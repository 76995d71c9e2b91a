"""Shared by the tests of the server."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from offnominal.web.app import make_app
from offnominal.web.settings import Settings


@pytest.fixture(scope="session")
def settings(small_runs, tmp_path_factory):
    return Settings(runs=small_runs, cache=tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def client(settings):
    with TestClient(make_app(settings), base_url="http://localhost:8000") as opened:
        yield opened
