"""The report of a comparison on tables."""

import pyarrow as pa
import pytest

from offnominal.reports.comparison_report import leading_methods, write_comparison
from offnominal.studies.detector_comparison.metrics import measure
from offnominal.studies.detector_comparison.outcomes import Outcomes
from offnominal.studies.results import RunResults


@pytest.fixture
def results():
    names = measure(None, None)
    rows = []
    for place, table in enumerate(("iris", "wine", "glass")):
        for method, value in (("knn", 0.9), ("hbos", 0.7)):
            for seed in (1, 2):
                numbers = {f"{part}_{name}": value - 0.1 * place for part in ("validation", "test") for name in names}
                about = {"key": f"{table}{method}{seed}", "table": table, "method": method, "seed": seed}
                cost = {"fit_s": 0.1, "score_s": 0.2, "failure": "", "normal_score": 0.0, "polarity": -0.2}
                single = about | {"configuration": '{"k": 1}'} | numbers | cost
                rows += [
                    single,
                    single | {"configuration": '{"ensemble": 5}'},
                    single | {"configuration": '{"ensemble": 10}'},
                ]
    return RunResults("comparison", "Tables", "Who?", "smoke", {}, pa.Table.from_pylist(rows), pa.table({}))


def test_the_best_method_comes_first(results):
    first, second = leading_methods(Outcomes.of(results.table))
    assert (first["method"], first["mean rank"], first["AUC"]) == ("knn", 1.0, pytest.approx(0.8))
    assert second["method"] == "hbos"
    assert first["inverted"] == 3


def test_page_tables_and_figures_are_written(results, tmp_path):
    page = write_comparison(results, tmp_path)
    text = page.read_text(encoding="utf-8")
    assert "<h1>Tables</h1>" in text
    assert "data:image/png;base64," in text
    assert {path.stem for path in (tmp_path / "figures").glob("*.png")} == {
        "critical_difference",
        "knowledge",
        "pareto",
        "heat",
    }
    assert "| iris | 0.9 | 0.7 |" in (tmp_path / "tables" / "auc.md").read_text(encoding="utf-8")
