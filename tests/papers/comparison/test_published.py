"""Classical methods on small tables, beside the paper's Table IV."""

import numpy as np
import pytest

from offnominal.core.errors import MissingFile
from offnominal.datasets.tables import load_table, split_table
from offnominal.papers.comparison.comparison_results import AS_PUBLISHED, VARIANTS
from offnominal.papers.comparison.configuration_results import configuration_rows
from offnominal.papers.comparison.protocols import mean_protocol
from offnominal.papers.comparison.published.printed_cells import table_cells
from offnominal.papers.comparison.runners.runner import runner_of
from offnominal.papers.comparison.search_spaces import sample_configurations, search_space_of
from offnominal.studies.catalogue import load_study

pytestmark = pytest.mark.long


def auc_of(method, name, table, configurations, seeds):
    rows = []
    for seed in seeds:
        parts = split_table(table, seed, normalise="paper")
        tried = runner_of(method).run(
            sample_configurations(search_space_of(method), configurations, seed=1), parts, seed
        )
        rows += configuration_rows(method, name, seed, tried, parts.validation.anomalous, parts.test.anomalous)
    return mean_protocol(rows).value


def test_every_table_and_method_of_the_study_has_its_published_number():
    published = table_cells("table_IV")
    classical, deep = (load_study(name).to_dict() for name in ("comparison", "comparison-deep"))
    methods = {*classical["methods"], *deep["methods"]} - set(AS_PUBLISHED) - set(VARIANTS)
    assert set(published) == {(table, method) for table in classical["tables"] for method in methods}
    assert all(0.0 < value <= 1.0 for value in published.values())


@pytest.mark.slow
def test_classical_methods_come_near_the_published_areas():
    methods = ("knn", "orbf", "osvm", "lof", "if", "hbos")
    differences = {method: [] for method in methods}
    for name in ("iris", "wine", "haberman"):
        try:
            table = load_table(name, drop_identifiers=False)
        except MissingFile as error:
            pytest.skip(str(error))
        for method in methods:
            found, published = auc_of(method, name, table, 20, (1, 2)), table_cells("table_IV")[name, method]
            print(f"{name:10} {method:5} {found:.3f} published {published:.2f}")
            differences[method].append(abs(found - published))
    means = {method: float(np.mean(apart)) for method, apart in differences.items()}
    print("mean |AUC - published|:", {method: round(apart, 3) for method, apart in means.items()})
    assert max(means[method] for method in ("knn", "orbf", "osvm")) < 0.05
