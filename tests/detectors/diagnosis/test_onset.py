"""The estimated onset of a change: coverage of its interval, false findings, invalid input."""

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.detectors import make_detector
from offnominal.detectors.diagnosis import NominalReference

from .cases import LENGTH, explanation

pytestmark = pytest.mark.long

N = 150


@pytest.fixture(scope="module", params=[0.0, 0.6], ids=["independent", "correlated"])
def correlation(request):
    return request.param


@pytest.fixture(scope="module")
def reference(correlation):
    return NominalReference([explanation(seed, correlation=correlation) for seed in range(60)])


@pytest.mark.parametrize("size", [3.0, 6.0])
def test_intervals_cover_the_true_onset_as_often_as_stated(reference, correlation, size):
    onsets = 5 + np.arange(N) % 60
    found = [
        reference.onset(explanation(1000 + number, onset=onset, size=size, correlation=correlation).scores)
        for number, onset in enumerate(onsets)
    ]
    covered = [each.low <= onset <= each.high for each, onset in zip(found, onsets, strict=True) if each]
    errors = [abs(each.step - onset) for each, onset in zip(found, onsets, strict=True) if each]
    assert len(covered) > 0.85 * N
    # Two standard errors below the stated coverage.
    assert np.mean(covered) >= 0.9 - 2 * np.sqrt(0.09 / N)
    assert np.median(errors) <= 3
    assert np.median([each.high - each.low for each in found if each]) < LENGTH / 3


def test_few_nominal_episodes_have_an_onset(reference, correlation):
    found = [reference.onset(explanation(5000 + seed, correlation=correlation).scores) for seed in range(N)]
    assert np.mean([each is not None for each in found]) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / N) + 1 / 61


def test_correlated_scores_have_wider_intervals():
    plain, correlated = (
        NominalReference([explanation(seed, correlation=value) for seed in range(60)]) for value in (0.0, 0.6)
    )
    assert plain.inflation == pytest.approx(1.0, abs=0.2)
    assert correlated.inflation > 2.0


def test_scores_are_compared_with_those_at_the_same_time():
    rising = [explanation(seed) for seed in range(40)]
    for each in rising:
        each.scores[:] += 0.5 * np.arange(LENGTH)
    reference = NominalReference(rising[:39])
    assert reference.onset(rising[39].scores) is None
    longer = np.concatenate([rising[39].scores, rising[39].scores[-9:]])
    assert len(reference.normal_scores(longer)) == LENGTH + 9


def test_an_explanation_says_since_when_or_that_nothing_changed(reference, correlation):
    changed = explanation(77, onset=40, size=6.0, channel=1, correlation=correlation).compared(reference)
    assert abs(changed.onset.step - 40) <= 3
    assert changed.top(1)[0].channel == "right"
    assert f"onset {changed.onset}" in repr(changed)
    assert "90 % interval" in repr(changed)
    assert not changed.weights()[: changed.onset.step].any()
    quiet = explanation(79, correlation=correlation).compared(reference)
    assert quiet.onset is None
    assert "no change found" in repr(quiet)


def test_the_figure_shows_the_onset(reference):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    figure = explanation(77, onset=40, size=6.0).compared(reference).plot()
    _, labels = figure.axes[0].get_legend_handles_labels()
    assert any(label.startswith("onset ") for label in labels)


def test_invalid_references_are_named(reference):
    few = [explanation(seed) for seed in range(18)]
    with pytest.raises(InvalidParameter, match=r"18 nominal episodes; alpha = 0\.05 needs at least 19"):
        NominalReference(few)
    assert NominalReference(few, alpha=0.1).alpha == 0.1
    for parameters in ({"alpha": 0.0}, {"alpha": 2.0}, {"coverage": 1.0}, {"coverage": "much"}):
        with pytest.raises(InvalidParameter, match=next(iter(parameters))):
            NominalReference(few, **parameters)
    with pytest.raises(InvalidParameter, match="explanations differ: Toy"):
        NominalReference([*few, explanation(19, detector="Other")])
    with pytest.raises(InvalidParameter, match="expected those of nominal episodes"):
        NominalReference([np.zeros(3)] * 30)
    with pytest.raises(InvalidParameter, match="explanations differ"):
        explanation(3, detector="Other").compared(reference)


def test_nominal_episodes_can_be_given_to_explain():
    import offnominal as off

    rows = np.random.default_rng(0).normal(size=(41, 60, 3))
    rows[-1, 30:, 1] += 8.0
    *nominal, faulty = (off.Episode(each, np.zeros((59, 1)), np.zeros(59), np.zeros(59, bool)) for each in rows)
    detector = make_detector("Mahalanobis").fit(nominal[:20])
    found = detector.explain(faulty, nominal=nominal[20:])
    assert abs(found.onset.step - 29) <= 1  # Transition 29 ends with observation 30.
    assert found.top(1)[0].channel == "observation 1"
    assert found == detector.explain(faulty, nominal=found.nominal)
