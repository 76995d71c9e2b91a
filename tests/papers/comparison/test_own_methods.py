"""A class of the user is searched on the splits of the comparison and shown beside its methods."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from typer.testing import CliRunner

from offnominal.cli.program import program
from offnominal.cli.studies import _with_detector
from offnominal.core.errors import InvalidParameter, ModuleNotAllowed
from offnominal.datasets.tables import Table
from offnominal.detectors.rows import RowDetector
from offnominal.papers.comparison import table_search
from offnominal.papers.comparison.beside_others import BesideOthers
from offnominal.papers.comparison.cells import SearchCell
from offnominal.papers.comparison.own_methods import own_grid
from offnominal.papers.comparison.runners.runner import runner_of
from offnominal.papers.comparison.search_spaces import search_space_of
from offnominal.papers.comparison.studies import SearchStudy
from offnominal.papers.shipped_results import shipped_values
from offnominal.reports.report import leading_rows, write_report
from offnominal.studies import open_run, run, runner
from offnominal.studies.catalogue import load_study
from offnominal.studies.code import Sources
from offnominal.studies.kinds import cell_from, study_from

from ...studies.cases import PoolHere

pytestmark = pytest.mark.long


@dataclass(kw_only=True)
class FromCentre(RowDetector):
    """Distance from the mean, by a power."""

    SEARCH_SPACE: ClassVar = {"power": [1, 2, 3]}
    power: int = 1

    def _fit(self, rows, seed):
        self.centre_ = rows.mean(axis=0)

    def _score(self, rows):
        return (np.abs(rows - self.centre_) ** self.power).sum(axis=1)

    def _state_dict(self):
        return {"centre": self.centre_}

    def _load_state_dict(self, state):
        self.centre_ = state.take("centre", ("width",))


@dataclass(kw_only=True)
class WrongSpace(FromCentre):
    SEARCH_SPACE: ClassVar = {"powers": [1]}


@dataclass(kw_only=True)
class WrongValues(FromCentre):
    SEARCH_SPACE: ClassVar = {"power": 3}


class NoDetector:
    """Not a row detector."""


def name_of(kind):
    return f"{kind.__module__}:{kind.__qualname__}"


OWN = name_of(FromCentre)


def test_the_grid_of_a_class_is_its_search_space():
    space = search_space_of(OWN)
    assert (space.title, space.size, own_grid(OWN)) == ("FromCentre", 3, {"power": (1, 2, 3)})
    assert runner_of(OWN).make is FromCentre


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (WrongSpace, "has 'powers', which is no parameter of it; it has power"),
        (WrongValues, "expected a list of numbers or strings"),
        (NoDetector, "is the class NoDetector; expected a subclass of RowDetector"),
    ],
)
def test_what_is_no_search_space_is_named(kind, message):
    with pytest.raises(InvalidParameter, match=message):
        search_space_of(name_of(kind))


def test_a_file_may_name_classes_of_allowed_packages_alone():
    study = SearchStudy("mine", tables=("iris",), methods=("unknown_package:Mine",), seeds=(1,))
    for data, read in ((study.to_dict(), study_from), (study.cells()[0].to_dict(), cell_from)):
        with pytest.raises(ModuleNotAllowed, match="unknown_package"):
            read(data)
    assert study_from(study.to_dict(), allow_modules=["unknown_package"]) == study


def test_the_command_line_replaces_the_methods_of_a_search():
    study: Any = _with_detector(load_study("comparison-mine"), OWN)
    assert (study.name, study.methods) == ("comparison-mine-fromcentre", (OWN,))
    shipped: Any = load_study("comparison").at("laptop")
    here = {(cell.table, cell.seed) for cell in study.at("laptop").cells()}
    assert here == {(cell.table, cell.seed) for cell in shipped.cells()}, "the splits are the same"
    others = {cell.method: cell for cell in shipped.cells()}["knn"]
    assert study.at("laptop").cells()[-1].replace(method="knn") == others.replace(seed=5, table="yeast")
    with pytest.raises(InvalidParameter, match="expected a class, such as my_module:MyDetector"):
        _with_detector(load_study("comparison-mine"), "knn")
    with pytest.raises(InvalidParameter, match="is for searches on tables"):
        _with_detector(load_study("quickstart"), OWN)


def test_the_option_reaches_the_study(tmp_path):
    words = ["run", "comparison-mine", "--detector", OWN, "--only", "*/knn/*", "--store", str(tmp_path / "store")]
    with pytest.raises(InvalidParameter, match="there is no cell to run"):
        CliRunner().invoke(program, words, catch_exceptions=False)


@pytest.fixture
def finished(tmp_path, monkeypatch):
    """A run of the class on three made-up tables; of the other methods nothing is computed."""
    random = np.random.default_rng(0)
    table = Table("iris", random.normal(size=(60, 3)), random.normal(size=(20, 3)) + 4.0)
    monkeypatch.setattr(table_search, "open_table", lambda name, drop_identifiers: table)
    sources = Sources()
    monkeypatch.setattr(runner, "Sources", lambda: sources)
    monkeypatch.setattr(runner, "LocalPool", lambda workers, peak_mb: PoolHere(sources))
    study = SearchStudy(
        "mine",
        tables=("iris", "wine", "haberman"),
        methods=(OWN,),
        seeds=(1,),
        beside=("comparison", "comparison-deep"),
    )
    folder, outcome = run(study, folder=tmp_path / "run", store=tmp_path / "store", report=lambda line: None)
    assert outcome.computed == 3
    return open_run(folder)


def test_the_report_has_the_class_beside_the_methods_of_the_paper(finished, tmp_path):
    found = BesideOthers.of(finished)
    (knn,) = [
        value.ours
        for value in shipped_values("comparison", "IV", "comparison", scales=["paper", "laptop"])
        if value.labels == {"table": "wine", "method": "knn"}
    ]
    assert found.values["auc"]["wine", "knn"] == knn
    assert found.sources["knn"].startswith("shipped comparison@")
    assert found.sources["FromCentre"] == "this run"
    assert "abalone" not in {table for table, _ in found.values["auc"]}
    rows = leading_rows(finished)
    assert {"FromCentre", "knn", "vae"} <= {row["method"] for row in rows}
    page = write_report(finished, tmp_path / "report")
    assert "FromCentre has the mean rank" in page.read_text(encoding="utf-8")
    assert (tmp_path / "report" / "figures" / "critical_difference.svg").exists()


def test_methods_without_values_on_most_tables_are_left_out_and_the_own_one_never_is():
    cells = {(table, method): 0.8 for table in ("iris", "wine", "haberman") for method in ("Mine", "knn")}
    cells |= {("iris", "lof"): 0.9}
    found = BesideOthers({"auc": cells, "tpr5": cells}, dict.fromkeys(("Mine", "knn", "lof"), ""), ["Mine"])
    tables, methods, values = found.complete()
    assert (tables, methods, values.shape) == (["iris", "wine", "haberman"], ["Mine", "knn"], (3, 2))
    few = BesideOthers({"auc": {("iris", "Mine"): 0.7}, "tpr5": {}}, {"Mine": ""}, ["Mine"])
    assert [row["TPR@5"] for row in few.leaderboard()] == [None]


def test_a_method_of_the_run_has_its_title_and_a_class_of_the_user_says_so():
    cells = {("iris", "Mine"): 0.7, ("iris", "kde"): 0.8}
    rows = BesideOthers({"auc": cells, "tpr5": {}}, {"Mine": "", "kde": ""}, ["Mine", "kde"]).leaderboard()
    assert [row["name"] for row in rows] == ["KDE", "(yours)"]


def test_cells_name_the_class():
    cell = SearchCell("iris", OWN, 1)
    assert [name for _, name in cell.targets()] == [OWN]
    assert list(SearchCell("iris", "knn", 1).targets()) == []
