"""Named strengths: our table and the published one, read honestly."""

import csv
import errno
import math
import os
from importlib.resources import files
from itertools import groupby, pairwise

import numpy as np
import pytest

from offnominal.agents import expert_cards
from offnominal.anomalies import EnvironmentInfo, Fault, Injection, make_anomaly
from offnominal.anomalies.anomaly import DynamicsAnomaly
from offnominal.anomalies.catalogue import anomalies_with
from offnominal.anomalies.strengths import (
    CALIBRATED,
    LEVELS,
    calibrated_strengths,
    calibration_policies,
    parameter_for,
    published_strengths,
    read_strengths,
    strength,
    strengths_of,
    write_strengths,
)
from offnominal.core.checksum import NoChecksum, read_checked_text, write_checked_text
from offnominal.core.errors import DamagedFile, InaccessibleFile, InvalidParameter, MissingFile, UnknownName
from offnominal.worlds.catalogue import make_world, worlds

SHIPPED = files("offnominal.anomalies") / "published_strengths.csv"
PRINTED = sorted({key[:2] for key in published_strengths()})
CURVES = [
    list(lines) for _, lines in groupby(calibrated_strengths(), lambda line: (line.world, line.anomaly, line.direction))
]


def neutral_of(world, anomaly):
    kind = make_anomaly(anomaly)
    return (
        make_world(world, 1).physics_parameter(kind.physics_parameter).neutral
        if isinstance(kind, DynamicsAnomaly)
        else kind.neutral
    )


def test_levels_leave_a_falling_share_of_the_return():
    assert list(LEVELS) == ["tiny", "light", "medium", "strong", "extreme"]
    assert list(LEVELS.values()) == [0.99, 0.95, 0.90, 0.75, 0.50]


WORLDS = [
    id for id in worlds.ids() if id.startswith(("CAR-", "MJC-", "SAP-", "UR")) and id != "CAR-LaneKeep-v1"
]  # others have no calibrated strengths


@pytest.mark.parametrize("world", WORLDS)
def test_every_anomaly_of_every_world_was_calibrated_at_every_level(world):
    found = {(line.anomaly, line.name) for line in calibrated_strengths() if line.world == world}
    for anomaly in anomalies_with(make_world(world, 1).physics_parameters):
        ways = ("-up", "-down") if anomaly.endswith("/scaling") else ("",)
        assert {(anomaly, f"{level}{way}") for level in CALIBRATED for way in ways} <= found


def test_no_line_stands_twice():
    keys = [(line.world, line.anomaly, line.name) for line in calibrated_strengths()]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("world", WORLDS)
def test_the_table_belongs_to_shipped_policies(world):
    shipped = {card.sha256[:12] for card in expert_cards() if card.world == world}
    assert set(calibration_policies(world)) <= shipped
    assert {line.policies for line in calibrated_strengths() if line.world == world} == {
        " ".join(calibration_policies(world))
    }


@pytest.mark.parametrize("curve", CURVES, ids=lambda lines: f"{lines[0].world} {lines[0].anomaly} {lines[0].direction}")
def test_parameters_move_away_from_neutral_and_scores_fall(curve):
    reached = [line for line in curve if line.attainable]
    neutral = neutral_of(curve[0].world, curve[0].anomaly)
    distances = [abs(math.log(line.parameter / neutral)) if neutral else line.parameter for line in reached]
    assert all(weaker < stronger for weaker, stronger in pairwise([0.0, *distances]))
    assert all(stronger.score < weaker.score for weaker, stronger in pairwise(reached))


def test_attained_scores_are_near_their_levels_and_never_harmless():
    reached = [line for line in calibrated_strengths() if line.attainable]
    errors = np.array([abs(line.score - line.target) for line in reached])
    half = np.array([(line.high - line.low) / 2 for line in reached])
    assert len(reached) > 0.5 * len(calibrated_strengths())  # plausible limits leave out many
    assert np.mean(errors <= 0.01) > 0.8
    assert (errors <= np.maximum(0.055, 2.0 * half)).all()
    assert all(line.low <= line.score <= line.high < 1.0 for line in reached)


def test_what_is_not_attained_says_why():
    for line in calibrated_strengths():
        if not line.attainable:
            assert line.note
            assert abs(line.score - line.target) > 0.005


def test_a_later_onset_never_costs_more():
    for line in calibrated_strengths():
        # A car that leaves its lane at once has no costs after that, and a block that is never lifted is not dropped:
        # a payload or a loss of grip that begins while the block is carried costs more than one before the grasp.
        drops = line.anomaly in ("dynamics/grip_loss", "dynamics/payload")
        saves = (line.world == "CAR-LaneKeep-v0" and line.level == "extreme") or drops
        if line.attainable and line.target < 0.95 and not saves:
            assert line.dataset_score > line.low


@pytest.mark.parametrize("world", WORLDS)
def test_every_attainable_name_can_be_injected(world):
    environment = EnvironmentInfo.of(make_world(world, 1))
    named = strengths_of(world)
    assert len({anomaly for anomaly, _ in named}) >= 13
    for (anomaly, level), parameter in named.items():
        (event,) = Injection([(Fault(anomaly, level, 2),)], environment).events(0)
        assert event.parameter == parameter == parameter_for(world, anomaly, level)


def test_a_world_without_calibrated_strengths_asks_for_a_number():
    assert strengths_of("OOD-CartPole-v0") == {}
    with pytest.raises(UnknownName, match=r"'medium' for dynamics/gravity in OOD-CartPole-v0; .* give a number"):
        parameter_for("OOD-CartPole-v0", "dynamics/gravity", "medium")


def test_a_direction_can_be_named_and_the_bare_level_is_one_of_the_two():
    for anomaly in ("observation/scaling", "action/scaling"):
        lines = [strength("SAP-Goal0-v0", anomaly, name) for name in ("tiny", "tiny-up", "tiny-down")]
        assert lines[0] in lines[1:]
        assert lines[2].parameter < 1.0 < lines[1].parameter


def test_a_level_no_parameter_has_says_what_is_left():
    with pytest.raises(InvalidParameter, match=r"dynamics/moving_objects .* is 'extreme': at .* leaves"):
        parameter_for("SAP-Goal0-v0", "dynamics/moving_objects", "extreme")
    assert ("dynamics/moving_objects", "extreme") not in strengths_of("SAP-Goal0-v0")


@pytest.mark.parametrize(("level", "near"), [("medum", "medium"), ("Strong", "strong"), ("xtreme", "extreme")])
def test_an_unknown_level_names_the_nearest(level, near):
    with pytest.raises(UnknownName, match=rf"no strength named '{level}'\. Did you mean '{near}'.*tiny, light"):
        parameter_for("SAP-Goal0-v0", "action/offset", level)


def test_a_level_that_was_not_calibrated_names_those_that_were():
    with pytest.raises(UnknownName, match=r"no strength 'light' for action/offset .*; calibrated: tiny, medium"):
        parameter_for("SAP-Goal0-v0", "action/offset", "light")


def test_an_anomaly_without_levels_asks_for_a_number():
    with pytest.raises(UnknownName, match="no level of it is calibrated yet; give a number"):
        parameter_for("SAP-Goal0-v0", "dynamics/gravity", "tiny")


def test_a_world_without_a_table_asks_for_a_number():
    with pytest.raises(UnknownName, match="only known for shipped worlds; give observation/noise a number"):
        Injection([(Fault("observation/noise", "medium", 0),)], EnvironmentInfo(("0",), ("0",)))


def test_a_damaged_table_is_named(tmp_path):
    path = tmp_path / "strengths.csv"
    write_checked_text(path, "world,level\nSAP-Goal0-v0,tiny\n")
    with pytest.raises(DamagedFile, match="is not a table of strengths"):
        read_strengths(path)
    write_strengths(path, calibrated_strengths()[:3])
    assert [line.name for line in read_strengths(path)] == [line.name for line in calibrated_strengths()[:3]]
    write_checked_text(path, read_checked_text(path, str).replace("true", "perhaps").replace("false", "perhaps"))
    with pytest.raises(DamagedFile, match="has an invalid line"):
        read_strengths(path)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text.encode("utf-16"),
        lambda text: text.replace("true", "perhaps").encode(),
        lambda text: text.rstrip("\n").rpartition(",")[0].encode(),
        lambda text: text.rstrip("\n").encode() + b",one more\n",
        lambda text: text.encode() + b'"' + b"x" * 200_000,
        lambda text: text.encode()[:-40],
        lambda text: b"",
        lambda text: b"\0" * 100,
    ],
)
@pytest.mark.filterwarnings("ignore::offnominal.core.checksum.NoChecksum")
def test_a_table_that_was_spoiled_is_damaged(spoil, tmp_path):
    path = tmp_path / "strengths.csv"
    write_strengths(path, [line for line in calibrated_strengths() if line.attainable][:3])
    whole = path.read_text()
    for content in (spoil(whole), spoil(whole.partition("\n")[2])):
        path.write_bytes(content)
        with pytest.raises(DamagedFile):
            read_strengths(path)


def test_a_changed_parameter_is_noticed(tmp_path):
    path = tmp_path / "strengths.csv"
    line = next(line for line in calibrated_strengths() if line.attainable)
    write_strengths(path, [line])
    path.write_text(path.read_text().replace(f"{line.parameter:.6g}", f"{2 * line.parameter:.6g}"))
    with pytest.raises(DamagedFile, match=r"strengths.csv was changed"):
        read_strengths(path)


def test_a_table_of_an_early_version_has_no_checksum_and_is_read_with_a_warning(tmp_path):
    path = tmp_path / "strengths.csv"
    write_strengths(path, calibrated_strengths()[:3])
    checked = read_strengths(path)
    path.write_text(path.read_text().partition("\n")[2])
    with pytest.warns(NoChecksum, match=r"strengths.csv has no checksum"):
        assert repr(read_strengths(path)) == repr(checked)


def test_a_table_is_written_atomically(tmp_path, monkeypatch):
    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    write_strengths(tmp_path / "strengths.csv", calibrated_strengths()[:3])
    before = (tmp_path / "strengths.csv").read_bytes()
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InaccessibleFile, match="free some space"):
        write_strengths(tmp_path / "strengths.csv", calibrated_strengths()[:2])
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [before]
    with pytest.raises(MissingFile):
        read_strengths(tmp_path / "nowhere.csv")


def test_every_line_of_the_published_table_is_read_once():
    lines = SHIPPED.read_text().splitlines()[1:]
    assert len(published_strengths()) == len(lines) - 1
    assert set(csv.DictReader(lines).fieldnames) >= {"world", "anomaly", "level", "parameter"}


@pytest.mark.parametrize(("world", "anomaly"), PRINTED)
def test_a_published_row_is_one_of_ours(world, anomaly):
    assert any(line.world == world and line.anomaly == anomaly for line in calibrated_strengths())
    values = {key: value for key, value in published_strengths().items() if key[:2] == (world, anomaly)}
    without_effect = [key for key, value in values.items() if value == neutral_of(world, anomaly)]
    assert without_effect in ([], [("CAR-LaneKeep-v0", "observation/scaling", "tiny")])


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
        ("CAR-LaneKeep-v0", "dynamics/brake_fail", "medium", 0.1136),
        ("URM-Reach-v0", "dynamics/robot_speed", "strong", 0.002545),
        ("URM-PnP-v0", "dynamics/robot_friction", "medium", 8.838),
        ("URR-Reach-v0", "dynamics/control_latency", "extreme", 0.09808),
    ],
)
def test_published_values_are_those_of_the_published_code(world, anomaly, level, value):
    assert published_strengths()[world, anomaly, level] == pytest.approx(value, rel=5e-4)


def test_levels_that_a_card_names_need_no_calibration():
    assert parameter_for("CRAFT-Pogo-v2", "dynamics/fence", "hard") == 3.0
    assert strengths_of("CRAFT-Pogo-v1")["dynamics/rotten_trees", "typical"] == 2.0
    with pytest.raises(UnknownName, match="Did you mean 'easy'"):
        parameter_for("CRAFT-Pogo-v2", "dynamics/fence", "eazy")
