"""Description of a detector."""

from __future__ import annotations

from typing import Any

from offnominal.core.registry import Registry
from offnominal.detectors.catalogue import detectors
from offnominal.reports.descriptions.description import Description, page
from offnominal.reports.descriptions.docstrings import meanings, opening, parameter_rows, reference

SCORED = {
    "offnominal.detectors.scenes": ("pixels of a camera or points of a lidar", "guide/scene-detectors.md"),
    "offnominal.detectors.classifiers": ("images with known classes", "guide/novelty-detectors.md"),
    "offnominal.detectors.policies": ("transitions, from signals inside the policy", "guide/detectors.md"),
    "offnominal.detectors.images.features": ("transitions with images", "guide/feature-detectors.md"),
    "offnominal.detectors.images": ("transitions with images", "guide/image-detectors.md"),
    "offnominal.detectors.transitions": ("transitions of vectors", "guide/detector-networks.md"),
    "offnominal.detectors.rows": ("transitions of vectors, through a view, and rows of tables", "guide/detectors.md"),
    "offnominal.detectors.baselines": ("transitions", "guide/detectors.md"),
}
"""What gets a score, and the page of the documentation, by the package of the class."""


def describe_detector(id: str, registry: Registry[Any] = detectors) -> Description:
    """Return the description of a detector.

    Args:
        id: Id of the detector, or ``"package.module:Class"``.
        registry: Registry of detectors of episodes, of scenes or of images with known classes.

    Raises:
        UnknownName: There is no such detector.

    Example:
        >>> found = describe_detector("KNN")
        >>> found.facts["paper"], found.tables["parameters"][0]["parameter"]
        ('Harmeling et al., 2006', 'n_neighbors')
    """
    spec = registry.find(id)
    made = registry.build(id)
    algorithm = type(getattr(made, "row_detector", made))
    values = made.get_params() if hasattr(made, "get_params") else dict(spec.options)
    places = [package for package in SCORED if f"{algorithm.__module__}.".startswith(f"{package}.")]
    scored, documentation = SCORED[places[0]] if places else (None, "")
    return Description(
        name=id,
        summary=spec.summary,
        text=opening(algorithm),
        facts={
            "scores": scored,
            "paper": reference(algorithm),
            "class": f"{algorithm.__module__}:{algorithm.__qualname__}",
        },
        tables={"parameters": parameter_rows(algorithm, values, meanings(type(made)))},
        documentation=page(documentation) if documentation else "",
    )
