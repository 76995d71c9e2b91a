"""Scenes made of MuJoCo models follow their simulation."""

import mujoco
import numpy as np
import pytest

from offnominal.core.errors import UnknownName, UnsupportedEnvironment
from offnominal.sensing import (
    Camera,
    Capsule,
    Material,
    Mesh,
    Plane,
    cast_rays,
    render,
    render_batch,
    scene_from_mujoco,
)

pytestmark = pytest.mark.long

MODEL = """
<mujoco>
  <asset>
    <mesh name="wedge" vertex="0 0 0  1 0 0  0 1 0  0 0 1" scale="0.5 0.5 0.5"/>
    <material name="red" rgba="1 0 0 1"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" rgba="0.8 0.8 0.8 1"/>
    <geom name="ghost" type="box" size="1 1 1" rgba="1 1 1 0"/>
    <body name="rod" pos="0 0 1">
      <joint name="x" type="slide" axis="1 0 0"/>
      <joint name="turn" type="hinge" axis="0 1 0"/>
      <geom name="rod" type="capsule" size="0.1 0.4" material="red"/>
      <geom name="wedge" type="mesh" mesh="wedge" pos="0.2 0.3 0.1" euler="10 20 30" group="3"/>
      <geom name="copy" type="mesh" mesh="wedge" pos="-0.9 0.3 0.1"/>
    </body>
  </worldbody>
</mujoco>
"""


@pytest.fixture
def model():
    return mujoco.MjModel.from_xml_string(MODEL)


def state(model, *qpos):
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    return data


def test_geoms_become_instances(model):
    made = scene_from_mujoco(model)
    assert [type(instance.shape) for instance in made.scene.instances] == [Plane, Capsule, Mesh, Mesh]
    assert made.geoms.tolist() == [0, 2, 3, 4]
    assert [instance.label for instance in made.scene.instances] == [0, 1, 1, 1]
    assert [instance.identity for instance in made.scene.instances] == [1, 3, 4, 5]
    assert made.scene.instances[1].material.colour == (1.0, 0.0, 0.0)
    assert made.scene.instances[2].shape is made.scene.instances[3].shape


def test_groups_materials_and_labels_are_chosen_by_name(model):
    checker = Material(texture="checker")
    made = scene_from_mujoco(model, groups=(0,), materials={"floor": checker}, labels={"rod": 9})
    assert made.geoms.tolist() == [0, 2, 4]
    assert made.scene.instances[0].material is checker
    assert made.scene.instances[1].label == 9
    with pytest.raises(UnknownName, match="Did you mean 'floor'"):
        scene_from_mujoco(model, materials={"flor": checker})


def test_poses_follow_the_simulation(model):
    made = scene_from_mujoco(model)
    random = np.random.default_rng(0)
    for qpos in ((0.0, 0.0), (0.4, 0.7), (-1.0, 2.5)):
        data = state(model, *qpos)
        starts = random.normal(size=(300, 3)) + np.array((qpos[0], 0.0, 4.0))
        direction = random.normal(size=(300, 3)) * 0.7 + np.array((qpos[0], 0.2, 1.0)) - starts
        direction /= np.linalg.norm(direction, axis=1, keepdims=True)
        hits = cast_rays(made.scene, starts, direction, poses=made.poses(data))
        geom = np.zeros(1, np.int32)
        missed = 0
        for start, d, distance, identity in zip(starts, direction, hits.distance, hits.instance, strict=True):
            expected = mujoco.mj_ray(model, data, start, d, None, 1, -1, geom, None)
            if geom[0] + 1 == identity:
                assert distance == pytest.approx(expected if identity else np.inf, abs=1e-4)
            else:
                missed += 1
        assert missed <= 1


def test_many_simulations_are_drawn_at_once(model):
    made, camera = scene_from_mujoco(model), Camera((0, -3, 1.5), (0, 0, 1), 32, 32)
    datas = [state(model, 0.3 * k, 0.5 * k) for k in range(3)]
    xpos, xmat = np.stack([d.geom_xpos for d in datas]), np.stack([d.geom_xmat for d in datas])
    batch = render_batch(made.scene, camera, made.gather(xpos, xmat)).rgb
    for k, data in enumerate(datas):
        assert np.array_equal(batch[k], render(made.scene, camera, poses=made.poses(data)).rgb)
    assert not np.array_equal(batch[0], batch[1])


def test_a_geom_that_cannot_be_cast_is_named():
    model = mujoco.MjModel.from_xml_string(
        "<mujoco><asset><hfield name='h' nrow='2' ncol='2' size='1 1 1 1'/></asset>"
        "<worldbody><geom name='hill' type='hfield' hfield='h'/></worldbody></mujoco>"
    )
    with pytest.raises(UnsupportedEnvironment, match="'hill'"):
        scene_from_mujoco(model)
