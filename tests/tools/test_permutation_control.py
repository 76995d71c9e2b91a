"""Control of evidence: what it explains of the published values of other worlds."""

import pytest

import permutation_control
from offnominal.papers.anomaly_gym import evidence
from offnominal.papers.anomaly_gym.published_numbers import WORLDS, published_by_world
from permutation_control import Control, controls

METRIC = ("strong", "PE-DM", "pooled_fpr95")


@pytest.fixture
def made(monkeypatch):
    """Evidence that brings every number exactly to its published value, from far away."""
    rows = []
    for world in WORLDS:
        value = published_by_world()[(world, *METRIC)]
        about = dict(zip(("world", "level", "detector", "metric", "kind"), (world, *METRIC, ""), strict=True))
        numbers = {"before": str(value + 0.5), "after": str(value), "low": "", "high": ""}
        rows.append({"experiment": "public-code-strengths", "scale": "paper"} | about | numbers)
    monkeypatch.setattr(evidence, "_rows", lambda _: rows)
    monkeypatch.setattr(evidence, "evidence", evidence.evidence.__wrapped__)
    monkeypatch.setattr(permutation_control, "evidence", evidence.evidence)
    monkeypatch.setattr(evidence, "policy_evidence", dict)
    return rows


@pytest.mark.usefixtures("made")
def test_true_evidence_explains_more_than_that_of_other_worlds():
    alone, together = controls(repetitions=20)
    assert (alone.experiment, alone.differing, alone.explained) == ("public-code-strengths", 10, 10)
    assert (together.experiment, together.share) == (permutation_control.ALL, 1.0)
    assert max(alone.by_chance) < 1.0
    assert alone.p_value == pytest.approx(1 / 21)


def test_evidence_that_is_the_same_everywhere_explains_as_much_by_chance(made):
    for row in made:
        row |= {"before": "2.0", "low": "0.0", "high": "1.0"}
    alone, _ = controls(repetitions=5)
    assert alone.share == 1.0
    assert alone.by_chance == (1.0,) * 5
    assert alone.p_value == 1.0


def test_policies_are_counted_where_nothing_else_explains(made, monkeypatch):
    others = [row | {"experiment": "policy-sac"} for row in made[:4]]
    for number, row in enumerate(made):
        row["after"] = row["after"] if number == 0 else "9.0"
    made += others
    monkeypatch.setattr(permutation_control, "nearer_policies", lambda rows, worlds: evidence.evidence_of(others))
    found = {control.experiment: control for control in controls(repetitions=5)}
    assert (found["policy-sac"].differing, found["policy-sac"].explained) == (4, 4)
    beyond = found[permutation_control.BEYOND]
    assert (beyond.differing, beyond.explained) == (3, 3)
    assert (found[permutation_control.ALL].differing, found[permutation_control.ALL].explained) == (10, 4)


def test_strengths_that_are_not_published_count_where_nothing_else_explains(made, monkeypatch):
    monkeypatch.setattr(evidence, "unknown_strengths", evidence.unknown_strengths.__wrapped__)
    made += [row | {"experiment": "neutral", "after": str(float(row["after"]) - 0.2)} for row in made]
    for row in made[1:10]:
        row["after"] = str(float(row["after"]) + 0.2)
    made[1]["after"] = made[11]["after"]
    found = {control.experiment: control for control in controls(repetitions=5)}
    assert evidence.NEUTRAL not in found
    last = found[permutation_control.LAST]
    assert (last.differing, last.explained) == (9, 8)
    assert found[permutation_control.ALL].explained == 9


@pytest.mark.usefixtures("made")
def test_other_scales_are_left_out():
    (together,) = controls("laptop", repetitions=2)
    assert (together.differing, together.share) == (0, 0.0)


def test_a_control_says_both_shares():
    assert str(Control("training", 40, 10, (0.1, 0.3))) == (
        "training: 10 of 40 (25%); values of other worlds: 20% (10% to 30%), p = 0.667"
    )
