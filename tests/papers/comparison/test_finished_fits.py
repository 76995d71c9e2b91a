"""A search that was interrupted goes on with the fits that were finished."""

import os

import numpy as np
import pytest

from offnominal.datasets.tables import Table, split_table
from offnominal.papers.comparison import finished_fits as module
from offnominal.papers.comparison import image_search
from offnominal.papers.comparison.cells import ImageCell
from offnominal.papers.comparison.configuration_results import ConfigurationResult
from offnominal.papers.comparison.finished_fits import FOLDER, FinishedFits
from offnominal.studies.execution import run_cell
from offnominal.studies.result_rows import same_results

from .image_cases import bars

pytestmark = pytest.mark.long

SMALL = {"max_iter": 6, "channels": 4, "latent": 4, "learning_rate": 0.001}
SVDD = ImageCell("mnist", ("dsvd",), 0, configurations=4, fixed=SMALL | {"pretrain_iter": 6, "layers": 3})
CODED = ImageCell("mnist", ("vae", "vaek"), 0, configurations=3, n_second_stage=2, fixed=SMALL | {"n_samples": 2})


@pytest.fixture
def home(monkeypatch, tmp_path):
    monkeypatch.setenv("OFFNOMINAL_DATA", str(tmp_path))
    monkeypatch.setattr(module, "LEAST_S", 0.0)
    return tmp_path


def kept(home):
    return sorted((home / FOLDER).glob("*/*.npz"))


def result(value):
    return ConfigurationResult({"k": value}, np.array([0.5, value]), None, 1.0, 2.0, "why")


def test_results_are_kept_until_the_search_is_complete(home):
    first = FinishedFits("cell", "code")
    first.computed("a", lambda: {"one": [result(1)], "two": [result(2), result(3)]})
    again = FinishedFits("cell", "code").computed("a", lambda: pytest.fail("was computed again"))
    assert [each.configuration for each in again["two"]] == [{"k": 2}, {"k": 3}]
    (one,) = again["one"]
    np.testing.assert_array_equal(one.validation, [0.5, 1])
    assert (one.test, one.fit_s, one.score_s, one.failure) == (None, 1.0, 2.0, "why")
    assert FinishedFits("cell", "other code").computed("a", dict) == {}
    first.remove()
    assert FinishedFits("cell", "code").computed("a", dict) == {}


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 broken", b"text"])
def test_a_damaged_file_is_computed_again(home, content):
    FinishedFits("cell").computed("a", lambda: {"one": [result(1)]})
    (path,) = kept(home)
    path.write_bytes(content)
    assert FinishedFits("cell").computed("a", dict) == {}


def test_quick_fits_are_not_kept_and_abandoned_searches_are_removed(home, monkeypatch):
    FinishedFits("old").computed("a", dict)
    (path,) = kept(home)
    os.utime(path.parent, (0, 0))
    monkeypatch.setattr(module, "LEAST_S", 60.0)
    FinishedFits("new").computed("a", dict)
    assert not kept(home)
    assert not path.parent.exists()


def test_a_search_goes_on_without_a_folder_to_write_to(home):
    (home / FOLDER).write_text("a file")
    assert FinishedFits("cell").computed("a", lambda: {"one": []}) == {"one": []}


@pytest.mark.parametrize("cell", [SVDD, CODED], ids=lambda cell: "+".join(cell.methods))
def test_an_interrupted_search_has_the_results_of_an_uninterrupted_one(cell, home, monkeypatch):
    pytest.importorskip("torch", reason="torch is not installed")
    from offnominal.detectors.rows.deep_detector import DeepRowDetector

    monkeypatch.setattr(image_search, "open_images", lambda name: bars())
    whole, fit, fitted = run_cell(cell), DeepRowDetector.fit, []

    def interrupted(self, *arguments, **options):
        fitted.append(self)
        if len(fitted) == 3:
            raise KeyboardInterrupt
        return fit(self, *arguments, **options)

    monkeypatch.setattr(DeepRowDetector, "fit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_cell(cell)
    assert len(kept(home)) == 2
    resumed = run_cell(cell)
    assert len(fitted) == 1 + cell.configurations
    assert same_results(resumed.rows, whole.rows)
    assert not kept(home)


def test_the_time_of_an_earlier_run_counts_towards_the_limit(home):
    pytest.importorskip("torch", reason="torch is not installed")
    from offnominal.papers.comparison.runners.deep_runners import DeepRunner

    rows = np.random.default_rng(0).normal(size=(60, 2))
    parts = split_table(Table("mine", rows[:50], rows[50:] + 9.0), seed=1)
    fits = FinishedFits("cell")
    fits.saved_s = 100.0
    (late,) = DeepRunner("vae").run([{"max_iter": 1}], parts, 1, limit_s=50.0, fits=fits)
    assert late.failure.startswith("TimeLimit")
