"""A comparison on tables as data."""

from typing import Any

import pytest

from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.datasets.tables import table_entry
from offnominal.papers.comparison.cells import SearchCell
from offnominal.papers.comparison.runners.runner import runner_of
from offnominal.papers.comparison.studies import SearchScale, SearchStudy
from offnominal.studies.catalogue import load_study
from offnominal.studies.kinds import cell_from, study_from

pytestmark = pytest.mark.long


def test_every_table_meets_every_method_with_every_seed():
    study = SearchStudy("mine", tables=("iris", "wine"), methods=("knn", "lof"), seeds=(1, 2, 3))
    cells = study.cells()
    assert len({cell.label for cell in cells}) == len(cells) == 12
    assert {cell.source for cell in cells if cell.table == "iris"} != {
        cell.source for cell in cells if cell.table == "wine"
    }


def test_a_scale_changes_what_it_names():
    scales = {"small": SearchScale(seeds=(1,), configurations=7)}
    study = SearchStudy("mine", tables=("iris",), methods=("knn",), scales=scales)
    assert [(cell.seed, cell.configurations) for cell in study.at("small").cells()] == [(1, 7)]
    assert study.at(None) is study
    with pytest.raises(UnknownName, match="small"):
        study.at("smal")


@pytest.mark.parametrize(("field", "value"), [("tables", ("irsi",)), ("methods", ("kn",))])
def test_unknown_names_are_refused(field, value):
    fields = {"tables": ("iris",), "methods": ("knn",)} | {field: value}
    with pytest.raises(UnknownName, match="Did you mean"):
        SearchStudy("mine", **fields)


def test_an_empty_study_is_refused():
    with pytest.raises(InvalidParameter, match="no methods"):
        SearchStudy("mine", tables=("iris",))


def test_cells_and_studies_survive_files():
    cell = SearchCell("iris", "knn", 3, limit_s=60.0)
    assert cell_from(cell.to_dict()) == cell
    study = load_study("comparison")
    assert study_from(study.to_dict()) == study


def test_the_shipped_comparison_can_be_laid_out_at_every_scale():
    study = load_study("comparison")
    assert len(study.tables) == 40  # type: ignore[attr-defined]
    for scale in study.scales:
        cells = study.at(scale).cells()
        assert len({cell.label for cell in cells}) == len(cells) > 0


def test_the_search_of_deep_methods_goes_from_small_tables_to_large_ones():
    cells: list[Any] = list(load_study("comparison-deep").at("search").cells())
    tables = list(dict.fromkeys(cell.table for cell in cells))
    rows = [table_entry(name).normal for name in tables]
    assert len(tables) >= 28
    assert rows == sorted(rows)
    assert [cell.table for cell in cells] == sorted((cell.table for cell in cells), key=tables.index)


def test_the_search_of_deep_methods_is_as_large_as_it_says():
    study: Any = load_study("comparison-deep").at("search")
    cells = study.cells()
    assert all(cell.configurations >= 30 for cell in cells)
    assert {cell.seed for cell in cells} == {1, 2, 3}
    for cell in cells[: 3 * len(study.methods)]:
        runner_of(cell.method).make(**{name: value for name, value in cell.fixed.items() if name != "second_stages"})


def test_methods_can_have_their_own_number_of_configurations():
    given = {"configurations": 100, "configurations_by_method": {"vae": 5}}
    study = SearchStudy("mine", tables=("iris",), methods=("knn", "vae"), seeds=(1,), **given)
    assert {cell.method: cell.configurations for cell in study.cells()} == {"knn": 100, "vae": 5}
    with pytest.raises(UnknownName, match="Did you mean 'vae'"):
        SearchStudy("mine", tables=("iris",), methods=("knn",), configurations_by_method={"vea": 5})
    with pytest.raises(InvalidParameter, match="configurations_by_method"):
        SearchStudy("mine", tables=("iris",), methods=("knn",), configurations_by_method={"knn": 0})


def test_scales_of_the_newer_methods_share_the_cells_without_a_network():
    study, networks = load_study("comparison-modern"), {"dtec", "icl", "ntrl"}
    cells: dict[str, Any] = {scale: study.at(scale).cells() for scale in study.scales}
    laptop = [cell.to_dict() for cell in cells["laptop"]]
    assert not networks & {cell.method for cell in cells["laptop"]}
    for scale, budget in (("laptop-networks", 5), ("search", 30)):
        assert all(cell.to_dict() in laptop for cell in cells[scale] if cell.method not in networks)
        trained = [cell for cell in cells[scale] if cell.method in networks]
        assert {cell.method for cell in trained} == networks
        assert {(cell.configurations, cell.fixed["max_iter"]) for cell in trained} == {(budget, 500)}
