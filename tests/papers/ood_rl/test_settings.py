"""The rule makes the values that are published in Table 1."""

import pytest

from offnominal.agents import scripted_expert
from offnominal.anomalies import make_anomaly
from offnominal.anomalies.anomaly import DynamicsAnomaly
from offnominal.core.errors import UnknownName
from offnominal.papers.ood_rl.settings import CARTPOLE, PENDULUM, PONG, describe_environment, settings
from offnominal.rollouts import twins
from offnominal.worlds import make_world

pytestmark = pytest.mark.long

PUBLISHED = {
    (CARTPOLE, "dynamics/gravity"): (
        "0.98 1.09 1.23 1.4 1.63 1.96 2.45 3.27 4.9 19.6 29.4 39.2 49.0 58.8 68.6 78.4 88.2 98.0"
    ),
    (CARTPOLE, "dynamics/cart_mass"): "0.1 0.1111 0.125 0.1429 0.1667 0.2 0.25 0.3333 0.5 2 3 4 5 6 7 8 9 10",
    (CARTPOLE, "dynamics/pole_length"): (
        "0.05 0.0556 0.0625 0.0714 0.0833 0.1 0.125 0.1667 0.25 1.0 1.5 2.0 2.5 3.0 3.5 4.0 4.5 5.0"
    ),
    (CARTPOLE, "dynamics/pole_mass"): (
        "0.01 0.0111 0.0125 0.0143 0.0167 0.02 0.025 0.0333 0.05 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.0"
    ),
    (CARTPOLE, "dynamics/push_force"): ("1.0 1.1111 1.25 1.4286 1.6667 2.0 2.5 3.3333 5.0 20 30 40 50 60 70 80 90 100"),
    (PENDULUM, "dynamics/gravity"): "0.5 1 2 5 20 50 100 200",
    (PENDULUM, "dynamics/mass"): ".05 .1 .2 .5 2 5 10 20",
    (PENDULUM, "dynamics/length"): ".05 .1 .2 .5 2 5 10 20",
    (PENDULUM, "dynamics/max_speed"): ".4 .8 1.6 4 16 40 80 160",
    (PENDULUM, "dynamics/max_torque"): ".1 .2 .4 1 4 10 20 40",
    (PONG, "camera/gaussian"): "1 2 3 4 5",
    (PONG, "camera/impulse"): "1 2 3 4 5",
    (PONG, "camera/motion_blur"): "1 2 3 4 5",
    (PONG, "camera/pixelate"): "1 2 3 4 5",
}


@pytest.mark.parametrize(("place", "published"), PUBLISHED.items(), ids=str)
def test_the_rule_makes_the_published_values(place, published):
    found = [each.parameter for each in settings(place[0]) if each.anomaly == place[1]]
    assert found == [float(value) for value in published.split()]


def test_there_are_150_and_no_two_are_alike():
    assert len(settings()) == len({(each.world, each.anomaly, each.parameter) for each in settings()}) == 150
    assert len({(each.world, each.label) for each in settings()}) == 150
    assert {(each.world, each.anomaly) for each in settings()} == set(PUBLISHED)


@pytest.mark.parametrize("world", [CARTPOLE, PENDULUM])
def test_defaults_are_the_neutral_values_of_the_worlds(world):
    physics_parameters = make_world(world, 1).physics_parameters
    quantities = {each.quantity for each in settings(world)}
    assert {f"dynamics/{name}" for name in physics_parameters} == {each.anomaly for each in quantities}
    for each in quantities:
        kind = make_anomaly(each.anomaly)
        assert isinstance(kind, DynamicsAnomaly)
        assert physics_parameters[kind.physics_parameter].neutral == each.default


@pytest.mark.parametrize("world", [CARTPOLE, PENDULUM])
def test_every_setting_runs_from_the_start_and_changes_the_world(world):
    faults = [each.fault() for each in settings(world)]
    pairs = twins(world, scripted_expert(world), len(faults), faults=faults)
    for each, pair in zip(settings(world), pairs, strict=True):
        assert pair.faulty.events[0].parameter == each.parameter
        assert pair.faulty.active.all()
        # The script never asks for more torque than the usual limit, and hardly ever swings faster than it.
        if each.parameter <= each.quantity.default or each.quantity.name not in ("maximum speed", "maximum torque"):
            assert pair.effective_onset is not None, each.label


def test_a_setting_is_found_by_its_parameter():
    assert describe_environment(CARTPOLE, "dynamics/gravity", 98.0).label == "gravity 98"
    assert describe_environment(PONG, "camera/motion_blur", 2).published == "(15, 5)"


def test_a_setting_that_is_not_in_the_table_names_those_that_are():
    with pytest.raises(UnknownName, match=r"no dynamics/gravity of 3 in OOD-Pendulum-v0; it has 0\.5, 1, 2"):
        describe_environment(PENDULUM, "dynamics/gravity", 3.0)
    with pytest.raises(UnknownName, match="it changes camera/gaussian"):
        describe_environment(PONG, "dynamics/gravity", 3.0)
