"""A cell of the study, done and stored."""

import numpy as np
import pytest

from offnominal.agents import FunctionPolicy
from offnominal.core.episode import Episode
from offnominal.detectors import Time
from offnominal.papers.ood_rl.agents import agent
from offnominal.papers.ood_rl.cell import MethodEntry, OODCell
from offnominal.papers.ood_rl.cell_run import CODE_TARGETS, observations_for
from offnominal.papers.ood_rl.episodes import chosen_settings, trial_parts
from offnominal.papers.ood_rl.results import OODResults
from offnominal.papers.ood_rl.series import SCHEMA
from offnominal.papers.ood_rl.settings import CARTPOLE, PENDULUM, PONG
from offnominal.studies import runner
from offnominal.studies.execution import code_of, run_cell
from offnominal.studies.result_rows import same_results
from offnominal.studies.store import Store

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("agents_at_hand")]
SMALL = {"trials": 2, "episodes": 3, "train": 4, "seed": 1}
CELL = OODCell(CARTPOLE, "ensemble", (MethodEntry("KNN"), MethodEntry("Time")), max_settings=2, **SMALL)


def test_every_trial_setting_and_method_has_a_row(sources):
    rows = run_cell(CELL, sources=sources).rows.to_pylist()
    assert len(rows) == 2 * 10 * 2
    assert {row["name"] for row in rows} == {"KNN", "Time"}
    assert {row["split"] for row in rows if row["anomaly"] == "dynamics/gravity"} == {
        "dynamics/gravity@0.98",
        "dynamics/gravity@98",
    }
    assert all(row["auc_equal"] == 0.5 for row in rows if row["name"] == "Time")


def test_an_ensemble_stores_its_predictions_along_one_episode_per_setting(sources):
    method = MethodEntry("Uncertainty", "PolicyUncertainty", internal=True)
    cell = CELL.replace(methods=(method,), trials=1)
    shown = run_cell(cell, sources=sources).examples
    assert shown.schema.names == SCHEMA.names
    assert shown.num_rows == 1 + len(chosen_settings(cell))
    assert run_cell(CELL, sources=sources).examples.num_rows == 0


def test_a_cell_comes_out_the_same_twice_whatever_its_batch(sources, monkeypatch):
    first = run_cell(CELL, sources=sources)
    monkeypatch.setattr("offnominal.papers.ood_rl.episodes.BATCH", 7)
    monkeypatch.setattr("offnominal.papers.ood_rl.episodes.HELD", 1)
    second = run_cell(CELL, sources=sources)
    assert same_results(first.rows, second.rows)


def test_episodes_of_all_settings_start_alike_and_trials_do_not():
    policy = agent(CARTPOLE, "ensemble", 1)
    first, second = ([part.episodes for part in trial_parts(CELL, policy, trial)] for trial in (0, 1))
    starts = [[episode.observations[0].tolist() for episode in episodes] for episodes in first]
    assert all(each == starts[0] for each in starts)
    assert first[0][0].seed != second[0][0].seed
    assert first[0][0].onset is None
    assert first[1][0].onset == 0


def test_a_change_may_come_later():
    cell = CELL.replace(onset=4)
    parts = list(trial_parts(cell, agent(CARTPOLE, "ensemble", 1), 0))
    assert all(episode.onset in (4, None) for part in parts[1:] for episode in part.episodes)
    nominal, changed = parts[0].episodes[0], parts[1].episodes[0]
    assert (nominal.observations[:5] == changed.observations[:5]).all()


def test_detectors_of_pictures_see_the_latest_three_of_a_stack():
    pytest.importorskip("torch", reason="torch is not installed")
    from offnominal.detectors.images import KNNResNet

    stacks = np.random.default_rng(0).integers(0, 256, (6, 4, 36, 36), np.uint8)
    episode = Episode(stacks, np.zeros(5, np.int64), np.zeros(5), np.zeros(5, bool))
    (seen,) = observations_for(KNNResNet(), [episode])
    np.testing.assert_array_equal(seen.observations, stacks[:, 1:])
    assert observations_for(Time(), [episode])[0] is episode


def test_games_of_pong_differ_from_trial_to_trial():
    pytest.importorskip("ale_py", reason="ale-py is not installed")
    cell = OODCell(PONG, "ensemble", (), episodes=1, max_steps=12, max_settings=1, anomalies=("camera/gaussian",))
    trials = [list(trial_parts(cell, FunctionPolicy(lambda seen: np.zeros(len(seen), np.int64)), n)) for n in (0, 1)]
    first, second = ([part.episodes[0].observations for part in parts] for parts in trials)
    assert (first[0] != second[0]).any()
    assert (first[0] != first[1]).any()


def test_the_code_of_a_cell_is_that_of_its_methods(sources):
    other = CELL.replace(methods=(MethodEntry("Mahalanobis"),))
    assert code_of(CELL, sources) != code_of(other, sources)
    assert code_of(CELL, sources) == code_of(CELL.replace(seed=2), sources)


def test_how_agents_are_trained_is_not_part_of_the_code_of_a_cell(sources):
    used = [name for target in CODE_TARGETS for name in sources.used(target)]
    assert any("worlds" in name for name in used)
    assert not any("agents.learning" in name for name in used)


@pytest.mark.usefixtures("in_process")
def test_a_run_resumes_and_agents_that_are_missing_are_told(tmp_path):
    cells = [CELL, CELL.replace(seed=2), CELL.replace(uncertainty="dropout", group="outside")]
    quiet = {"workers": 1, "report": lambda line: None}
    first = runner.run_study(cells[:2], tmp_path, **quiet)
    assert (first.computed, first.complete) == (2, True)
    again = runner.run_study(cells, tmp_path, **quiet)
    assert (again.computed, again.reused) == (1, 2)
    outcomes = OODResults.of(Store(tmp_path).rows(again.keys))
    knn, *_ = outcomes.in_world(CARTPOLE)
    assert (knn.agents, knn.values.shape) == ((1, 2), (5, 10, 2, 2))
    assert outcomes.labels == ["KNN", "Time", "KNN (MC-Dropout)", "Time (MC-Dropout)"]


def test_numbers_are_watched_like_choices(sources):
    cell = OODCell(PENDULUM, "ensemble", (MethodEntry("Mahalanobis"),), max_settings=1, **SMALL)
    rows = run_cell(cell, sources=sources).rows.to_pylist()
    assert len(rows) == 2 * 5
    assert all(row["auc"] == row["auc_equal"] for row in rows)
    assert all(row["length"] == 200.0 for row in rows)
