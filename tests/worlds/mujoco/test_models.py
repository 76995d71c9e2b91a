"""The compiled MJCF models hold the physics published with PETS and Anomaly-Gym."""

from collections.abc import Sequence
from importlib.resources import as_file, files

import mujoco
import numpy as np
import numpy.typing as npt
import pytest

pytestmark = pytest.mark.long

FloatArray = npt.NDArray[np.float64]

NAMES = ("cartpole_swingup", "reacher3d", "half_cheetah")
FRAME_SKIP = {"cartpole_swingup": 2, "reacher3d": 2, "half_cheetah": 5}
JOINTS = {
    "cartpole_swingup": ("slider", "hinge"),
    "reacher3d": (
        "r_shoulder_pan_joint",
        "r_shoulder_lift_joint",
        "r_upper_arm_roll_joint",
        "r_elbow_flex_joint",
        "r_forearm_roll_joint",
        "r_wrist_flex_joint",
        "r_wrist_roll_joint",
        "target_x",
        "target_y",
        "target_z",
    ),
    "half_cheetah": ("rootx", "rootz", "rooty", "bthigh", "bshin", "bfoot", "fthigh", "fshin", "ffoot"),
}
ACTUATED = {
    "cartpole_swingup": JOINTS["cartpole_swingup"][:1],
    "reacher3d": JOINTS["reacher3d"][:7],
    "half_cheetah": JOINTS["half_cheetah"][3:],
}
LIMITS = {
    "cartpole_swingup": {"slider": (-2.5, 2.5)},
    "reacher3d": {
        "r_shoulder_pan_joint": (-2.2854, 1.714602),
        "r_shoulder_lift_joint": (-0.5236, 1.3963),
        "r_upper_arm_roll_joint": (-3.9, 0.8),
        "r_elbow_flex_joint": (-2.3213, 0),
        "r_wrist_flex_joint": (-2.094, 0),
    },
    "half_cheetah": {
        "bthigh": (-0.52, 1.05),
        "bshin": (-0.785, 0.785),
        "bfoot": (-0.4, 0.785),
        "fthigh": (-1, 0.7),
        "fshin": (-1.2, 0.87),
        "ffoot": (-0.5, 0.5),
    },
}


def load(name: str) -> mujoco.MjModel:
    with as_file(files("offnominal.worlds.mujoco") / "models" / f"{name}.xml") as path:
        return mujoco.MjModel.from_xml_path(str(path))


def masses(model: mujoco.MjModel, bodies: Sequence[str]) -> list[float]:
    return [float(model.body(body).mass[0]) for body in bodies]


def random_states(model: mujoco.MjModel, n: int) -> FloatArray:
    """Joint positions well inside and outside the limits, one row per state."""
    noise = np.random.default_rng(0).normal(size=(n, model.nq))
    return np.asarray(model.qpos0 + noise, dtype=np.float64)


def contacts_at(model: mujoco.MjModel, qpos: FloatArray) -> list[tuple[int, int]]:
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_forward(model, data)
    return [(int(contact.geom1), int(contact.geom2)) for contact in data.contact]


def trajectory(model: mujoco.MjModel, start: FloatArray, actions: FloatArray) -> FloatArray:
    """Positions and velocities after each action of a half cheetah."""
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = start[: model.nq], start[model.nq :]
    states = []
    for action in actions:
        data.ctrl[:] = action
        mujoco.mj_step(model, data, nstep=FRAME_SKIP["half_cheetah"])
        states.append(np.concatenate([data.qpos, data.qvel]))
    return np.stack(states)


def closed_form_fingertip(theta: FloatArray) -> FloatArray:
    """The end effector as Anomaly-Gym computes it from the seven joint angles."""
    c1, s1, c2, s2 = np.cos(theta[0]), np.sin(theta[0]), np.cos(theta[1]), np.sin(theta[1])
    along = np.array([c2 * c1, c2 * s1, -s2])
    across = np.array([-s1, c1, 0.0])
    tip = np.array([0.1 * c1 + 0.4 * c1 * c2, 0.1 * s1 + 0.4 * s1 * c2 - 0.188, -0.4 * s2])
    for length, flex, roll in ((0.321, theta[3], theta[2]), (0.16828, theta[5], theta[4])):
        third = np.cross(along, across)
        bent = np.cos(flex) * along + np.sin(flex) * (np.sin(roll) * across - np.cos(roll) * third)
        normal = np.cross(bent, along)
        norm = np.linalg.norm(normal)
        across = normal / norm if norm > 1e-30 else across
        along = bent
        tip = tip + length * along
    return np.asarray(tip, dtype=np.float64)


def model_fingertip(model: mujoco.MjModel, theta: FloatArray) -> FloatArray:
    data = mujoco.MjData(model)
    data.qpos[:7] = theta
    mujoco.mj_kinematics(model, data)
    return np.array(data.site("fingertip").xpos)


def random_arm(n: int, elbow: tuple[float, float]) -> FloatArray:
    """Arm angles within the joint limits (free rolls within a turn), the elbow within `elbow`."""
    low = [-2.2854, -0.5236, -3.9, elbow[0], -np.pi, -2.094, -np.pi]
    high = [1.714602, 1.3963, 0.8, elbow[1], np.pi, 0.0, np.pi]
    return np.random.default_rng(0).uniform(low, high, size=(n, 7))


@pytest.mark.parametrize("name", NAMES)
def test_model_loads_without_a_warning(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    load(name)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", NAMES)
def test_model_is_made_of_primitives_without_textures(name: str) -> None:
    model = load(name)
    assert (model.nmesh, model.nhfield, model.ntex, model.nmat, model.nskin, model.nflex) == (0,) * 6


@pytest.mark.parametrize("name", NAMES)
def test_every_part_has_a_name(name: str) -> None:
    model = load(name)
    parts = [
        *(model.body(i).name for i in range(model.nbody)),
        *(model.joint(i).name for i in range(model.njnt)),
        *(model.geom(i).name for i in range(model.ngeom)),
        *(model.actuator(i).name for i in range(model.nu)),
    ]
    assert all(parts)


@pytest.mark.parametrize("name", NAMES)
def test_joints_are_in_observation_order(name: str) -> None:
    model = load(name)
    assert tuple(model.joint(i).name for i in range(model.njnt)) == JOINTS[name]
    assert model.nq == model.nv == len(JOINTS[name])


@pytest.mark.parametrize("name", NAMES)
def test_actuators_drive_joints_in_action_order(name: str) -> None:
    model = load(name)
    assert tuple(model.joint(int(i)).name for i in model.actuator_trnid[:, 0]) == ACTUATED[name]


@pytest.mark.parametrize(
    ("name", "timestep", "step", "integrator", "gravity"),
    [
        ("cartpole_swingup", 0.02, 0.04, mujoco.mjtIntegrator.mjINT_RK4, -9.81),
        ("reacher3d", 0.01, 0.02, mujoco.mjtIntegrator.mjINT_RK4, 0.0),
        ("half_cheetah", 0.01, 0.05, mujoco.mjtIntegrator.mjINT_EULER, -9.81),
    ],
)
def test_time_and_gravity_are_the_published_ones(
    name: str, timestep: float, step: float, integrator: mujoco.mjtIntegrator, gravity: float
) -> None:
    option = load(name).opt
    assert option.timestep == timestep
    assert option.timestep * FRAME_SKIP[name] == pytest.approx(step)
    assert option.integrator == integrator
    assert option.gravity.tolist() == [0.0, 0.0, gravity]
    contact = int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    assert option.disableflags == (0 if name == "half_cheetah" else contact), "only what cannot touch ignores contact"
    assert option.enableflags == 0


def test_reacher_solver_stops_after_twenty_iterations() -> None:
    assert load("reacher3d").opt.iterations == 20


@pytest.mark.parametrize(
    ("name", "gear", "limit"),
    [
        ("cartpole_swingup", [100], 3.0),
        ("reacher3d", [1] * 7, 1.0),
        ("half_cheetah", [120, 90, 60, 120, 60, 30], 1.0),
    ],
)
def test_motors_have_the_published_gear_and_range(name: str, gear: list[float], limit: float) -> None:
    model = load(name)
    assert model.actuator_gear[:, 0].tolist() == gear
    assert not model.actuator_gear[:, 1:].any()
    assert model.actuator_ctrllimited.all()
    assert model.actuator_ctrlrange.tolist() == [[-limit, limit]] * model.nu


@pytest.mark.parametrize(
    ("name", "damping", "stiffness", "armature"),
    [
        ("cartpole_swingup", [1, 1], [0] * 2, [0] * 2),
        ("reacher3d", [10, 10, 0.1, 1, 0.1, 0.1, 0.1, 0, 0, 0], [0] * 10, [0.04] * 7 + [0] * 3),
        (
            "half_cheetah",
            [0] * 3 + [6, 4.5, 3, 4.5, 3, 1.5],
            [0] * 3 + [240, 180, 120, 180, 120, 60],
            [0] * 3 + [0.1] * 6,
        ),
    ],
)
def test_joints_have_the_published_damping_stiffness_and_armature(
    name: str, damping: list[float], stiffness: list[float], armature: list[float]
) -> None:
    model = load(name)
    assert model.dof_damping.tolist() == damping
    assert model.jnt_stiffness.tolist() == stiffness
    assert model.dof_armature.tolist() == armature
    assert not model.dof_frictionloss.any()


@pytest.mark.parametrize("name", NAMES)
def test_joints_have_the_published_limits(name: str) -> None:
    model = load(name)
    limited = [model.joint(i) for i in range(model.njnt) if model.jnt_limited[i]]
    assert {joint.name: tuple(joint.range.tolist()) for joint in limited} == LIMITS[name]


def test_cartpole_has_the_published_masses() -> None:
    assert masses(load("cartpole_swingup"), ("cart", "pole")) == pytest.approx([10.472, 5.0186], abs=5e-5)


def test_reacher_has_the_published_masses() -> None:
    expected = {
        "r_shoulder_pan_link": 24.31,
        "r_shoulder_lift_link": 10.47,
        "r_upper_arm_roll_link": 0.285,
        "r_upper_arm_link": 5.43,
        "r_elbow_flex_link": 1.36,
        "r_forearm_roll_link": 0.285,
        "r_forearm_link": 3.04,
        "r_wrist_flex_link": 0.017,
        "r_wrist_roll_link": 0.017,
        "r_gripper_palm_link": 0.838,
        "r_gripper_l_finger_link": 0.033,
        "r_gripper_l_finger_tip_link": 0.033,
        "r_gripper_r_finger_link": 0.033,
        "r_gripper_r_finger_tip_link": 0.033,
    }
    found = dict(zip(expected, masses(load("reacher3d"), tuple(expected)), strict=True))
    decimals = {body: len(str(mass).split(".")[1]) for body, mass in expected.items()}
    assert {body: round(mass, decimals[body]) for body, mass in found.items()} == expected


def test_half_cheetah_has_the_published_masses() -> None:
    model = load("half_cheetah")
    bodies = ("torso", "bthigh", "bshin", "bfoot", "fthigh", "fshin", "ffoot")
    assert masses(model, bodies) == pytest.approx([6.25, 1.54, 1.59, 1.10, 1.44, 1.20, 0.88], abs=5e-3)
    assert model.body_mass.sum() == pytest.approx(14.0, abs=1e-14)


def test_half_cheetah_is_of_one_density() -> None:
    model = load("half_cheetah")
    single = [body for body in range(2, model.nbody) if model.body_geomnum[body] == 1]
    sizes = model.geom_size[model.body_geomadr[single]]
    radius, half = sizes[:, 0], sizes[:, 1]
    density = model.body_mass[single] / (np.pi * radius**2 * (2 * half + 4 / 3 * radius))
    assert len(single) == 6
    np.testing.assert_allclose(density, density[0], rtol=1e-14)


@pytest.mark.parametrize(
    ("name", "body"),
    [("cartpole_swingup", "pole"), ("reacher3d", "r_forearm_link"), ("half_cheetah", "ffoot")],
)
def test_body_pushed_by_the_force_fault_exists(name: str, body: str) -> None:
    assert load(name).body(body).mass[0] > 0


@pytest.mark.parametrize("name", ["cartpole_swingup", "reacher3d"])
def test_nothing_collides_in_cartpole_and_reacher(name: str) -> None:
    model = load(name)
    assert not any(contacts_at(model, qpos) for qpos in random_states(model, 200))


def test_half_cheetah_touches_only_the_floor_and_with_its_friction() -> None:
    model = load("half_cheetah")
    pairs = {pair for qpos in random_states(model, 200) for pair in contacts_at(model, qpos)}
    assert pairs
    assert all(model.geom("floor").id in pair for pair in pairs)
    assert model.geom_friction.tolist() == [[0.4, 0.1, 0.1]] * model.ngeom


def test_reacher_target_sits_where_its_slides_say() -> None:
    model = load("reacher3d")
    data = mujoco.MjData(model)
    assert data.qpos[7:].tolist() == [0.0, 0.25, 0.0]
    data.qpos[7:] = 0.3, -0.2, 0.1
    mujoco.mj_kinematics(model, data)
    np.testing.assert_allclose(data.body("target").xpos, [0.3, -0.2, 0.1], atol=1e-15)


def test_reacher_fingertip_is_the_closed_form_end_effector() -> None:
    model = load("reacher3d")
    for theta in random_arm(500, elbow=(-2.3213, -1e-3)):
        tip = model_fingertip(model, theta)
        np.testing.assert_allclose(closed_form_fingertip(theta), tip, rtol=0, atol=1e-9)


def test_closed_form_puts_the_hand_on_the_wrong_side_of_an_overstretched_elbow() -> None:
    # Its elbow axis is a cross product that changes sign at a straight arm; soft limits let the arm pass it.
    model = load("reacher3d")
    for theta in random_arm(100, elbow=(1e-3, 0.1)):
        mirrored = model_fingertip(model, theta * [1, 1, 1, 1, 1, -1, 1])
        np.testing.assert_allclose(closed_form_fingertip(theta), mirrored, rtol=0, atol=1e-9)


def test_half_cheetah_moves_like_gymnasiums() -> None:
    with as_file(files("gymnasium") / "envs" / "mujoco" / "assets" / "half_cheetah.xml") as path:
        theirs = mujoco.MjModel.from_xml_path(str(path))
    ours = load("half_cheetah")
    np.testing.assert_array_equal(ours.body_mass, theirs.body_mass)
    for inertial in ("body_inertia", "body_ipos"):
        # Equal but for the last bit: they scale the inertia of 1000 kg/m3, we start from the mass.
        np.testing.assert_array_max_ulp(getattr(ours, inertial), getattr(theirs, inertial), maxulp=2)
        getattr(ours, inertial)[:] = getattr(theirs, inertial)

    rng = np.random.default_rng(0)
    start = rng.normal(scale=0.1, size=ours.nq + ours.nv)
    actions = rng.uniform(-1, 1, size=(200, ours.nu))
    np.testing.assert_array_equal(trajectory(ours, start, actions), trajectory(theirs, start, actions))
