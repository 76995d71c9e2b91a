"""How much parameters matter, and variants of autoencoders."""

import json

import pyarrow as pa
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.papers.comparison.comparison_results import ComparisonResults
from offnominal.papers.comparison.sensitivity import MOST, parameters_of, sensitivity, variants

pytestmark = pytest.mark.long


def outcomes_of(values):
    """Outcomes with the given test AUC by configuration; validation agrees."""
    rows = [
        {
            "table": table,
            "method": "osvm",
            "seed": seed,
            "configuration": json.dumps(configuration),
            "validation_auc": auc,
            "test_auc": auc,
            "failure": "",
        }
        for configuration, auc in values
        for table in ("iris", "wine")
        for seed in (1, 2, 3)
    ]
    return ComparisonResults.of(pa.Table.from_pylist(rows))


@pytest.fixture
def outcomes():
    grid = [("rbf", 0.1, 0.9), ("rbf", 1.0, 0.5), ("poly", 0.1, 0.7), ("poly", 1.0, 0.6)]
    return outcomes_of([({"kernel": kernel, "gamma": gamma, "nu": 0.5}, auc) for kernel, gamma, auc in grid])


def test_only_what_varies_is_looked_at(outcomes):
    assert parameters_of(outcomes, "osvm") == {"gamma": (0.1, 1.0), "kernel": ("poly", "rbf")}
    with pytest.raises(InvalidParameter, match="it varies gamma, kernel"):
        sensitivity(outcomes, "osvm", "nu")
    with pytest.raises(InvalidParameter, match="it has osvm"):
        parameters_of(outcomes, "vae")


def test_all_else_is_drawn_or_chosen(outcomes):
    effect = sensitivity(outcomes, "osvm", "gamma")
    assert effect.drawn.tolist() == pytest.approx([0.8, 0.55])
    assert effect.chosen.tolist() == pytest.approx([0.9, 0.6])


def test_some_configurations_can_be_looked_at_alone(outcomes):
    effect = sensitivity(outcomes, "osvm", "gamma", where={"kernel": "poly"})
    assert effect.drawn.tolist() == pytest.approx([0.7, 0.6])


def test_neighbouring_values_are_taken_together_where_there_are_many():
    many = outcomes_of([({"gamma": k}, 0.01 * k) for k in range(3 * MOST)])
    effect = sensitivity(many, "osvm", "gamma")
    assert effect.values == tuple(range(1, 3 * MOST, 3))
    assert effect.drawn.tolist() == pytest.approx([0.01 * k for k in effect.values])
    assert effect.chosen.tolist() == pytest.approx([0.01 * (k + 1) for k in effect.values])


def variant_row(method, table, auc, *, validation=None, **configuration):
    return {
        "table": table,
        "method": method,
        "seed": 1,
        "configuration": json.dumps(configuration),
        "validation_auc": auc if validation is None else validation,
        "test_auc": auc,
        "failure": "",
    }


def found(rows):
    return variants(ComparisonResults.of(pa.Table.from_pylist(rows)))


def test_a_variant_is_what_validation_chooses_of_it_on_each_table():
    names, values = found(
        [
            variant_row("vae", "iris", 0.6, variance="scalar", score_name="mean", latent=2, validation=0.9),
            variant_row("vae", "iris", 0.8, variance="scalar", score_name="mean", latent=4, validation=0.7),
            variant_row("vae", "wine", 0.9, variance="scalar", score_name="mean", latent=2),
            variant_row("wae", "iris", 0.5, variance="diagonal", prior="vamp", score_name="sampled"),
            variant_row("wae", "wine", 0.4, variance="diagonal", prior="vamp", score_name="sampled"),
        ]
    )
    assert names == ["vae-scalar-mean", "wae-diagonal[v]-sampled"]
    assert values.tolist() == [[0.6, 0.5], [0.9, 0.4]]


def test_what_was_not_tried_everywhere_is_left_out_and_weights_of_one_score_are_one():
    names, values = found(
        [
            variant_row("aae", "iris", 0.6, variance="scalar", score_name="mixed-0.1"),
            variant_row("aae", "iris", 0.7, variance="scalar", score_name="mixed-0.9"),
            variant_row("aae", "wine", 0.8, variance="scalar", score_name="mixed-0.5"),
            variant_row("vae", "wine", 0.9, variance="scalar", score_name="mean"),
            variant_row("knn", "iris", 0.9, n_neighbors=3),
            variant_row("knn", "wine", 0.9, n_neighbors=3),
        ]
    )
    assert names == ["aae-scalar-mixed"]
    assert values.tolist() == [[0.7], [0.8]]


def test_a_run_without_autoencoders_has_none():
    names, values = found([variant_row("knn", "iris", 0.9, n_neighbors=3)])
    assert names == []
    assert values.shape == (1, 0)


def test_methods_with_another_variance_are_variants_and_no_methods_of_the_leaderboard():
    rows = [
        variant_row(method, "iris", auc, variance=variance, score_name="mean")
        for method, variance, auc in (("vae", "diagonal", 0.6), ("vaes", "scalar", 0.7), ("vaec", "constant", 0.8))
    ]
    names, values = found(rows)
    assert names == ["vae-constant-mean", "vae-diagonal-mean", "vae-scalar-mean"]
    assert values.tolist() == [[0.8, 0.6, 0.7]]
    assert ComparisonResults.of(pa.Table.from_pylist(rows)).methods == ["vae"]
