"""Configurations that share work get the scores of single fits."""

import numpy as np
import pytest

from offnominal.core.errors import UnknownName
from offnominal.detectors.points import NearestNeighbours
from offnominal.studies.detector_comparison import Family, family_of, sample, space_names, space_of

MANY = {"pidf": 6, "if": 12}
CLASSICAL = [name for name in space_names() if "deep" not in space_of(name).family]


def few(name):
    """Return some configurations that the small table allows."""
    limits = {"k": 60, "trees": 100, "sample": 100}
    return sample(
        space_of(name),
        MANY.get(name, 25),
        seed=2,
        accept=lambda each: all(each[key] <= most for key, most in limits.items() if key in each),
    )


@pytest.mark.parametrize("name", CLASSICAL)
def test_shared_work_gives_the_scores_of_single_fits(name, parts):
    family = family_of(name)
    configurations = few(name)
    together = family.run(configurations, parts, seed=7)
    alone = Family(name, family.make).run(configurations, parts, seed=7)
    assert [each.configuration for each in together] == configurations
    for shared, single in zip(together, alone, strict=True):
        assert shared.failure == single.failure == ""
        for ours, theirs in ((shared.validation, single.validation), (shared.test, single.test)):
            if name in ("orbf", "osvm"):
                np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-9 * np.ptp(theirs))
            else:
                np.testing.assert_array_equal(ours, theirs)


def test_one_network_serves_all_its_scores(parts):
    pytest.importorskip("torch", reason="torch is not installed")
    fixed = {"iterations": 20, "hidden": 8, "latent": 2, "samples": 3}
    configurations = [{"by": by} | fixed for by in ("mean", "elbo", "sampled")]
    family = family_of("vae")
    together = family.run(configurations, parts, seed=7)
    alone = [family.run([each], parts, seed=7)[0] for each in configurations]
    for shared, single in zip(together, alone, strict=True):
        assert shared.failure == single.failure == ""
        np.testing.assert_array_equal(shared.test, single.test)
    assert len({each.test.tobytes() for each in together}) == 3
    assert family.accept({"latent": 2, "hidden": 8})
    assert not family.accept({"latent": 8, "hidden": 8})


def test_every_space_has_a_family():
    pytest.importorskip("torch", reason="torch is not installed")
    assert [family_of(name).name for name in space_names()] == list(space_names())
    with pytest.raises(UnknownName, match="Did you mean 'lof'"):
        family_of("lov")


def test_a_configuration_that_cannot_be_fitted_fails_alone(parts):
    few, many = family_of("knn").run([{"k": 3, "distance": "kappa"}, {"k": 999, "distance": "kappa"}], parts, seed=1)
    assert few.failure == ""
    assert many.validation is None
    assert many.failure == ("InvalidParameter: k is 999, but there are 78 rows; give more or choose a smaller k.")


def test_a_bad_configuration_in_a_family_without_sharing_fails_alone(parts):
    good, bad = Family("nearest", NearestNeighbours).run([{"k": 2}, {"k": 0}], parts, seed=1)
    assert good.test is not None
    assert bad.failure.startswith("InvalidParameter: k is 0")


def test_nothing_is_begun_after_the_time_limit(parts):
    tried = family_of("lof").run([{"k": k} for k in (1, 2, 3)], parts, seed=1, limit_s=-1.0)
    assert [each.failure for each in tried] == ["TimeLimit: not begun within -1 CPU seconds"] * 3


def test_local_outlier_factors_use_the_neighbours_there_are(parts):
    most, capped = family_of("lof").run([{"k": 77}, {"k": 100}], parts, seed=1)
    np.testing.assert_array_equal(most.test, capped.test)


def test_a_group_that_breaks_is_tried_one_by_one(parts):
    class Fragile(Family):
        def groups(self, valid):
            return [valid]

        def together(self, configurations, shared, split, seed, clock):
            if any(each["k"] == 2 for each in configurations):
                raise ArithmeticError("two")
            return super().together(configurations, shared, split, seed, clock)

    tried = Fragile("fragile", NearestNeighbours).run([{"k": 1}, {"k": 2}, {"k": 3}], parts, seed=1)
    assert [each.failure for each in tried] == ["", "ArithmeticError: two", ""]


def test_support_vector_machines_on_many_rows_are_fitted_one_by_one(parts, monkeypatch):
    from offnominal.studies.detector_comparison import kernel_families

    monkeypatch.setattr(kernel_families, "LARGEST", 10)
    configuration = {"kernel": "rbf", "nu": 0.5, "gamma": 0.1}
    (tried,) = family_of("osvm").run([configuration], parts, seed=1)
    (single,) = Family("osvm", family_of("osvm").make).run([configuration], parts, seed=1)
    np.testing.assert_array_equal(tried.test, single.test)
