"""Points as voxels, compared with a brute-force oracle."""

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.sensing import InvalidPoints, VoxelGrid, voxelise, voxelise_scores

pytestmark = pytest.mark.long

GRID = VoxelGrid((-2.0, -1.5, -1.0), (2.0, 1.5, 1.0), 0.5)
FIRST = (29, 30)


def cloud(seed, n=600, snapped=False):
    """Random points, also outside the grid; snapped ones are often at equal distances."""
    rng = np.random.default_rng(seed)
    points = rng.uniform(-2.4, 2.4, (n, 3))
    if snapped:
        points = np.round(points * 8.0) / 8.0
    return points.astype(np.float32), rng.choice([1, 2, 24, 29, 30, 214], n), rng.integers(0, 5, n)


def oracle(points, label, instance, place):
    """The deciding point of each voxel, by a search over all points of the voxel."""
    shares = (points.astype(np.float64) - GRID.low) / GRID.voxel_size
    inside = (shares >= 0).all(axis=1) & (shares < GRID.shape).all(axis=1)
    cells = np.floor(shares).astype(int)
    found = {}
    for i in np.flatnonzero(inside):
        away = float(((shares[i] - cells[i] - place) ** 2).sum())
        key = (away, label[i] not in FIRST, label[i], instance[i])
        found.setdefault(tuple(cells[i][::-1]), []).append((key, i))
    return {tuple(cell[::-1]): (min(entries)[1], [i for _, i in entries]) for cell, entries in sorted(found.items())}


@pytest.mark.parametrize(("rule", "place"), [("centre", 0.5), ("corner", 0.0)])
@pytest.mark.parametrize("seed", range(4))
def test_voxels_are_those_of_the_oracle(rule, place, seed):
    points, label, instance = cloud(seed, snapped=seed % 2 == 1)
    expected = oracle(points, label, instance, place)
    found = voxelise(points, label, instance, grid=GRID, rule=rule, first=FIRST, label_sets=True)
    assert list(map(tuple, found.coordinates)) == list(expected)
    assert (np.diff(found.index) > 0).all()
    for row, (nearest, inside) in enumerate(expected.values()):
        assert (found.label[row], found.instance[row]) == (label[nearest], instance[nearest])
        assert found.count[row] == len(inside)
    for chosen in ((29, 30), (24,), (214,), (7,)):
        contained = [np.isin(label[inside], chosen).any() for _, inside in expected.values()]
        np.testing.assert_array_equal(found.contains_label(chosen), contained)
    np.testing.assert_array_equal(GRID.numbers(found.coordinates), found.index)


def test_result_does_not_depend_on_the_order_of_the_points():
    points, label, instance = cloud(1, snapped=True)
    order = np.random.default_rng(0).permutation(len(points))
    one = voxelise(points, label, instance, grid=GRID, first=FIRST)
    two = voxelise(points[order], label[order], instance[order], grid=GRID, first=FIRST)
    for name in ("index", "label", "instance", "count"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


def test_corner_and_centre_decide_differently():
    points, label, instance = cloud(2, n=2000)
    centre, corner = (voxelise(points, label, instance, grid=GRID, rule=rule) for rule in ("centre", "corner"))
    several = centre.count > 1
    assert 0.3 < (centre.label != corner.label)[several].mean() < 0.9


@pytest.mark.parametrize("reduction", ["max", "mean", "nearest"])
def test_scores_of_voxels_are_those_of_the_oracle(reduction):
    points, _, _ = cloud(3)
    scores = np.random.default_rng(5).normal(size=len(points)).astype(np.float32)
    expected = oracle(points, np.zeros(len(points), int), np.argsort(np.argsort(-scores)), 0.5)
    found = voxelise_scores(points, scores, grid=GRID, reduction=reduction)
    assert list(map(tuple, GRID.coordinates(found.index))) == list(expected)
    for row, (nearest, inside) in enumerate(expected.values()):
        wanted = {"max": scores[inside].max(), "mean": scores[inside].mean(), "nearest": scores[nearest]}[reduction]
        assert found.score[row] == pytest.approx(wanted, rel=1e-6)
        assert found.count[row] == len(inside)


def test_points_outside_the_grid_give_no_voxels():
    assert len(voxelise(np.full((3, 3), 9.0), [1, 2, 3], grid=GRID)) == 0


@pytest.mark.parametrize(
    ("points", "label", "match"),
    [
        (np.empty((0, 3)), [], "is empty"),
        (np.array([[0.0, np.nan, 0.0]]), [1], "point 0 is"),
        (np.array([[0.0, 0.0, 0.0], [np.inf, 0.0, 0.0]]), [1, 1], "point 1 is"),
        (np.zeros((2, 2)), [1, 1], "shape"),
        (np.zeros((2, 3)), [1], "one per point"),
        (np.zeros((1, 3)), [256], "from 0 to 255"),
        (np.zeros((1, 3)), [-1], "from 0 to 255"),
    ],
)
def test_invalid_points_are_named_errors(points, label, match):
    with pytest.raises(InvalidPoints, match=match):
        voxelise(points, label, grid=GRID)


def test_invalid_scores_are_named_errors():
    with pytest.raises(InvalidPoints, match="score of point 1"):
        voxelise_scores(np.zeros((2, 3)), [0.0, np.nan], grid=GRID)
    with pytest.raises(InvalidParameter, match="reduction"):
        voxelise_scores(np.zeros((1, 3)), [0.0], grid=GRID, reduction="median")


@pytest.mark.parametrize(
    "settings",
    [
        {"high": (-2.0, 1.0, 1.0)},
        {"voxel_size": 0.0},
        {"voxel_size": 0.3},
        {"low": (0.0, 0.0)},
        {"low": (np.nan, 0.0, 0.0)},
        {"voxel_size": 0.001, "high": (900.0, 900.0, 900.0)},
    ],
)
def test_grid_without_voxels_is_an_error(settings):
    with pytest.raises(InvalidParameter):
        VoxelGrid(**{"low": (-2.0, -2.0, -2.0), "high": (2.0, 2.0, 2.0), "voxel_size": 0.5, **settings})


def test_public_grids_have_their_published_sizes():
    from offnominal.worlds.road.scenes import voxel_grid

    assert voxel_grid("paper").shape == (200, 200, 128)
    assert voxel_grid("public-code").shape == (1000, 1000, 64)
    with pytest.raises(LookupError, match="Did you mean 'paper'"):
        voxel_grid("papr")
