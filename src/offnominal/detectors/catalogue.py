"""The detectors we ship, by name."""

from __future__ import annotations

from typing import Any

from offnominal.core.registry import Registry, Spec
from offnominal.detectors.detector import Detector

detectors: Registry[Detector] = Registry("detector")

_POINTS = "offnominal.detectors.on_transitions"
_NETWORKS = "offnominal.detectors.networks"
_BASELINES = "offnominal.detectors.baselines"
for _id, _target, _summary in (
    ("KNN", f"{_POINTS}:KNN", "distance to the nearest nominal observation"),
    ("IsolationForest", f"{_POINTS}:IsolationForest", "few random cuts isolate what is strange"),
    ("OneClassSVM", f"{_POINTS}:OneClassSVM", "outside a smooth border around nominal observations"),
    ("Mahalanobis", f"{_POINTS}:Mahalanobis", "distance from the mean, correlations considered"),
    ("MLP-DM", f"{_NETWORKS}:MLPDM", "error of a network that predicts the next observation"),
    ("LSTM-DM", f"{_NETWORKS}:LSTMDM", "error of a recurrent network that predicts the next observation"),
    ("PE-DM", f"{_NETWORKS}:PEDM", "an ensemble of probabilistic networks is surprised"),
    ("RIQN", f"{_NETWORKS}:RIQN", "far from the quantiles that a recurrent network predicts"),
    ("Time", f"{_BASELINES}:Time", "baseline: the clock"),
    ("Random", f"{_BASELINES}:Random", "baseline: chance"),
):
    detectors.register(Spec(_id, _target, _summary))
    if _target.startswith(_NETWORKS):
        detectors.register(Spec(f"{_id}-untrained", _target, f"baseline: {_id} as it starts", {"epochs": 0}))


def make_detector(id: str, **parameters: Any) -> Detector:
    """Return a detector by name.

    Example:
        >>> make_detector("KNN", k=3).parameters()
        {'k': 3, 'view': 'next_observation'}
    """
    return detectors.make(id, **parameters)


def name_of(detector: Detector) -> str | None:
    """Return the name under which a detector is registered, or None."""
    module, _, _ = type(detector).__module__.rpartition(".")
    homes = {f"{place}:{type(detector).__qualname__}" for place in (type(detector).__module__, module)}
    return next((spec.id for spec in detectors if spec.target in homes), None)
