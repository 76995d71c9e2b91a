"""An injection gives each row its own faults, at its own time, and takes them back without a trace."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy import stats

from offnominal.anomalies import EnvironmentInfo, Fault, Injection, Schedule, SignalAnomaly
from offnominal.anomalies.strengths import parameter_for
from offnominal.core.episode import Event
from offnominal.core.errors import InvalidParameter, UnsupportedEnvironment
from offnominal.core.streams import Stream
from offnominal.worlds.catalogue import make_world, worlds
from offnominal.worlds.world_card import PhysicsParameter

SETTING = EnvironmentInfo(observation=("0", "1", "2"), action=("0", "1"), length=13, limit=50)


class Bench:
    """Something with physics parameters that remembers how they are turned."""

    def __init__(self, n):
        self.physics_parameters = {
            "weight": PhysicsParameter("weight", 2.0, "a factor", minimum=0.1, combine="multiply"),
            "wind": PhysicsParameter("wind", 0.0, "a force"),
            "drag": PhysicsParameter("drag", 0.3, "a share", minimum=0.0),
        }
        self.value = {
            name: np.full(n, physics_parameter.neutral) for name, physics_parameter in self.physics_parameters.items()
        }
        self.turned = set()

    def set_physics_parameter(self, name, rows, values):
        self.turned |= {(name, int(row)) for row in rows}
        self.value[name][rows] = values


def on_bench(*rows):
    """Return an injection with its bench, begun with seed 0, 1, ..."""
    bench = Bench(len(rows))
    environment = EnvironmentInfo(("0", "1", "2"), ("0", "1"), physics=bench, length=13, limit=50)
    injection = Injection(list(rows), environment)
    begin(injection)
    return injection, bench


def begin(injection, seeds=None, episodes=0):
    n = len(injection.faults)
    rows = np.arange(n)
    injection.begin(rows, rows if seeds is None else np.asarray(seeds), np.full(n, episodes))


def step(injection, observations=None, rows=None):
    """Advance by one transition with zero actions; return what is seen."""
    n = len(injection.faults)
    rows = np.arange(n) if rows is None else np.asarray(rows)
    injection.act(np.zeros((n, 2)), rows)
    return injection.observe(np.zeros((n, 3)) if observations is None else observations, rows)


def onsets(faults, seeds, episodes=0, environment=SETTING):
    injection = Injection([faults] * len(seeds), environment)
    begin(injection, seeds, episodes)
    return np.array([[event.onset for event in injection.events(row)] for row in range(len(seeds))])


@pytest.mark.parametrize("rows", [[2], [-1], [0, 1 << 40]])
def test_rows_that_do_not_exist_are_refused(rows):
    """Compiled code would write beyond the arrays."""
    injection, _ = on_bench((Fault("action/offset", 1.0),), ())
    missing = np.array(rows)
    for call in (
        lambda: injection.release(missing),
        lambda: injection.begin(missing, missing, missing),
        lambda: injection.act(np.zeros((2, 2)), missing),
        lambda: injection.observe(np.zeros((2, 3)), missing),
    ):
        with pytest.raises(InvalidParameter, match="expected indices from 0 to 1"):
            call()


def test_onset_depends_on_the_seed_and_not_on_the_anomaly():
    seeds = np.arange(200)
    expected = onsets((Fault("observation/noise", 0.1),), seeds)
    for fault in (
        Fault("action/delay", 3),
        Fault("observation/offset", 9.0, channels=[1]),
        Fault("observation/drift", 0.1, Schedule(duration=3, ramp=2, recovery=1, walk=0.2)),
    ):
        np.testing.assert_array_equal(onsets((fault,), seeds), expected)
    assert len(np.unique(expected)) == 11


def test_onset_comes_from_a_stream_of_its_own():
    drawn = onsets((Fault("observation/noise", 0.1), Fault("action/noise", 0.1, (10, 49))), [6, 7], episodes=3)
    for row, seed in enumerate((6, 7)):
        stream = Stream.named(seed, 3, "onset")
        assert drawn[row].tolist() == [stream.integer(2, 12, lane=0), stream.integer(10, 49, lane=1)]


def test_onset_of_a_row_does_not_depend_on_its_place_or_its_neighbours():
    fault = Fault("observation/noise", 0.1)
    expected = onsets((fault,), np.arange(50))[:, 0]
    injection = Injection([()] * 3 + [(fault,)] * 50 + [(fault, fault)], SETTING)
    begin(injection, [7, 8, 9, *range(49, -1, -1), 3])
    np.testing.assert_array_equal([injection.events(row)[0].onset for row in range(3, 53)], expected[::-1])


def test_onset_is_drawn_anew_for_every_episode_of_a_seed():
    fault = Fault("observation/noise", 0.1)
    seeds = np.arange(500)
    first, second = onsets((fault,), seeds)[:, 0], onsets((fault,), seeds, episodes=1)[:, 0]
    np.testing.assert_array_equal(second, onsets((fault,), seeds, episodes=1)[:, 0])
    assert (first == second).mean() == pytest.approx(1 / 11, abs=0.04)


def test_onsets_of_two_random_faults_are_drawn_independently():
    pair = onsets((Fault("observation/noise", 0.1), Fault("action/noise", 0.1)), np.arange(5_000))
    table = np.histogram2d(pair[:, 0], pair[:, 1], bins=(range(2, 14), range(2, 14)))[0]
    assert stats.chi2_contingency(table).pvalue > 0.01


@pytest.mark.parametrize(
    ("onset", "first", "last"), [("random", 2, 12), ((5, 5), 5, 5), ((0, 49), 0, 49), ((7, 9), 7, 9)]
)
def test_random_onsets_are_uniform_over_their_range(onset, first, last):
    drawn = onsets((Fault("observation/noise", 0.1, onset),), np.arange(5_000))[:, 0]
    counts = np.bincount(drawn, minlength=last + 1)
    assert not counts[:first].any()
    assert len(counts) == last + 1
    assert first == last or stats.chisquare(counts[first:]).pvalue > 0.01


def test_a_random_onset_without_an_experts_length_fits_the_time_limit():
    environment = EnvironmentInfo(("0",), (), limit=6)
    drawn = onsets((Fault("observation/noise", 0.1),), np.arange(500), environment=environment)
    assert set(drawn.ravel()) == {2, 3, 4, 5}


def test_labels_say_active_exactly_while_any_fault_is_on():
    faults = (
        Fault("observation/offset", 1.0, Schedule(onset=2, duration=2)),
        Fault("action/offset", 1.0, Schedule(onset=3, duration=3, period=2)),
    )
    injection, _ = on_bench(faults, ())
    active, on = [], []
    for _ in range(8):
        step(injection)
        active.append(injection.active.copy())
        on.append(injection._table.on[0].copy())
    np.testing.assert_array_equal(np.array(active)[:, 0], [0, 0, 1, 1, 0, 1, 0, 0])
    np.testing.assert_array_equal(np.array(on)[:, 0], [0, 0, 1, 1, 0, 0, 0, 0])
    np.testing.assert_array_equal(np.array(on)[:, 1], [0, 0, 0, 1, 0, 1, 0, 0])
    assert not np.array(active)[:, 1].any()


def test_the_parameter_in_force_runs_from_neutral_to_full_and_back():
    fault = Fault("observation/scaling", 3.0, Schedule(onset=1, duration=3, ramp=2, recovery=1))
    injection, _ = on_bench((fault,))
    applied = [injection.applied[0, 0]]
    for _ in range(6):
        step(injection)
        applied.append(injection.applied[0, 0])
    assert applied == [1.0, 1.0, 2.0, 3.0, 3.0, 2.0, 1.0]


def test_events_say_what_is_injected():
    faults = (
        Fault("observation/offset", 0.5, Schedule(onset=4, duration=3, recovery=2), channels=[2, 0]),
        Fault("dynamics/wind", -3, 7),
    )
    injection, _ = on_bench((), faults)
    assert injection.events(0) == ()
    assert injection.events(1) == (
        Event("observation/offset", 0.5, onset=4, end=9, channels=(0, 2)),
        Event("dynamics/wind", -3.0, onset=7, end=None, channels=()),
    )


def test_events_of_a_named_strength_hold_the_number():
    injection = Injection([(Fault("dynamics/mass", "medium", 2),)], EnvironmentInfo.of(make_world("SAP-Goal0-v0", 1)))
    assert injection.events(0)[0].parameter == parameter_for("SAP-Goal0-v0", "dynamics/mass", "medium")


def test_a_physics_parameter_is_turned_while_the_fault_is_on_and_exactly_put_back():
    fault = Fault("dynamics/drag", 0.7, Schedule(onset=1, duration=2, recovery=1))
    injection, bench = on_bench((fault,), ())
    values = []
    for _ in range(5):
        step(injection)
        values.append(bench.value["drag"][0])
    assert values == [0.3, 0.7, 0.7, 0.3 + 0.5 * (0.7 - 0.3), 0.3]
    assert bench.turned == {("drag", 0)}


@pytest.mark.parametrize(
    ("physics_parameter", "strengths", "together"),
    [
        ("weight", (4.0, 6.0), 2.0 * (4.0 / 2.0) * (6.0 / 2.0)),
        ("weight", (1.0, 1.0, 1.0), 0.25),
        ("wind", (3.0, -1.0), 2.0),
        ("drag", (0.5, 0.4), 0.6),
    ],
)
def test_faults_on_one_physics_parameter_act_together(physics_parameter, strengths, together):
    faults = tuple(Fault(f"dynamics/{physics_parameter}", value, t) for t, value in enumerate(strengths))
    injection, bench = on_bench(faults)
    step(injection)
    assert bench.value[physics_parameter][0] == pytest.approx(strengths[0], rel=1e-15)
    for _ in strengths:
        step(injection)
    assert bench.value[physics_parameter][0] == pytest.approx(together, rel=1e-15)
    injection.release(np.array([0]))
    assert bench.value[physics_parameter][0] == bench.physics_parameters[physics_parameter].neutral


def test_release_puts_back_only_the_rows_it_is_told():
    fault = Fault("dynamics/weight", 5.0, 0)
    injection, bench = on_bench((fault,), (fault,), (fault,))
    step(injection)
    assert bench.value["weight"].tolist() == [5.0, 5.0, 5.0]
    injection.release(np.array([1]))
    assert bench.value["weight"].tolist() == [5.0, 2.0, 5.0]
    assert injection.applied[:, 0].tolist() == [5.0, 2.0, 5.0]


def test_begin_starts_rows_anew_and_leaves_the_others_running():
    fault = Fault("observation/drift", 1.0, 1)
    injection, _ = on_bench((fault,), (fault,))
    for _ in range(4):
        step(injection)
    injection.begin(np.array([0]), np.array([0]), np.array([1]))
    assert injection.active.tolist() == [False, True]
    assert injection._table.ticks.tolist() == [0, 4]
    np.testing.assert_array_equal(step(injection)[:, 0], [0, 4])
    np.testing.assert_array_equal(step(injection)[:, 0], [1, 5])


@pytest.mark.parametrize(
    "fault",
    [
        Fault("observation/temporal_noise", 3.0, 1),
        Fault("action/delay", 3, 1),
        Fault("observation/offset", 3.0, Schedule(onset=1, walk=0.3)),
    ],
    ids=["correlated noise", "history", "random walk"],
)
def test_nothing_is_remembered_from_one_episode_to_the_next(fault):
    def run(injection, offset):
        out = []
        for t in range(10):
            acted = injection.act(np.full((1, 2), offset + t), np.array([0]))
            out.append((acted.copy(), injection.observe(np.zeros((1, 3)), np.array([0]))))
        return out

    used, fresh = (Injection([(fault,)], SETTING) for _ in range(2))
    begin(used, [5])
    run(used, 100.0)
    begin(used, [6])
    begin(fresh, [6])
    for (acted, seen), (acted_fresh, seen_fresh) in zip(run(used, 0.0), run(fresh, 0.0), strict=True):
        np.testing.assert_array_equal(acted, acted_fresh)
        np.testing.assert_array_equal(seen, seen_fresh)


@pytest.mark.parametrize("id", worlds.ids())
def test_every_physics_parameter_of_every_world_is_back_to_its_exact_value_after_release(id):
    world = make_world(id, 2)
    row = np.array([0])
    both = np.arange(2)
    world.reset(both, both, both * 0)
    before = [world.current_physics(r) for r in both]
    for name, physics_parameter in world.physics_parameters.items():
        fault = Fault(f"dynamics/{name}", physics_parameter.neutral * 1.7 + 0.3, 0)
        injection = Injection([(fault,), ()], EnvironmentInfo.of(world))
        injection.begin(both, both, both * 0)
        injection.act(np.zeros((2, *world.action_space.shape)), both)
        assert _different(before[0], world.current_physics(0)), f"{name} changes nothing"
        assert not _different(before[1], world.current_physics(1)), f"{name} reaches the neighbour"
        injection.release(row)
        assert not _different(before[0], world.current_physics(0)), f"{name} is not put back"
    world.close()


def _different(before, after):
    return [name for name in before if not np.array_equal(before[name], after[name])]


@dataclass(frozen=True)
class Square(SignalAnomaly):
    kind = "square"

    def perturb(self, signal, parameter, context):
        return signal**2


@dataclass(frozen=True)
class Count(SignalAnomaly):
    kind = "count"

    def perturb(self, signal, parameter, context):
        context.memory["calls"] = context.memory.get("calls", 0) + 1
        return np.full_like(signal, parameter * context.memory["calls"])


def test_custom_anomalies_act_in_their_own_rows_with_their_own_memory():
    rows = ((Fault(Count(), 1.0, 0),), (), (Fault(Count(), 10.0, 2), Fault("observation/offset", 5.0, 0)))
    injection, _ = on_bench(*rows)
    seen = np.array([step(injection).copy() for _ in range(4)])[:, :, 0]
    np.testing.assert_array_equal(seen[:, 0], [1, 2, 3, 4])
    np.testing.assert_array_equal(seen[:, 1], [0, 0, 0, 0])
    np.testing.assert_array_equal(seen[:2, 2], [5, 5])


def test_custom_anomalies_of_actions_reach_the_actions_only():
    injection, _ = on_bench((Fault(Square(on="action"), 1.0, 0, channels=[1]),))
    rows = np.array([0])
    np.testing.assert_array_equal(injection.act(np.array([[3.0, 4.0]]), rows), [[3.0, 16.0]])
    np.testing.assert_array_equal(injection.observe(np.array([[3.0, 4.0, 5.0]]), rows), [[3.0, 4.0, 5.0]])


@pytest.mark.parametrize(
    ("faults", "expected"),
    [
        ((Fault("observation/offset", 1.0, 0), Fault(Square(), 1.0, 0)), 9.0),
        ((Fault(Square(), 1.0, 0), Fault("observation/offset", 1.0, 0)), 5.0),
    ],
    ids=["offset then square", "square then offset"],
)
def test_custom_and_built_in_faults_apply_one_after_the_other(faults, expected):
    injection, _ = on_bench(faults)
    assert step(injection, np.full((1, 3), 2.0))[0, 0] == expected


@pytest.mark.parametrize(
    ("dtype", "strength", "clean", "seen"),
    [
        (np.uint8, 0.4, [0, 100, 255], [0, 100, 255]),
        (np.uint8, 0.6, [0, 100, 255], [1, 101, 255]),
        (np.uint8, -7.2, [0, 100, 255], [0, 93, 248]),
        (np.int16, 1e9, [0, -5, 32767], [32767, 32767, 32767]),
        (np.int64, -2.0, [0, 1, 2], [-2, -1, 0]),
        (np.int64, 1e30, [0, 1, 2], [2**63 - 1] * 3),
        (np.uint64, 1e30, [0, 1, 2], [2**64 - 1] * 3),
    ],
)
def test_whole_numbers_are_rounded_and_kept_within_their_type(dtype, strength, clean, seen):
    injection, _ = on_bench((Fault("observation/offset", strength, 0),))
    got = step(injection, np.array([clean], dtype))
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, np.array([seen], dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_type_and_the_shape_of_a_signal_are_kept(dtype):
    environment = EnvironmentInfo(tuple(map(str, range(12))), (), limit=9)
    injection = Injection([(Fault("observation/noise", 1.0, 0),)], environment)
    begin(injection)
    image = np.zeros((1, 2, 3, 2), dtype)
    row = np.array([0])
    injection.act(np.zeros((1, 0)), row)
    seen = injection.observe(image, row)
    assert seen.dtype == dtype
    assert seen.shape == image.shape
    assert seen.any()
    assert not image.any()


def test_given_arrays_are_never_changed():
    injection, _ = on_bench((Fault("observation/offset", 1.0, 0), Fault("action/offset", 1.0, 0)))
    action, observation = np.zeros((1, 2)), np.zeros((1, 3))
    injection.observe(observation, np.array([0]))
    assert injection.act(action, np.array([0])).any()
    assert not action.any()
    assert not observation.any()


def test_signal_faults_need_a_signal_made_of_numbers():
    with pytest.raises(UnsupportedEnvironment, match="action/noise needs a Box action space; a game has none"):
        Injection([(Fault("action/noise", 0.1, 0),)], EnvironmentInfo(("0",), (), limit=9, name="a game"))


def test_every_row_is_checked_before_anything_runs():
    good, bad = Fault("observation/noise", 0.1, 3), Fault("observation/noise", 0.1, 50)
    with pytest.raises(ValueError, match="onset 50 lies after"):
        Injection([(good,), (good, bad)], SETTING)
