"""Causes of differences: accepted only with a control, and never for values that they were found with."""

from datetime import date

import numpy as np
import pytest

from offnominal.evaluation import Estimate
from offnominal.papers.catalogue import papers
from offnominal.papers.causes import Control, Experiment, accepted, control, explainer
from offnominal.papers.controls import controls
from offnominal.papers.protocol import Cause, Protocol
from offnominal.studies.published_comparison import PublishedComparison, Rule

pytestmark = pytest.mark.long

RULE = Rule("measured", margin=0.05, close=0.02, rounding=0.005)
WORLDS = [f"world {number}" for number in range(10)]
METRICS = [f"metric {number}" for number in range(20)]


def estimate(value, half=0.01):
    return Estimate(value, np.array([value - half, value + half]))


def made(after, causes=("change",), seed=0):
    """Published values of ten worlds, our values, and experiments on them.

    Args:
        after: Returns our number with a change, from a generator and the published number.
        causes: Names of the changes.
        seed: Seed of all numbers.
    """
    generator = np.random.default_rng(seed)
    lines, experiments = [], []
    for world in WORLDS:
        for metric in METRICS:
            published, ours = generator.uniform(0.0, 1.0, 2)
            labels = {"world": world, "metric": metric}
            lines.append(PublishedComparison(labels, estimate(ours), float(published), RULE))
            experiments += [
                Experiment(name, "1", labels, estimate(ours), estimate(after(generator, published))) for name in causes
            ]
    return lines, experiments


def protocol(*names, **held_out):
    causes = tuple(Cause(name, "", date(2026, 1, 1), "1", held_out) for name in names)
    return Protocol("toy", {"share": RULE}, {}, (), "", causes, "world", ())


def explained(lines, experiments, known):
    published = {"1": [PublishedComparison(line.labels, Estimate(None), line.published, RULE) for line in lines]}
    explain = explainer(known, lambda: experiments, lambda: published, "1")
    found = [explain(line).outcome for line in lines]
    return found.count("explained"), found.count("explained") + found.count("differs")


def nearly(generator, published):
    return published + generator.normal(0.0, 0.005)


def unrelated(generator, _):
    return generator.uniform(0.0, 1.0)


def test_a_true_cause_explains_what_it_was_not_found_with():
    lines, experiments = made(nearly)
    count, differing = explained(lines, experiments, protocol("change"))
    assert count >= 0.9 * differing > 100
    held_out = protocol("change", world=tuple(WORLDS[5:]))
    half = explained(lines, experiments, held_out)[0]
    assert 0.4 * count < half < 0.6 * count


def test_unrelated_values_have_a_cause_in_at_most_five_percent():
    found = []
    for causes, papers_made in ((1, 20), (12, 5)):
        names = [f"change {number}" for number in range(causes)]
        for seed in range(papers_made):
            lines, experiments = made(unrelated, names, seed)
            found.append(explained(lines, experiments, protocol(*names)))
    assert sum(count for count, _ in found) <= 0.05 * sum(differing for _, differing in found)
    assert np.mean([count > 0 for count, _ in found]) <= 0.2


def test_without_registration_nothing_is_explained():
    lines, experiments = made(nearly)
    assert explained(lines, experiments, protocol())[0] == 0
    assert explained(lines, experiments, protocol("another change"))[0] == 0


def test_an_experiment_on_another_number_of_ours_explains_nothing():
    lines, experiments = made(nearly)
    moved = [
        Experiment(each.cause, each.table, each.labels, estimate(1.0 + each.before.value), each.after)
        for each in experiments
    ]
    assert explained(lines, moved, protocol("change"))[0] == 0


@pytest.mark.parametrize("after", [Estimate(0.5), estimate(0.5, half=0.2), estimate(0.6)])
def test_a_change_explains_only_if_it_brings_ours_to_reproduced(after):
    line = PublishedComparison({}, Estimate(None), 0.5, RULE)
    assert Experiment("change", "1", {}, estimate(0.8), estimate(0.5)).explains(line)
    assert not Experiment("change", "1", {}, estimate(0.8), after).explains(line)
    assert not Experiment("change", "1", {}, Estimate(0.8), estimate(0.5)).explains(line)


def test_the_control_of_a_change_that_gives_the_same_everywhere_is_not_passed():
    lines, experiments = made(lambda *_: 0.5)
    experiments = [Experiment(each.cause, each.table, each.labels, estimate(2.0), each.after) for each in experiments]
    same = control("change", experiments, {"1": lines}, "world", repetitions=99)
    assert same.explained > 0
    assert same.p_value == 1.0
    lines, true_experiments = made(nearly)
    true = control("change", true_experiments, {"1": lines}, "world", repetitions=99)
    assert true.p_value == pytest.approx(0.01)
    assert accepted(protocol("change"), experiments, {"1": lines}) == frozenset()


def test_a_control_says_both_shares():
    assert str(Control("training", 40, 10, (0.1, 0.3))) == (
        "training: 10 of 40 (25%); exchanged values: 20%, p = 0.667"
    )


def test_every_paper_has_a_control_where_it_has_experiments():
    known = {id: {each.cause for each in controls(id, repetitions=2)} for id in papers.ids()}
    assert "public-code-strengths" in known["anomaly-gym"]
    assert known["anovox"] == {"public-pairs"}
    assert known["comparison"] == known["novelcraft"] == known["ood-rl"] == set()
