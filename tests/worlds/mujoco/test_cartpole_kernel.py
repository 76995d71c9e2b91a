"""The compiled cartpole moves as MuJoCo moves its model."""

import itertools
import math
import subprocess
import sys

import mujoco
import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter, SimulationDiverged
from offnominal.core.streams import Stream
from offnominal.worlds.mujoco import cartpole_kernel as kernel
from offnominal.worlds.mujoco.cartpole import CartpoleSwingup
from offnominal.worlds.mujoco.world import load_model

pytestmark = pytest.mark.long

NEUTRAL = (1.0, 0.0, 0.0)
ROWS = 500
CLOSE = {"rtol": 1e-12, "atol": 1e-12}
POLE = 2


class Oracle:
    """The model in MuJoCo, with a solver that goes on until nothing improves unless told to stop where it does."""

    def __init__(self, *, as_shipped=False):
        self.model, self.nominal = load_model(CartpoleSwingup.model_file), load_model(CartpoleSwingup.model_file)
        if not as_shipped:
            self.model.opt.tolerance, self.model.opt.iterations = 0.0, 20
        self.data = mujoco.MjData(self.model)

    def set(self, state, action, physics_parameters):
        mass, force, friction = physics_parameters
        self.model.body_mass[:] = self.nominal.body_mass * mass
        self.model.body_inertia[:] = self.nominal.body_inertia * mass
        self.model.dof_frictionloss[:] = friction
        mujoco.mj_setConst(self.model, self.data)
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:], self.data.qvel[:] = state[:2], state[2:]
        self.data.ctrl[:] = action
        self.data.xfrc_applied[POLE, 0] = -force

    def step(self, state, action, physics_parameters):
        self.set(state, action, physics_parameters)
        mujoco.mj_step(self.model, self.data, nstep=kernel.FRAME_SKIP)
        return np.concatenate([self.data.qpos, self.data.qvel])

    def steps(self, states, actions, physics_parameters):
        return np.array([self.step(*given) for given in zip(states, actions, physics_parameters, strict=True)])


def advanced(states, actions, physics_parameters):
    world = CartpoleSwingup(len(states))
    world._qpos[:], world._qvel[:], world._physics_parameters[:] = states[:, :2], states[:, 2:], physics_parameters
    world.step(actions)
    return np.hstack([world._qpos, world._qvel])


def started(rows, seed=0, **options):
    world = CartpoleSwingup(rows, **options)
    world.reset(np.arange(rows), seed + np.arange(rows), np.zeros(rows, np.int64))
    return world


def around(magnitude, spread, random, rows):
    return random.choice([-1.0, 1.0], rows) * (magnitude + random.uniform(-spread, spread, rows))


def knobs_of(random, rows, mass, force, friction):
    return np.stack([random.uniform(*bounds, rows) for bounds in (mass, force, friction)], axis=1)


PLACES = {
    "on the rail": lambda random, rows: random.uniform(-2.4, 2.4, rows),
    "into the ends": lambda random, rows: around(2.5, 0.1, random, rows),
    "where the ends begin": lambda random, rows: around(2.5005, 0.001, random, rows),
    "touching the ends": lambda random, rows: around(2.50002, 0.00002, random, rows),
}
SPEEDS = {"fast": (10.0, 15.0, 3.5), "slow": (0.1, 0.3, 0.1), "almost still": (1e-4, 1e-3, 0.06)}
KNOBS = {
    "nominal": ((1, 1), (0, 0), (0, 0)),
    "mass": ((0.5, 4), (0, 0), (0, 0)),
    "force": ((1, 1), (-30, 30), (0, 0)),
    "friction": ((1, 1), (0, 0), (0, 5)),
    "everything": ((0.5, 4), (-30, 30), (0, 5)),
}


def scattered(place, speed, physics_parameters, rows=ROWS):
    """Return random states, actions and physics parameter settings; actions go beyond the motor's limits."""
    random = np.random.default_rng(sum(map(ord, place + speed + physics_parameters)))
    v, w, u = SPEEDS[speed]
    states = np.stack(
        [
            PLACES[place](random, rows),
            random.uniform(-8.0, 8.0, rows),
            random.uniform(-v, v, rows),
            random.uniform(-w, w, rows),
        ],
        axis=1,
    )
    return states, random.uniform(-u, u, (rows, 1)), knobs_of(random, rows, *KNOBS[physics_parameters])


def test_the_constants_are_those_of_the_compiled_model():
    model = load_model(CartpoleSwingup.model_file)
    joints, dofs, pole = range(2), range(2), model.body("pole").id
    assert (model.opt.timestep, -model.opt.gravity[2]) == (kernel.TIMESTEP, kernel.GRAVITY)
    assert model.opt.gravity[:2].tolist() == [0.0, 0.0]
    assert model.opt.integrator == mujoco.mjtIntegrator.mjINT_RK4
    assert model.opt.solver == mujoco.mjtSolver.mjSOL_NEWTON
    assert model.actuator_gear.tolist() == [[kernel.GEAR, 0, 0, 0, 0, 0]]
    assert model.actuator_ctrlrange.tolist() == [[-kernel.MAX_ACTION, kernel.MAX_ACTION]]
    assert model.dof_damping.tolist() == [kernel.JOINT_DAMPING] * 2
    assert model.jnt_range[0].tolist() == [-kernel.RAIL_END, kernel.RAIL_END]
    assert model.jnt_limited.tolist() == [1, 0]
    assert pole == POLE
    assert model.body_mass.tolist() == [0.0, kernel.CART_MASS, kernel.POLE_MASS]
    assert model.body_inertia[pole, 1] == kernel.POLE_INERTIA
    assert model.body_iquat[pole, [1, 3]].tolist() == [0.0, 0.0], "the hinge's axis is not a principal one"
    assert model.body_ipos[pole].tolist() == [kernel.POLE_CENTRE_X, 0.0, kernel.POLE_CENTRE_Z]
    assert pytest.approx(model.dof_M0, rel=1e-15) == [kernel.TOTAL_MASS, kernel.HINGE_INERTIA]
    assert model.dof_invweight0.tolist() == [kernel.SLIDER_INVERSE_WEIGHT, kernel.HINGE_INVERSE_WEIGHT]
    for solref in (model.jnt_solref[0], *(model.dof_solref[dof] for dof in dofs)):
        assert solref.tolist() == [kernel.TIME_CONSTANT / 2, 1.0]
        assert max(solref[0], 2 * model.opt.timestep) == kernel.TIME_CONSTANT
    for solimp in (model.jnt_solimp[0], *(model.dof_solimp[dof] for dof in dofs)):
        expected = [kernel.IMPEDANCE_MIN, kernel.IMPEDANCE_MAX, kernel.IMPEDANCE_WIDTH, 0.5, 2.0]
        assert solimp.tolist() == expected
    assert [model.jnt_margin[joint] for joint in joints] == [0.0, 0.0]
    assert mujoco.mjMAXVAL == kernel.MAX_VALUE
    assert pytest.approx(2 * model.body_ipos[pole, 2]) == -kernel.POLE_LENGTH


def test_the_model_has_nothing_that_the_kernel_leaves_out():
    model = load_model(CartpoleSwingup.model_file)
    assert (model.nq, model.nv, model.nu, model.na, model.nbody) == (2, 2, 1, 0, 3)
    assert (model.neq, model.ntendon, model.nsensor, model.nplugin) == (0, 0, 0, 0)
    assert not model.dof_armature.any()
    assert not model.jnt_stiffness.any()
    assert not model.dof_frictionloss.any()
    assert model.opt.density == model.opt.viscosity == 0.0
    assert model.opt.disableflags & ~int(mujoco.mjtDisableBit.mjDSBL_CONTACT) == 0
    assert (model.geom_contype == 0).all()


@pytest.mark.parametrize("mass", [1e-3, 0.5, 3.0])
def test_constraints_soften_as_the_mass_falls(mass):
    oracle = Oracle()
    oracle.set(np.zeros(4), 0.0, (mass, 0.0, 0.0))
    expected = np.array([kernel.SLIDER_INVERSE_WEIGHT, kernel.HINGE_INVERSE_WEIGHT]) / mass
    np.testing.assert_allclose(oracle.model.dof_invweight0, expected, rtol=1e-13)


def branches(forces, friction):
    """Return which way each joint slips, or 0 if it sticks, and whether the end it is in pushes, or None if in none."""
    slider, hinge = (int(np.sign(force)) if abs(force) >= friction * (1 - 1e-12) else 0 for force in forces[:2])
    return slider, hinge, bool(forces[2] > 0) if len(forces) > 2 else None


def test_accelerations_are_mujocos_on_every_branch_of_every_constraint():
    oracle, seen = Oracle(), set()
    for scene in itertools.product(PLACES, SPEEDS, ("friction", "everything")):
        for state, action, physics_parameters in zip(*scattered(*scene, 500), strict=True):
            oracle.set(state, action, physics_parameters)
            mujoco.mj_forward(oracle.model, oracle.data)
            drive = kernel.GEAR * np.clip(action[0], -3.0, 3.0)
            ours = kernel._accelerations(  # type: ignore[call-arg]
                *state, drive, -physics_parameters[1], physics_parameters[0], physics_parameters[2]
            )
            np.testing.assert_allclose(ours, oracle.data.qacc, rtol=1e-11, atol=1e-11)
            seen.add(branches(oracle.data.efc_force, physics_parameters[2]))
    assert seen == set(itertools.product((-1, 0, 1), (-1, 0, 1), (None, False, True)))


@pytest.mark.parametrize("x", [s * np.nextafter(2.5, to) for s in (-1, 1) for to in (0, 2.5, 3)], ids=float.hex)
def test_the_rail_ends_where_mujocos_does(x):
    oracle, state = Oracle(), np.array([x, 0.3, 2 * np.sign(x), 0.0])
    oracle.set(state, 0.0, NEUTRAL)
    mujoco.mj_forward(oracle.model, oracle.data)
    assert kernel._accelerations(*state, 0.0, 0.0, 1.0, 0.0) == pytest.approx(oracle.data.qacc, rel=1e-12)  # type: ignore[call-arg]


@pytest.mark.parametrize("physics_parameters", KNOBS)
@pytest.mark.parametrize("speed", SPEEDS)
@pytest.mark.parametrize("place", PLACES)
def test_a_step_is_mujocos(place, speed, physics_parameters):
    given = scattered(place, speed, physics_parameters)
    np.testing.assert_allclose(advanced(*given), Oracle().steps(*given), **CLOSE)


@pytest.mark.parametrize("factor", [1e-1, 30.0])
def test_a_step_is_mujocos_at_extreme_masses(factor):
    states, actions, physics_parameters = scattered("into the ends", "fast", "everything", 300)
    physics_parameters[:, 0] = factor
    states[:, 2:] *= 0.3
    np.testing.assert_allclose(
        advanced(states, actions, physics_parameters),
        Oracle().steps(states, actions, physics_parameters),
        rtol=1e-10,
        atol=1e-10,
    )


def test_mujocos_own_solver_stops_short_of_the_solution_by_no_more_than_its_tolerance():
    given = scattered("where the ends begin", "slow", "everything")
    error = np.abs(advanced(*given) - Oracle(as_shipped=True).steps(*given))
    assert (error < 1e-10).all(axis=1).mean() > 0.8
    assert 1e-8 < error.max() < 3e-5


def swing_up(states, step):
    """Pump the pole's energy up to that of standing, then balance it."""
    x, angle, v, w = states.T
    lean = angle % (2 * math.pi) - math.pi
    energy = 0.32 * w**2 - 14.77 * (np.cos(angle) + 1)
    pump = -1.6 * np.clip(energy / 3, -1, 1) * np.sign(w * np.cos(angle)) - x - 0.1 * v
    balance = 1.03 * x + 6.76 * lean + 1.09 * v + 1.13 * w
    return np.where(np.abs(lean) < 1.1, balance, pump)[:, None]


def at_random(states, step):
    """Jerk the cart about, whatever the state."""
    return np.random.default_rng(step).uniform(-3, 3, (len(states), 1))


def episodes(policy, rows, fault, steps=200):
    """Return how far world and oracle are apart after each step, each under its own policy, and the world."""
    world, oracle = started(rows), Oracle()
    for name, value in fault.items():
        world.set_physics_parameter(name, np.arange(rows), np.full(rows, value))
    theirs, apart = np.hstack([world._qpos, world._qvel]), []
    for step in range(steps):
        ours = np.hstack([world._qpos, world._qvel])
        world.step(policy(ours, step))
        theirs = oracle.steps(theirs, policy(theirs, step), world._physics_parameters)
        apart.append(np.abs(np.hstack([world._qpos, world._qvel]) - theirs).max(axis=1))
    return np.array(apart), world


FAULTS = {"nominal": {}, "mass": {"mass": 1.7}, "force": {"force": 12.0}, "friction": {"friction": 2.0}}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
@pytest.mark.parametrize("policy", [swing_up, at_random])
def test_whole_episodes_are_mujocos(policy, fault):
    apart, _ = episodes(policy, 8, fault)
    assert apart[:50].max() < 1e-9
    assert (apart.max(axis=0) < 1e-6).mean() > 0.7


def test_the_swing_up_policy_swings_up():
    _, world = episodes(swing_up, 4, {})
    assert world.success.all()


def test_the_force_pushes_the_pole_against_x():
    pushed = advanced(np.zeros((1, 4)), np.zeros((1, 1)), [(1.0, 30.0, 0.0)])[0]
    assert pushed[0] < 0.0
    assert -kernel.POLE_LENGTH * math.sin(pushed[1]) < 0.0


def test_dry_friction_holds_the_pole_still():
    state = np.array([[0.0, 0.2, 0.0, 0.0]])
    held, free = (advanced(state, np.zeros((1, 1)), [(1.0, 0.0, friction)])[0] for friction in (5.0, 0.0))
    assert abs(held[3]) < 0.05 * abs(free[3])


def test_an_episode_starts_with_a_tenth_of_normal_numbers_of_its_reset_stream():
    world = CartpoleSwingup(3)
    world.reset(np.array([2, 0]), np.array([5, 9]), np.array([0, 4]))
    for row, seed, episode in ((2, 5, 0), (0, 9, 4)):
        noise = 0.1 * Stream.named(seed, episode, "reset").normal(4)
        assert [*world._qpos[row], *world._qvel[row]] == noise.tolist()
        assert world.observations[row].tolist() == noise.astype(np.float32).tolist()
    assert not world._qpos[1].any()


@pytest.mark.parametrize("control_cost", ["executed", "requested"])
def test_reward_and_outcomes_follow_from_the_state_and_the_action(control_cost):
    random, rows = np.random.default_rng(0), 2_000
    world = started(rows, control_cost=control_cost)
    world._qpos[:] = np.stack([random.uniform(-2.6, 2.6, rows), random.uniform(-7, 7, rows)], axis=1)
    world._qpos[::2] = np.stack([random.normal(0, 0.02, rows // 2), math.pi + random.normal(0, 0.03, rows // 2)], 1)
    actions = random.uniform(-5, 5, (rows, 1))
    world.step(actions)
    x, angle = world._qpos.T
    charged = np.clip(actions[:, 0], -3, 3) if control_cost == "executed" else actions[:, 0]
    away = np.hypot(x - 0.6 * np.sin(angle), 0.6 * np.cos(angle) + 0.6)
    np.testing.assert_allclose(world.rewards, np.exp(-((away / 0.6) ** 2)) - 0.01 * charged**2, rtol=0, atol=1e-14)
    assert world.success.tolist() == (away < 0.025).tolist()
    assert world.critical.tolist() == (np.abs(x) >= 2.5).tolist()
    assert world.cost.tolist() == world.critical.astype(float).tolist()
    assert not world.terminated.any()
    assert 0 < world.success.sum() < rows
    assert 0 < world.critical.sum() < rows
    assert (world.observations == np.hstack([world._qpos, world._qvel]).astype(np.float32)).all()


def test_actions_beyond_the_limits_are_executed_at_them():
    state, neutral = np.array([[0.1, 0.2, 0.3, 0.4]]), np.array([NEUTRAL])
    beyond, at = (advanced(state, np.array([[action]]), neutral) for action in (1e9, 3.0))
    assert beyond.tobytes() == at.tobytes()
    assert CartpoleSwingup(1).executed(np.array([[-7.0]])).tolist() == [[-3.0]]


def test_a_row_does_not_depend_on_its_place_or_on_its_neighbours():
    states, actions, physics_parameters = scattered("into the ends", "fast", "everything", 64)
    order = np.random.default_rng(0).permutation(64)
    together, shuffled = (
        advanced(states, actions, physics_parameters),
        advanced(states[order], actions[order], physics_parameters[order]),
    )
    assert together[order].tobytes() == shuffled.tobytes()
    for row in range(0, 64, 7):
        alone = advanced(states[[row]], actions[[row]], physics_parameters[[row]])
        assert alone.tobytes() == together[[row]].tobytes()


def spoiled(world, row, how):
    actions = np.zeros((world.n, 1))
    if how == "a position beyond all bounds":
        world._qpos[row, 1] = 2e10
    elif how == "a velocity that is not a number":
        world._qvel[row, 0] = np.nan
    elif how == "an acceleration beyond all bounds":
        world.set_physics_parameter("force", np.array([row]), np.array([1e12]))
    else:
        actions[row] = np.nan
    return actions


@pytest.mark.parametrize(
    "how",
    [
        "a position beyond all bounds",
        "a velocity that is not a number",
        "an acceleration beyond all bounds",
        "an action that is not a number",
    ],
)
def test_what_mujoco_calls_diverged_is_reported_and_stops_no_other_row(how):
    world, healthy = started(3, seed=40), started(3, seed=40)
    for each in (world, healthy):
        each.step(np.ones((3, 1)))
    with pytest.raises(SimulationDiverged, match=r"in row 1 \(seed 41\) at step 1, with .*'friction': 0.0"):
        world.step(spoiled(world, 1, how))
    healthy.step(np.zeros((3, 1)))
    assert world.observations[[0, 2]].tobytes() == healthy.observations[[0, 2]].tobytes()
    assert world._ticks.tolist() == [2, 1, 2]


@pytest.mark.parametrize(("speed", "good"), [(2e8, True), (2.5e8, False)])
def test_an_acceleration_beyond_mujocos_bound_is_bad_whatever_comes_of_it(speed, good, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # MuJoCo writes a log file where it runs.
    # A pole that its cart cannot turn, so that the brake at the rail's end is all that happens.
    state = np.array([2.6, math.atan2(-0.3, 0.0005), speed, 0.0])
    oracle = Oracle()
    oracle.set(state, 0.0, NEUTRAL)
    mujoco.mj_step(oracle.model, oracle.data)
    assert oracle.data.warning[int(mujoco.mjtWarning.mjWARN_BADQACC)].number == (not good)
    *after, verdict = kernel._substep(*state, 0.0, 0.0, 1.0, 0.0)  # type: ignore[call-arg]
    assert verdict == good
    assert np.abs(after).max() < kernel.MAX_VALUE


@pytest.mark.parametrize(("force", "last"), [(3e4, None), (1e5, 3), (3.2e5, 1), (1e7, 0)])
def test_mujoco_diverges_at_the_same_step(force, last, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # MuJoCo writes a log file where it runs.
    world, oracle = started(1), Oracle()
    world.set_physics_parameter("force", np.arange(1), np.array([force]))
    oracle.set(np.concatenate([world._qpos[0], world._qvel[0]]), 0.0, (1.0, force, 0.0))
    fatal = [getattr(mujoco.mjtWarning, f"mjWARN_BAD{what}") for what in ("QPOS", "QVEL", "QACC")]
    for step in range(6):
        mujoco.mj_step(oracle.model, oracle.data, nstep=kernel.FRAME_SKIP)
        assert any(oracle.data.warning[int(kind)].number for kind in fatal) == (step == last)
        if step == last:
            with pytest.raises(SimulationDiverged, match=f"at step {step}"):
                world.step(np.zeros((1, 1)))
            return
        world.step(np.zeros((1, 1)))


def test_options_are_checked():
    with pytest.raises(InvalidParameter, match="choose 'executed' or 'requested'"):
        CartpoleSwingup(1, control_cost="free")


def test_neither_physics_nor_image_needs_mujoco():
    code = (
        "import sys, numpy as np; from offnominal.worlds.mujoco.cartpole import CartpoleSwingup as C; w = C(1); "
        "w.reset(np.arange(1), np.arange(1), np.arange(1)); w.step(np.ones((1, 1))); w.frames(); "
        "print('mujoco' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


PINNED = {
    "nominal": [
        "-0x1.9cfcb61f5ae2bp+0",
        "-0x1.9f83bf71f6c9cp+3",
        "0x1.36210cd359c9ep+2",
        "0x1.2cc49e083716fp+3",
        "-0x1.7010b06fcc90cp-4",
    ],
    "mass": [
        "0x1.405e65a6fada9p+1",
        "-0x1.b6e30e88c795dp+2",
        "-0x1.07431914e795ap-5",
        "0x1.2f72e2ad75df1p+1",
        "-0x1.70a3d709b9203p-4",
    ],
    "force": [
        "-0x1.5e8f005ca36c8p+0",
        "-0x1.567405f9484b9p+3",
        "0x1.7d58b2808f45ap+2",
        "0x1.b56cd6d0435c0p+2",
        "-0x1.70924bd6b3221p-4",
    ],
    "friction": [
        "-0x1.bc68963d13638p-2",
        "0x1.b7198d2db26c9p+3",
        "0x1.1fea0e6c73733p+2",
        "0x1.9d1b439226b43p+2",
        "-0x1.499fb5673f7b0p-4",
    ],
}


@pytest.mark.parametrize("fault", PINNED)
def test_the_bits_are_the_same_on_every_cpu(fault):
    world = started(1, seed=11)
    for name, value in FAULTS[fault].items():
        world.set_physics_parameter(name, np.arange(1), np.array([value]))
    for step in range(100):
        world.step(np.array([[3.0 * math.copysign(1.0, step % 20 - 9.5)]]))
    assert [value.hex() for value in (*world._qpos[0], *world._qvel[0], world.rewards[0])] == PINNED[fault]
