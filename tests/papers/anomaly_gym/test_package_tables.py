"""Tables of the Anomaly-Gym paper that need no run: worlds, strengths, parameters and scores of policies."""

import pytest

from offnominal.agents import expert_cards
from offnominal.agents.policy_ids import was_shown
from offnominal.papers.anomaly_gym import strength_table
from offnominal.papers.anomaly_gym.evidence import StrengthScore, policy_scores, published_strength_scores
from offnominal.papers.anomaly_gym.policy_table import table_5, table_5_images
from offnominal.papers.anomaly_gym.strength_table import table_9
from offnominal.papers.anomaly_gym.training_tables import table_10, table_11
from offnominal.papers.anomaly_gym.world_tables import table_6, table_7
from offnominal.papers.catalogue import tables_of
from offnominal.studies.results import RunResults

from .made_rows import row, run

pytestmark = pytest.mark.long

NONE = RunResults.none()


def by_labels(lines):
    return {tuple(line.labels.values()): line for line in lines}


def test_our_worlds_have_the_published_sizes():
    lines = by_labels(table_6(NONE))
    assert len(lines) == 10 * 8
    assert lines["SAP-Goal0-v0", "obs_vector_dim"].verdict == "reproduced"
    assert lines["URM-PnP-v0", "obs_vector_dim"].verdict == "impossible"
    assert lines["URM-Reach-v0", "action_dim"].outcome == "differs"
    assert {line.outcome for line in lines.values()} == {"reproduced", "differs", "flawed"}


def test_our_benchmark_has_the_published_numbers():
    lines = {line.labels["number"]: line for line in table_7(NONE)}
    assert len(lines) == 17
    assert lines["unique anomaly types"].ours.value == 25
    assert lines["anomalies per environment"].verdict == "reproduced"
    success = lines["success rate of the trained policy, lower bound"]
    assert (success.verdict, "at least 96%" in success.note) == ("differs", True)
    extreme = lines["anomaly types that cannot reach the extreme level"]
    assert extreme.ours.value == 2 + extreme.note.count("leaves")  # the paper names two
    assert "action/delay leaves 0.9" in extreme.note


def test_strengths_are_compared_by_their_distance_from_no_effect():
    lines = by_labels(table_9(NONE))
    assert len(lines) == 353
    factor = lines["MJC-CartpoleSwingup-v0", "action/scaling", "tiny"]
    assert factor.published == 1.38
    assert (factor.rule.margin, factor.rule.rounding) == (pytest.approx(0.1 * 0.38), pytest.approx(0.005))
    assert {line.outcome for line in lines.values()} == {"reproduced", "differs", "not run"}


def test_heads_of_the_arm_are_read_in_the_right_order():
    lines = by_labels(table_9(NONE))
    assert lines["URM-PnP-v0", "dynamics/robot_speed", "tiny"].published == pytest.approx(0.004, abs=5e-4)


def test_another_number_of_the_public_code_is_remarked():
    notes = [line.note for line in table_9(NONE)]
    assert any("the public code has" in note for note in notes)


@pytest.mark.parametrize("scores", [(0.40, 0.35, 0.45), (1.00, 1.00, 1.00), None])
def test_what_a_published_strength_does_to_our_expert_is_a_remark(monkeypatch, scores):
    place = "CAR-LaneKeep-v0", "observation/scaling", "strong"
    known = {} if scores is None else {place: StrengthScore(*scores)}
    monkeypatch.setattr(strength_table, "published_strength_scores", lambda: known)
    line = by_labels(table_9(NONE))[place]
    assert (line.verdict, line.cause, line.flaw) == ("differs", "", "")
    assert ("our earlier expert keeps" in line.note) == (scores is not None)


def test_settings_of_policies_and_detectors_are_compared_number_by_number():
    settings = by_labels(table_10(NONE))
    assert len(settings) == 36 - 3 + 1 + 2 + 2
    assert settings["MJC", "gamma"].published == 0.98
    parameters = by_labels(table_11(NONE))
    assert parameters["PE-DM", "network-size 1"].verdict == "reproduced"
    assert parameters["LSTM-DM", "lr"].note


def test_table_5_is_the_mean_of_both_levels_and_all_worlds():
    rows = [
        row(world, "MLP-DM", level, auroc=value) | {"policy": policy}
        for world, level, value in (
            ("SAP-Goal0-v0", "tiny", 0.8),
            ("SAP-Goal0-v0", "strong", 0.9),
            ("MJC-CartpoleSwingup-v0", "tiny", 0.8),
            ("MJC-CartpoleSwingup-v0", "strong", 1.0),
            ("URM-Reach-v0", "tiny", 0.8),
            ("URM-Reach-v0", "strong", 0.95),
        )
        for policy in ("tqc", "sac")
    ]
    lines = by_labels(table_5(run(rows, "anomaly-gym-policies")))
    assert len(lines) == 18
    assert lines["b", "MLP-DM", "SAC"].ours.value == pytest.approx(0.875)
    assert lines["b", "PE-DM", "TD3"].outcome == "not run"
    fewer = by_labels(table_5(run(rows[:-1], "anomaly-gym-policies")))
    assert [fewer["b", "MLP-DM", policy].outcome for policy in ("TQC", "SAC")] == ["no interval", "not run"]


def test_our_encoder_stands_for_the_published_network():
    rows = [
        row(world, name, level, auroc=0.6) | {"policy": policy}
        for world in ("MJC-CartpoleSwingup-v0", "SAP-Goal0-v0", "URM-Reach-v0")
        for level in ("tiny", "strong")
        for name in ("LRDM", "KNN-encoder")
        for policy in ("tqc", "td3")
    ]
    lines = by_labels(table_5_images(run(rows, "anomaly-gym-images-policies")))
    assert lines["c", "RES-KNN", "TD3"].ours.value == pytest.approx(0.6)


def test_measured_scores_are_of_published_parameters_and_policies():
    known = set(by_labels(table_9(NONE)))
    assert set(published_strength_scores()) <= known
    assert {policy for world, policy in policy_scores() if world == "SAP-Goal0-v0"} == {"tqc", "sac", "td3"}
    shipped = {(card.world, card.algorithm) for card in expert_cards()} | {
        (card.world, card.settings["algorithm"]) for card in expert_cards() if not was_shown(card.settings)
    }
    assert set(policy_scores()) <= shipped


def test_the_image_half_of_a_table_is_asked_for():
    assert [table.study for table in tables_of("anomaly-gym", [3])] == ["anomaly-gym"]
    assert [table.study for table in tables_of("anomaly-gym", [3], images=True)] == ["anomaly-gym-images"]
    assert [table.number for table in tables_of("anomaly-gym", images=True)] == [3, 5, 13]


@pytest.mark.parametrize(
    ("number", "images", "study"),
    [
        (12, False, "anomaly-gym-as-published"),
        (13, True, "anomaly-gym-images-as-published"),
        (3, True, "anomaly-gym-images-as-published"),
    ],
)
def test_a_table_as_published_is_compared_with_another_run(number, images, study):
    (table,) = tables_of("anomaly-gym", [number], images=images)
    assert table.has_published_form
    assert table.as_published().study == study


def test_a_table_that_cannot_be_read_has_no_other_run():
    (ticks,) = tables_of("anomaly-gym", [1])
    assert "cannot be read" in ticks.not_computed
    assert not ticks.has_published_form
