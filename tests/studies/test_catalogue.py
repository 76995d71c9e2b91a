"""Studies by name and from files."""

import pytest

from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.studies.catalogue import load_study, studies

TEXT = """
name = "mine"
worlds = ["SAP-Goal0-v0"]
seeds = [0, 1]

[data]
episodes = 6

[[detectors]]
name = "3-NN"
detector = "KNN"
parameters = { n_neighbors = 3 }

[scales.tiny]
seeds = [0]
"""


@pytest.fixture
def written(tmp_path):
    """Return a function that writes a file and returns its path."""

    def write(text, name="mine.toml"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return write


@pytest.mark.parametrize("name", studies.ids())
def test_every_shipped_study_has_cells_at_every_scale(name):
    study = load_study(name)
    assert study.name == name
    for scale, entry in study.scales.items():
        cells = study.at(scale).cells()
        assert cells
        assert len({cell.label for cell in cells}) == len(cells)
        assert entry.summary


def test_a_study_is_read_from_toml(written):
    study = load_study(written(TEXT))
    assert [cell.label for cell in study.cells()] == ["SAP-Goal0-v0/expert/3-NN/0", "SAP-Goal0-v0/expert/3-NN/1"]
    assert study.cells()[0].parameters == {"n_neighbors": 3}  # type: ignore[attr-defined]
    assert len(study.at("tiny").cells()) == 1


def test_a_study_is_read_from_python(written):
    text = (
        "from offnominal.kinds import Study\n"
        "from offnominal.studies import DetectorEntry\n"
        "study = Study('mine', worlds=('SAP-Goal0-v0',), detectors=tuple(map(DetectorEntry, ('KNN', 'Time'))))\n"
    )
    assert len(load_study(str(written(text, "mine.py"))).cells()) == 2


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("seeds = [0, 1]", "seeds = [0, 1", "is not a study in TOML"),
        ("seeds = [0, 1]", "sedes = [0, 1]", "no field 'sedes'. Did you mean 'seeds'?"),
        ("seeds = [0, 1]", "seeds = ['a']", "seeds"),
        ("episodes = 6", "episode = 6", "DataEntry has no field 'episode'. Did you mean 'episodes'?"),
        ('detector = "KNN"', 'detectr = "KNN"', "DetectorEntry has no field 'detectr'"),
        ('name = "mine"', "", "Study needs name"),
    ],
    ids=["syntax", "field", "type", "data", "detector", "name"],
)
def test_a_mistake_in_a_file_is_named(written, old, new, said):
    with pytest.raises(InvalidParameter) as caught:
        load_study(written(TEXT.replace(old, new)))
    assert said in str(caught.value)


def test_what_is_no_study_is_named(written, tmp_path):
    with pytest.raises(InvalidParameter, match="defines no `study`"):
        load_study(written("study = 3\n", "mine.py"))
    with pytest.raises(InvalidParameter, match="there is no file"):
        load_study(tmp_path / "none.toml")
    with pytest.raises(UnknownName, match="Did you mean 'anomaly-gym'"):
        load_study("anomaly-gim")


EXTENDED = """
data = { episodes = 3, levels = ["tiny"] }

[scales.tiny.parameters]
3-NN = { n_neighbors = 2, aggregation = "max" }

[scales.tinier]
extends = "tiny"
data = { episodes = 2 }
parameters = { 3-NN = { n_neighbors = 1 } }
"""


def test_a_scale_takes_what_it_does_not_say_from_the_one_that_it_extends(written):
    study = load_study(written(TEXT + EXTENDED.replace("data =", 'summary = "one seed"\ndata =', 1)))
    tiny, tinier = (study.at(name) for name in ("tiny", "tinier"))
    assert (tinier.seeds, tinier.data.levels, tinier.data.episodes) == (tiny.seeds, ("tiny",), 2)  # type: ignore[attr-defined]
    assert tinier.cells()[0].parameters == {"n_neighbors": 1, "aggregation": "max"}  # type: ignore[attr-defined]
    assert (study.scales["tiny"].summary, study.scales["tinier"].summary) == ("one seed", "")


@pytest.mark.parametrize(
    ("base", "error", "message"),
    [
        ('"tinyy"', UnknownName, "scale 'tinier' extends 'tinyy', which is no scale. Did you mean 'tiny'?"),
        ("[1]", UnknownName, r"extends \[1\], which is no scale"),
        ('"tinier"', InvalidParameter, "scales extend each other: tinier, tinier; one must not have 'extends'"),
    ],
)
def test_a_scale_that_extends_nothing_is_named(written, base, error, message):
    with pytest.raises(error, match=message):
        load_study(written(TEXT + EXTENDED.replace('extends = "tiny"', f"extends = {base}")))
