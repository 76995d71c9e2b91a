"""A comparison on images as data."""

import pytest

from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.datasets.image_sets import image_set_entry
from offnominal.papers.comparison.cells import ImageCell
from offnominal.papers.comparison.search_spaces import image_methods, image_search_space_of
from offnominal.papers.comparison.studies import ImageScale, ImageStudy
from offnominal.studies import runs
from offnominal.studies.catalogue import load_study
from offnominal.studies.kinds import cell_from, study_from

pytestmark = pytest.mark.long


def place(home, name):
    """Put files of a set where they are looked for, whatever they hold."""
    for file in next(iter(image_set_entry(name).sources.values())):
        path = home / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def test_methods_that_share_networks_share_a_cell():
    study = ImageStudy("mine", sets=("mnist",), methods=("knn", "vae", "vaek", "vaeo"), classes=(0, 1))
    assert [cell.methods for cell in study.cells()] == [("knn",), ("vae", "vaek", "vaeo")] * 2
    assert len({cell.source for cell in study.cells()}) == 1


def test_a_cell_does_not_know_what_its_methods_do_not_need():
    before = ImageStudy("mine", sets=("mnist",), methods=("knn", "aae", "osvm"), classes=(0,))
    after = before.replace(machines=3, n_second_stage=2, networks=7)
    changed = [ours.methods for ours, theirs in zip(before.cells(), after.cells(), strict=True) if ours != theirs]
    assert changed == [("aae",), ("osvm",)]


def test_methods_may_have_their_own_number_of_networks():
    study = ImageStudy("mine", sets=("mnist",), methods=("knn", "aae", "vaek", "dsvp"), classes=(0,), networks=7)
    cells = study.replace(networks_by_method={"dsvp": 9, "vae": 3}).cells()
    assert [cell.configurations for cell in cells] == [100, 7, 3, 9]


def test_a_scale_changes_what_it_names():
    scales = {"small": ImageScale(classes=(4,), networks=2, fixed={"vae": {"max_iter": 5}})}
    study = ImageStudy("mine", sets=("mnist",), methods=("vaek",), scales=scales).at("small")
    (cell,) = study.cells()
    assert (cell.class_index, cell.configurations, cell.fixed) == (4, 2, {"max_iter": 5})
    with pytest.raises(UnknownName, match="small"):
        study.at("smal")


@pytest.mark.parametrize(
    ("fields", "error", "message"),
    [
        ({"sets": ("mnits",)}, UnknownName, "Did you mean 'mnist'"),
        ({"methods": ("lof",)}, UnknownName, "not compared on images"),
        ({"classes": (10,)}, InvalidParameter, "expected 0 to 9"),
        ({"seeds": ()}, InvalidParameter, "no seeds"),
        ({"networks_by_method": {"knn": 3}}, InvalidParameter, "has 'knn'; choose among aae, dsvd"),
        ({"networks_by_method": {"aae": -1}}, InvalidParameter, "networks_by_method"),
    ],
)
def test_what_cannot_be_run_is_named(fields, error, message):
    with pytest.raises(error, match=message):
        ImageStudy("mine", **{"sets": ("mnist",), "methods": ("knn",)} | fields)


def test_cells_and_studies_survive_files():
    cell = ImageCell("mnist", ("vae", "vaeo"), 3, fixed={"max_iter": 9})
    assert cell_from(cell.to_dict()) == cell
    for name in ("comparison-images", "comparison-images-one-in"):
        study = load_study(name)
        assert study_from(study.to_dict()) == study
        for scale in study.scales:
            labels = [each.label for each in study.at(scale).cells()]
            assert len(set(labels)) == len(labels) > 0
    assert study.leave == study.cells()[0].leave == "leave-one-in"  # type: ignore[attr-defined]


def test_every_method_has_a_space_for_images():
    for method in image_methods():
        space, scores = image_search_space_of(method)
        assert space.size > 1
        assert "score_name" not in space.grid
        assert "hidden" not in space.grid
        assert len(scores) != 1


def test_sets_that_are_not_at_hand_are_left_out_and_named(tmp_path, monkeypatch):
    monkeypatch.setenv("OFFNOMINAL_DATA", str(tmp_path))
    study = ImageStudy("mine", sets=("mnist", "cifar10"), methods=("knn",), classes=(0,))
    assert study.available_cells() == (study.cells(), ())
    place(tmp_path, "mnist")
    assert study.available_cells()[1] == ("cifar10",)
    asked = {}
    monkeypatch.setattr(runs, "run_study", lambda cells, store, **options: asked.update(options, cells=cells))
    runs.run(study, folder=tmp_path / "run")
    assert [cell.label for cell in asked["cells"]] == ["mnist/knn/0/1"]
    assert asked["about"]["missing"] == ["cifar10"]
