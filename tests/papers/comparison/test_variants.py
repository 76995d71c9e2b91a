"""Variants of autoencoders."""

import json

import pyarrow as pa
import pytest

from offnominal.papers.comparison.selection.comparison_results import ComparisonResults
from offnominal.papers.comparison.selection.variants import variants

pytestmark = pytest.mark.long


def row(method, table, auc, *, validation=None, **configuration):
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
            row("vae", "iris", 0.6, variance="scalar", score_name="mean", latent=2, validation=0.9),
            row("vae", "iris", 0.8, variance="scalar", score_name="mean", latent=4, validation=0.7),
            row("vae", "wine", 0.9, variance="scalar", score_name="mean", latent=2),
            row("wae", "iris", 0.5, variance="diagonal", prior="vamp", score_name="sampled"),
            row("wae", "wine", 0.4, variance="diagonal", prior="vamp", score_name="sampled"),
        ]
    )
    assert names == ["vae-scalar-mean", "wae-diagonal[v]-sampled"]
    assert values.tolist() == [[0.6, 0.5], [0.9, 0.4]]


def test_what_was_not_tried_everywhere_is_left_out_and_weights_of_one_score_are_one():
    names, values = found(
        [
            row("aae", "iris", 0.6, variance="scalar", score_name="mixed-0.1"),
            row("aae", "iris", 0.7, variance="scalar", score_name="mixed-0.9"),
            row("aae", "wine", 0.8, variance="scalar", score_name="mixed-0.5"),
            row("vae", "wine", 0.9, variance="scalar", score_name="mean"),
            row("knn", "iris", 0.9, n_neighbors=3),
            row("knn", "wine", 0.9, n_neighbors=3),
        ]
    )
    assert names == ["aae-scalar-mixed"]
    assert values.tolist() == [[0.7], [0.8]]


def test_a_run_without_autoencoders_has_none():
    names, values = found([row("knn", "iris", 0.9, n_neighbors=3)])
    assert names == []
    assert values.shape == (1, 0)
