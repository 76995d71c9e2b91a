"""Configurations that share work get the scores of single fits."""

import numpy as np
import pytest

from offnominal.core.errors import UnknownName
from offnominal.detectors.rows import KNN
from offnominal.papers.comparison.comparison_results import AS_PUBLISHED
from offnominal.papers.comparison.runners.runner import ConfigurationRunner, runner_of
from offnominal.papers.comparison.search_spaces import sample_configurations, search_space_of, space_names
from offnominal.studies.catalogue import load_study

pytestmark = pytest.mark.long

MANY = {"pidf": 6, "if": 12}
CLASSICAL = [name for name in load_study("comparison").to_dict()["methods"] if name not in AS_PUBLISHED]


def few(name):
    """Return some configurations that the small table allows."""
    limits = {"n_neighbors": 60, "n_estimators": 100, "max_samples": 100}
    return sample_configurations(
        search_space_of(name),
        MANY.get(name, 25),
        seed=2,
        accept=lambda each: all(each[key] <= most for key, most in limits.items() if key in each),
    )


@pytest.mark.parametrize("name", CLASSICAL)
def test_shared_work_gives_the_scores_of_single_fits(name, parts):
    runner = runner_of(name)
    configurations = few(name)
    run_group = runner.run(configurations, parts, seed=7)
    alone = ConfigurationRunner(name, runner.make).run(configurations, parts, seed=7)
    assert [each.configuration for each in run_group] == configurations
    for shared, single in zip(run_group, alone, strict=True):
        assert shared.failure == single.failure == ""
        for ours, theirs in ((shared.validation, single.validation), (shared.test, single.test)):
            if name in ("orbf", "osvm"):
                np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-9 * np.ptp(theirs))
            else:
                np.testing.assert_array_equal(ours, theirs)


def test_one_network_serves_all_its_scores(parts):
    pytest.importorskip("torch", reason="torch is not installed")
    fixed = {"max_iter": 20, "hidden": 8, "latent": 2, "n_samples": 3}
    configurations = [{"score_name": by} | fixed for by in ("mean", "elbo", "sampled")]
    runner = runner_of("vae")
    run_group = runner.run(configurations, parts, seed=7)
    alone = [runner.run([each], parts, seed=7)[0] for each in configurations]
    for shared, single in zip(run_group, alone, strict=True):
        assert shared.failure == single.failure == ""
        np.testing.assert_array_equal(shared.test, single.test)
    assert len({each.test.tobytes() for each in run_group}) == 3
    assert runner.accept({"latent": 2, "hidden": 8})
    assert not runner.accept({"latent": 8, "hidden": 8})


def test_every_space_has_a_family():
    pytest.importorskip("torch", reason="torch is not installed")
    assert [runner_of(name).name for name in space_names()] == list(space_names())
    with pytest.raises(UnknownName, match="Did you mean 'lof'"):
        runner_of("lov")


def test_a_configuration_that_cannot_be_fitted_fails_alone(parts):
    few, many = runner_of("knn").run(
        [{"n_neighbors": 3, "distance": "kappa"}, {"n_neighbors": 999, "distance": "kappa"}], parts, seed=1
    )
    assert few.failure == ""
    assert many.validation is None
    assert many.failure == ("InvalidParameter: n_neighbors is 999, but there are 78 rows; give more, or ask for fewer.")


def test_a_bad_configuration_in_a_family_without_sharing_fails_alone(parts):
    good, bad = ConfigurationRunner("nearest", KNN).run([{"n_neighbors": 2}, {"n_neighbors": 0}], parts, seed=1)
    assert good.test is not None
    assert bad.failure.startswith("InvalidParameter: n_neighbors is 0")


def test_nothing_is_begun_after_the_time_limit(parts):
    tried = runner_of("lof").run([{"n_neighbors": k} for k in (1, 2, 3)], parts, seed=1, limit_s=-1.0)
    assert [each.failure for each in tried] == ["TimeLimit: not begun within -1 CPU seconds"] * 3


def test_local_outlier_factors_use_the_neighbours_there_are(parts):
    most, capped = runner_of("lof").run([{"n_neighbors": 77}, {"n_neighbors": 100}], parts, seed=1)
    np.testing.assert_array_equal(most.test, capped.test)


def test_a_group_that_breaks_is_tried_one_by_one(parts):
    class Fragile(ConfigurationRunner):
        def groups(self, valid):
            return [valid]

        def run_group(self, configurations, shared, split, seed, timer):
            if any(each["n_neighbors"] == 2 for each in configurations):
                raise ArithmeticError("two")
            return super().run_group(configurations, shared, split, seed, timer)

    tried = Fragile("fragile", KNN).run([{"n_neighbors": 1}, {"n_neighbors": 2}, {"n_neighbors": 3}], parts, seed=1)
    assert [each.failure for each in tried] == ["", "ArithmeticError: two", ""]


def test_support_vector_machines_on_many_rows_are_fitted_one_by_one(parts, monkeypatch):
    from offnominal.papers.comparison.runners import svm_runners

    monkeypatch.setattr(svm_runners, "LARGEST", 10)
    configuration = {"kernel": "rbf", "nu": 0.5, "gamma": 0.1}
    (tried,) = runner_of("osvm").run([configuration], parts, seed=1)
    (single,) = ConfigurationRunner("osvm", runner_of("osvm").make).run([configuration], parts, seed=1)
    np.testing.assert_array_equal(tried.test, single.test)
