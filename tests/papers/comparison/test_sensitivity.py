"""How much parameters matter."""

import json

import pyarrow as pa
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.papers.comparison.selection.comparison_results import ComparisonResults
from offnominal.papers.comparison.selection.sensitivity import MOST, parameters_of, sensitivity

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
