"""The UR3's kinematics against a plain product of Denavit-Hartenberg matrices and against differences."""

import math

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.worlds.arm import kinematics
from offnominal.worlds.arm.kinematics import forward, inverse, jacobian, pose_matrix, pose_vector

pytestmark = pytest.mark.long

HOME = np.array([0.5, -0.5, 0.5, -0.5, -0.5, 0.0]) * math.pi


def plain_product(q, tool=0.0):
    pose = np.eye(4)
    for angle, a, d, alpha in zip(q, kinematics.A, kinematics.D, kinematics.ALPHA, strict=True):
        c, s, ca, sa = math.cos(angle), math.sin(angle), math.cos(alpha), math.sin(alpha)
        link = [[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1]]
        pose = pose @ np.array(link)
    pose[:3, 3] += tool * pose[:3, 2]
    return pose


@pytest.fixture
def random():
    return np.random.default_rng(5)


def test_forward_kinematics_is_the_product_of_the_published_matrices(random):
    for q in random.uniform(-2 * math.pi, 2 * math.pi, (500, 6)):
        assert np.abs(forward(q, 0.15) - plain_product(q, 0.15)).max() < 1e-12


def test_start_pose_has_the_published_flange_position():
    expected = [kinematics.D[3], -(0.21325 + 0.08535), 0.1519 + 0.24365 - 0.0819]
    assert np.allclose(forward(HOME)[:3, 3], expected, rtol=0.0, atol=1e-12)
    assert np.allclose(forward(HOME)[:3, 2], [0.0, 0.0, -1.0])


def test_jacobian_is_the_derivative_of_the_pose(random):
    for q in random.uniform(-3.0, 3.0, (20, 6)):
        columns, h = [], 1e-6
        for joint in range(6):
            step = h * np.eye(6)[joint]
            ahead, behind = forward(q + step, 0.1), forward(q - step, 0.1)
            turn = np.eye(4)
            turn[:3, :3] = ahead[:3, :3] @ behind[:3, :3].T
            columns.append(np.concatenate([ahead[:3, 3] - behind[:3, 3], pose_vector(turn)[3:]]) / (2.0 * h))
        assert np.allclose(jacobian(q, 0.1), np.array(columns).T, rtol=0.0, atol=1e-8)


def test_inverse_kinematics_returns_to_the_pose(random):
    for q in HOME + random.uniform(-0.3, 0.3, (200, 6)):
        pose = forward(q, 0.15)
        found = inverse(pose, HOME, 0.15)
        assert np.abs(forward(found, 0.15) - pose).max() < 1e-9


def test_inverse_kinematics_accepts_a_rotation_vector():
    target = pose_vector(forward(HOME + 0.05))
    assert np.allclose(inverse(target, HOME), HOME + 0.05, rtol=0.0, atol=1e-9)


def test_pose_out_of_reach_is_refused():
    pose = forward(HOME)
    pose[2, 3] = 1.5
    with pytest.raises(InvalidParameter, match="no joint angles found"):
        inverse(pose, HOME)


@pytest.mark.parametrize("bad", [np.zeros(5), np.full(6, np.nan), np.zeros((3, 3))])
def test_bad_joints_and_poses_are_refused(bad):
    with pytest.raises(InvalidParameter):
        forward(bad)
    with pytest.raises(InvalidParameter):
        inverse(bad, HOME)


def test_pose_vector_and_matrix_are_inverse_to_each_other(random):
    vectors = random.uniform(-1.7, 1.7, (200, 6))
    vectors[0, 3:] = 0.0
    vectors[1, 3:] = [1e-9, 0.0, 0.0]
    vectors[2, 3:] = [math.pi, 0.0, 0.0]
    vectors[3, 3:] = [0.0, math.pi - 1e-9, 0.0]
    vectors[4, 3:] = [0.0, 0.0, 3.1]
    for vector in vectors:
        assert np.allclose(pose_vector(pose_matrix(vector)), vector, rtol=0.0, atol=1e-7)
        rotation = pose_matrix(vector)[:3, :3]
        assert np.allclose(rotation @ rotation.T, np.eye(3), rtol=0.0, atol=1e-14)


def test_elbow_stays_within_half_a_turn():
    q = HOME.copy()
    q[2] = 3.5
    found = inverse(forward(q), q)
    assert abs(found[2]) <= math.pi
    assert np.abs(forward(found) - forward(q)).max() < 1e-9
