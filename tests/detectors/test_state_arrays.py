"""Arrays from outside are taken only if they are what is expected of them."""

import numpy as np
import pytest

from offnominal.core.errors import DamagedFile, InvalidParameter, UnknownName
from offnominal.detectors.state_arrays import StateArrays, all_or_nothing, require_ascending, require_forward


def state(**arrays):
    return StateArrays(arrays, "LOF")


def test_what_is_taken_is_a_writable_copy():
    points = np.ones((3, 2))
    points.flags.writeable = False
    taken = state(points=points).take("points", (3, 2))
    taken[:] = 0.0
    np.testing.assert_array_equal(points, 1.0)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (np.ones((3, 3)), r"shape \(3, 3\); LOF expects \(rows, 2\)"),
        (np.ones(2), r"shape \(2,\)"),
        (np.ones((0, 2)), r"shape \(0, 2\)"),
        (np.ones((3, 2), np.float32), "type float32; LOF expects float64"),
        (np.ones((3, 2), int), "type int64"),
        ([[1.0, 2.0]], "type list"),
        (np.full((3, 2), np.nan), "not finite"),
        (np.full((3, 2), 7.0), r"values from 7.0 to 7.0; LOF expects them in 0 .. 5"),
        (np.full((3, 2), -1.0), "values from -1.0"),
    ],
)
def test_an_array_of_another_kind_is_damage(values, words):
    with pytest.raises(DamagedFile, match=words):
        state(points=values).take("points", ("rows", 2), low=0.0, high=5.0)


def test_dimensions_of_one_name_agree():
    arrays = state(points=np.ones((4, 2)), reach=np.ones(4), density=np.ones(3))
    arrays.take("points", ("points", "width"))
    arrays.take("reach", ("points",))
    with pytest.raises(DamagedFile, match=r"density has shape \(3,\); LOF expects \(4,\)"):
        arrays.take("density", ("points",))


def test_every_array_is_taken_once_and_none_is_left():
    arrays = state(a=np.ones(1), b=np.ones(1))
    assert arrays.number("a") == 1.0
    with pytest.raises(DamagedFile, match="a is missing"):
        arrays.number("a")
    with pytest.raises(DamagedFile, match=r"\['b'\] are unknown"):
        arrays.require_all_taken()


def test_errors_of_what_is_built_are_damage_and_other_named_errors_stay():
    for error in (InvalidParameter("n_neighbors is 0."), KeyError("k"), RuntimeError("size mismatch\nof k")):
        with pytest.raises(DamagedFile, match="do not fit to a LOF with these parameters"), state().damage_named():
            raise error
    with pytest.raises(UnknownName), state().damage_named():
        raise UnknownName("no such backbone")


def test_what_is_no_mapping_of_arrays_is_named():
    for wrong in (None, [1], {1: np.ones(1)}):
        with pytest.raises(InvalidParameter, match="expected arrays by name"):
            StateArrays(wrong, "LOF")


def test_trees_whose_walks_end_are_taken():
    inner = np.array([True, False, False])
    require_forward("children", np.array([1, -1, -1]), np.array([2, -1, -1]), inner)
    for first, last in (([0, -1, -1], [2, -1, -1]), ([1, -1, -1], [3, -1, -1]), ([2, -1, -1], [1, -1, -1])):
        with pytest.raises(DamagedFile, match="children come after their parent"):
            require_forward("children", np.array(first), np.array(last), inner)


def test_intervals_ascend():
    with pytest.raises(DamagedFile, match=r"interval 1 goes from 2.0 to 2.0"):
        require_ascending(np.array([0.0, 2.0]), np.array([1.0, 2.0]))


def test_a_failed_fit_changes_nothing():
    class Learner:
        pass

    learner = Learner()
    learner.known = 1  # type: ignore[attr-defined]
    with pytest.raises(ZeroDivisionError), all_or_nothing(learner):
        learner.known, learner.more_ = 2, 1 / 0  # type: ignore[attr-defined]
    assert vars(learner) == {"known": 1}
