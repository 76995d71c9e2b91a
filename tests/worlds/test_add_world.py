"""A new world is one module: everything the package needs to know is on its card."""

import importlib
import importlib.util
from pathlib import Path

import gymnasium
import pytest

import offnominal as off
from offnominal.agents import scripted_expert
from offnominal.agents.training.settings import preset
from offnominal.anomalies.strengths import parameter_for, strengths_of
from offnominal.laws import check_world
from offnominal.rollouts.policy_evaluation import evaluation_options
from offnominal.worlds import worlds

WORLD = "Toy-Corridor-v0"
TABLES = Path(__file__).parents[2] / "docs" / "tables.py"


@pytest.fixture(autouse=True)
def toy_world(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parent / "corridor")
    len(worlds)
    monkeypatch.setattr(worlds, "_specs", dict(worlds._specs))
    monkeypatch.setattr(worlds, "_cards", dict(worlds._cards))
    importlib.import_module("corridor_world").register(worlds)
    yield
    gymnasium.registry.pop(f"offnominal/{WORLD}", None)


def test_it_is_a_gymnasium_environment():
    env = off.make(WORLD)
    observation, _ = env.reset(seed=3)
    assert 4.0 <= observation[0] <= 5.0
    assert env.spec.max_episode_steps == 40


def test_faults_of_its_own_physics_have_named_strengths():
    env = off.make(WORLD, "dynamics/headwind", strength="strong", schedule=2)
    env.reset(seed=0)
    assert env.events[0].parameter == 0.5
    assert parameter_for(WORLD, "dynamics/headwind", "medium") == 0.25
    assert list(strengths_of(WORLD)) == [("dynamics/headwind", "medium"), ("dynamics/headwind", "strong")]


def test_faults_are_injected_into_its_environment():
    env = off.inject(off.make(WORLD), "action/offset", strength=-0.5, schedule="start")
    env.reset(seed=0)
    assert env.step([1.0])[-1]["executed_action"] == [0.5]


def test_episodes_are_collected_with_its_scripted_expert():
    nominal = off.collect(WORLD, scripted_expert(WORLD), 4)
    fault = off.Fault("dynamics/headwind", "strong", schedule="start")
    faulty = off.collect(WORLD, scripted_expert(WORLD), 4, faults=fault)
    assert all(episode.success for episode in nominal)
    assert all(len(late) > len(early) for early, late in zip(nominal, faulty, strict=True))


def test_policies_are_evaluated_as_its_card_says():
    options = evaluation_options(WORLD, 1000)
    assert options == {"n": 6}
    found = off.evaluate_policy(WORLD, scripted_expert(WORLD), **options)
    assert (found.episodes, found.success) == (6, 1.0)
    assert preset(WORLD, "tqc").steps == 5_000


def test_it_keeps_the_laws():
    assert check_world(WORLD).ok


def test_the_documentation_lists_it(monkeypatch):
    monkeypatch.syspath_prepend(str(TABLES.parent))
    spec = importlib.util.spec_from_file_location("tables", TABLES)
    tables = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tables)
    (row,) = [row for row in tables.world_rows("worlds/") if WORLD in row["world"]]
    assert row["world"] == f"[`{WORLD}`](worlds/corridor.md)"
    assert row["task"] == "walk to the end of a corridor"
    assert [row["medium"] for row in tables.strength_rows(WORLD)] == ["0.25"]
