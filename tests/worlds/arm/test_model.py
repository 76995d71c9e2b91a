"""The MuJoCo models of the arm against its kinematics."""

import math

import mujoco
import numpy as np
import pytest

from offnominal.worlds.arm import card
from offnominal.worlds.arm.kinematics import JOINTS, forward
from offnominal.worlds.arm.model import load_model
from offnominal.worlds.arm.pick_and_place import PickAndPlace
from offnominal.worlds.arm.reach import Reach

pytestmark = pytest.mark.long

TASKS = ("reach", "pick_and_place")
HALF_TURN = np.diag([-1.0, -1.0, 1.0, 1.0])

every_task = pytest.mark.parametrize("task", TASKS)


@every_task
def test_forward_kinematics_of_the_model_is_that_of_the_published_parameters(task):
    model = load_model(task)
    data = mujoco.MjData(model)
    for q in np.random.default_rng(2).uniform(-2 * math.pi, 2 * math.pi, (100, 6)):
        data.qpos[:6] = q
        mujoco.mj_kinematics(model, data)
        for site, tool in (("flange", 0.0), ("tcp", card.TOOL)):
            expected = HALF_TURN @ forward(q, tool)
            expected[2, 3] += card.BASE_HEIGHT
            assert np.abs(data.site(site).xpos - expected[:3, 3]).max() < 1e-12
            assert np.abs(data.site(site).xmat.reshape(3, 3) - expected[:3, :3]).max() < 1e-12


@every_task
def test_arm_joints_come_first_and_each_has_a_servo(task):
    model = load_model(task)
    assert tuple(model.joint(i).name for i in range(6)) == JOINTS
    assert model.actuator_trnid[:6, 0].tolist() == list(range(6))


@every_task
def test_geometry_is_primitive(task):
    model = load_model(task)
    assert model.nmesh == 0
    assert model.nhfield == 0


def test_fingers_of_the_reaching_arm_are_closed_and_do_not_move():
    model = load_model("reach")
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    assert (model.nq, model.nv, model.nu, model.neq) == (6, 6, 6, 0)
    width = np.linalg.norm(data.geom("right pad").xpos - data.geom("left pad").xpos) - 0.01
    assert width == pytest.approx(card.CLOSED_WIDTH)


@pytest.mark.parametrize("world", [Reach, PickAndPlace])
def test_control_period_is_40_ms(world):
    assert load_model(world.task).opt.timestep * world.frame_skip == pytest.approx(world.card.dt, abs=1e-15)


@every_task
def test_reduced_model_has_the_same_physics(task):
    plain, visual = load_model(task), load_model(task, visual=True)
    assert plain.ngeom < visual.ngeom
    assert plain.nbody < visual.nbody
    assert plain.body_mass.sum() == pytest.approx(visual.body_mass.sum(), rel=1e-12)
    assert plain.body("payload").mass[0] == 0.0
    for name in ("dof_M0", "dof_invweight0", "dof_damping", "actuator_forcerange", "actuator_acc0"):
        assert np.allclose(getattr(plain, name), getattr(visual, name), rtol=1e-9, atol=0.0), name
    assert {plain.geom(g).name for g in np.flatnonzero(plain.geom_conaffinity)} == {
        visual.geom(g).name for g in np.flatnonzero(visual.geom_conaffinity)
    }


@every_task
def test_contact_and_time_step_options_are_the_measured_ones(task):
    option = load_model(task).opt
    assert option.timestep == (0.005 if task == "reach" else 0.0025)
    assert option.cone == mujoco.mjtCone.mjCONE_PYRAMIDAL
    assert option.impratio == 10.0
