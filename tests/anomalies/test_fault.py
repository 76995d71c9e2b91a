"""A fault checks what it is told before anything runs, and anomalies may come from elsewhere."""

from dataclasses import FrozenInstanceError, dataclass

import numpy as np
import pytest

from offnominal.anomalies import (
    Delay,
    DynamicsAnomaly,
    EnvironmentInfo,
    Fault,
    Injection,
    Noise,
    Quantisation,
    Schedule,
    SignalAnomaly,
    TemporalNoise,
)
from offnominal.anomalies.fault import fault_tuple
from offnominal.core.errors import InvalidChannels, InvalidParameter, InvalidSchedule, UnknownName
from offnominal.worlds.catalogue import make_world

ROW = np.zeros(1, np.int64)
SETTING = EnvironmentInfo(observation=("height", "speed", "pitch"), action=("left", "right"), length=20, limit=20)


def settle(fault, environment=SETTING):
    """Check a fault against an environment and return the injection of it."""
    return Injection([(fault,)], environment)


def test_a_fault_knows_its_anomaly_schedule_and_channels():
    fault = Fault("action/offset", 1, 20, channels=[1])
    assert fault.id == fault.kind.id == "action/offset"
    assert fault.strength == 1.0
    assert isinstance(fault.strength, float)
    assert fault.resolved_schedule == Schedule(onset=20)
    assert fault.channels == (1,)


@pytest.mark.parametrize(
    ("given", "onset"), [("start", "start"), ("random", "random"), (4, 4), ((2, 5), (2, 5)), ([2, 5], (2, 5))]
)
def test_a_schedule_may_be_given_by_its_onset(given, onset):
    assert Fault("action/noise", 0.1, given).resolved_schedule == Schedule(onset=onset)


def test_a_fault_is_random_and_everywhere_unless_told_otherwise():
    fault = Fault("action/noise", 0.1)
    assert fault.resolved_schedule == Schedule(onset="random")
    assert fault.channels is None


def test_a_fault_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        Fault("action/noise", 0.1).strength = 3.0


@pytest.mark.parametrize(
    ("anomaly", "strength", "said"),
    [
        ("action/noise", -0.1, r"action/noise is -0\.1; expected at least 0"),
        ("observation/temporal_noise", -1, "expected at least 0"),
        ("observation/quantisation", -1e-9, "expected at least 0"),
        ("observation/noise", float("nan"), "observation/noise is nan; expected a finite number"),
        ("observation/offset", float("inf"), "is inf; expected a finite number"),
        ("observation/scaling", float("-inf"), "is -inf; expected a finite number"),
        ("dynamics/mass", float("nan"), "dynamics/mass is nan"),
        ("observation/offset", True, r"is True \(bool\); expected a number or a strength"),
        ("observation/offset", None, r"is None \(NoneType\)"),
        ("observation/offset", [0.1], r"is \[0\.1\] \(list\)"),
        ("observation/offset", 1j, r"\(complex\)"),
        ("observation/offset", np.ones(2), r"\(ndarray\)"),
        ("action/delay", 1.5, r"action/delay is 1\.5; expected a whole number of steps"),
        ("action/delay", -1, "expected at least 0"),
    ],
    ids=str,
)
def test_a_parameter_that_makes_no_sense_is_refused_at_once(anomaly, strength, said):
    with pytest.raises(InvalidParameter, match=said):
        Fault(anomaly, strength)


@pytest.mark.parametrize("strength", [3, 3.0, np.int64(3), np.float32(3)])
def test_every_kind_of_number_is_a_strength(strength):
    assert Fault("action/delay", strength).strength == 3.0


@pytest.mark.parametrize("strength", [0.0, -5.0, 1e300])
def test_offset_and_scaling_take_any_finite_number(strength):
    assert Fault("observation/offset", strength).strength == strength
    assert Fault("observation/scaling", strength).strength == strength


@pytest.mark.parametrize(
    ("physics_parameter", "value"), [("mass", 0.0), ("mass", -1.0), ("moving_objects", -0.1), ("damping", -1)]
)
def test_a_physics_parameter_beyond_its_smallest_value_is_refused(physics_parameter, value):
    environment = EnvironmentInfo.of(make_world("SAP-Goal0-v0", 1))
    with pytest.raises(InvalidParameter, match=f"dynamics/{physics_parameter} is {value:g}; expected at least"):
        settle(Fault(f"dynamics/{physics_parameter}", value), environment)


def test_a_word_that_is_no_strength_is_refused():
    with pytest.raises(UnknownName, match=r"no strength named 'medum'\. Did you mean 'medium'"):
        settle(Fault("observation/noise", "medum"), EnvironmentInfo.of(make_world("SAP-Goal0-v0", 1)))


@pytest.mark.parametrize("schedule", [-1, 1.5, None, True, "soon", (5, 2)])
def test_a_fault_with_a_bad_schedule_is_refused(schedule):
    with pytest.raises(InvalidSchedule):
        Fault("action/noise", 0.1, schedule)


def test_an_onset_after_the_time_limit_is_refused():
    with pytest.raises(InvalidSchedule, match="onset 20 lies after the last transition 19"):
        settle(Fault("action/noise", 0.1, 20))


@pytest.mark.parametrize(
    ("channels", "found"),
    [(None, (0, 1, 2)), ([1], (1,)), ([2, 0], (0, 2)), (["pitch", 0], (0, 2)), (["speed", 1], (1,)), ((1,), (1,))],
)
def test_channels_are_indices_or_names(channels, found):
    injection = settle(Fault("observation/noise", 0.1, 2, channels=channels))
    assert injection.events(0)[0].channels == found


@pytest.mark.parametrize(
    ("channels", "said"),
    [
        ([3], r"channel 3 is outside 0 \.\. 2"),
        ([-1], r"channel -1 is outside 0 \.\. 2"),
        (["pich"], "no channel 'pich'. Did you mean 'pitch'"),
        ([1.0], r"channel 1\.0 is neither an index nor a name"),
        ([True], "channel True is neither"),
        ([None], "channel None is neither"),
        ([], "was given no channels"),
    ],
    ids=str,
)
def test_channels_that_are_not_there_are_refused(channels, said):
    with pytest.raises(InvalidChannels, match=said):
        settle(Fault("observation/noise", 0.1, 2, channels=channels))


@pytest.mark.parametrize("channels", [1, "pitch"])
def test_a_lone_channel_must_be_put_in_a_list(channels):
    with pytest.raises(InvalidChannels):
        settle(Fault("observation/noise", 0.1, 2, channels=channels))


def test_dynamics_faults_have_no_channels():
    with pytest.raises(InvalidChannels, match="has no channels"):
        settle(Fault("dynamics/mass", 2.0, 2, channels=[0]), EnvironmentInfo.of(make_world("SAP-Goal0-v0", 1)))


def test_several_faults_are_a_tuple():
    one, two = Fault("action/noise", 0.1), Fault("action/offset", 0.1)
    assert fault_tuple(None) == ()
    assert fault_tuple(one) == (one,)
    assert fault_tuple([one, two]) == fault_tuple(iter((one, two))) == (one, two)


@pytest.mark.parametrize("given", [["action/noise"], "action/noise", [None], 5])
def test_what_is_no_fault_is_refused(given):
    with pytest.raises(InvalidParameter, match="expected a Fault"):
        fault_tuple(given)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Noise(on="reward"), "on is 'reward'"),
        (lambda: TemporalNoise(correlation=1.0), "correlation is 1.0"),
        (lambda: TemporalNoise(correlation=-0.1), "correlation is -0.1"),
        (lambda: TemporalNoise(variant="paper"), "variant is 'paper'"),
        (lambda: Quantisation(rounding="up"), "rounding is 'up'"),
        (DynamicsAnomaly, "needs the name of a physics parameter"),
    ],
)
def test_an_anomaly_with_a_bad_option_is_refused(make, said):
    with pytest.raises(InvalidParameter, match=said):
        make()


def test_anomalies_with_the_same_options_are_the_same():
    assert Noise(on="action") == Noise(on="action") != Noise()
    assert Delay() == Delay(on="action")
    assert DynamicsAnomaly(physics_parameter="mass") != DynamicsAnomaly(physics_parameter="force")


@dataclass(frozen=True)
class Stuck(SignalAnomaly):
    """An anomaly of another package: the sensor freezes at its value at the onset."""

    kind = "stuck"
    formula = "o' = o at onset"

    def perturb(self, signal, parameter, context):
        return context.memory.setdefault("held", signal.copy())


def seen(injection, signals):
    """Return what becomes of one row's observations."""
    out = []
    for signal in signals:
        injection.act(np.zeros((1, 2)), ROW)
        out.append(injection.observe(np.array([signal]), ROW)[0])
    return np.array(out)


RAMP = np.arange(18.0).reshape(6, 3)


def test_an_anomaly_from_elsewhere_acts_on_its_channels_from_its_onset():
    injection = settle(Fault(Stuck(), 1.0, 2, channels=["height", "pitch"]))
    injection.begin(ROW, ROW, ROW)
    expected = RAMP.copy()
    expected[2:, [0, 2]] = RAMP[2, [0, 2]]
    np.testing.assert_array_equal(seen(injection, RAMP), expected)
    assert injection.events(0)[0].anomaly == "observation/stuck"


def test_the_memory_of_an_anomaly_ends_with_its_episode():
    injection = settle(Fault(Stuck(), 1.0, 1))
    for episode in range(3):
        injection.begin(ROW, ROW, ROW + episode)
        signals = RAMP + 100 * episode
        np.testing.assert_array_equal(seen(injection, signals)[1:], np.tile(signals[1], (5, 1)))


def test_an_anomaly_without_perturb_is_refused_before_anything_runs():
    @dataclass(frozen=True)
    class Unfinished(SignalAnomaly):
        kind = "unfinished"

    with pytest.raises(InvalidParameter, match="Unfinished has no `perturb`; implement it"):
        Unfinished()


@dataclass(frozen=True)
class Spikes(SignalAnomaly):
    """Rare large errors; draws its own random numbers and has parameter rules of its own."""

    kind = "spikes"
    minimum = 0.0

    def perturb(self, signal, parameter, context):
        spike = context.uniform(signal.size) < 0.3
        return signal + parameter * spike * context.normal(signal.size)


def test_an_anomaly_from_elsewhere_has_its_own_parameter_rules():
    with pytest.raises(InvalidParameter, match="observation/spikes is -1; expected at least 0"):
        Fault(Spikes(), -1.0)
    assert Fault(Spikes(on="action"), 1.0).id == "action/spikes"


def test_random_numbers_of_an_anomaly_belong_to_its_seed_episode_and_step():
    fault = Fault(Spikes(), 5.0, 0)
    runs = {}
    for seed, episode in ((3, 0), (3, 0), (3, 1), (4, 0)):
        injection = settle(fault)
        injection.begin(ROW, ROW + seed, ROW + episode)
        runs.setdefault((seed, episode), []).append(seen(injection, RAMP))
    np.testing.assert_array_equal(*runs[3, 0])
    first, other_episode, other_seed = runs[3, 0][0], runs[3, 1][0], runs[4, 0][0]
    assert (first != other_episode).any()
    assert (first != other_seed).any()
    assert ((first - RAMP)[0] != (first - RAMP)[1]).any()


def test_an_anomaly_is_told_where_in_the_episode_it_is():
    moments = []

    @dataclass(frozen=True)
    class Watching(SignalAnomaly):
        kind = "watching"

        def perturb(self, signal, parameter, context):
            moments.append((context.step, context.since, context.lane, parameter))
            return signal

    schedule = Schedule(onset=2, duration=2, ramp=2, recovery=1)
    injection = Injection([(Fault("observation/offset", 1.0, 0), Fault(Watching(), 4.0, schedule))], SETTING)
    injection.begin(ROW, ROW, ROW)
    seen(injection, RAMP)
    assert moments == [(2, 0, 1, 2.0), (3, 1, 1, 4.0), (4, 2, 1, 2.0)]
