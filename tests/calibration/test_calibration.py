"""Calibration end to end: on a world whose answer is known, and on a shipped one."""

import numpy as np
import pytest

from offnominal.agents import FunctionPolicy, RandomPolicy, expert, scripted_expert
from offnominal.anomalies import Fault, make_anomaly
from offnominal.anomalies.strengths import read_strengths, write_strengths
from offnominal.calibration import calibrate, sampler
from offnominal.calibration.axis import Axis, axes
from offnominal.calibration.sampler import FRESH_SEED, Sampler, require_learned
from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.rollouts import collect
from offnominal.worlds.catalogue import make_world

pytestmark = pytest.mark.long

WORLD = "SAP-Goal0-v0"
QUICK = {"budget": 600, "fresh": 400}


@pytest.fixture(autouse=True, scope="module")
def _rougher_references():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sampler, "STARTS", 20_000)
        yield


@pytest.fixture(scope="module")
def line(_rougher_references):
    (found,) = calibrate(WORLD, anomalies=["action/offset"], levels={"half": 0.5}, **QUICK)
    return found


def test_the_parameter_found_has_the_score_it_promises(line):
    assert line.attainable
    assert line.level == "half"
    assert line.low <= line.score <= line.high
    assert abs(line.score - 0.5) < 0.06
    assert line.episodes <= 600 + 21 * 32
    assert line.fresh == 400
    assert len(line.policies) == 12


def test_the_score_is_the_one_plain_rollouts_give(line):
    policy = expert(WORLD)
    fault = Fault("action/offset", line.parameter, "start")
    space = make_world(WORLD, 1).action_space
    earned = [
        np.mean([episode.total_reward for episode in collect(WORLD, acting, 3000, faults=faults, seed=5)])
        for acting, faults in ((policy, fault), (policy, None), (RandomPolicy(space), None))
    ]
    score = (earned[0] - earned[2]) / (earned[1] - earned[2])
    assert score == pytest.approx(line.score, abs=0.03)


def test_a_later_onset_costs_less(line):
    assert line.score < line.dataset_score < 1.0


def test_results_do_not_depend_on_the_number_of_workers():
    anomalies, reported = ["action/offset", "action/delay"], []
    settings = {"anomalies": anomalies, "levels": {"half": 0.5}, "budget": 200, "fresh": 50}
    alone = calibrate(WORLD, **settings)
    assert repr(calibrate(WORLD, workers=2, report=reported.extend, **settings)) == repr(alone)
    assert repr(sorted(reported, key=lambda strength: strength.anomaly, reverse=True)) == repr(alone)


def test_workers_need_a_world_that_can_be_pickled():
    settings = {"anomalies": ["action/offset", "action/delay"], "levels": [0.5], "budget": 200, "fresh": 50}
    with pytest.raises(InvalidParameter, match="pickled"):
        calibrate(lambda n: make_world(WORLD, n), workers=2, **settings)


def test_what_an_earlier_run_found_is_not_searched_again(line):
    told = []
    again = calibrate(
        WORLD, anomalies=["action/offset"], levels={"half": 0.5}, done=[line], report=told.append, **QUICK
    )
    assert again == [line]
    assert not told


def test_a_line_of_another_policy_is_searched_again_and_the_same_is_found(line):
    stale = line.replace(policies="0" * 12, parameter=99.0)
    assert calibrate(WORLD, anomalies=["action/offset"], levels={"half": 0.5}, done=[stale], **QUICK) == [line]


def test_level_that_the_score_jumps_past_is_not_attainable_but_a_lower_one_can_be(monkeypatch):
    # A wrong-way driver that only just moves costs as much as a fast one.
    monkeypatch.setattr(sampler, "REFERENCE_EPISODES", 200)
    monkeypatch.setattr(sampler, "STARTS", 500)
    driver = scripted_expert("CAR-LaneKeep-v0")
    options = {"anomalies": ["dynamics/ghost_driver"], "levels": [0.9, 0.3], "budget": 200, "fresh": 25}
    skipped, reached = calibrate("CAR-LaneKeep-v0", driver, **options)
    assert not skipped.attainable
    assert "jumps past the level, to 0.3" in skipped.note
    assert reached.attainable
    assert reached.score == pytest.approx(0.3, abs=0.05)


def test_calibrating_the_onset_of_the_datasets_needs_a_stronger_fault(line):
    (later,) = calibrate(WORLD, anomalies=["action/offset"], levels=[0.75], onset="dataset", **QUICK)
    assert later.level == "strong"
    assert later.parameter > line.parameter
    assert abs(later.dataset_score - 0.75) < 0.06


def test_scaling_has_two_directions_and_other_faults_one():
    world = make_world(WORLD, 1)
    assert [axis.direction for axis in axes(make_anomaly("action/scaling"), world)] == ["up", "down"]
    arm = make_world("URM-Reach-v0", 1)
    found = {
        name: [(axis.neutral, axis.direction, axis.integer) for axis in axes(make_anomaly(name), place)]
        for name, place in {
            "dynamics/mass": world,
            "dynamics/robot_speed": arm,
            "dynamics/force": world,
            "action/delay": world,
        }.items()
    }
    assert found == {
        "dynamics/mass": [(1.0, "up", False)],
        "dynamics/robot_speed": [(0.01, "down", False)],
        "dynamics/force": [(0.0, "", False)],
        "action/delay": [(0.0, "", True)],
    }


def test_an_axis_ends_at_the_plausible_parameter():
    world = make_world(WORLD, 1)
    ends = {"action/offset": 3.0, "observation/noise": 1.0, "dynamics/mass": 10.0, "action/delay": 3.0}
    for anomaly, end in ends.items():
        (axis,) = axes(make_anomaly(anomaly), world)
        assert axis.parameter(axis.grid())[-1] == pytest.approx(end)
        assert (np.diff(axis.grid()) > 0).all()
        assert axis.reason.startswith(f"{end:g} is plausible: ")
    (drift,) = axes(make_anomaly("observation/drift"), make_world("URM-Reach-v0", 1))
    assert drift.grid()[0] <= 1e-3 * drift.longest


def test_a_level_beyond_the_plausible_end_is_not_attainable_and_says_which():
    (late,) = calibrate(WORLD, anomalies=["action/delay"], levels=[0.3], budget=200, fresh=50)
    assert not late.attainable
    assert late.parameter <= late.limit == 3.0
    assert "at most 3 is plausible: at most 1 s and a quarter of the task of 13 steps" in late.note


@pytest.mark.parametrize(
    "axis", [Axis("a", 0.0), Axis("a", 2.0, "up"), Axis("a", 2.0, "down"), Axis("a", 0.0, longest=0.05)]
)
def test_distance_and_parameter_undo_each_other(axis):
    distances = axis.grid()
    assert (np.diff(distances) > 0).all()
    back = [axis.distance(parameter) for parameter in axis.parameter(distances)]
    np.testing.assert_allclose(back, distances, rtol=1e-9)


def test_luck_is_zero_on_average_and_its_first_column_is_the_nominal_twin():
    made = Sampler(WORLD, [expert(WORLD)], references=4000)
    made.prepare()
    control_variates = made.control_variates(FRESH_SEED, 3000)
    errors = control_variates.std(axis=0) / np.sqrt(3000)
    assert (np.abs(control_variates.mean(axis=0)) < 4.5 * errors).all()
    episodes = collect(WORLD, expert(WORLD), 5, seed=FRESH_SEED)
    scores = [(each.total_reward - made.random_return) / made.ranges[0] - 1.0 for each in episodes]
    np.testing.assert_allclose(control_variates[:5, 0], scores)


@pytest.fixture(scope="module")
def several(_rougher_references):
    return [expert(WORLD), expert(WORLD, "sac"), scripted_expert(WORLD)]


@pytest.fixture(scope="module")
def shared(several):
    (found,) = calibrate(WORLD, several, anomalies=["action/offset"], levels=[0.75], budget=600, fresh=600)
    return found


def test_with_several_policies_the_score_is_the_mean_of_theirs(several, shared):
    fault = Fault("action/offset", shared.parameter, "start")
    random = np.mean(
        [each.total_reward for each in collect(WORLD, RandomPolicy(make_world(WORLD, 1).action_space), 4000)]
    )
    scores = []
    for policy in several:
        nominal, faulty = (
            np.mean([each.total_reward for each in collect(WORLD, policy, 4000, faults=faults, seed=9)])
            for faults in (None, fault)
        )
        scores.append((faulty - random) / (nominal - random))
    assert np.mean(scores) == pytest.approx(shared.score, abs=0.03)
    assert np.std(scores, ddof=1) == pytest.approx(shared.deviation, abs=0.05)
    assert len(shared.policies.split()) == 2  # the scripted one has no weights


def test_the_interval_for_other_trainings_is_wider_than_that_for_these_policies(shared):
    assert shared.population_low < shared.low < shared.score < shared.high < shared.population_high


def test_policies_take_turns_and_have_twins_of_their_own(several):
    made = Sampler(WORLD, several, references=600)
    made.prepare()
    assert made.policy_of(FRESH_SEED, 6).tolist() == [1, 2, 0, 1, 2, 0]
    twins = made.nominal_returns(FRESH_SEED, 6)
    for row, index in enumerate(made.policy_of(FRESH_SEED, 6)):
        (episode,) = collect(WORLD, several[index], 1, seed=FRESH_SEED + row)
        assert twins[row] == pytest.approx(episode.total_reward)
    shares = made.control_variates(FRESH_SEED, 600)[:, 1:3]
    np.testing.assert_allclose(shares.mean(axis=0), 0.0, atol=1e-12)


def test_more_new_episodes_are_simulated_until_the_interval_is_narrow():
    settings = {"anomalies": ["action/offset"], "levels": {"half": 0.5}, "budget": 200, "fresh": 50}
    (wide,) = calibrate(WORLD, half_width=1.0, **settings)
    (narrow,) = calibrate(WORLD, half_width=0.03, most_fresh=6400, **settings)
    (limited,) = calibrate(WORLD, half_width=1e-6, most_fresh=120, **settings)
    assert (wide.fresh, limited.fresh) == (50, 120)
    assert narrow.high - narrow.low <= 0.06 < wide.high - wide.low
    assert wide.parameter == limited.parameter


def test_a_policy_that_learned_far_less_than_the_best_is_refused():
    with pytest.raises(InvalidParameter, match=r"policy 2 of 3 is -70, .* leave out policies that earn less than 50%"):
        require_learned(-100.0, np.array([-10.0, -70.0, -40.0]))
    require_learned(-100.0, np.array([-10.0, -54.0, -40.0]))
    with pytest.raises(InvalidParameter, match="there are 3 new episodes for 2 policies; each needs two at least"):
        calibrate(WORLD, [expert(WORLD), expert(WORLD)], anomalies=["action/noise"], fresh=3)
    with pytest.raises(InvalidParameter, match="the list of policies is empty"):
        calibrate(WORLD, [], anomalies=["action/noise"])


def test_a_policy_no_better_than_random_is_refused():
    with pytest.raises(InvalidParameter, match="give a policy that is better than random"):
        calibrate(WORLD, FunctionPolicy(lambda observations: 0 * observations[:, :2] + 1.0), anomalies=["action/noise"])


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"onset": "later"}, InvalidParameter, "choose from start, dataset"),
        ({"levels": [1.5]}, InvalidParameter, "expected a number between 0 and 1"),
        ({"anomalies": ["action/nois"]}, UnknownName, "Did you mean 'action/noise'"),
    ],
)
def test_bad_input_is_named(change, error, words):
    with pytest.raises(error, match=words):
        calibrate(WORLD, **{"anomalies": ["action/noise"]} | change)


def test_a_table_survives_writing_and_reading(line, tmp_path):
    path = tmp_path / "strengths.csv"
    write_strengths(path, [line])
    (read,) = read_strengths(path)
    for name, value in line.to_dict().items():
        close = pytest.approx(value, rel=1e-5, nan_ok=True) if isinstance(value, float) else value
        assert getattr(read, name) == close
    assert not list(tmp_path.glob("*.unfinished"))
