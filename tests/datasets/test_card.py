"""The card of a dataset says what is inside."""

import re
import sys
from dataclasses import replace

import numpy as np
import pytest

from offnominal.datasets import save_dataset
from offnominal.datasets.statistics import StatisticsAccumulator
from offnominal.worlds import make_world


def card(data):
    return (data.folder / "README.md").read_text(encoding="utf-8")


def lines(text):
    """The table of splits by name."""
    rows = re.findall(r"^\| `([^`]+)` \| (.*) \|$", text, re.MULTILINE)
    return {name: [cell.strip() for cell in rest.split("|")] for name, rest in rows}


def test_numbers_are_those_of_the_episodes(dataset):
    reference = make_world(dataset.world, 1).card
    for name in dataset:
        parameter, episodes, steps, earned, score, success, active, onset = lines(card(dataset))[name]
        listed = list(dataset[name])
        mean = np.mean([episode.total_reward for episode in listed])
        assert int(episodes) == len(listed)
        assert int(steps.replace(",", "")) == sum(map(len, listed))
        assert float(earned.split()[0]) == pytest.approx(mean, abs=0.006)
        expected = (mean - reference.random_return) / (reference.expert_return - reference.random_return)
        assert float(score) == pytest.approx(expected, abs=0.0006)
        assert success == f"{np.mean([episode.success for episode in listed]):.0%}"
        assert active == f"{np.mean(np.concatenate([episode.active for episode in listed])):.0%}"
        onsets = [episode.onset for episode in listed if episode.onset is not None]
        assert onset == (f"{np.mean(onsets):.1f}" if onsets else "–")
        assert (parameter == "–") == ("@" not in name)


def test_columns_and_recipe_are_described(dataset):
    text = card(dataset)
    assert (
        "`observation.*` | float32 | observation of the agent, faults included: goal relative x, goal relative y"
        in text
    )
    assert "`active` | bool | label: a fault was active" in text
    assert "train 10,000,000, validation 11,000,000, test 12,000,000, faults 13,000,000" in text
    assert dataset.manifest.recipe_sha256[:12] in text
    assert (dataset.folder / "card.png").read_bytes().startswith(b"\x89PNG")
    assert "card.png" in text


def test_there_is_no_figure_without_matplotlib(made, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    data = made(tmp_path / "data", episodes=1)
    assert not (data.folder / "card.png").exists()
    assert "card.png" not in card(data)


def test_unknown_values_are_left_out(recorded, tmp_path):
    data = save_dataset(tmp_path / "data", {"mine": [recorded(4, onset=1)]}, world="my robot")
    assert lines(card(data))["mine"][4:6] == ["–", "–"]
    assert "expert" not in card(data)
    assert "Reproduction" not in card(data)
    assert 'data["mine"]' in card(data)


def test_statistics_of_one_episode(recorded):
    statistics = StatisticsAccumulator()
    statistics.add(replace(recorded(4, onset=3), extras={"success": np.array([False, False, False, True])}))
    seen = statistics.result()
    assert (seen.return_interval, seen.success, seen.active, seen.faulty, seen.mean_onset) == (0.0, 1.0, 0.25, 1.0, 3.0)


def test_statistics_of_several(recorded):
    statistics = StatisticsAccumulator()
    episodes = [recorded(length, seed=length, onset=onset) for length, onset in ((2, 1), (6, 3), (2, None))]
    for episode in episodes:
        statistics.add(episode)
    seen = statistics.result()
    returns = [episode.total_reward for episode in episodes]
    assert seen.mean_return == pytest.approx(np.mean(returns))
    assert seen.return_interval == pytest.approx(1.96 * np.std(returns, ddof=1) / np.sqrt(3))
    assert (seen.active, seen.faulty, seen.mean_onset) == (0.4, pytest.approx(2 / 3), 2.0)
    assert (statistics.episodes, statistics.steps, seen.success) == (3, 10, None)
