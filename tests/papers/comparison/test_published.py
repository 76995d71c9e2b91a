"""Classical methods on small tables, beside the paper's Table IV."""

import csv
from importlib.resources import files

import numpy as np
import pytest

from offnominal.core.errors import MissingFile
from offnominal.datasets.tables import load_table, split_table
from offnominal.papers.comparison.runners.runner_catalogue import runner_of
from offnominal.papers.comparison.search.configuration_result import configuration_rows
from offnominal.papers.comparison.search.search_space import sample_configurations, search_space_of
from offnominal.papers.comparison.selection.protocols import mean_protocol

PUBLISHED = list(
    csv.DictReader(files("offnominal.papers.comparison.report").joinpath("published.csv").read_text().splitlines())
)


def auc_of(method, name, table, configurations, seeds):
    rows = []
    for seed in seeds:
        parts = split_table(table, seed, normalise="paper")
        tried = runner_of(method).run(
            sample_configurations(search_space_of(method), configurations, seed=1), parts, seed
        )
        rows += configuration_rows(method, name, seed, tried, parts.validation.anomalous, parts.test.anomalous)
    return mean_protocol(rows).value


def test_published_numbers_are_shares():
    assert len(PUBLISHED) == 13
    assert all(0.4 < float(row[method]) <= 1.0 for row in PUBLISHED for method in ("knn", "orbf", "osvm"))


@pytest.mark.slow
def test_classical_methods_come_near_the_published_areas():
    differences = {method: [] for method in ("knn", "orbf", "osvm")}
    for row in PUBLISHED:
        name = row["table"]
        if name not in ("iris", "wine", "haberman"):
            continue
        try:
            table = load_table(name, drop_identifiers=False)
        except MissingFile as error:
            pytest.skip(str(error))
        for method in ("knn", "orbf", "osvm", "lof", "if", "hbos"):
            found = auc_of(method, name, table, 20, (1, 2))
            print(f"{name:10} {method:5} {found:.3f} published {row.get(method, '')}")
            if method in row:
                differences[method].append(abs(found - float(row[method])))
    means = {method: float(np.mean(apart)) for method, apart in differences.items()}
    print("mean |AUC - published|:", {method: round(apart, 3) for method, apart in means.items()})
    assert max(means.values()) < 0.05
