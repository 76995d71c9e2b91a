"""Detectors with the same classifier share one trained network."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeGuard

import numpy as np

from offnominal.core.device import choose_device
from offnominal.detectors.classifiers import ImageClassifier, MaxLogit
from offnominal.papers.novelcraft.computed import Arrays, computed_once
from offnominal.papers.novelcraft.novelty_sets import NoveltySets
from offnominal.studies.detector_study import DetectorEntry
from offnominal.studies.resource_meter import ResourceMeter

CPU_TIME = "cpu"
STATE = "state."


def trained_network(
    detector: ImageClassifier, sets: NoveltySets, seed: int, code: str, *, plus: bool = False
) -> tuple[ImageClassifier, float]:
    """Return a fitted detector with the network of another one, and the processor time of its training.

    A network depends on the parameters of the training, on the images, the seed and the device, and not on the score
    of a detector. So it is trained once for all detectors that differ in their score only, and stored in the data home.
    :meth:`~offnominal.detectors.classifiers.ImageClassifier.fit_with` gives it to the others.

    Args:
        detector: A detector for which :func:`shares_network` holds.
        sets: The set.
        seed: Training seed.
        code: Hash of the code of the network and its training.
        plus: Whether it is trained on NovelCraft+.
    """
    parameters = {field.name: getattr(detector, field.name) for field in fields(ImageClassifier)}
    entry = DetectorEntry("classifier", "MaxLogit", parameters)
    name = f"network-{'train+' if plus else 'train'}-{choose_device(detector.device).type}"
    stored = computed_once(name, entry, sets, seed, code, lambda: _computed(parameters, sets, seed, plus))
    trained = MaxLogit(**parameters)
    trained.load_state_dict({name.removeprefix(STATE): each for name, each in stored.items() if name != CPU_TIME})
    return trained, float(stored[CPU_TIME])


def _computed(parameters: dict[str, Any], sets: NoveltySets, seed: int, plus: bool) -> Arrays:
    """Train a network, and return the state of its detector and the processor time."""
    meter, labels = ResourceMeter(), sets.labelled("train", plus=plus).labels
    with meter("fit"):
        state = MaxLogit(**parameters).fit(sets.pixels("train", plus=plus), labels, seed=seed).state_dict()
    return {CPU_TIME: np.array(meter.cpu["fit"]), **{f"{STATE}{name}": each for name, each in state.items()}}


def shares_network(detector: Any) -> TypeGuard[ImageClassifier]:
    """Whether the network of a detector does not depend on its score.

    Example:
        >>> from offnominal.detectors.classifiers import NDCC, ODIN
        >>> shares_network(ODIN()), shares_network(NDCC())
        (True, False)
    """
    return isinstance(detector, ImageClassifier) and type(detector)._network is ImageClassifier._network
