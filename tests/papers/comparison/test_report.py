"""The report of a comparison."""

import pytest
from markupsafe import escape

import offnominal as off

pytestmark = pytest.mark.long

FIGURES = {"critical_difference", "knowledge", "pareto", "sensitivity_osvm", "heat"}


def test_page_tables_and_figures_are_written(compared, tmp_path):
    page = off.write_report(compared, tmp_path)
    text = page.read_text(encoding="utf-8")
    assert "<h1>Tables</h1>" in text
    assert text.count("data:image/png;base64,") == len(FIGURES)
    assert {path.stem for path in (tmp_path / "figures").glob("*.png")} == FIGURES
    assert {path.stem for path in (tmp_path / "figures").glob("*.svg")} == FIGURES
    assert "| iris | 0.9 | 0.7 | 0.8 |" in (tmp_path / "tables" / "auc.md").read_text(encoding="utf-8")


@pytest.mark.usefixtures("blank_figures")
def test_every_table_is_on_the_page_and_what_wrote_it(compared, tmp_path):
    text = off.write_report(compared, tmp_path).read_text(encoding="utf-8")
    titles = [path.read_text(encoding="utf-8").splitlines()[0][3:] for path in (tmp_path / "tables").glob("*.md")]
    assert len(titles) == 9
    assert all(f"<h2>{escape(title)}</h2>" in text for title in titles)
    assert "Results by Offnominal of unknown version (unknown commit), an unknown date." in text
    assert f"This report by Offnominal {off.__version__} (" in text
