"""A replay is made again from its key alone: the same bytes, and the episodes of `off.twins`."""

from __future__ import annotations

import io
import json
import time
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from offnominal.agents import expert
from offnominal.anomalies import Fault
from offnominal.anomalies.factory import make
from offnominal.core.errors import InvalidParameter, InvalidState
from offnominal.rollouts import twins
from offnominal.web.app import make_app
from offnominal.web.replay import MOST_WAITING, Replays
from offnominal.web.replay_episode import SIZE, make_replay
from offnominal.web.replay_key import ReplayKey, recorded_key
from offnominal.web.settings import Settings

pytestmark = pytest.mark.long

QUERY = "world=SAP-Goal0-v0&seed=3&fault=observation/offset&strength=2.0&onset=4&detectors=KNN,HBOS"
KEY = ReplayKey("SAP-Goal0-v0", detectors=("KNN", "HBOS"), seed=3, fault="observation/offset", strength=2.0, onset=4)


@pytest.fixture(scope="module")
def fits(tmp_path_factory):
    return tmp_path_factory.mktemp("fits")


@pytest.fixture(scope="module")
def client(tmp_path_factory, fits):
    app = make_app(Settings(runs=tmp_path_factory.mktemp("runs")))
    app.state.replays = Replays(fits)
    with TestClient(app, base_url="http://127.0.0.1") as opened:
        yield opened


def finished(client, query):
    """Return the data of a replay, when it is made."""
    for _ in range(600):
        answer = client.get(f"/replay/data?{query}")
        if answer.status_code != 202:
            return answer
        time.sleep(0.05)
    raise AssertionError("the replay is never finished")


def test_the_address_alone_gives_the_same_bytes_again(client, fits):
    first = finished(client, QUERY)
    sheet = client.get(f"/replay/faulty/0.webp?{QUERY}")
    client.app.state.replays.jobs.clear()
    assert finished(client, QUERY).content == first.content
    assert client.get(f"/replay/faulty/0.webp?{QUERY}").content == sheet.content
    data = first.json()
    assert finished(client, data["query"]).content == first.content
    again = make_replay(KEY, folder=fits)
    assert again.data == first.content
    assert again.sheets["faulty"][0] == sheet.content


def test_episodes_onsets_and_alarms_are_those_of_twins(client):
    data = finished(client, QUERY).json()
    fault = Fault("observation/offset", 2.0, schedule=4)
    (pair,) = twins("SAP-Goal0-v0", expert("SAP-Goal0-v0"), 1, faults=fault, seed=3)
    assert data["lengths"] == {"nominal": len(pair.nominal), "faulty": len(pair.faulty)}
    assert data["active"] == pair.faulty.active.astype(int).tolist()
    assert (data["onset"], data["effective_onset"]) == (4, pair.effective_onset)
    np.testing.assert_allclose(data["rewards"]["faulty"], pair.faulty.rewards, rtol=1e-4)
    for detector in data["detectors"]:
        assert detector["relative"]["nominal"][:4] == detector["relative"]["faulty"][:4]
        assert detector["first_alarm"]["faulty"] == 4
        assert detector["delay"] == 0


def test_pictures_show_the_recorded_episode(client):
    data = finished(client, QUERY).json()
    image_module = pytest.importorskip("PIL.Image", reason="PIL is not installed")
    sheet = image_module.open(io.BytesIO(client.get(f"/replay/nominal/0.webp?{QUERY}").content))
    assert sheet.format == "WEBP"
    assert sheet.size[0] == data["sheet"]["columns"] * SIZE
    env = make("SAP-Goal0-v0", render_mode="rgb_array")
    env.reset(seed=3)
    world: Any = env.unwrapped
    first = world.render(size=SIZE)
    shown = np.asarray(sheet.convert("RGB"))[:SIZE, :SIZE]
    assert np.abs(shown.astype(int) - first.astype(int)).mean() < 4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("seed=-1", "whole number"),
        ("seed=99999999999999999999", "whole number"),
        ("strength=huge", "no strength named"),
        ("fault=observation/none", "no anomaly named"),
        ("fault=camera/blur", "no faults of the camera"),
        ("world=Mars", "no world named"),
        ("onset=5000", "after the last transition"),
        ("channels=99", "outside"),
        ("detectors=os:system", "no detector named"),
        ("policy=<b>", "expected one of"),
        ("strength=nan", "finite"),
    ],
)
def test_a_wrong_address_is_a_named_error(client, change, message):
    name = change.split("=")[0]
    query = "&".join([*(part for part in QUERY.split("&") if not part.startswith(f"{name}=")), change])
    answer = finished(client, query)
    assert answer.status_code == 400
    assert message in answer.json()["message"]


def test_sheets_that_do_not_exist_are_refused(client):
    finished(client, QUERY)
    assert client.get(f"/replay/faulty/99.webp?{QUERY}").status_code == 404
    assert client.get(f"/replay/secret/0.webp?{QUERY}").status_code == 404
    assert client.get("/replay/faults?world=../etc").status_code == 404


def test_cache_and_queue_are_bounded(fits):
    replays = Replays(fits, kept=2)
    keys = [KEY.replace(seed=seed) for seed in range(MOST_WAITING)]
    jobs = [replays.job(key) for key in keys]
    with pytest.raises(InvalidState, match="try again"):
        replays.job(KEY.replace(seed=99))
    for job in jobs:
        job.future.result(60)
    replays.job(KEY.replace(seed=100)).future.result(60)
    assert list(replays.jobs)[-1].seed == 100
    assert len(replays.jobs) <= 2


def test_keys_of_recorded_examples():
    key = recorded_key("SAP-Goal0-v0", "tqc", "action/offset@strong", 7, 12)
    assert ReplayKey.from_query(dict(pair.split("=") for pair in key.query().replace("%2F", "/").split("&"))) == key
    assert recorded_key("CRAFT-Pogo-v1", "scripted", "dynamics/fence@hard", 1, 0) is None
    assert recorded_key("SAP-Goal0-v0", "my.zip", "action/offset@strong", 7, 12) is None
    with pytest.raises(InvalidParameter):
        ReplayKey("SAP-Goal0-v0", duration=0)


def test_data_is_json_without_nan(client):
    json.loads(finished(client, QUERY).content, parse_constant=pytest.fail)
