"""The compiled faults do what their formulas say, row by row, whatever else happens in the batch."""

import numpy as np
import pytest
from scipy import stats

from offnominal.anomalies import Delay, EnvironmentInfo, Fault, Injection, Quantisation, Schedule, TemporalNoise
from offnominal.core.streams import Stream

from . import reference

STEPS = 40
CHANNELS = 5
SETTING = EnvironmentInfo(
    observation=tuple("abcde"), action=tuple("uvwxy"), length=STEPS, limit=STEPS, name="a bench of five channels"
)
PRINTED = TemporalNoise(variant="published")
NEAREST = Quantisation(rounding="nearest")
ROUNDING = {"rtol": 1e-12, "atol": 1e-12}

KINDS = {
    "observation/noise": "noise",
    "action/noise": "noise",
    "observation/scaling": "scaling",
    "action/scaling": "scaling",
    "observation/offset": "offset",
    "action/offset": "offset",
    "observation/drift": "drift",
    "action/drift": "drift",
    "observation/temporal_noise": "temporal_noise",
    "action/temporal_noise": "temporal_noise",
    "observation/quantisation": "quantisation",
    "action/delay": "delay",
    "observation/delay": "delay",
}


def play(rows, signals, *, seeds=None, episodes=None, environment=SETTING):
    """Return what the faults make of (T, n, channels) signals, used both as actions and as true observations."""
    n = len(rows)
    injection = Injection(rows, environment)
    everyone = np.arange(n)
    seeds = np.arange(n) if seeds is None else np.asarray(seeds)
    injection.begin(everyone, seeds, np.zeros(n, np.int64) if episodes is None else np.asarray(episodes))
    acted, seen, applied = [], [], []
    for signal in signals:
        acted.append(injection.act(signal, everyone).copy())
        applied.append(injection.applied.copy())
        seen.append(injection.observe(signal, everyone).copy())
    return {"action": np.array(acted), "observation": np.array(seen), "applied": np.array(applied)}


def signals(n, steps=STEPS, channels=CHANNELS, seed=0):
    return np.random.default_rng(seed).normal(0, 2, (steps, n, channels))


def expected(fault, signal, seed, *, lane=0, episode=0):
    """Return what one fault with a known onset makes of one row's signal, according to the reference."""
    schedule, anomaly = fault.resolved_schedule, fault.kind
    weights = reference.weights(
        len(signal),
        schedule.onset,
        duration=schedule.duration,
        ramp=schedule.ramp,
        recovery=schedule.recovery,
        period=schedule.period,
        on=schedule.on_steps,
    )
    if schedule.walk:
        weights *= reference.walk(len(signal), schedule.onset, schedule.walk, seed, episode, lane)
    kind = KINDS[anomaly.id]
    if getattr(anomaly, "variant", "") == "published":
        kind = "temporal_noise as printed"
    if getattr(anomaly, "rounding", "") == "nearest":
        kind = "quantisation to nearest"
    case = reference.Case(
        kind,
        fault.strength,
        weights,
        schedule.onset,
        list(range(signal.shape[1])) if fault.channels is None else list(fault.channels),
        lane=lane,
        correlation=getattr(anomaly, "correlation", 0.95),
    )
    return reference.perturbed(signal, case, seed, episode)


SINGLE = [
    Fault("observation/noise", 0.3, 5),
    Fault("observation/noise", 0.3, Schedule(onset=3, duration=9, ramp=4, recovery=6), channels=[1, 4]),
    Fault("action/noise", 2.0, 0),
    Fault("observation/scaling", -1.5, 7),
    Fault("observation/scaling", 3.0, Schedule(onset=2, ramp=10)),
    Fault("action/scaling", 0.0, 4, channels=[0]),
    Fault("observation/offset", -0.7, 0),
    Fault("action/offset", 5.0, Schedule(onset=6, period=5, duty=0.4)),
    Fault("observation/drift", 0.01, 12),
    Fault("action/drift", -0.2, Schedule(onset=9, duration=8, recovery=3), channels=[2, 3]),
    Fault("observation/temporal_noise", 0.5, 5),
    Fault("action/temporal_noise", 0.5, Schedule(onset=1, ramp=5), channels=[3]),
    Fault(TemporalNoise(correlation=0.0), 1.0, 3),
    Fault(TemporalNoise(correlation=0.5, on="action"), 1.0, 3),
    Fault(PRINTED, 0.6, 4),
    Fault(TemporalNoise(variant="published", on="action"), 0.9, Schedule(onset=2, ramp=6)),
    Fault("observation/quantisation", 0.25, 5),
    Fault("observation/quantisation", 0.7, Schedule(onset=2, duration=15, ramp=3), channels=[0, 2]),
    Fault(NEAREST, 0.25, 5),
    Fault("action/delay", 1, 0),
    Fault("action/delay", 3, 6),
    Fault("action/delay", 12, 4, channels=[1]),
    Fault("action/delay", 5, Schedule(onset=8, ramp=4)),
    Fault(Delay(on="observation"), 2, 5),
    Fault("observation/offset", 1.0, Schedule(onset=4, walk=0.3)),
    Fault("action/noise", 1.0, Schedule(onset=0, ramp=5, walk=0.1), channels=[4]),
]


@pytest.fixture(scope="module")
def mixed():
    """Every fault in a row of its own, with an untouched row at the end."""
    given = signals(len(SINGLE) + 1)
    rows = [(fault,) for fault in SINGLE] + [()]
    return given, play(rows, given)


@pytest.mark.parametrize("row", range(len(SINGLE)), ids=[f"{f.id} {f.strength} {f.resolved_schedule}" for f in SINGLE])
def test_in_a_mixed_batch_each_row_gets_its_own_fault_and_nothing_else(mixed, row):
    given, got = mixed
    fault, seed = SINGLE[row], row
    other = "action" if fault.kind.target == "observation" else "observation"
    changed, onset = got[fault.kind.target][:, row], fault.resolved_schedule.onset
    np.testing.assert_array_equal(changed[:onset], given[:onset, row])
    np.testing.assert_allclose(changed, expected(fault, given[:, row], seed), **ROUNDING)
    np.testing.assert_array_equal(got[other][:, row], given[:, row])


def test_a_row_without_faults_is_left_alone(mixed):
    given, got = mixed
    np.testing.assert_array_equal(got["action"][:, -1], given[:, -1])
    np.testing.assert_array_equal(got["observation"][:, -1], given[:, -1])


def test_channels_outside_the_mask_are_left_alone():
    given = signals(1)
    for fault in SINGLE:
        if fault.channels is not None:
            out = play([(fault,)], given)[fault.kind.target]
            outside = [c for c in range(CHANNELS) if c not in fault.channels]
            np.testing.assert_array_equal(out[..., outside], given[..., outside])
            assert (out[..., list(fault.channels)] != given[..., list(fault.channels)]).any()


@pytest.mark.parametrize("anomaly", ["observation/noise", "observation/temporal_noise", PRINTED])
def test_noise_under_a_mask_is_the_same_noise(anomaly):
    given = signals(1)
    everywhere = play([(Fault(anomaly, 0.5, 3),)], given)["observation"]
    masked = play([(Fault(anomaly, 0.5, 3, channels=[1, 4]),)], given)["observation"]
    np.testing.assert_array_equal(masked[..., [1, 4]], everywhere[..., [1, 4]])


@pytest.mark.parametrize("anomaly", ["action/noise", "action/temporal_noise"])
def test_noise_of_a_row_does_not_depend_on_the_faults_of_other_rows(anomaly):
    fault = Fault(anomaly, 0.5, 3)
    given = signals(3)
    alone = play([(fault,)], given[:, 1:2], seeds=[42])["action"][:, 0]
    crowd = [(Fault("action/noise", 9.0, 0), Fault("observation/noise", 9.0, 0)), (fault,), (fault, fault)]
    np.testing.assert_array_equal(play(crowd, given, seeds=[42, 42, 41])["action"][:, 1], alone)


def test_rows_that_step_at_their_own_pace_count_their_own_time():
    fault = Fault("observation/drift", 1.0, 2)
    injection = Injection([(fault,), (fault,)], SETTING)
    both, first = np.arange(2), np.array([0])
    injection.begin(both, both, np.zeros(2, np.int64))
    zeros, seen = np.zeros((2, CHANNELS)), []
    for rows in (both, first, first, both, first, both):
        injection.act(zeros, rows)
        seen.append(injection.observe(zeros, rows)[:, 0].copy())
    np.testing.assert_array_equal(np.array(seen)[:, 0], [0, 0, 1, 2, 3, 4])
    np.testing.assert_array_equal(np.array(seen)[[0, 3, 5], 1], [0, 0, 1])


def test_a_delay_remembers_the_commands_from_before_its_onset():
    ramp = np.arange(10.0).reshape(10, 1, 1) + np.zeros(CHANNELS)
    out = play([(Fault("action/delay", 4, 6),)], ramp)["action"][:, 0, 0]
    np.testing.assert_array_equal(out, [0, 1, 2, 3, 4, 5, 2, 3, 4, 5])


def test_a_delay_longer_than_the_past_repeats_the_first_command():
    ramp = np.arange(10.0).reshape(10, 1, 1) + np.zeros(CHANNELS)
    out = play([(Fault("action/delay", 7, 3),)], ramp)["action"][:, 0, 0]
    np.testing.assert_array_equal(out, [0, 1, 2, 0, 0, 0, 0, 0, 1, 2])


PAIRS = [
    (Fault("observation/offset", 2.0, 3), Fault("observation/scaling", 3.0, 6)),
    (Fault("observation/scaling", 3.0, 3), Fault("observation/offset", 2.0, 6)),
    (Fault("observation/noise", 1.0, 5), Fault("observation/quantisation", 0.5, 5)),
    (Fault("observation/quantisation", 0.5, 5), Fault("observation/noise", 1.0, 5)),
    (Fault("observation/noise", 1.0, 5), Fault("observation/noise", 1.0, 5)),
    (Fault("action/delay", 3, 4), Fault("action/noise", 1.0, 2)),
    (Fault("action/temporal_noise", 1.0, 2), Fault("action/drift", 0.1, 0, channels=[0, 1])),
    (Fault("action/offset", 10.0, 2), Fault("action/delay", 3, 4)),
    (Fault("action/delay", 1, 2), Fault("action/delay", 2, 3)),
]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: " then ".join(fault.id for fault in pair))
def test_two_faults_at_once_apply_one_after_the_other(pair):
    given = signals(1)
    once = expected(pair[0], given[:, 0], seed=5, lane=0)
    twice = expected(pair[1], once, seed=5, lane=1)
    np.testing.assert_allclose(play([pair], given, seeds=[5])[pair[0].kind.target][:, 0], twice, **ROUNDING)


def test_a_fault_of_the_action_and_one_of_the_observation_do_not_meet():
    given = signals(1)
    pair = (Fault("action/offset", 2.0, 3), Fault("observation/scaling", 3.0, 6))
    out = play([pair], given)
    np.testing.assert_array_equal(out["action"][:, 0], expected(pair[0], given[:, 0], 0, lane=0))
    np.testing.assert_array_equal(out["observation"][:, 0], expected(pair[1], given[:, 0], 0, lane=1))


@pytest.mark.parametrize("b", [1e-3, 0.1, 1.0, 1e6])
@pytest.mark.parametrize("rounding", ["floor", "nearest"])
def test_quantisation_leaves_multiples_of_its_grid_near_the_truth(rounding, b):
    given = signals(1, steps=1, channels=CHANNELS) * 7 * b
    out = play([(Fault(Quantisation(rounding=rounding), b, 0),)], given)["observation"]
    np.testing.assert_allclose(out / b, np.round(out / b), atol=1e-9)
    error = (out - given) / b
    low, high = (-1, 0) if rounding == "floor" else (-0.5, 0.5)
    assert (error >= low - 1e-9).all()
    assert (error <= high + 1e-9).all()


@pytest.mark.parametrize("rounding", ["floor", "nearest"])
@pytest.mark.parametrize(("b", "x"), [(1e-18, -100.0), (0.1, 1e25), (0.1, np.inf)])
def test_quantisation_far_finer_than_the_number_leaves_it_as_it_is(b, x, rounding):
    given = np.full((1, 1, CHANNELS), x)
    out = play([(Fault(Quantisation(rounding=rounding), b, 0),)], given)["observation"]
    np.testing.assert_allclose(out, given, rtol=1e-12)


def test_quantisation_does_not_turn_not_a_number_into_one():
    given = np.full((1, 1, CHANNELS), np.nan)
    assert np.isnan(play([(Fault("observation/quantisation", 0.1, 0),)], given)["observation"]).all()


WIDE = 2_000
MANY = EnvironmentInfo(observation=tuple(map(str, range(WIDE))), action=(), length=60, limit=60)


def noise_of(anomaly, strength, onset=10):
    """Return the noise that a fault adds to a silent signal: (T, channels)."""
    silence = np.zeros((60, 1, WIDE))
    return play([(Fault(anomaly, strength, onset),)], silence, environment=MANY, seeds=[7])["observation"][:, 0]


def test_noise_is_white_with_the_standard_deviation_asked_for():
    noise = noise_of("observation/noise", 0.3)
    assert not noise[:10].any()
    sample = noise[10:]
    assert stats.kstest(sample.ravel() / 0.3, "norm").pvalue > 0.01
    assert sample.std() == pytest.approx(0.3, rel=0.01)
    assert abs(np.corrcoef(sample[:-1].ravel(), sample[1:].ravel())[0, 1]) < 0.01
    assert abs(np.corrcoef(sample[:, :-1].ravel(), sample[:, 1:].ravel())[0, 1]) < 0.01


@pytest.mark.parametrize("r", [0.95, 0.5, 0.0])
def test_temporal_noise_is_stationary_from_its_first_step(r):
    noise = noise_of(TemporalNoise(correlation=r), 0.3)
    assert not noise[:10].any()
    np.testing.assert_allclose(noise[10:].std(axis=1), 0.3, rtol=0.06)
    for lag in (1, 2, 10):
        together = np.corrcoef(noise[10:-lag].ravel(), noise[10 + lag :].ravel())[0, 1]
        assert together == pytest.approx(r**lag, abs=0.02)
    assert stats.kstest(noise[10] / 0.3, "norm").pvalue > 0.01


def test_temporal_noise_remembers_095_unless_told_otherwise():
    assert TemporalNoise().correlation == 0.95
    np.testing.assert_array_equal(
        noise_of("observation/temporal_noise", 0.3), noise_of(TemporalNoise(correlation=0.95), 0.3)
    )


@pytest.mark.parametrize("b", [0.3, 0.8, 1.1])
def test_temporal_noise_as_printed_dies_out_or_explodes_with_its_parameter(b):
    noise = noise_of(PRINTED, b)[10:]
    variance = [b * b]
    while len(variance) < len(noise):
        variance.append(b * b * (1.0 + variance[-1]))
    np.testing.assert_allclose(noise.std(axis=1), np.sqrt(variance), rtol=0.06)


@pytest.mark.parametrize("step", [0.02, 0.5, 30.0])
def test_random_walk_starts_at_full_strength_and_stays_between_none_and_full(step):
    n, onset = 200, 4
    fault = Fault("observation/offset", 2.0, Schedule(onset=onset, walk=step))
    applied = play([(fault,)] * n, np.zeros((STEPS, n, CHANNELS)))["applied"][:, :, 0]
    assert not applied[:onset].any()
    assert (applied[onset] == 2.0).all()
    assert ((applied >= 0.0) & (applied <= 2.0)).all()
    assert (applied[onset + 1 :] < 2.0).all()
    assert np.unique(applied[-1]).size == n


def test_random_walk_takes_normal_steps_of_the_size_asked_for():
    n, size = 20_000, 0.05
    fault = Fault("observation/offset", 1.0, Schedule(onset=0, walk=size))
    applied = play([(fault,)] * n, np.zeros((2, n, CHANNELS)))["applied"][:, :, 0]
    assert stats.kstest((1.0 - applied[1]) / size, "halfnorm").pvalue > 0.01


def test_random_walk_and_noise_of_one_fault_are_independent():
    n = 5_000
    fault = Fault("observation/noise", 1.0, Schedule(onset=0, walk=0.05))
    out = play([(fault,)] * n, np.zeros((2, n, CHANNELS)))
    drop = 1.0 - out["applied"][1, :, 0]
    noise = out["observation"][1] / out["applied"][1]
    for channel in range(CHANNELS):
        assert abs(np.corrcoef(drop, np.abs(noise[:, channel]))[0, 1]) < 0.05


def test_noise_comes_from_the_anomaly_stream_of_the_episode():
    out = play([(Fault("observation/noise", 1.0, 0),)], np.zeros((3, 1, CHANNELS)), seeds=[9], episodes=[4])
    stream = Stream.named(9, 4, "anomaly")
    for t in range(3):
        np.testing.assert_array_equal(out["observation"][t, 0], stream.normal(CHANNELS, step=t, lane=0))
