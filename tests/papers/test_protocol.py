"""The protocols of the papers: they are read, complete and used."""

import re
from pathlib import Path

import pytest

import offnominal.papers
from offnominal.core.errors import UnknownName
from offnominal.papers.catalogue import paper, papers
from offnominal.papers.protocol import protocol
from offnominal.studies.catalogue import load_study

SOURCES = Path(offnominal.papers.__file__).parent


@pytest.mark.parametrize("id", papers.ids())
def test_every_paper_has_a_protocol_with_a_dated_log(id):
    known = protocol(id)
    assert paper(id).load_published().protocol is known
    assert known.log[0].reason
    assert [each.day for each in known.log] == sorted(each.day for each in known.log)
    assert set(known.about) == set(known.metrics)


@pytest.mark.parametrize("id", papers.ids())
def test_scales_of_protocols_are_those_of_studies(id):
    studies = {table.study for table in paper(id).load_published().tables if table.study}
    known = {scale for study in studies for scale in load_study(study).scales}
    assert set(protocol(id).scales) <= known


@pytest.mark.parametrize("id", papers.ids())
def test_every_metric_of_a_protocol_is_used(id):
    folder = SOURCES / id.replace("-", "_")
    code = "\n".join(file.read_text(encoding="utf-8") for file in folder.rglob("*.py"))
    assert [name for name in protocol(id).metrics if f'"{name}"' not in code] == []


def test_the_code_of_papers_has_no_margins_of_its_own():
    margin = re.compile(r"(margin|close|tolerance)\s*=\s*[\d.]")
    texts = re.compile(r'""".*?"""', re.DOTALL)
    code = {file.name: texts.sub("", file.read_text(encoding="utf-8")) for file in SOURCES.rglob("*.py")}
    assert [name for name, text in code.items() if margin.search(text)] == []


def test_closer_margins_are_smaller():
    for id in papers.ids():
        for name, rule in protocol(id).metrics.items():
            assert rule.close < rule.margin or rule.kind != "measured", (id, name)


def test_an_unknown_metric_is_said():
    with pytest.raises(UnknownName, match="Did you mean 'share'"):
        protocol("ood-rl").rule("shared")
    with pytest.raises(UnknownName, match="no paper"):
        protocol("no-such-paper")
