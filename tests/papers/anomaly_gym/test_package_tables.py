"""Tables of the Anomaly-Gym paper that need no run: worlds, strengths, parameters and scores of policies."""

from dataclasses import replace

import pytest

from offnominal.agents import expert_cards
from offnominal.agents.policy_ids import was_shown
from offnominal.core.errors import UnknownName
from offnominal.core.plot_style import pyplot
from offnominal.evaluation.estimate import Estimate
from offnominal.papers.anomaly_gym import strength_table
from offnominal.papers.anomaly_gym.evidence import StrengthScore, policy_scores, published_strength_scores
from offnominal.papers.anomaly_gym.policy_table import (
    algorithm_of,
    lacking,
    populations,
    score_of,
    table_5,
    table_5_images,
)
from offnominal.papers.anomaly_gym.strength_table import table_9
from offnominal.papers.anomaly_gym.training_tables import table_10, table_11
from offnominal.papers.anomaly_gym.world_tables import table_6, table_7
from offnominal.papers.catalogue import figures_of, tables_of
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


def test_an_algorithm_is_the_mean_of_its_trainings():
    worlds = ("MJC-CartpoleSwingup-v0", "SAP-Goal0-v0", "URM-Reach-v0")
    rows = [
        row(world, "MLP-DM", level, auroc=value) | {"policy": policy}
        for world in worlds
        for level in ("tiny", "strong")
        for policy, value in (("sac-0", 0.6), ("sac-1", 0.9), ("td3-0", 0.7))
        if (world, policy) != ("URM-Reach-v0", "sac-1")
    ]
    lines = by_labels(table_5(run(rows, "anomaly-gym-policies")))
    assert lines["b", "MLP-DM", "SAC"].ours.value == pytest.approx((0.75 + 0.75 + 0.6) / 3)
    assert lines["b", "MLP-DM", "TD3"].ours.value == pytest.approx(0.7)
    assert lines["b", "MLP-DM", "TQC"].ours.value is None


def test_a_score_is_the_mean_of_trainings_or_that_of_the_only_policy():
    scores = {("W", "sac-0"): Estimate(0.8), ("W", "sac-2"): Estimate(0.9), ("W", "sac"): Estimate(0.1)}
    assert score_of(scores, "W", "sac").value == pytest.approx(0.85)
    assert score_of({("W", "sac"): Estimate(0.1)}, "W", "sac").value == 0.1
    assert score_of(scores, "W", "td3").value is None


def test_missing_policies_are_named(monkeypatch):
    shipped = [f"{world}--tqc-0" for world in ("SAP-Goal0-v0", "URM-Reach-v0")] + ["SAP-Goal0-v0--rl-finetuned-sac"]
    monkeypatch.setattr("offnominal.papers.anomaly_gym.policy_table.shipped_names", lambda: shipped)
    assert populations("SAP-Goal0-v0") == ["tqc-0"]
    lines = by_labels(table_5(NONE))
    assert lines["b", "MLP-DM", "SAC"].note == (
        "no policy sac-0 to sac-2 of MJC-CartpoleSwingup-v0, SAP-Goal0-v0, URM-Reach-v0 is shipped"
    )
    assert lines["a", "SAP-Goal0", "TQC"].note == ""
    assert lacking("tqc", ["MJC-CartpoleSwingup-v0"]).endswith("of MJC-CartpoleSwingup-v0 is shipped")


def test_figure_3_has_means_over_the_worlds_of_ours_and_the_published_ones_of_the_same():
    (figure,), (table,) = figures_of("anomaly-gym", [3]), tables_of("anomaly-gym", [12])
    values = {"SAP-Goal0-v0": 0.6, "URM-Reach-v0": 0.8}
    lines = [
        replace(line, ours=Estimate(values[line.labels["world"]]))
        if line.labels["world"] in values and line.labels["detector"] == "KNN"
        else line
        for line in table.lines(NONE)
    ]
    data = figure.of_values(lines)
    assert sorted(data["AUROC"]["KNN"]["ours"]) == [0.6, 0.6, 0.8, 0.8]
    assert sorted(data["AUROC"]["KNN"]["published"]) == [0.51, 0.68, 0.73, 0.81]
    assert (len(data["FPR95"]["RIQN"]["ours"]), len(data["FPR95"]["RIQN"]["published"])) == (0, 20)
    drawn = figure.draw(pyplot(), data)
    (mean,) = (line for line in drawn.axes[0].lines if line.get_markersize() == 8 and len(line.get_xdata()))
    assert mean.get_xdata() == pytest.approx([0.7])
    assert figure.data(NONE) is None
    assert figure.of_values(table.lines(NONE)) is None


def test_the_figures_whose_content_is_unknown_say_so():
    for number in (4, 5):
        with pytest.raises(UnknownName, match=f"no figure {number} here; choose from 3. Neither its numbers nor what"):
            figures_of("anomaly-gym", [number])


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
    assert {"tqc", "sac", "td3"} == {algorithm_of(each) for world, each in policy_scores() if world == "SAP-Goal0-v0"}
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
