"""Multimodal fusion of scores: a normaliser per detector, ranks, cumulative sums, frames by number."""

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter, InvalidScores, NotFitted
from offnominal.detectors.score_fusion import ScoreFusion, align_frames

DRAW = np.random.default_rng(0)


def scores(n, shift=0.0):
    """Scores of episodes by two detectors whose units differ by five orders of magnitude."""
    rows = [DRAW.normal(shift, 1.0, (2, 40)) for _ in range(n)]
    return {"small": [1e-3 * row[0] for row in rows], "large": [1e2 * row[1] + 500.0 for row in rows]}


@pytest.mark.parametrize("normalisation", ["minmax", "rank"])
def test_the_unit_of_a_detector_has_no_influence(normalisation):
    nominal, novel = scores(20), scores(5, shift=1.0)
    fusion = ScoreFusion(normalisation).fit(nominal)
    fused = np.concatenate(fusion.fuse(novel))
    other = ScoreFusion(normalisation).fit({**nominal, "small": [1e7 * row + 3 for row in nominal["small"]]})
    again = other.fuse({**novel, "small": [1e7 * row + 3 for row in novel["small"]]})
    assert np.concatenate(again) == pytest.approx(fused)
    alone = [np.corrcoef(fused, np.concatenate(novel[name]))[0, 1] for name in ("small", "large")]
    assert min(alone) > 0.5, "both detectors matter"


def test_minmax_has_no_limits_and_ranks_stay_below_one():
    nominal = scores(20)
    far = {name: [10 * row for row in rows] for name, rows in nominal.items()}
    assert ScoreFusion().fit(nominal).fuse(far)[0].max() > 2
    assert ScoreFusion("rank").fit(nominal).fuse(far)[0].max() < 1


def test_a_cumulative_sum_detects_a_lasting_increase():
    nominal, normal, novel = scores(20), scores(30), scores(30, shift=0.7)
    single, summed = ScoreFusion().fit(nominal), ScoreFusion(drift=0.5).fit(nominal)

    def auroc(fusion):
        low, high = ([row.max() for row in fusion.fuse(given)] for given in (normal, novel))
        return np.mean(np.array(high)[:, None] > np.array(low))

    assert auroc(summed) > auroc(single) + 0.05
    one = summed.fuse(novel)[0]
    level, expected = 0.0, []
    for value in (single.fuse(novel)[0] - summed.mean_) / summed.deviation_ - 0.5:
        level = max(0.0, level + value)
        expected.append(level)
    assert one == pytest.approx(expected)


def test_frames_are_aligned_by_their_number():
    frames, aligned = align_frames({"a": [1.0, 2.0, 3.0], "b": [7.0, 8.0]}, {"a": [4, 2, 3], "b": [3, 4]})
    assert frames.tolist() == [3, 4]
    assert {name: row.tolist() for name, row in aligned.items()} == {"a": [3.0, 1.0], "b": [7.0, 8.0]}
    with pytest.raises(InvalidParameter, match="every score once"):
        align_frames({"a": [1.0, 2.0]}, {"a": [3, 3]})
    with pytest.raises(InvalidParameter, match="every score once"):
        align_frames({"a": [1.0, 2.0]}, {})


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({}, InvalidParameter, "no scores"),
        ({"a": [[1.0, 2.0]], "b": [[1.0]]}, InvalidScores, "align their frames"),
        ({"a": [[np.nan]]}, InvalidScores, "finite"),
        ({"a": []}, InvalidScores, "finite"),
    ],
)
def test_invalid_scores_are_named(given, error, message):
    with pytest.raises(error, match=message):
        ScoreFusion().fit(given)


def test_only_the_fitted_detectors_are_fused():
    with pytest.raises(NotFitted):
        ScoreFusion().fuse({"a": [[1.0]]})
    with pytest.raises(InvalidParameter, match="was fitted to a"):
        ScoreFusion().fit({"a": [[1.0, 2.0]]}).fuse({"b": [[1.0]]})
    with pytest.raises(InvalidParameter, match="normalisation"):
        ScoreFusion("mean")
    with pytest.raises(InvalidParameter, match="drift"):
        ScoreFusion(drift=-1.0)
