"""Tables of appendices that are typed by hand are listed, and their pages say that they cannot be computed again."""

from pathlib import Path

import pytest

from .test_docs import script

made = script("typed_tables")
MOST_RECORDED = 3420
"""Numbers of typed tables whose source is a record; there may only be fewer."""


def test_every_typed_table_of_an_appendix_is_in_the_list():
    assert made.main(["--check"]) == 0


def test_pages_with_records_say_so():
    recorded = {page for page, *_, source in made.ledger() if source == made.RECORD}
    silent = {page.name for page in made.appendices() if page.name in recorded and made.MARK not in page.read_text()}
    assert not silent


def test_no_more_numbers_than_before_are_records():
    assert sum(int(count) for _, _, count, _, source in made.ledger() if source == made.RECORD) <= MOST_RECORDED


@pytest.mark.parametrize(("number", "false"), [("0.94", "0.49"), ("0.366", "0.363")])
def test_a_false_number_changes_the_table(number, false, tmp_path):
    (page,) = [page for page in made.appendices() if page.stem == "anovox-appendix"]
    text = page.read_text(encoding="utf-8")
    assert number in text
    changed = Path(tmp_path / page.name)
    changed.write_text(text.replace(number, false), encoding="utf-8")
    assert set(made.typed_tables(changed)) - set(made.typed_tables(page))


def test_a_table_of_a_template_is_not_listed(tmp_path):
    page = tmp_path / "some-appendix.md"
    table = "| a | b |\n| --- | --- |\n| x | 0.5 |\n"
    page.write_text(f"<!-- table: pivot groups -->\n\n{table}\n<!-- end -->\n\n{table}")
    assert [line[:3] for line in made.typed_tables(page)] == [("some-appendix.md", "a | b", "1")]
