"""Named strengths: the published table, read honestly."""

import csv
from importlib.resources import files

import numpy as np
import pytest

from offnominal.anomalies import Fault, Injection, Setting, make_anomaly
from offnominal.anomalies.anomaly import DynamicsAnomaly
from offnominal.anomalies.strengths import LEVELS, parameter_for, published
from offnominal.core.errors import UnknownName
from offnominal.worlds.catalogue import make_world, worlds

SHIPPED = files("offnominal.anomalies") / "published_strengths.csv"
ROWS = sorted({key[:2] for key in published()})


def test_levels_leave_a_falling_share_of_the_return():
    assert list(LEVELS) == ["tiny", "light", "medium", "strong", "extreme"]
    assert list(LEVELS.values()) == [0.99, 0.95, 0.90, 0.75, 0.50]


def test_every_line_of_the_table_is_read_once():
    lines = SHIPPED.read_text().splitlines()
    assert len(published()) == len(lines) - 1
    assert set(csv.DictReader(lines).fieldnames) >= {"world", "anomaly", "level", "parameter"}


@pytest.mark.parametrize(("world", "anomaly"), ROWS)
def test_a_published_row_can_be_injected_at_every_level(world, anomaly):
    assert world in worlds
    setting = Setting.of(make_world(world, 1))
    levels = [key[2] for key in published() if key[:2] == (world, anomaly)]
    assert set(levels) <= set(LEVELS)
    for level in levels:
        (event,) = Injection([(Fault(anomaly, level, 2),)], setting).events(0)
        assert event.parameter == parameter_for(world, anomaly, level) > 0
        assert np.isfinite(event.parameter)


@pytest.mark.parametrize(("world", "anomaly"), ROWS)
def test_no_published_level_is_the_neutral_parameter(world, anomaly):
    kind = make_anomaly(anomaly)
    neutral = make_world(world, 1).knob(kind.knob).neutral if isinstance(kind, DynamicsAnomaly) else kind.neutral
    assert neutral not in [value for key, value in published().items() if key[:2] == (world, anomaly)]


@pytest.mark.parametrize(
    ("world", "anomaly", "level", "value"),
    [
        ("SAP-Goal0-v0", "action/offset", "medium", 0.69),
        ("SAP-Goal0-v0", "dynamics/mass", "extreme", 25.99),
        ("SAP-Goal2-v0", "observation/scaling", "strong", 0.06413),
        ("MJC-CartpoleSwingup-v0", "dynamics/force", "tiny", 3.457),
        ("MJC-Reacher3D-v0", "observation/noise", "strong", 1.493),
        ("MJC-HalfCheetah-v0", "dynamics/friction", "strong", 8.958),
        ("MJC-HalfCheetah-v0", "observation/offset", "tiny", 0.00200401),
    ],
)
def test_values_are_those_of_the_published_code(world, anomaly, level, value):
    assert parameter_for(world, anomaly, level) == pytest.approx(value, rel=5e-4)


def test_an_unreached_level_is_absent_rather_than_aliased():
    levels = [key[2] for key in published() if key[:2] == ("SAP-Goal0-v0", "dynamics/moving_objects")]
    values = [parameter_for("SAP-Goal0-v0", "dynamics/moving_objects", level) for level in levels]
    assert "extreme" not in levels
    assert len(set(values)) == len(values)
    with pytest.raises(UnknownName, match=r"no strength 'extreme' for dynamics/moving_objects .*known: tiny"):
        parameter_for("SAP-Goal0-v0", "dynamics/moving_objects", "extreme")


@pytest.mark.parametrize(("level", "near"), [("medum", "medium"), ("Strong", "strong"), ("xtreme", "extreme")])
def test_an_unknown_level_names_the_nearest(level, near):
    with pytest.raises(UnknownName, match=rf"no strength named '{level}'\. Did you mean '{near}'.*tiny, light"):
        parameter_for("SAP-Goal0-v0", "action/offset", level)


def test_an_anomaly_without_published_levels_asks_for_a_number():
    with pytest.raises(UnknownName, match="no level of it is calibrated yet; give a number"):
        parameter_for("SAP-Goal0-v0", "action/delay", "tiny")


def test_a_world_without_a_table_asks_for_a_number():
    with pytest.raises(UnknownName, match="only known for shipped worlds; give observation/noise a number"):
        Injection([(Fault("observation/noise", "medium", 0),)], Setting(("0",), ("0",)))
