"""Each channel is measured by what is usual for it."""

import numpy as np
import pytest

from offnominal.core.episode import Episode
from offnominal.detectors.state_arrays import StateArrays
from offnominal.detectors.transitions.scaling import MAX_VALUE, Scaling

pytestmark = pytest.mark.long


def episodes():
    """Channels: one that wanders slowly far away, one that is drawn anew per episode, one that never varies."""
    draw = np.random.default_rng(0)
    made = []
    for _ in range(20):
        wander = 100.0 * draw.normal() + 0.01 * draw.normal(size=31).cumsum()
        goal = np.full(31, 5.0 * draw.normal())
        seen = np.column_stack([wander, goal, np.full(31, 3.0)])
        made.append(Episode(seen, draw.normal(size=(30, 1)), np.zeros(30), np.zeros(30, bool)))
    return made


def test_a_change_is_measured_by_usual_changes():
    recorded = episodes()
    scaling = Scaling.of(recorded)
    seen = np.concatenate([episode.observations for episode in recorded])
    before = seen[:1]
    changes = scaling.changes(before, before + np.array([0.01, 5.0, 2.0]))
    np.testing.assert_allclose(changes[0, 0], 1.0, atol=0.15)
    np.testing.assert_allclose(changes[0, 1], 1.0, atol=0.3)
    np.testing.assert_allclose(changes[0, 2], 2.0)


def test_a_change_can_be_measured_by_its_channel_and_constant_channels_by_any_scale():
    scaling = Scaling.of(episodes(), constant_scale=1e-6, scale_changes=False)
    before = np.zeros((1, 3))
    changes = scaling.changes(before, before + np.array([100.0, 5.0, 1e-3]))
    np.testing.assert_allclose(changes, [[1.0, 1.0, 1000.0]], rtol=0.4)


def test_inputs_are_normalised_observations_and_actions():
    recorded = episodes()
    scaling = Scaling.of(recorded)
    seen = np.concatenate([episode.observations[:-1] for episode in recorded])
    acted = np.concatenate([episode.actions for episode in recorded])
    inputs = scaling.inputs(seen, acted)
    assert inputs.dtype == np.float32
    np.testing.assert_allclose(inputs.std(axis=0), [1.0, 1.0, 0.0, 1.0], atol=0.02)
    np.testing.assert_allclose(inputs.mean(axis=0), 0.0, atol=0.02)
    np.testing.assert_array_equal(scaling.inputs(seen, None), inputs[:, :3])


def test_values_are_clipped_at_a_million():
    scaling = Scaling.of(episodes())
    far = np.full((1, 3), 1e300)
    assert scaling.inputs(far, np.ones((1, 1))).max() == MAX_VALUE
    assert scaling.changes(far, -far).min() == -MAX_VALUE


def test_arrays_go_there_and_back():
    scaling = Scaling.of(episodes())
    np.testing.assert_equal(Scaling.restored(StateArrays(scaling.arrays(), "MLPDM"), 3, 1).arrays(), scaling.arrays())
