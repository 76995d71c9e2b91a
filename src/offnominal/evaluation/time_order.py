"""Whether the order of nominal episodes in time matters to a detector, so that no alarm on it keeps a guarantee."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy

import numpy as np

from offnominal.alarms.conformal import TooFewEpisodes
from offnominal.alarms.exchangeability import LEAST, ExchangeabilityCheck, check_exchangeability
from offnominal.core.checks import positive_integer
from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter
from offnominal.datasets.dataset import Dataset
from offnominal.detectors.catalogue import make_detector
from offnominal.detectors.detector import Detector
from offnominal.evaluation.data_splits import Splits

NOMINAL = ("train", "validation", "test")
"""Nominal splits of a log, in the order of time."""
MOST_STEPS, FEWEST = 1_000_000, 30
"""Transitions of a dataset whose order is tested at most, if so many episodes are left."""
TRAINING = 3
"""The detector is trained on one of so many parts, the earliest."""


def check_time_order(
    episodes: Sequence[Episode],
    detector: str | Detector = "Mahalanobis",
    *,
    alpha: float = 0.05,
    seed: int = 0,
) -> ExchangeabilityCheck:
    """Test whether nominal episodes change with time, as days and loads do.

    The detector is trained on the earliest third of the episodes. The order of its scores of the others is tested;
    see :func:`~offnominal.alarms.exchangeability.check_exchangeability`.

    Args:
        episodes: Nominal episodes in the order of time, 30 or more.
        detector: Id or object; an object is copied before it is fitted.
        alpha: False-alarm rate that would be promised.
        seed: Seed of the training and of the test.

    Raises:
        TooFewEpisodes: There are too few episodes.
        InvalidParameter: An episode has active labels.

    Example:
        >>> import offnominal as off
        >>> episodes = off.collect("SAP-Goal0-v0", off.expert("SAP-Goal0-v0"), 60)
        >>> print(check_time_order(episodes))
        exchangeability of 40 nominal episodes is not rejected (p = ...
    """
    trained = len(episodes) // TRAINING
    if len(episodes) - trained < LEAST:
        raise TooFewEpisodes(
            f"{len(episodes)} nominal episodes are too few to test their order: a third trains the detector, and "
            f"{LEAST} are tested. Give {LEAST * TRAINING // (TRAINING - 1)} or more, or cut a long log into windows."
        )
    faulty = [number for number, episode in enumerate(episodes) if episode.active.any()]
    if faulty:
        raise InvalidParameter(f"episode {faulty[0]} of {len(episodes)} has active labels; give nominal episodes only.")
    chosen = make_detector(detector) if isinstance(detector, str) else deepcopy(detector)
    fitted = chosen.fit([episodes[k] for k in range(trained)], seed=seed)
    scores = fitted.score([episodes[k] for k in range(trained, len(episodes))])
    return check_exchangeability(scores, alpha=alpha, seed=seed)


def nominal_in_order(splits: Splits, most: int | None = None) -> list[Episode]:
    """Return the nominal episodes of a dataset in the order of time: those of training, validation and test.

    Args:
        splits: Dataset, or episodes by name of the split.
        most: Largest number of episodes; of more, so many at equal distances are taken. None for all.

    Example:
        >>> import offnominal as off
        >>> splits = {name: off.collect("SAP-Goal0-v0", off.expert("SAP-Goal0-v0"), 2) for name in ("test", "train")}
        >>> len(nominal_in_order(splits)), len(nominal_in_order(splits, 3))
        (4, 3)
    """
    places = [(name, k) for name in NOMINAL if name in splits for k in range(len(splits[name]))]
    if most is not None and len(places) > positive_integer("most", most):
        places = [places[k] for k in np.linspace(0, len(places) - 1, most).round().astype(int)]
    return [splits[name][k] for name, k in places]


def episodes_in_order(data: Dataset, *, most_steps: int = MOST_STEPS) -> list[Episode]:
    """Return the nominal episodes of a dataset whose order is tested: those of :func:`nominal_in_order`, not too many.

    Args:
        data: The dataset.
        most_steps: Number of transitions up to which all episodes are taken. Of more, episodes at equal distances are
            taken, with about so many transitions, but at least 30 episodes.

    Example:
        >>> import tempfile
        >>> import offnominal as off
        >>> folder = tempfile.TemporaryDirectory()
        >>> log = off.episodes_from(np.random.default_rng(0).normal(size=(1001, 2)), window=10)
        >>> data = off.datasets.import_log(log, folder.name, name="pump")
        >>> len(episodes_in_order(data)), len(episodes_in_order(data, most_steps=500))
        (100, 50)
        >>> folder.cleanup()
    """
    entries = [data[name].entry for name in NOMINAL if name in data]
    steps, episodes = sum(entry.steps for entry in entries), sum(entry.episodes for entry in entries)
    most = max(FEWEST, int(positive_integer("most_steps", most_steps) * episodes / max(steps, 1)))
    return nominal_in_order(data, most)
