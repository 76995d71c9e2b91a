"""The single and the vector face of every world tell the same episodes, and refuse what makes no sense."""

import warnings

import gymnasium
import mujoco
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from offnominal.core.errors import InvalidAction, InvalidParameter, InvalidState, SimulationDiverged, UnknownName
from offnominal.core.streams import MAX_SEED
from offnominal.worlds.catalogue import has_threads, make_single, make_vector, make_world, worlds
from offnominal.worlds.mujoco.world import load_model

pytestmark = pytest.mark.long

IDS = (
    "MJC-CartpoleSwingup-v0",
    "MJC-HalfCheetah-v0",
    "MJC-Reacher3D-v0",
    "SAP-Goal0-v0",
    "SAP-Goal1-v0",
    "SAP-Goal2-v0",
)
PHYSICS = [id for id in IDS if id.startswith("MJC")]
OUTCOMES = ("success", "critical", "cost")
ARRAYS = ("observations", "rewards", "terminated", *OUTCOMES)

every_world = pytest.mark.parametrize("id", IDS)
every_physics_world = pytest.mark.parametrize("id", PHYSICS)


@pytest.fixture(autouse=True)
def _keep_logs_out_of_the_repository(tmp_path, monkeypatch):
    """MuJoCo writes a log file where it runs when a simulation diverges."""
    monkeypatch.chdir(tmp_path)


def actions_of(world, steps, rows, seed=0):
    random = np.random.default_rng(seed)
    low, high = world.action_space.low, world.action_space.high
    return random.uniform(low, high, (steps, rows, *low.shape)).astype(np.float32)


def started(id, rows, seed=0, **options):
    world = make_world(id, rows, **options)
    world.reset(np.arange(rows), seed + np.arange(rows), np.zeros(rows, np.int64))
    return world


def snapshot(world):
    return {name: getattr(world, name).copy() for name in ARRAYS}


def assert_same_bytes(first, second):
    assert first.keys() == second.keys()
    for name in first:
        ours, theirs = np.asarray(first[name]), np.asarray(second[name])
        assert (ours.dtype, ours.shape, ours.tobytes()) == (theirs.dtype, theirs.shape, theirs.tobytes()), name


def towards_the_end(vector, observations, random):
    """Return actions under which particle episodes end by themselves and the others wander."""
    noise = random.uniform(-1, 1, vector.action_space.shape)
    if vector.world.card.id.startswith("SAP"):
        return np.clip(3.0 * observations[:, :2] + 0.5 * noise, -1, 1).astype(np.float32)
    return (noise * vector.action_space.high).astype(np.float32)


def test_the_catalogue_lists_the_six_worlds():
    assert set(IDS) <= set(worlds.ids())


@every_world
def test_spaces_shapes_and_types(id):
    vector, single = make_vector(id, 3), make_single(id)
    width, channels = {
        "MJC-CartpoleSwingup-v0": (4, 1),
        "MJC-HalfCheetah-v0": (18, 6),
        "MJC-Reacher3D-v0": (17, 7),
    }.get(id, (26, 2))
    assert single.observation_space.shape == (width,)
    assert single.action_space.shape == (channels,)
    assert len(single.card.observation) == width
    assert len(single.card.action) == channels
    assert vector.observation_space.shape == (3, width)
    assert vector.action_space.shape == (3, channels)
    assert single.action_space.high.max() == (3.0 if "Cartpole" in id else 1.0)  # type: ignore[attr-defined]

    observations, _ = vector.reset(seed=0)
    assert (observations.shape, observations.dtype) == ((3, width), np.float32)
    assert observations in vector.observation_space
    observations, rewards, terminated, truncated, infos = vector.step(vector.action_space.sample())
    assert (observations.shape, observations.dtype) == ((3, width), np.float32)
    assert (rewards.shape, rewards.dtype) == ((3,), np.float64)
    for flags in (terminated, truncated, infos["success"], infos["critical"]):
        assert (flags.shape, flags.dtype) == ((3,), np.bool_)
    assert infos["cost"].shape == (3,)

    observation, info = single.reset(seed=0)
    assert observation in single.observation_space
    assert info == {"success": False, "critical": False, "cost": 0.0}
    observation, reward, ended, cut, info = single.step(single.action_space.sample())
    assert observation in single.observation_space
    assert (type(reward), type(ended), cut) == (float, bool, False)
    assert {name: type(value) for name, value in info.items()} == {"success": bool, "critical": bool, "cost": float}


@every_world
def test_what_is_returned_stays_as_it_was(id):
    for env in (make_vector(id, 2), make_vector(id, 2, max_episode_steps=1), make_single(id)):
        first, _ = env.reset(seed=0)
        kept_first = first.copy()
        second, *_ = env.step(env.action_space.sample())
        kept_second = second.copy()
        env.step(env.action_space.sample())
        assert first.tobytes() == kept_first.tobytes()
        assert second.tobytes() == kept_second.tobytes()


@every_world
@pytest.mark.parametrize("seed", [0, 12345, 2**40])
def test_row_i_of_a_seed_starts_the_episode_of_seed_plus_i(id, seed):
    observations, _ = make_vector(id, 4).reset(seed=seed)
    single = make_single(id)
    for row in range(4):
        assert observations[row].tobytes() == single.reset(seed=seed + row)[0].tobytes()
    assert len({row.tobytes() for row in observations}) == 4


@every_world
def test_a_list_seeds_each_row(id):
    observations, _ = make_vector(id, 3).reset(seed=[9, 2, 9])
    assert observations[0].tobytes() == observations[2].tobytes()
    assert observations[1].tobytes() == make_single(id).reset(seed=2)[0].tobytes()


class Soloist:
    """A single environment that starts its next episode by itself, and tells what a vector row should."""

    def __init__(self, id, seed, limit):
        self.env, self.limit, self.elapsed = make_single(id), limit, 0
        self.observation = self.env.reset(seed=seed)[0]

    def step(self, action):
        last, reward, terminated, _, info = self.env.step(action)
        self.elapsed += 1
        truncated = self.elapsed >= self.limit
        self.observation, now = last, info
        if terminated or truncated:
            self.observation, now = self.env.reset()
            self.elapsed = 0
        return {
            "last": last,
            "final": info,
            "now": now,
            "reward": reward,
            "terminated": terminated,
            "truncated": truncated,
        }


@every_world
@pytest.mark.parametrize("rows", [1, 2, 7])
def test_a_vector_world_is_its_single_environments_side_by_side(id, rows):
    limit = 35
    vector = make_vector(id, rows, max_episode_steps=limit)
    observations, _ = vector.reset(seed=50)
    soloists = [Soloist(id, 50 + row, limit) for row in range(rows)]
    random = np.random.default_rng(rows)
    ends = 0
    for _ in range(80):
        actions = towards_the_end(vector, observations, random)
        observations, rewards, terminated, truncated, infos = vector.step(actions)
        alone = [soloist.step(action) for soloist, action in zip(soloists, actions, strict=True)]
        assert observations.tobytes() == np.stack([soloist.observation for soloist in soloists]).tobytes()
        assert rewards.tobytes() == np.array([each["reward"] for each in alone]).tobytes()
        assert terminated.tolist() == [each["terminated"] for each in alone]
        assert truncated.tolist() == [each["truncated"] for each in alone]
        for name in OUTCOMES:
            assert infos[name].tolist() == [each["now"][name] for each in alone]
            assert infos[f"_{name}"].all()
        done = terminated | truncated
        assert ("final_obs" in infos) == done.any()
        if not done.any():
            continue
        assert infos["_final_obs"].tolist() == done.tolist() == infos["_final_info"].tolist()
        for row, each in enumerate(alone):
            if not done[row]:
                assert infos["final_obs"][row] is None
                continue
            ends += 1
            assert infos["final_obs"][row].tobytes() == each["last"].tobytes()
            for name in OUTCOMES:
                assert infos["final_info"][name][row] == each["final"][name]
                assert infos["final_info"][f"_{name}"][row]
    assert ends >= 2 * rows


def test_particle_episodes_in_this_comparison_also_end_by_themselves():
    vector = make_vector("SAP-Goal0-v0", 7, max_episode_steps=35)
    observations, _ = vector.reset(seed=50)
    random, ended = np.random.default_rng(7), 0
    for _ in range(80):
        observations, _, terminated, _, _ = vector.step(towards_the_end(vector, observations, random))
        ended += terminated.sum()
    assert ended > 7


@every_world
def test_two_fresh_instances_agree_to_the_last_byte(id):
    first, second = started(id, 5, seed=3), started(id, 5, seed=3)
    for actions in actions_of(first, 40, 5):
        first.step(actions)
        second.step(actions)
    assert_same_bytes(snapshot(first), snapshot(second))


@every_world
def test_an_episode_leaves_no_trace_in_the_next(id):
    rows = np.arange(8)
    used, fresh = started(id, 8, seed=30), started(id, 8, seed=3)

    def play(*worlds):
        outcomes = []
        for wandering in actions_of(used, 40, 8):
            to_the_goal = np.clip(3.0 * worlds[0].observations[:, :2], -1, 1)
            for world in worlds:
                world.step(to_the_goal if id.startswith("SAP") else wandering)
            outcomes.append([snapshot(world) for world in worlds])
        return outcomes

    for name, physics_parameter in used.physics_parameters.items():
        used.set_physics_parameter(name, rows, np.full(8, physics_parameter.neutral + 0.5))
    play(used)
    used.reset(rows, 3 + rows, np.zeros(8, np.int64))
    assert_same_bytes(snapshot(used), snapshot(fresh))
    for world in (used, fresh):
        world.set_physics_parameter(list(world.physics_parameters)[1], rows, np.full(8, 0.2))
    for again, anew in play(used, fresh):
        assert_same_bytes(again, anew)


@every_world
def test_without_a_seed_the_next_episodes_of_the_seed_follow(id):
    def three_starts(env):
        return [env.reset(seed=6)[0].tobytes(), env.reset()[0].tobytes(), env.reset()[0].tobytes()]

    single = make_single(id)
    starts = three_starts(single)
    assert single.episode == 2
    assert len(set(starts)) == 3
    assert three_starts(make_single(id)) == starts
    assert three_starts(single) == starts

    vector = make_vector(id, 2)
    assert three_starts(vector) == three_starts(make_vector(id, 2))
    assert vector.episodes.tolist() == [2, 2]
    third = vector.reset(seed=[6, 6]), vector.reset(), vector.reset()
    assert third[2][0][0].tobytes() == starts[2]


@every_world
def test_the_first_reset_without_a_seed_draws_one(id):
    for make in (make_single, lambda id: make_vector(id, 2)):
        first, second = make(id).reset()[0], make(id).reset()[0]
        assert first.tobytes() != second.tobytes()


@every_world
def test_a_reset_mask_restarts_only_its_rows(id):
    masked, plain = make_vector(id, 3), make_vector(id, 3)
    masked.reset(seed=20)
    plain.reset(seed=20)
    steps = actions_of(masked.world, 6, 3)
    for actions in steps[:3]:
        before = masked.step(actions)[0]
        plain.step(actions)
    mask = np.array([False, True, False])
    observations, infos = masked.reset(seed=70, options={"reset_mask": mask})
    assert infos["_success"].tolist() == mask.tolist()
    assert masked.elapsed.tolist() == [3, 0, 3]
    assert observations[1].tobytes() == make_single(id).reset(seed=71)[0].tobytes()
    assert observations[[0, 2]].tobytes() == before[[0, 2]].tobytes()
    for actions in steps[3:]:
        after, expected = masked.step(actions)[0], plain.step(actions)[0]
    assert after[[0, 2]].tobytes() == expected[[0, 2]].tobytes()
    assert after[1].tobytes() != expected[1].tobytes()


@pytest.mark.parametrize("mask", [[True], [1, 0], np.zeros(2, np.bool_), np.ones((2, 1), np.bool_)], ids=repr)
def test_a_mask_that_fits_no_row_is_an_error(mask):
    vector = make_vector("SAP-Goal0-v0", 2)
    vector.reset(seed=0)
    with pytest.raises(InvalidParameter, match="reset_mask must be 2 booleans"):
        vector.reset(options={"reset_mask": mask})


@every_world
def test_stepping_before_the_first_reset_is_an_error(id):
    for env in (make_single(id), make_vector(id, 2)):
        with pytest.raises(InvalidState, match="before the first reset"):
            env.step(env.action_space.sample())


@pytest.mark.parametrize("mask", [[True, False], [False, True]], ids=str)
def test_stepping_with_a_row_that_was_never_reset_is_an_error(mask):
    vector = make_vector("SAP-Goal0-v0", 2)
    vector.reset(seed=0, options={"reset_mask": np.array(mask)})
    with pytest.raises(InvalidState, match="before the first reset"):
        vector.step(np.zeros((2, 2)))


def bad_actions(shape):
    spoiled = np.zeros(shape)
    spoiled.flat[-1] = np.nan
    endless = np.zeros(shape)
    endless.flat[0] = -np.inf
    return {
        "too long": (np.zeros((*shape[:-1], shape[-1] + 1)), "has shape"),
        "too deep": (np.zeros((1, *shape)), "has shape"),
        "scalar": (0.5, "has shape"),
        "nan": (spoiled, "nan at index"),
        "infinite": (endless, "inf at index"),
        "string": ("left", "not numeric"),
        "strings": (np.full(shape, "left"), "not numeric"),
        "none": (None, "action"),
        "dict": ({"thrust": 1.0}, "not numeric"),
    }


@every_world
@pytest.mark.parametrize("kind", bad_actions((1,)))
@pytest.mark.parametrize("face", ["single", "vector"])
def test_a_bad_action_is_a_named_error_and_moves_nothing(id, kind, face):
    env = make_single(id) if face == "single" else make_vector(id, 2)
    action, message = bad_actions(env.action_space.shape)[kind]
    good = env.action_space.low * 0.3  # type: ignore[attr-defined]
    env.reset(seed=4)
    env.step(good)
    before, ticks = snapshot(env.world), env.world._ticks.tolist()  # type: ignore[attr-defined]
    with pytest.raises(InvalidAction, match=message):
        env.step(action)
    assert_same_bytes(snapshot(env.world), before)
    assert env.world._ticks.tolist() == ticks  # type: ignore[attr-defined]

    undisturbed = make_single(id) if face == "single" else make_vector(id, 2)
    undisturbed.reset(seed=4)
    undisturbed.step(good)
    assert np.array(env.step(good)[0]).tobytes() == np.array(undisturbed.step(good)[0]).tobytes()


@pytest.mark.parametrize("face", ["single", "vector"])
def test_numbers_written_as_strings_are_no_action(face):
    env = make_single("SAP-Goal0-v0") if face == "single" else make_vector("SAP-Goal0-v0", 2)
    env.reset(seed=4)
    with pytest.raises(InvalidAction, match="not numeric"):
        env.step(np.full(env.action_space.shape, "0.5"))


@every_world
def test_an_action_beyond_the_limits_is_let_through_and_cut_by_motors_that_have_limits(id):
    within, beyond = make_single(id), make_single(id)
    within.reset(seed=0)
    beyond.reset(seed=0)
    same = within.step(within.action_space.high)[0].tobytes() == beyond.step(2 * beyond.action_space.high)[0].tobytes()  # type: ignore[attr-defined]
    assert same == id.startswith("MJC")


BAD_SEEDS = [-1, MAX_SEED + 1, True, 1.5, "seed"]


@pytest.mark.parametrize("seed", BAD_SEEDS, ids=repr)
@pytest.mark.parametrize("face", ["single", "vector"])
def test_a_bad_seed_is_a_named_error_and_changes_nothing(seed, face):
    env = make_single("SAP-Goal0-v0") if face == "single" else make_vector("SAP-Goal0-v0", 2)
    env.reset(seed=1)
    before = snapshot(env.world)
    with pytest.raises(InvalidParameter):
        env.reset(seed=seed)
    assert_same_bytes(snapshot(env.world), before)


@pytest.mark.parametrize("seed", [[1], [1, 2, 3], [1, -1], [1, "2"]], ids=repr)
def test_a_list_of_bad_seeds_is_a_named_error(seed):
    with pytest.raises(InvalidParameter, match="seed"):
        make_vector("SAP-Goal0-v0", 2).reset(seed=seed)


def test_rows_whose_seed_would_pass_the_largest_are_an_error():
    make_vector("SAP-Goal0-v0", 2).reset(seed=MAX_SEED - 1)
    with pytest.raises(InvalidParameter, match="seed"):
        make_vector("SAP-Goal0-v0", 2).reset(seed=MAX_SEED)


@pytest.mark.parametrize("rows", [0, -1, True, 1.0, "2", None], ids=repr)
def test_a_world_has_a_positive_number_of_rows(rows):
    with pytest.raises(InvalidParameter, match="positive integer"):
        make_world("SAP-Goal0-v0", rows)


def test_an_unknown_world_names_the_nearest_one():
    with pytest.raises(UnknownName, match="Did you mean 'MJC-HalfCheetah-v0'"):
        make_world("HalfCheetah", 1)


@pytest.mark.parametrize("threads", [0, -1, True, 1.5, "2"], ids=repr)
def test_threads_are_a_positive_number_or_none(threads):
    with pytest.raises(InvalidParameter, match="threads"):
        make_world("MJC-HalfCheetah-v0", 2, threads=threads)


@every_world
def test_the_time_limit_truncates_and_is_the_cards_unless_given(id):
    assert make_vector(id, 1).max_episode_steps == (50 if id.startswith("SAP") else 200)
    vector = make_vector(id, 2, max_episode_steps=4)
    vector.reset(seed=0)
    idle = np.zeros(vector.action_space.shape)
    cut = [vector.step(idle)[3].tolist() for _ in range(8)]
    assert cut == [[False, False]] * 3 + [[True, True]] + [[False, False]] * 3 + [[True, True]]


@every_world
def test_gymnasium_makes_a_world_with_its_time_limit(id):
    env = gymnasium.make(f"offnominal/{id}")
    assert env.spec.max_episode_steps == env.unwrapped.card.max_steps  # type: ignore[attr-defined]
    observation, _ = env.reset(seed=5)
    assert observation.tobytes() == make_single(id).reset(seed=5)[0].tobytes()
    idle = np.zeros(env.action_space.shape, np.float32)
    for step in range(1, env.spec.max_episode_steps + 1):
        *_, terminated, truncated, _ = env.step(idle)
        assert not terminated
        assert truncated == (step == env.spec.max_episode_steps)


@every_world
def test_gymnasium_makes_a_native_vector_world(id):
    vector = gymnasium.make_vec(f"offnominal/{id}", num_envs=3)
    assert repr(vector) == f"WorldVectorEnv({id}, num_envs=3)"
    assert vector.max_episode_steps == vector.world.card.max_steps  # type: ignore[attr-defined]
    assert vector.metadata["autoreset_mode"] == gymnasium.vector.AutoresetMode.SAME_STEP
    theirs = gymnasium.make_vec(f"offnominal/{id}", num_envs=3, vectorization_mode="sync")
    assert vector.reset(seed=5)[0].tobytes() == theirs.reset(seed=5)[0].tobytes()
    actions = actions_of(vector.world, 1, 3)[0]  # type: ignore[attr-defined]
    for ours, other in zip(vector.step(actions)[:4], theirs.step(actions)[:4], strict=True):
        assert ours.tobytes() == other.tobytes()


@every_world
def test_gymnasium_finds_nothing_wrong(id):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*Box observation space m.*imum value is -?infinity")
        if id == "MJC-CartpoleSwingup-v0":
            warnings.filterwarnings("ignore", message=".*we recommend using a symmetric and normalized space")
        check_env(gymnasium.make(f"offnominal/{id}").unwrapped, skip_render_check=True)


def diverge(world, row):
    """Spoil the state of a row so that its next step cannot be finite."""
    position = world._state.position if world.card.id.startswith("SAP") else world._qpos
    position[row] = np.nan


@every_world
def test_a_simulation_that_diverges_names_its_seed_and_step_and_recovers_at_reset(id):
    world = started(id, 3, seed=40)
    idle = np.zeros((3, *world.action_space.shape))
    for _ in range(4):
        world.step(idle)
    diverge(world, 1)
    with pytest.raises(SimulationDiverged, match=rf"{id}: .* in row 1 \(seed 41\) at step 4\b"):
        world.step(idle)
    rows = np.arange(3)
    world.reset(rows, 40 + rows, np.zeros(3, np.int64))
    world.step(idle)
    fresh = started(id, 3, seed=40)
    fresh.step(idle)
    assert_same_bytes(snapshot(world), snapshot(fresh))


@every_physics_world
def test_a_fault_too_strong_for_the_physics_is_named_with_the_error(id):
    world = started(id, 2, seed=40)
    world.set_physics_parameter("force", np.array([1]), np.array([1e300]))
    with pytest.raises(SimulationDiverged, match=r"seed 41\) at step 0, with .*'force': 1e\+300"):
        world.step(np.zeros((2, *world.action_space.shape)))


@every_world
def test_divergence_comes_through_both_faces(id):
    for env in (make_single(id), make_vector(id, 1)):
        env.reset(seed=33)
        diverge(env.world, 0)
        with pytest.raises(SimulationDiverged, match=r"seed 33\) at step 0"):
            env.step(np.zeros(env.action_space.shape))


@every_world
def test_rows_that_are_not_stepped_stay_as_they_are(id):
    partly, fully, later = (started(id, 4, seed=9) for _ in range(3))
    first, second = actions_of(partly, 2, 4)
    idle, moving = np.array([1, 3]), np.array([0, 2])
    before = snapshot(partly)
    partly.step(first, rows=moving)
    fully.step(first)
    assert partly._ticks.tolist() == [1, 0, 1, 0]
    for name in ARRAYS:
        assert getattr(partly, name)[idle].tobytes() == before[name][idle].tobytes()
        assert getattr(partly, name)[moving].tobytes() == getattr(fully, name)[moving].tobytes()
    partly.step(second)
    fully.step(second)
    later.step(second)
    for name in ARRAYS:
        assert getattr(partly, name)[moving].tobytes() == getattr(fully, name)[moving].tobytes()
        assert getattr(partly, name)[idle].tobytes() == getattr(later, name)[idle].tobytes()


@pytest.mark.parametrize("id", [id for id in PHYSICS if has_threads(id)])
def test_the_number_of_threads_changes_no_byte(id):
    one, two = started(id, 17, threads=1), started(id, 17, threads=2)
    half = np.arange(0, 17, 2)
    for step, actions in enumerate(actions_of(one, 60, 17)):
        for world in (one, two):
            if step == 20:
                world.set_physics_parameter("mass", half, np.full(half.size, 1.4))
            if step == 40:
                world.reset(half, half, np.ones(half.size, np.int64))
            world.step(actions)
        assert_same_bytes(snapshot(one), snapshot(two))


@every_world
def test_a_reset_brings_every_parameter_back_to_its_exact_value(id):
    world = started(id, 3)
    nominal = world.current_physics(1)
    actions = actions_of(world, 2, 3)
    for name, physics_parameter in world.physics_parameters.items():
        world.set_physics_parameter(name, np.arange(3), np.array([0.9, 1.3, 2.7]) + physics_parameter.neutral)
    turned = world.current_physics(1)
    assert any(not np.array_equal(turned[name], nominal[name]) for name in nominal)
    for each in actions:
        world.step(each)
    world.reset(np.array([1]), np.array([5]), np.array([2]))
    assert_same_bytes(world.current_physics(1), nominal)
    assert any(not np.array_equal(world.current_physics(2)[name], nominal[name]) for name in nominal)


@pytest.mark.parametrize("id", ["MJC-HalfCheetah-v0", "MJC-Reacher3D-v0"])
def test_a_mass_scales_inertia_and_all_that_derives_from_it(id):
    world = started(id, 2)
    world.set_physics_parameter("mass", np.array([1]), np.array([2.5]))
    model = load_model(world.model_file)
    nominal = {name: getattr(model, name).copy() for name in ("body_mass", "body_inertia")}
    model.body_mass[:] = 2.5 * nominal["body_mass"]
    model.body_inertia[:] = 2.5 * nominal["body_inertia"]
    mujoco.mj_setConst(model, mujoco.MjData(model))
    heavy = world.current_physics(1)
    for name in ("body_mass", "body_inertia", "body_subtreemass", "body_invweight0", "dof_invweight0", "dof_M0"):
        np.testing.assert_allclose(heavy[name], getattr(model, name), rtol=1e-12)
        assert not np.array_equal(heavy[name], world.current_physics(0)[name])


@every_world
def test_each_physics_parameter_changes_what_happens_in_its_row_and_no_other(id):
    for name, physics_parameter in make_world(id, 1).physics_parameters.items():
        turned, nominal = started(id, 2), started(id, 2)
        turned.set_physics_parameter(name, np.array([1]), np.array([physics_parameter.neutral + 1.5]))
        for actions in actions_of(turned, 3, 2):
            turned.step(actions)
            nominal.step(actions)
        ours, theirs = (world._state.position if id.startswith("SAP") else world._qpos for world in (turned, nominal))
        assert ours[0].tobytes() == theirs[0].tobytes(), name
        assert ours[1].tobytes() != theirs[1].tobytes(), name


def test_an_unknown_physics_parameter_names_the_nearest_one():
    with pytest.raises(UnknownName, match=r"has no physics parameter 'fricton'\. Did you mean 'friction'"):
        make_world("MJC-Reacher3D-v0", 1).set_physics_parameter("fricton", np.array([0]), np.array([1.0]))


@every_world
def test_an_unknown_render_mode_is_an_error(id):
    with pytest.raises(InvalidParameter, match="render_mode 'ansi' is not offered"):
        make_single(id, render_mode="ansi")
    with pytest.raises(InvalidParameter, match="render_mode 'human' is not offered"):
        make_vector(id, 1, render_mode="human")


@every_world
def test_without_a_render_mode_nothing_is_drawn(id):
    for env in (make_single(id), make_vector(id, 1)):
        env.reset(seed=0)
        assert env.render() is None
