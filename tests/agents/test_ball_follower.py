"""The player of Pong."""

import numpy as np
import pytest

import offnominal as off
from offnominal.agents import BallFollower, scripted_expert
from offnominal.worlds.pong.ball_follower import CENTRE, DOWN, NOTHING, STROKE, UP, located, reflected

pytestmark = pytest.mark.long

FIELD = 87


def image(ball=None, paddle=None):
    """A field with a ball of two pixels and a paddle of seven, if they are given by their middles."""
    seen = np.full((84, 84), FIELD, np.uint8)
    if ball is not None:
        across, down = ball
        seen[down : down + 2, across] = 236
    if paddle is not None:
        seen[paddle - 3 : paddle + 4, 73:76] = 147
    return seen


def after(*images):
    """What an agent sees after pictures, as (1, 4, 84, 84)."""
    return np.stack([images[0]] * (4 - len(images)) + list(images))[None]


def first_action(seen):
    policy = BallFollower()
    return int(policy.act(seen, policy.start(np.zeros(1, int), np.zeros(1, int)))[0][0])


def test_ball_and_paddle_are_located_to_the_pixel():
    across, down, paddle = located(after(image((40, 30), 50), image((42, 31), 60)))
    assert across[0, -2:].tolist() == [40.0, 42.0]
    assert down[0, -2:].tolist() == [30.5, 31.5]
    assert paddle[0, -2:].tolist() == [50.0, 60.0]


def test_missing_objects_have_no_position():
    across, down, paddle = located(after(image(), image()))
    assert np.isnan([across, down, paddle]).all()


def test_walls_reflect():
    np.testing.assert_allclose(reflected(np.array([14.0, 77.0, 78.0, 13.0, 14.0 + 126.0])), [14, 77, 76, 15, 14])


@pytest.mark.parametrize(("paddle", "action"), [(20, DOWN), (70, UP), (46, NOTHING)])
def test_a_ball_that_goes_away_lets_the_paddle_wait_in_the_middle(paddle, action):
    assert first_action(after(image((40, 30), paddle), image((38, 31), paddle))) == action


def test_the_paddle_goes_to_where_the_ball_will_be_and_not_to_where_it_is():
    # From (40, 30), two across and one down per step: about 17 down when it arrives.
    assert first_action(after(image((38, 29), 30), image((40, 30), 30))) == DOWN
    # The same upwards, from the wall back.
    assert first_action(after(image((38, 21), 40), image((40, 20), 40))) == UP


def test_half_a_stroke_away_it_goes_back_and_forth():
    seen = after(image((66, 44), 41), image((68, 44), 41))
    policy = BallFollower()
    state = policy.start(np.zeros(1, int), np.zeros(1, int))
    taken = []
    for _ in range(4):
        action, state = policy.act(seen, state)
        taken.append(int(action[0]))
    assert taken == [DOWN, UP, DOWN, UP]
    assert STROKE / 2 < 44.5 + 2.3 - 41 < STROKE


def test_recorded_actions_change_the_state():
    seen = after(image((66, 44), 41), image((68, 44), 41))
    policy = BallFollower()
    action, state = policy.act(seen, policy.start(np.zeros(1, int), np.zeros(1, int)))
    assert int(action[0]) == DOWN
    for done, then in ((NOTHING, DOWN), (UP, DOWN), (DOWN, UP), (5, UP)):
        assert int(policy.act(seen, policy.record_actions(state, np.array([done])))[0][0]) == then


def test_without_a_ball_the_paddle_moves_to_the_centre():
    policy = BallFollower()
    action, state = policy.act(after(image()), policy.start(np.zeros(1, int), np.zeros(1, int)))
    assert (int(action[0]), float(state.rest[0])) == (NOTHING, CENTRE)


def test_it_misses_no_ball_and_one_game_is_not_changed_by_others():
    pytest.importorskip("ale_py", reason="ale-py is not installed")
    assert isinstance(scripted_expert("OOD-Pong-v0"), BallFollower)
    games = off.collect("OOD-Pong-v0", BallFollower(), 2, seed=5, max_steps=500, noops=30)
    assert min(game.rewards.min() for game in games) == 0.0
    alone = off.collect("OOD-Pong-v0", BallFollower(), 1, seed=6, max_steps=500, noops=30)[0]
    np.testing.assert_array_equal(alone.actions, games[1].actions)
