"""Every network of a study has the same number of gradient steps, pre-training included."""

import pytest

from offnominal.detectors.rows import FAnoGAN
from offnominal.papers.comparison.search_spaces import search_space_of
from offnominal.papers.comparison.studies import ImageStudy, SearchStudy
from offnominal.studies import load_study

STUDIES = [("comparison-deep", "laptop"), ("comparison-deep", "search")] + [
    (study, scale) for study in ("comparison-images", "comparison-images-one-in") for scale in ("laptop", "search")
]

CRITIC_STEPS = {"fano": FAnoGAN().critic_steps}
"""Gradient steps of the critic for one of the generator."""


@pytest.mark.parametrize(("name", "scale"), STUDIES)
def test_networks_have_equal_budgets(name, scale):
    study = load_study(name).at(scale)
    assert isinstance(study, SearchStudy | ImageStudy)
    steps = {
        method: given.get("max_iter", 0) * (not only_pretrained(method)) * CRITIC_STEPS.get(method, 1)
        + given.get("pretrain_iter", 0)
        + given.get("encoder_iter", 0)
        for method, given in study.fixed.items()
    }
    assert len(steps) > 3
    assert len(set(steps.values())) == 1, steps


def only_pretrained(method):
    return search_space_of(method).detector.endswith("OriginSVDD")
