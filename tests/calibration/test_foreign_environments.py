"""Calibration of environments of other packages: every source, within a number of episodes, with its cost first."""

import importlib
from contextlib import contextmanager
from functools import partial

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box

from offnominal.calibration import calibrate, calibration, calibration_cost
from offnominal.calibration.axis import Axis
from offnominal.calibration.cost import fitted_sizes, most_episodes
from offnominal.core.errors import InvalidParameter

pytestmark = pytest.mark.long


class Line(gymnasium.Env):
    """A point on a line that should stay at zero; ten steps. Counts the episodes of all instances."""

    observation_space = Box(-9, 9, (1,))
    action_space = Box(-1, 1, (1,))
    episodes = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.steps = self.np_random.uniform(-1, 1), 0
        return np.array([self.x], np.float32), {}

    def step(self, action):
        self.x += float(np.clip(action[0], -1, 1))
        Line.episodes += self.steps == 0
        self.steps += 1
        return np.array([self.x], np.float32), -abs(self.x), False, self.steps == 10, {}


def centre(observations):
    return -observations


WANTED = {"anomalies": ["observation/offset"], "levels": [0.75], "max_episodes": 2400}


def test_every_source_is_calibrated_within_the_number_of_episodes():
    costs = []
    Line.episodes = 0
    (line,) = calibrate(Line, centre, on_cost=costs.append, **WANTED)
    assert line.attainable
    assert abs(line.score - 0.75) < 0.1
    assert line.world == "Line"
    (cost,) = costs
    assert line.fresh == cost.fresh
    assert cost.episodes <= 2400
    assert 1200 < Line.episodes <= 2400
    assert calibrate(Line(), centre, **WANTED) == [line]


def test_the_cost_is_known_before_anything_is_simulated():
    Line.episodes = 0
    cost = calibration_cost(Line, centre, **WANTED)
    assert Line.episodes == 3
    assert cost.episodes <= 2400
    assert 0 < cost.seconds < 60
    assert f"at most {cost.episodes:,} episodes, " in str(cost)


MODULE = """
import gymnasium
import numpy as np
from gymnasium.spaces import Box


class Short(gymnasium.Env):
    observation_space, action_space = Box(-9, 9, (1,)), Box(-1, 1, (1,))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.steps = self.np_random.uniform(-1, 1), 0
        return np.array([self.x], np.float32), {}

    def step(self, action):
        self.x, self.steps = self.x + float(np.clip(action[0], -1, 1)), self.steps + 1
        return np.array([self.x], np.float32), -abs(self.x), False, self.steps == 4, {}


def make():
    return Short()


def centre(observations):
    return -observations
"""


def test_processes_make_the_environment_of_a_module_and_agree_with_one_process(tmp_path, monkeypatch):
    (tmp_path / "short_lines.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    shown = []

    @contextmanager
    def recorded(title, *, total):
        yield lambda units=1.0, note="": shown.append((title, total, units))

    monkeypatch.setattr(calibration, "progress", recorded)
    module = importlib.import_module("short_lines")
    wanted = {"anomalies": ["observation/offset", "action/offset"], "levels": [0.75], "max_episodes": 3600}
    found = calibrate(module.make, module.centre, workers=2, **wanted)
    assert [line.anomaly for line in found] == wanted["anomalies"]
    ((title, total),) = {each[:2] for each in shown}
    assert title == "Calibrating Short, episodes"
    assert 0.5 * total < sum(units for *_, units in shown) <= total
    assert repr(calibrate(module.make, module.centre, **wanted)) == repr(found)


def test_sizes_are_reduced_in_proportion_and_never_beyond_the_limit():
    axes = [Axis("action/offset", 0.0), Axis("action/delay", 0.0, integer=True)]
    assert fitted_sizes(axes, 4, 1600, 2000, None) == (1600, 2000)
    for limit in (8_000, 20_000, 60_000):
        budget, fresh = fitted_sizes(axes, 4, 1600, 2000, limit)
        assert most_episodes(axes, 4, budget, fresh) <= limit
        assert budget < 1600
    with pytest.raises(InvalidParameter, match="max_episodes is 100; 2 axes with 4 levels each need at least"):
        fitted_sizes(axes, 4, 1600, 2000, 100)


def test_bad_input_is_refused():
    with pytest.raises(InvalidParameter, match="Line has no shipped expert; give the policy"):
        calibrate(Line, **WANTED)
    with pytest.raises(InvalidParameter, match="several workers need a function that makes the environment"):
        calibrate(Line(), centre, workers=2, **WANTED)
    both = {**WANTED, "anomalies": ["observation/offset", "action/offset"], "max_episodes": 5000}
    with pytest.raises(InvalidParameter, match="can be pickled"):
        calibrate(Line, lambda observations: -observations, workers=2, **both)


def test_a_time_limit_holds_in_the_calibration():
    cost = calibration_cost(partial(gymnasium.make, "Pendulum-v1"), centre_pendulum, max_steps=3, **WANTED)
    assert cost.seconds < 30


def centre_pendulum(observations):
    return -observations[:, 1:2]
