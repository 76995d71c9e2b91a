"""An export replays episodes through the file and refuses one with other scores; `verify_model` does the same later."""

import json

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("onnx", reason="onnx is not installed")
pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

import onnx

import offnominal as off
from offnominal.alarms import make_alarm
from offnominal.core.errors import DamagedFile, InexactExport, InvalidParameter
from offnominal.detectors import Time, make_detector
from offnominal.detectors.export.graph import Value
from offnominal.detectors.export.operators import OPERATORS
from offnominal.detectors.export.reference import RECORDED, verify_model
from offnominal.detectors.export.tracing import Tracer
from offnominal.laws.detector import check_detector

pytestmark = pytest.mark.long


def log(seed, steps=40, channels=3, actions=0):
    random = np.random.default_rng(seed)
    observations, chosen = random.normal(size=(steps + 1, channels)), random.normal(size=(steps, actions))
    return off.Episode(observations, chosen, np.zeros(steps), np.zeros(steps, bool))


@pytest.fixture(scope="module")
def episodes():
    return [log(seed) for seed in range(6)]


@pytest.fixture(scope="module")
def detector(episodes):
    return make_detector("Mahalanobis").fit(episodes)


class Drifting(Time):
    """Has the scores of `Time` in Python; those of its file are larger by a share that it was made with."""

    share = 1e-4

    def _torch_update(self, state, step):
        following, scores = super()._torch_update(state, step)
        return following, scores * (1.0 + self.share)


class Close(Drifting):
    share = 1e-6


def test_a_file_with_other_scores_is_not_written(episodes, tmp_path):
    with pytest.raises(InexactExport, match=r"the score is .* instead of .* at step \d+ of episode \d"):
        Drifting().fit(episodes).export(tmp_path / "model.onnx", episodes=episodes)
    assert not list(tmp_path.iterdir())
    Close().fit(episodes).export(tmp_path / "model.onnx", episodes=episodes)


class Unsteady(Time):
    def _torch_update(self, state, step):
        following, scores = super()._torch_update(state, step)
        return following, scores + 1.0


def test_without_episodes_the_mean_readings_are_replayed(episodes, tmp_path):
    with pytest.raises(InexactExport, match="at step 0 of episode 0"):
        Unsteady().fit(episodes).export(tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())


def test_a_wrong_operator_is_found(detector, episodes, tmp_path, monkeypatch):
    monkeypatch.setitem(OPERATORS, "sqrt", lambda g, out, x: g.op("Neg", x, dtype=out.dtype, shape=tuple(out.shape)))
    with pytest.raises(InexactExport, match="Mahalanobis"):
        detector.export(tmp_path / "model.onnx", episodes=episodes)
    assert not list(tmp_path.iterdir())


def test_a_wrong_alarm_is_found(detector, episodes, tmp_path, monkeypatch):
    alarm = make_alarm("EpisodeEwma", alpha=0.3).fit(detector.score(episodes))
    monkeypatch.setattr(type(alarm), "torch_statistic", lambda self, steps, memory, scores: (memory, 1e3 * scores))
    with pytest.raises(InexactExport, match="there is an alarm at step"):
        detector.export(tmp_path / "model.onnx", alarm=alarm, episodes=episodes)
    assert not list(tmp_path.iterdir())


def test_a_detector_whose_file_differs_breaks_its_law():
    (broken,) = [each for each in check_detector(Drifting) if each.problem]
    assert broken.law == "an exported file gives the same scores"
    assert "instead of" in broken.problem


def test_a_file_that_is_wrong_without_actions_breaks_the_law(monkeypatch):
    monkeypatch.setattr(Tracer, "follow", follow_everything)
    (broken,) = [each for each in check_detector("KNN") if each.problem]
    assert broken.problem.startswith("without actions: the ONNX file of KNN differs")


def follow_everything(tracer, tensor, value):
    if isinstance(value, Value):
        tracer._values[id(tensor)] = value
        tracer._tensors.append(tensor)


def test_a_file_is_verified_with_the_episodes_of_its_export(detector, episodes, tmp_path):
    model = detector.export(tmp_path / "model.onnx", episodes=episodes)
    assert verify_model(model.path, episodes) == {str(number): "" for number in range(6)}
    with pytest.raises(InvalidParameter, match="not those of the export"):
        verify_model(model.path, episodes[::-1])
    with pytest.raises(InvalidParameter, match="not those of the export"):
        verify_model(model.path, [*episodes, log(9)])


def test_a_file_is_verified_with_the_saved_detector_and_any_episodes(detector, episodes, tmp_path):
    model = detector.export(tmp_path / "model.onnx")
    with pytest.raises(InvalidParameter, match="exported without episodes"):
        verify_model(model.path, episodes)
    assert verify_model(model.path, [log(9)], detector) == {"0": ""}
    other = make_detector("Mahalanobis").fit(episodes[:3])
    assert "instead of" in verify_model(model.path, [log(9)], other)["0"]


def test_changed_numbers_of_a_file_are_found(detector, episodes, tmp_path):
    path = detector.export(tmp_path / "model.onnx", episodes=episodes).path
    model = onnx.load(path)
    precision = next(each for each in model.graph.initializer if list(each.dims) == [3, 3])
    numbers = onnx.numpy_helper.to_array(precision) * 1.001
    precision.CopyFrom(onnx.numpy_helper.from_array(numbers, precision.name))
    onnx.save(model, path)
    assert all("instead of" in problem for problem in verify_model(path, episodes).values())


def test_a_long_log_is_recorded_in_part(detector, tmp_path):
    long = [log(1, steps=RECORDED - 5), log(2)]
    path = detector.export(tmp_path / "model.onnx", episodes=long).path
    assert path.stat().st_size < 200_000
    assert verify_model(path, long) == {"0": "", "1": ""}


@pytest.mark.parametrize("content", [b"", b"no model", b"\x08\x09"])
def test_a_damaged_file_is_a_named_error(content, episodes, tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    with pytest.raises(DamagedFile, match=r"model\.onnx"):
        verify_model(path, episodes)


@pytest.mark.parametrize("value", ["", "[]", "{}", '{"sha256": "0", "tolerance": "x", "scores": ""}'])
def test_a_damaged_description_is_a_named_error(value, detector, episodes, tmp_path):
    path = detector.export(tmp_path / "model.onnx", episodes=episodes).path
    model = onnx.load(path)
    metadata = {each.key: each.value for each in model.metadata_props} | {"replay": value}
    onnx.helper.set_model_props(model, metadata)
    onnx.save(model, path)
    with pytest.raises(DamagedFile, match="are damaged"):
        verify_model(path, episodes)


def test_wrong_episodes_are_refused(detector, tmp_path):
    for wrong in ([], ["a"], 7, [log(1, channels=4)]):
        with pytest.raises(InvalidParameter):
            detector.export(tmp_path / "model.onnx", episodes=wrong)
    assert not list(tmp_path.iterdir())


def test_a_file_for_several_episodes_and_discrete_actions_is_replayed(tmp_path):
    world = "OOD-CartPole-v0"
    nominal = off.collect(world, off.expert(world), 3, seed=2, max_steps=20)
    detector = make_detector("Mahalanobis", view="transition").fit(nominal)
    for discrete in (True, False):
        model = detector.export(tmp_path / "model.onnx", n=3, discrete_actions=discrete, episodes=nominal)
        assert not any(verify_model(model.path, nominal).values())
    assert json.loads(onnx.load(model.path).metadata_props[-1].value)["tolerance"] == detector.export_tolerance
