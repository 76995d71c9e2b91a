"""The set and the scores that the authors of NovelCraft released; the files are generated in their layouts."""

import shutil

import numpy as np
import pytest

from build_released_scores import CONTENT, SHARED_TRUTH, content_hash, main, released_arrays
from offnominal.core.directories import DATA_VARIABLE, find_data_home
from offnominal.core.errors import DamagedFile, InvalidParameter, MissingFile, UnknownName
from offnominal.datasets.novelcraft import NovelCraftRecipe, export_published, make_novelcraft
from offnominal.papers.catalogue import tables_of
from offnominal.papers.novelcraft.novelty_data import NoveltyData
from offnominal.papers.novelcraft.novelty_sets import open_novelty_sets, released_hash
from offnominal.papers.novelcraft.recomputed import FILE
from offnominal.papers.reproduction import on_data, reproductions
from offnominal.studies.catalogue import load_study
from recompute_novelcraft import EPISODES, FRAMES

pytestmark = pytest.mark.long

HOME = find_data_home()
RECIPE = NovelCraftRecipe(
    share=0.01, classes=("normal", "fence", "item_sand", "item_tnt", "item_bookshelf", "thief"), max_frames=3
)
ON = NoveltyData(released=True, side=32)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    place = tmp_path_factory.mktemp("released")
    folder = export_published(make_novelcraft(RECIPE, place / "set"), place / "files")
    # The authors' tables have no classes that are only used as whole episodes.
    rows = (folder / "targets.csv").read_text().splitlines()
    (folder / "targets.csv").write_text("\n".join(row for row in rows if not row.startswith("thief/")) + "\n")
    return folder


@pytest.fixture
def home(files, tmp_path, monkeypatch):
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    shutil.copytree(files, tmp_path / "novelcraft")
    return tmp_path / "novelcraft"


def test_the_released_set_is_opened_from_the_data_home(home):
    sets = open_novelty_sets(ON)
    assert sets.labelled("train").labels.tolist()
    assert sets.content_hash == released_hash(home)
    assert sets.pixels("test").shape[1:] == (32, 32, 3)
    assert {episode.kind.name for episode in sets.episodes("test")} == {"normal", "fence", "thief"}
    (home / "normal" / "0" / "0.png").write_bytes(b"?")
    assert released_hash(home) != sets.content_hash


def test_what_is_missing_of_the_released_set_is_named(home, tmp_path, monkeypatch):
    with pytest.raises(MissingFile, match=r"normal/normal_<n> of NovelCraft\+"):
        open_novelty_sets(ON.replace(plus=True))
    shutil.rmtree(home / "item_tnt" / "0")
    with pytest.raises(MissingFile, match=r"no images of 1 of .* item_tnt/0"):
        open_novelty_sets(ON.replace(side=64))
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "elsewhere"))
    with pytest.raises(MissingFile, match="branch TMLR"):
        open_novelty_sets(ON)


def test_tables_are_made_on_the_released_set():
    (table,) = tables_of("novelcraft", ["3"])
    ((_, run),) = on_data(reproductions([table]), "released")
    study = run.load().at(run.scale)
    assert study.name == "novelcraft-released"
    assert {cell.source for cell in study.cells()} == {"released"}
    with pytest.raises(UnknownName, match="released"):
        on_data(reproductions([table]), "real")
    with pytest.raises(InvalidParameter, match="its own data only"):
        on_data(reproductions(tables_of("ood-rl", ["3"])), "released")


def test_results_of_recorded_sets_keep_their_keys():
    assert "released" not in NoveltyData().to_dict()
    assert ON.to_dict()["released"] is True
    assert NoveltyData.from_dict(ON.to_dict()) == ON
    cell = load_study("novelcraft").at("smoke").cells()[0]
    assert "released" not in cell.to_dict()["data"]


@pytest.fixture
def checkout(tmp_path):
    """Files of the authors' repository with few scores."""
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    for folder in FRAMES.values():
        (tmp_path / "models" / folder).mkdir(parents=True)
        torch.save(torch.tensor(rng.normal(size=5)), tmp_path / "models" / folder / "test_novel_score.pt")
    torch.save(torch.tensor([0, 0, 1, 1, 1]), tmp_path / "models" / SHARED_TRUTH / "test_novel_true.pt")
    for pattern in EPISODES.values():
        for folder in {pattern.format(context) for context in ("2", "5")}:
            (tmp_path / "models" / folder).mkdir(parents=True)
            torch.save(torch.tensor(rng.normal(size=3)), tmp_path / "models" / folder / "novel_scores.pt")
            np.save(tmp_path / "models" / folder / "paths.npy", np.array([f"/data/fence/0/{k}.png" for k in range(3)]))
    return tmp_path


def test_the_file_of_scores_is_built_from_the_authors_repository(checkout, tmp_path, monkeypatch, capsys):
    arrays = released_arrays(checkout / "models")
    assert arrays["frame/OCSVM+/true"].tolist() == [False, False, True, True, True]
    assert arrays["episode/Symbolic5/path"].tolist() == ["fence/0/0.png", "fence/0/1.png", "fence/0/2.png"]
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "home"))
    assert main([str(checkout)]) == 1
    assert CONTENT in capsys.readouterr().err
    with np.load(tmp_path / "home" / FILE) as stored:
        assert content_hash({name: stored[name] for name in stored.files}) == content_hash(arrays)


def test_files_that_are_missing_or_do_not_fit_are_named(checkout):
    torch = pytest.importorskip("torch")
    path = checkout / "models" / FRAMES["ODIN", ""] / "test_novel_score.pt"
    torch.save(torch.zeros(4), path)
    with pytest.raises(DamagedFile, match="frame/ODIN has 4 scores and 5 values"):
        released_arrays(checkout / "models")
    path.write_bytes(b"?")
    with pytest.raises(DamagedFile, match=r"t=1000"):
        released_arrays(checkout / "models")
    path.unlink()
    with pytest.raises(MissingFile, match="branch TMLR"):
        released_arrays(checkout / "models")


@pytest.mark.skipif(HOME is None or not (HOME / FILE).exists(), reason="the released scores are not in the data home")
def test_our_copy_of_the_scores_has_the_stated_content():
    with np.load(HOME / FILE) as stored:
        assert content_hash({name: stored[name] for name in stored.files}) == CONTENT
