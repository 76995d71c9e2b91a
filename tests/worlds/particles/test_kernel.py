"""The compiled particle world does what its published description says."""

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from offnominal.core.philox import uniform_pair
from offnominal.worlds.particles import kernel
from offnominal.worlds.particles.world import ParticleWorld
from offnominal.worlds.world import Outcomes

from . import reference

GOALS = ("SAP-Goal0-v0", "SAP-Goal1-v0", "SAP-Goal2-v0")
NEUTRAL = (0.0, 0.0, 1.0, 0.25)
SEEDS = 2_000
TOLERANCE = {"rtol": 0, "atol": 1e-12}


def bench(position, goal, hazards, *, velocity=0.0, physics_parameters=NEUTRAL, touched=False):
    """Return rows of the kernel's state, observations in double precision, every pair of bodies worth checking."""
    rows, bodies = len(position), position.shape[1]
    return SimpleNamespace(
        rows=np.arange(rows),
        keys=np.arange(rows, dtype=np.uint64) * np.uint64(977),
        ticks=np.arange(rows) % 50,
        physics_parameters=np.broadcast_to(np.asarray(physics_parameters, float), (rows, 4)).copy(),
        position=position.copy(),
        velocity=np.broadcast_to(velocity, position.shape).astype(float),
        goals=np.broadcast_to(goal, (rows, 2)).astype(float),
        hazards=hazards.copy(),
        moved=np.ones((rows, bodies), np.bool_),
        touched=np.broadcast_to(touched, rows).astype(np.bool_),
        observations=np.zeros((rows, 26)),
        rewards=np.zeros(rows),
        terminated=np.zeros(rows, np.bool_),
        success=np.zeros(rows, np.bool_),
        critical=np.zeros(rows, np.bool_),
        cost=np.zeros(rows),
    )


def advance(bench, actions):
    state = kernel.State(*(getattr(bench, name) for name in kernel.State._fields))
    outcomes = Outcomes(*(getattr(bench, name) for name in Outcomes._fields))
    return kernel.step_rows(bench.rows, np.asarray(actions, float), bench.physics_parameters, state, outcomes)


def crowded(rows, objects, hazards, *, seed=0, **options):
    """Return rows in which bodies overlap, hazards are near and goals are within reach."""
    random = np.random.default_rng(seed)
    return bench(
        random.uniform(-0.5, 0.5, (rows, 1 + objects, 2)),
        random.uniform(-0.5, 0.5, (rows, 2)),
        random.uniform(-0.9, 0.9, (rows, hazards, 2)),
        velocity=random.uniform(-0.7, 0.7, (rows, 1 + objects, 2)),
        touched=random.random(rows) < 0.3,
        **options,
    ), random.uniform(-1.5, 1.5, (rows, 2))


def state_of(bench, row):
    return reference.State(
        bench.position[row].copy(),
        bench.velocity[row].copy(),
        bench.goals[row].copy(),
        bench.hazards[row].copy(),
        bool(bench.touched[row]),
    )


def drawn_shakes(key, tick, objects, bound):
    """Return the forces that the kernel draws for the objects: two uniform numbers each, scaled to +-bound."""
    return bound * (2.0 * np.array([uniform_pair(key, tick, 1 + k, 0) for k in range(objects)]) - 1.0)


def run_reference(bench, actions):
    """Return the reference's states and outcomes of one step of every row."""
    results = []
    for row in bench.rows:
        force, bound, mass, damping = bench.physics_parameters[row]
        objects = bench.position.shape[1] - 1
        shakes = drawn_shakes(bench.keys[row], bench.ticks[row], objects, bound)
        results.append(
            reference.step(state_of(bench, row), actions[row], force=force, mass=mass, damping=damping, shakes=shakes)
        )
    return [state for state, _ in results], [outcome for _, outcome in results]


def assert_same(bench, states, outcomes):
    np.testing.assert_allclose(bench.position, [s.position for s in states], **TOLERANCE)
    np.testing.assert_allclose(bench.velocity, [s.velocity for s in states], **TOLERANCE)
    np.testing.assert_allclose(bench.observations, [reference.observe(s) for s in states], **TOLERANCE)
    np.testing.assert_allclose(bench.rewards, [o.reward for o in outcomes], **TOLERANCE)
    assert bench.touched.tolist() == [s.touched for s in states]
    assert bench.terminated.tolist() == [o.terminated for o in outcomes]
    assert bench.success.tolist() == [o.success for o in outcomes]
    assert bench.critical.tolist() == [o.critical for o in outcomes]
    assert bench.cost.tolist() == [float(o.critical) for o in outcomes]


KNOBS = {
    "nominal": NEUTRAL,
    "force": (1.7, 0.0, 1.0, 0.25),
    "moving objects": (0.0, 6.0, 1.0, 0.25),
    "mass": (0.0, 0.0, 3.3, 0.25),
    "light": (0.0, 0.0, 0.2, 0.25),
    "damping": (0.0, 0.0, 1.0, 0.6),
    "everything": (-2.0, 9.0, 0.4, 0.05),
}


@pytest.mark.parametrize("physics_parameters", KNOBS.values(), ids=KNOBS)
@pytest.mark.parametrize(("objects", "hazards"), [(1, 0), (3, 1), (10, 3)])
def test_a_step_is_that_of_the_reference(objects, hazards, physics_parameters):
    rows, actions = crowded(150, objects, hazards, physics_parameters=physics_parameters, seed=objects)
    expected = run_reference(rows, actions)
    assert advance(rows, actions) == -1
    assert_same(rows, *expected)


def test_the_random_states_reach_every_rule():
    rows, actions = crowded(150, 10, 3, seed=10)
    overlaps = [np.abs(reference.contact_forces(position)).sum(axis=1) > 0 for position in rows.position]
    advance(rows, actions)
    speeds = reference.length(rows.velocity)
    assert any(overlap[0] for overlap in overlaps)
    assert any(overlap[1:].any() for overlap in overlaps)
    assert np.isclose(speeds, 1.0).any()
    assert (speeds < 0.99).any()
    for outcome in (rows.critical, rows.terminated, rows.success, rows.terminated & ~rows.success):
        assert 0 < outcome.sum() < len(outcome)
    assert (rows.observations[:, 18:] > 0).any()


@pytest.mark.parametrize("id", GOALS)
@pytest.mark.parametrize("shake", [0.0, 8.0])
def test_whole_episodes_follow_the_reference_step_by_step(id, shake):
    world = ParticleWorld(8, id=id)
    world.reset(np.arange(8), np.arange(8), np.zeros(8, int))
    world.set_physics_parameter("moving_objects", np.arange(8), np.full(8, shake))
    random = np.random.default_rng(3)
    for tick in range(50):
        actions = np.clip(2 * world.observations[:, :2] + random.normal(0, 0.3, (8, 2)), -1, 1)
        before = [
            reference.State(
                world._state.position[row].copy(),
                world._state.velocity[row].copy(),
                world._state.goals[row],
                world._state.hazards[row],
                world._state.touched[row],
            )
            for row in range(8)
        ]
        world.step(actions)
        for row, state in enumerate(before):
            shakes = drawn_shakes(world._state.keys[row], tick, world.layout.objects, shake)
            after, outcome = reference.step(state, actions[row], shakes=shakes)
            np.testing.assert_allclose(world._state.position[row], after.position, **TOLERANCE)
            np.testing.assert_allclose(world._state.velocity[row], after.velocity, **TOLERANCE)
            np.testing.assert_allclose(world.rewards[row], outcome.reward, **TOLERANCE)
            np.testing.assert_allclose(world.observations[row], reference.observe(after), rtol=1e-6, atol=1e-7)
            assert (world.terminated[row], world.success[row]) == (outcome.terminated, outcome.success)
    assert world._state.touched.any()


def test_one_row_does_not_depend_on_the_others():
    together, actions = crowded(6, 10, 3, physics_parameters=KNOBS["everything"])
    alone, _ = crowded(6, 10, 3, physics_parameters=KNOBS["everything"])
    alone.rows = np.array([4])
    untouched = alone.position[:4].copy()
    advance(together, actions)
    advance(alone, actions)
    assert together.position[4].tobytes() == alone.position[4].tobytes()
    assert together.observations[4].tobytes() == alone.observations[4].tobytes()
    assert alone.position[:4].tobytes() == untouched.tobytes()


@pytest.mark.parametrize("force", [-3.0, 0.02, 1.0, 12.5])
def test_a_force_is_an_action_offset_of_a_fifth_of_it(force):
    pushed, actions = crowded(200, 3, 1, physics_parameters=(force, 0.0, 1.0, 0.25))
    commanded, _ = crowded(200, 3, 1)
    advance(pushed, actions)
    advance(commanded, actions + force / 5.0)
    np.testing.assert_allclose(pushed.position, commanded.position, **TOLERANCE)
    np.testing.assert_allclose(pushed.velocity, commanded.velocity, **TOLERANCE)
    np.testing.assert_allclose(pushed.observations, commanded.observations, **TOLERANCE)


def test_a_mass_divides_the_action_where_nothing_touches():
    apart = np.array([[[-0.9, -0.9], [0.9, 0.9]]])
    heavy = bench(apart, (0.5, -0.5), np.zeros((1, 0, 2)), physics_parameters=(0.0, 0.0, 2.5, 0.25))
    normal = bench(apart, (0.5, -0.5), np.zeros((1, 0, 2)))
    advance(heavy, [[1.0, -0.4]])
    advance(normal, [[1.0 / 2.5, -0.4 / 2.5]])
    np.testing.assert_allclose(heavy.position, normal.position, **TOLERANCE)


def test_moving_objects_are_pushed_anew_each_step_within_the_bound_and_alone():
    rest = np.tile(np.array([[-0.9, -0.9], [0.9, 0.9], [0.9, 0.0], [0.9, -0.9]]), (500, 1, 1))
    rows = bench(rest, (0.0, 0.9), np.zeros((500, 0, 2)), physics_parameters=(0.0, 4.0, 1.0, 0.0))
    advance(rows, np.zeros((500, 2)))
    first = rows.velocity[:, 1:] / 0.1
    rows.velocity[:] = 0.0
    advance(rows, np.zeros((500, 2)))
    second = rows.velocity[:, 1:] / 0.1
    assert not rows.velocity[:, 0].any()
    assert np.unique(np.stack([first, second])).size == first.size + second.size
    for pushes in (first, second):
        assert stats.kstest(pushes.ravel(), stats.uniform(-4.0, 8.0).cdf).pvalue > 0.01


def test_the_mean_of_the_forces_on_one_object_of_an_episode_is_zero():
    pushes = [drawn_shakes(np.uint64(key), tick, 1, 1.0) for key in range(40) for tick in range(50)]
    assert abs(np.mean(pushes)) < 3 * np.sqrt(1 / 3 / (2 * len(pushes)))


def test_bodies_at_one_place_part_without_a_fault():
    rows = bench(np.zeros((1, 3, 2)), (0.5, 0.5), np.zeros((1, 0, 2)))
    assert advance(rows, [[0.0, 0.0]]) == -1
    assert np.isfinite(rows.position).all()
    assert len({tuple(place) for place in rows.position[0]}) > 1


@pytest.mark.parametrize("push", [3.0, 1e10, 1e100, 1e200, 1e300])
def test_however_strong_a_force_is_the_agent_moves_at_full_speed(push):
    rows = bench(
        np.array([[[0.0, 0.0]]]), (0.9, -0.9), np.zeros((1, 0, 2)), physics_parameters=(10 * push, 0.0, 1.0, 0.25)
    )
    advance(rows, [[0.0, 0.0]])
    np.testing.assert_allclose(rows.velocity[0, 0], [np.sqrt(0.5)] * 2, rtol=1e-12)


def test_a_position_that_is_not_finite_is_reported_with_its_row():
    rows, actions = crowded(3, 1, 0)
    rows.velocity[1, 0, 0] = np.nan
    assert advance(rows, actions) == 1


def lidar(origin, points):
    """Return what an agent at rest sees of hazards."""
    rows = bench(origin[None, None], (5.0, 5.0), points[None])
    advance(rows, [[0.0, 0.0]])
    return rows.observations[0, 18:]


@pytest.mark.parametrize(
    ("angle", "distance", "expected"),
    [
        (0.0, 0.4, [0.6, 0, 0, 0, 0, 0, 0, 0.6]),
        (22.5, 0.4, [0.6, 0.3, 0, 0, 0, 0, 0, 0.3]),
        (30.0, 0.4, [0.6, 0.4, 0, 0, 0, 0, 0, 0.2]),
        (90.0, 0.25, [0, 0.75, 0.75, 0, 0, 0, 0, 0]),
        (200.0, 0.5, [0, 0, 0, 5 / 18, 0.5, 4 / 18, 0, 0]),
        (-22.5, 0.9, [0.05, 0, 0, 0, 0, 0, 0.05, 0.1]),
        (123.0, 1.0001, [0] * 8),
    ],
)
def test_lidar_detects_a_point_in_its_sector_and_its_neighbours(angle, distance, expected):
    origin = np.array([0.3, -0.2])
    point = origin + distance * np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
    np.testing.assert_allclose(lidar(origin, point[None]), expected, atol=1e-12)


def test_lidar_detects_the_nearest_of_several_points():
    points = np.array([[0.8, 0.1], [0.2, 0.05], [0.5, 0.3]])
    assert lidar(np.zeros(2), points)[0] == pytest.approx(1 - np.hypot(0.2, 0.05), abs=1e-12)


@pytest.mark.parametrize("count", [0, 1, 3, 10])
def test_lidar_agrees_with_the_reference(count):
    random = np.random.default_rng(count)
    for _ in range(300):
        origin, points = random.uniform(-1, 1, 2), random.uniform(-1, 1, (count, 2))
        np.testing.assert_allclose(lidar(origin, points), reference.lidar(origin, points), **TOLERANCE)


def test_lidar_does_not_jump_where_sectors_meet():
    for corner in np.arange(8) * np.pi / 4:
        left, right = (
            lidar(np.zeros(2), 0.5 * np.array([[np.cos(angle), np.sin(angle)]]))
            for angle in (corner - 1e-9, corner + 1e-9)
        )
        np.testing.assert_allclose(left, right, atol=1e-8)


def outcome(agent, goal=(0.0, 0.0), obstacle=(5.0, 5.0), hazard=(5.0, 5.0), *, touched=False):
    """Return the outcome of standing still at a place for one step."""
    rows = bench(np.array([[agent, obstacle]]), goal, np.array([[hazard]]), touched=touched)
    advance(rows, [[0.0, 0.0]])
    square = float(((rows.position[0, 0] - goal) ** 2).sum())
    return SimpleNamespace(
        bonus=round(float(rows.rewards[0]) + square, 12),
        terminated=bool(rows.terminated[0]),
        success=bool(rows.success[0]),
        critical=bool(rows.critical[0]),
        cost=float(rows.cost[0]),
        touched=bool(rows.touched[0]),
    )


@pytest.mark.parametrize(
    ("place", "bonus", "terminated", "success", "critical"),
    [
        ({"agent": (0.5, 0.0)}, 0.0, False, False, False),
        ({"agent": (0.201, 0.0)}, 0.0, False, False, False),
        ({"agent": (0.199, 0.0)}, 5.0, True, True, False),
        ({"agent": (0.199, 0.0), "touched": True}, 0.0, True, False, False),
        ({"agent": (0.5, 0.0), "touched": True}, 0.0, False, False, False),
        ({"agent": (0.5, 0.0), "hazard": (0.749, 0.0)}, -10.0, False, False, True),
        ({"agent": (0.5, 0.0), "hazard": (0.751, 0.0)}, 0.0, False, False, False),
        ({"agent": (0.1, 0.0), "hazard": (0.3, 0.0)}, -10.0, True, False, True),
        ({"agent": (0.5, 0.0), "obstacle": (0.651, 0.0)}, 0.0, False, False, False),
    ],
    ids=[
        "under way",
        "just outside the goal",
        "at the goal",
        "at the goal after a collision",
        "under way after a collision",
        "in a hazard",
        "just outside a hazard",
        "at the goal in a hazard",
        "just outside an object",
    ],
)
def test_rewards_and_ends(place, bonus, terminated, success, critical):
    result = outcome(**place)
    assert (result.bonus, result.terminated, result.success, result.critical) == (bonus, terminated, success, critical)
    assert result.cost == float(critical)
    assert result.touched == (critical or place.get("touched", False))


def test_touching_an_object_costs_ten():
    rows = bench(np.array([[[0.5, 0.0], [0.7, 0.0]]]), (0.0, 0.0), np.zeros((1, 0, 2)), velocity=0.0)
    rows.velocity[0, 0] = (1.0, 0.0)
    advance(rows, [[0.5, 0.0]])
    assert rows.critical[0]
    assert rows.rewards[0] == pytest.approx(-(rows.position[0, 0, 0] ** 2) - 10.0, abs=1e-12)


def test_reaching_the_goal_after_a_collision_ends_the_episode_without_the_bonus():
    world = ParticleWorld(200, id="SAP-Goal0-v0")
    world.reset(np.arange(200), np.arange(200), np.zeros(200, int))
    hit, ended = np.zeros(200, np.bool_), np.zeros(200, np.bool_)
    for _ in range(50):
        world.step(np.clip(3.0 * world.observations[:, :2], -1, 1))
        hit |= world.critical
        now = world.terminated & ~ended
        square = (world.observations[:, :2].astype(float) ** 2).sum(axis=1)
        np.testing.assert_allclose(
            world.rewards[now] + square[now], 5.0 * ~hit[now] - 10.0 * world.critical[now], atol=1e-6
        )
        assert (world.success[now] == ~hit[now]).all()
        ended |= now
    assert (ended & hit).sum() > 50


@pytest.mark.parametrize(
    ("id", "published", "measured_again"),
    [
        ("SAP-Goal0-v0", -122.551, -117.4),
        ("SAP-Goal1-v0", -151.246, -140.2),
        ("SAP-Goal2-v0", -177.359, -162.0),
    ],
)
def test_random_actions_earn_what_the_original_earns(id, published, measured_again):
    """Two runs of the original are known, each of few episodes; ours must lie within their spread around their mean."""
    rows = 4_000
    world = ParticleWorld(rows, id=id)
    world.reset(np.arange(rows), np.arange(rows), np.zeros(rows, int))
    random = np.random.default_rng(0)
    returns, running = np.zeros(rows), np.ones(rows, np.bool_)
    for _ in range(world.card.max_steps):
        world.step(random.uniform(-1, 1, (rows, 2)))
        returns += world.rewards * running
        running &= ~world.terminated
    standard_error = returns.std() / np.sqrt(rows)
    tolerance = abs(published - measured_again) + 3 * standard_error
    assert abs(returns.mean() - (published + measured_again) / 2) < tolerance


@cache
def layouts(id):
    """Return the starts of 2,000 seeds."""
    world = ParticleWorld(SEEDS, id=id)
    world.reset(np.arange(SEEDS), np.arange(SEEDS), np.zeros(SEEDS, int))
    return SimpleNamespace(
        agent=world._state.position[:, :1],
        objects=world._state.position[:, 1:],
        goal=world._state.goals[:, None],
        hazards=world._state.hazards,
        velocity=world._state.velocity,
    )


def gaps(first, second):
    return reference.length(first[:, :, None] - second[:, None])


def gaps_within(points):
    first, second = np.triu_indices(points.shape[1], k=1)
    return gaps(points, points)[:, first, second]


@pytest.mark.parametrize(("id", "objects", "hazards"), [(GOALS[0], 1, 0), (GOALS[1], 3, 1), (GOALS[2], 10, 3)])
def test_a_layout_holds_the_published_numbers_of_things_at_rest(id, objects, hazards):
    assert layouts(id).objects.shape == (SEEDS, objects, 2)
    assert layouts(id).hazards.shape == (SEEDS, hazards, 2)
    assert not layouts(id).velocity.any()


@pytest.mark.parametrize("id", GOALS)
def test_the_goal_is_more_than_one_away_from_the_agent(id):
    assert (gaps(layouts(id).agent, layouts(id).goal) > 1.0).all()


@pytest.mark.parametrize("thing", ["agent", "goal"])
@pytest.mark.parametrize(("id", "right"), [(GOALS[0], 0.0), (GOALS[1], 1.0), (GOALS[2], 1.0)])
def test_agent_and_goal_fill_their_region_and_stay_inside(id, right, thing):
    points = getattr(layouts(id), thing)[:, 0]
    low, high = points.min(axis=0), points.max(axis=0)
    assert (low >= -1.0).all()
    assert (high <= [right, 1.0]).all()
    np.testing.assert_allclose([low, high], [[-1.0, -1.0], [right, 1.0]], atol=0.02)


def test_the_object_of_goal0_stands_halfway():
    layout = layouts("SAP-Goal0-v0")
    np.testing.assert_allclose(layout.objects, (layout.agent + layout.goal) / 2, **TOLERANCE)


@pytest.mark.parametrize("id", GOALS[1:])
def test_objects_stand_on_the_ring_around_the_goal(id):
    from_goal = gaps(layouts(id).objects, layouts(id).goal)
    assert (from_goal > 0.3).all()
    assert (from_goal <= 1.0 + 1e-12).all()


@pytest.mark.parametrize("id", GOALS)
def test_objects_keep_their_distance(id):
    layout = layouts(id)
    assert (gaps(layout.objects, layout.agent) > 0.3).all()
    assert (gaps(layout.objects, layout.goal) > 0.3).all()
    assert (gaps_within(layout.objects) > 0.3).all()


@pytest.mark.parametrize("id", GOALS[1:])
def test_hazards_keep_their_distance_and_stay_inside(id):
    layout = layouts(id)
    assert (np.abs(layout.hazards) <= 1.0).all()
    for others in (layout.agent, layout.goal, layout.objects):
        assert (gaps(layout.hazards, others) > 0.4).all()
    assert (gaps_within(layout.hazards) > 0.4).all()


@pytest.mark.parametrize(("id", "width"), [(GOALS[0], 1.0), (GOALS[1], 2.0)])
def test_the_agent_starts_anywhere_in_its_region(id, width):
    """Not so in Goal2, where a layout without room for everything is drawn anew."""
    x, y = layouts(id).agent[:, 0].T
    assert stats.kstest(x, stats.uniform(-1.0, width).cdf).pvalue > 0.01
    assert stats.kstest(y, stats.uniform(-1.0, 2.0).cdf).pvalue > 0.01


def test_the_first_object_is_uniform_in_area_on_the_ring():
    layout = layouts("SAP-Goal1-v0")
    out_of_the_agents_way = gaps(layout.agent, layout.goal)[:, 0, 0] > 1.3
    dx, dy = (layout.objects[:, 0] - layout.goal[:, 0])[out_of_the_agents_way].T
    assert stats.kstest(dx**2 + dy**2, stats.uniform(0.09, 0.91).cdf).pvalue > 0.01
    assert stats.kstest(np.arctan2(dy, dx), stats.uniform(-np.pi, 2 * np.pi).cdf).pvalue > 0.01


def test_every_seed_and_every_episode_has_a_layout_of_its_own():
    world = ParticleWorld(1_000, id="SAP-Goal1-v0")
    seeds, episodes = (grid.ravel() for grid in np.meshgrid(np.arange(100), np.arange(10)))
    world.reset(np.arange(1_000), seeds, episodes)
    assert np.unique(world._state.position[:, 0], axis=0).shape[0] == 1_000
