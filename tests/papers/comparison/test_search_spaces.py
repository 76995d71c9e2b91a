"""Search spaces are the published ones, and draws are the same everywhere."""

import json

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.papers.comparison.published.printed_cells import rows_of
from offnominal.papers.comparison.runners.runner import runner_of
from offnominal.papers.comparison.search_spaces import (
    WITH_DEFAULTS,
    SearchSpace,
    default_of,
    image_methods,
    sample_configurations,
    search_space_of,
    space_names,
)
from offnominal.papers.comparison.studies import SearchStudy
from offnominal.studies.catalogue import load_study

pytestmark = pytest.mark.long


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("abod", 98),
        ("hbos", 50 * 20 * 21),
        ("if", 10 * 6 * 6),
        ("knn", 51 * 3),
        ("loda", 50 * 24),
        ("lof", 100),
        ("orbf", 61),
        ("osvm", 61 * 3 * 3),
        ("pidf", 3 * 7 * 6 * 4 * 3 * 3),
    ],
)
def test_grids_have_the_published_size(name, size):
    assert search_space_of(name).size == size


def methods_of(study):
    return load_study(study).to_dict()["methods"]


def test_every_published_method_is_searched_on_tables_or_images():
    tables, images = ({row["method"] for row in rows_of(item)} for item in ("table_IV", "table_VI"))
    assert tables <= {*methods_of("comparison"), *methods_of("comparison-deep")}
    for study in ("comparison-images", "comparison-images-one-in"):
        assert images <= set(methods_of(study)) <= set(image_methods())


@pytest.mark.parametrize("name", ["fano", "skip"])
def test_methods_for_images_are_not_searched_on_tables(name):
    with pytest.raises(UnknownName, match="is for images alone"):
        SearchStudy("mine", tables=("iris",), methods=(name,))


def test_ranges_hit_their_ends_and_are_rounded():
    assert search_space_of("if").grid["max_samples"] == (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    gammas = search_space_of("orbf").grid["gamma"]
    assert gammas[:3] == (0.0001, 0.00013, 0.00016)
    assert gammas[-1] == 100.0


@pytest.mark.parametrize("name", space_names())
def test_every_configuration_drawn_makes_a_detector(name):
    if search_space_of(name).runner.endswith(":DeepFamily"):
        pytest.importorskip("torch", reason="torch is not installed")
    runner = runner_of(name)
    make = runner.make
    detector = getattr(make, "func", make)
    assert search_space_of(name).detector == f"{detector.__module__}:{detector.__qualname__}"
    for configuration in sample_configurations(search_space_of(name), 20, seed=3, accept=runner.accept):
        parameters = make(**configuration).get_params()
        assert {key: parameters[key] for key in configuration} == configuration


def test_draws_are_different_and_few_begin_many():
    drawn = sample_configurations(search_space_of("osvm"), 100, seed=5)
    assert len({json.dumps(each, sort_keys=True) for each in drawn}) == 100
    assert drawn[:7] == sample_configurations(search_space_of("osvm"), 7, seed=5)
    assert drawn != sample_configurations(search_space_of("osvm"), 100, seed=6)


def test_draws_are_uniform():
    counts = dict.fromkeys((0, 1, 2), 0)
    space = SearchSpace("even", "Even", {"a": (0, 1, 2), "b": tuple(range(5000))})
    for each in sample_configurations(space, 3000, seed=1):
        counts[each["a"]] += 1
    assert all(900 < count < 1100 for count in counts.values())


def test_a_small_space_is_taken_whole():
    drawn = sample_configurations(search_space_of("orbf"), 100)
    assert len(drawn) == 61
    assert all(each["kernel"] == "rbf" and each["nu"] == 0.5 for each in drawn)


def test_what_is_not_accepted_is_drawn_again():
    drawn = sample_configurations(search_space_of("knn"), 10, seed=1, accept=lambda each: each["n_neighbors"] < 20)
    assert len(drawn) == 10
    assert all(each["n_neighbors"] < 20 for each in drawn)
    with pytest.raises(InvalidParameter, match="only 0 of 5 configurations were accepted"):
        sample_configurations(search_space_of("knn"), 5, accept=lambda each: False)


def test_unknown_names_are_named():
    with pytest.raises(UnknownName, match="Did you mean 'knn'"):
        search_space_of("kn")
    with pytest.raises(InvalidParameter, match="expected some, all different"):
        SearchSpace("bad", "Bad", {"n_neighbors": (1, 1)})


@pytest.mark.parametrize("name", WITH_DEFAULTS)
def test_default_parameters_are_those_that_the_space_searches(name):
    points = np.random.default_rng(0).normal(size=(200, 3))
    chosen = default_of(name, points)
    assert set(chosen) == {*search_space_of(name).grid, *search_space_of(name).fixed}
    detector = runner_of(name).make(**chosen)
    if "max_iter" in detector.get_params():
        detector.set_params(max_iter=3)
    assert np.isfinite(detector.fit(points).score(points)).all()


@pytest.mark.parametrize(
    ("columns", "latent", "hidden", "permutations"),
    [(4, 8, 8, 11), (31, 62, 62, 3), (32, 32, 64, 3), (301, 64, 256, 1)],
)
def test_parameters_of_the_public_code_depend_on_the_size_of_a_table(columns, latent, hidden, permutations):
    points = np.zeros((200, columns))
    neutral = default_of("ntrl", points)
    assert (neutral["latent"], neutral["hidden"], neutral["transform_hidden"]) == (latent, hidden, columns)
    contrast = default_of("icl", points)
    assert (contrast["permutations"], contrast["batch_size"]) == (permutations, 200)
