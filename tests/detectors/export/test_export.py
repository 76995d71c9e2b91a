"""An ONNX file has the detector, its alarm, its state and a description; bad input is refused."""

import json
from dataclasses import dataclass

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("onnx", reason="onnx is not installed")
pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

import onnx

import offnominal as off
from offnominal.alarms import EpisodeMaximum, make_alarm
from offnominal.core.errors import (
    InaccessibleFile,
    InvalidParameter,
    MissingDependency,
    NotFitted,
    UnsupportedExport,
)
from offnominal.detectors import Step, Time, make_detector, on_transitions

from .runtime import Runtime

WORLD = "SAP-Goal0-v0"


@pytest.fixture(scope="module")
def nominal():
    return off.collect(WORLD, off.expert(WORLD), 30, seed=1, max_steps=25)


@pytest.fixture(scope="module")
def detector(nominal):
    return make_detector("Mahalanobis").fit(nominal)


@pytest.fixture(scope="module")
def scores(detector):
    return detector.score(off.collect(WORLD, off.expert(WORLD), 60, seed=300, max_steps=25))


def steps_of(episode, n=1):
    for t in range(len(episode)):
        parts = episode.observations[t], episode.actions[t], episode.observations[t + 1]
        yield Step(*(np.repeat(part[None], n, axis=0) for part in parts))


@pytest.mark.parametrize("id", ["Maximum", "EpisodeMaximum", "EpisodeEwma", "EpisodeCusum", "TimeBand"])
def test_the_alarm_of_the_file_is_that_of_the_package(id, detector, scores, tmp_path):
    alarm = make_alarm(id).fit(scores)
    model = detector.export(tmp_path / "model.onnx", alarm=alarm)
    assert bool(model.inputs[3:]) == (id in ("EpisodeEwma", "EpisodeCusum", "TimeBand"))
    runtime = Runtime(model.path)
    fault = off.Fault("observation/offset", 1.0, 4)
    for episode in off.collect(WORLD, off.expert(WORLD), 2, faults=fault, seed=500, max_steps=12):
        (ours,) = alarm.alarm(detector.score([episode]))
        runtime.reset()
        assert [bool(runtime.step(step)["alarm"][0]) for step in steps_of(episode)] == ours.tolist()
        assert ours.any()
    assert runtime.metadata["alarm"] == id
    assert float(runtime.metadata["threshold"]) == alarm.threshold_
    assert str(alarm.guarantee) in runtime.metadata["guarantee"]


def test_a_number_is_the_threshold_of_the_score(detector, nominal, tmp_path):
    (scores,) = detector.score(nominal[:1])
    limit = float(np.sort(scores)[len(scores) // 2 :][:2].mean())
    runtime = Runtime(detector.export(tmp_path / "model.onnx", alarm=limit).path)
    assert [runtime.step(step)["alarm"][0] for step in steps_of(nominal[0])] == (scores > limit).tolist()


def test_rows_of_a_file_for_several_episodes_are_independent(nominal, tmp_path):
    recurrent = make_detector("LSTM-DM", n_epochs=0, recurrent_size=8, hidden=8, device="cpu").fit(nominal)
    runtime = Runtime(recurrent.export(tmp_path / "model.onnx", n=3).path)
    (scores,) = recurrent.score(nominal[:1])
    found = np.array([runtime.step(step)["score"] for step in steps_of(nominal[0], 3)])
    np.testing.assert_allclose(found, np.repeat(scores[:, None], 3, axis=1), rtol=1e-5)


@pytest.mark.parametrize("discrete", [True, False])
def test_discrete_actions_are_integers_or_one_hot(discrete, tmp_path):
    episodes = off.collect("OOD-CartPole-v0", off.expert("OOD-CartPole-v0"), 3, seed=2, max_steps=20)
    detector = make_detector("Mahalanobis", view="transition").fit(episodes)
    runtime = Runtime(detector.export(tmp_path / "model.onnx", discrete_actions=discrete).path)
    found = []
    for step in steps_of(episodes[0]):
        action = step.action if discrete else np.eye(2)[step.action]
        found.append(runtime.step(Step(step.observation, action, step.next_observation))["score"][0])
    np.testing.assert_allclose(found, detector.score(episodes[:1])[0], rtol=1e-5)


def test_a_fusion_of_one_hot_parts_asks_for_discrete_actions(tmp_path):
    episodes = off.collect("OOD-CartPole-v0", off.expert("OOD-CartPole-v0"), 5, seed=2, max_steps=20)
    fusion = make_detector("Fusion", detectors=["Time", ["Mahalanobis", {"view": "transition"}]]).fit(episodes)
    with pytest.raises(InvalidParameter, match="discrete_actions=True"):
        fusion.export(tmp_path / "model.onnx")
    runtime = Runtime(fusion.export(tmp_path / "model.onnx", discrete_actions=True).path)
    # Not an episode of the nominal scores: ranks of scores that are equal up to rounding differ.
    found = [runtime.step(step)["score"][0] for step in steps_of(episodes[1])]
    np.testing.assert_allclose(found, fusion.score(episodes[1:2])[0], rtol=1e-5)


NAMES = ["x", "", "näme ☃", '"}], {"', "\n\t", "a" * 5000, "../..", "state_0"]


def test_names_of_channels_are_kept_as_they_are(detector, tmp_path):
    names = [*NAMES, *(f"c{k}" for k in range(detector.widths_[0] - len(NAMES)))][: detector.widths_[0]]
    model = detector.export(tmp_path / "a name with ☃.onnx", observation_names=names)
    assert json.loads(Runtime(model.path).metadata["observation_names"]) == names
    assert onnx.load(model.path).producer_name == "offnominal"


@pytest.mark.parametrize("names", ["abc", ["a"], [1, 2, 3], 7, ["a"] * 8, [None]])
def test_wrong_names_are_refused(names, detector, tmp_path):
    with pytest.raises(InvalidParameter, match="observation_names"):
        detector.export(tmp_path / "model.onnx", observation_names=names)


@pytest.mark.parametrize(
    "wrong",
    [{"n": 0}, {"n": 2.5}, {"n": 10**9}, {"discrete_actions": "yes"}, {"alarm": "high"}, {"alarm": np.nan}],
    ids=str,
)
def test_wrong_arguments_are_refused(wrong, detector, tmp_path):
    with pytest.raises(InvalidParameter):
        detector.export(tmp_path / "model.onnx", **wrong)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("path", [None, 3, "", b"x"])
def test_a_wrong_path_is_refused(path, detector):
    with pytest.raises(InvalidParameter, match="path"):
        detector.export(path)


def test_what_is_not_fitted_is_refused(detector, tmp_path):
    with pytest.raises(NotFitted):
        make_detector("KNN").export(tmp_path / "model.onnx")
    with pytest.raises(NotFitted):
        detector.export(tmp_path / "model.onnx", alarm=EpisodeMaximum())


def test_a_failed_write_keeps_the_old_file(detector, tmp_path, monkeypatch):
    path = tmp_path / "model.onnx"
    path.write_bytes(b"old")
    with pytest.raises(InaccessibleFile):
        detector.export(path / "model.onnx")
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(InaccessibleFile):
        detector.export(path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


class Undescribed(Time):
    def _torch_update(self, state, step):
        return state, step.next_observation.flip(0).median(1).values


class Constant(Time):
    def _torch_update(self, state, step):
        return state, step.next_observation.sum(1) * float(step.observation.sum())


@dataclass(eq=False)
class Doubled(EpisodeMaximum):
    def update_statistic(self, state, scores):
        return state.after(), 2.0 * scores


@pytest.mark.parametrize(
    ("kind", "reason"), [(Undescribed, "operator"), (Constant, "value"), (lambda: make_detector("Random"), "random")]
)
def test_an_operator_without_onnx_form_is_named(kind, reason, nominal, tmp_path):
    with pytest.raises(UnsupportedExport, match=reason):
        kind().fit(nominal).export(tmp_path / "model.onnx")


def test_estimators_of_others_and_alarms_without_torch_form_are_refused(detector, nominal, scores, tmp_path):
    from sklearn.covariance import EllipticEnvelope

    with pytest.raises(UnsupportedExport, match="EllipticEnvelope belongs to another package"):
        on_transitions(EllipticEnvelope()).fit(nominal).export(tmp_path / "model.onnx")
    with pytest.raises(UnsupportedExport, match="Doubled"):
        detector.export(tmp_path / "model.onnx", alarm=Doubled().fit(scores))


def test_the_score_by_derivatives_is_refused(nominal, tmp_path):
    detector = make_detector("VAE", score_name="jacobian", max_iter=0, device="cpu").fit(nominal)
    with pytest.raises(UnsupportedExport, match="jacobian"):
        detector.export(tmp_path / "model.onnx")


def test_without_onnx_the_error_says_how_to_install_it(detector, tmp_path, monkeypatch):
    import sys

    import offnominal.detectors.export

    for name in [name for name in sys.modules if name.startswith("offnominal.detectors.export")]:
        monkeypatch.delitem(sys.modules, name)
    # An import writes the new module into its package as well.
    monkeypatch.setattr("offnominal.detectors.export", offnominal.detectors.export)
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(MissingDependency, match=r"offnominal\[onnx\]"):
        detector.export(tmp_path / "model.onnx")
