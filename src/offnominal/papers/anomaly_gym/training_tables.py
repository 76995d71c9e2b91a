"""Tables 10 and 11: parameters of the training of policies and of detectors, from the package."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import mode
from typing import Any

from offnominal.agents.experts import expert_card
from offnominal.detectors.catalogue import detectors
from offnominal.evaluation.estimate import Estimate
from offnominal.papers.anomaly_gym.published_numbers import PAPER, WORLDS
from offnominal.papers.printed_values import printed_values
from offnominal.papers.protocol import protocol
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults

POLICY_WORLDS = {"CAR/SAP": ("CAR", "SAP"), "MJC": ("MJC",), "UR-*": ("URM", "URR")}
POLICY_SETTINGS = {
    "learning rate": "learning_rate",
    "replay buffer size": "buffer_size",
    "learning starts": "learning_starts",
    "batch size": "batch_size",
    "tau": "polyak",
    "gamma": "discount",
    "gradient steps": "gradient_steps",
    "top quantiles to drop per net": "n_dropped_quantiles",
    "Network size": "hidden",
}
POLICY_NOTE = (
    "ours were trained with 40 simulations at once; `offnominal train --learner sb3` has the published settings"
)
DETECTOR_IDS = {"IF": "IsolationForest", "OCSVM": "OneClassSVM"}
DETECTOR_PARAMETERS = {
    "n-estimators": "n_estimators",
    "k": "n_neighbors",
    "degree": "degree",
    "coef": "coef0",
    "tol": "tol",
    "nu": "nu",
    "gru-units": "recurrent_size",
    "quantile-embedding-dim": "n_cosines",
    "num-quantile-sample": "n_quantiles",
    "lr": "learning_rate",
    "train-epochs": "n_epochs",
    "network-size": "hidden",
    "weight-decay": "weight_decay",
    "hidden-dim": "recurrent_size",
    "fully-connected-dim": "hidden",
    "ens-size": "n_members",
    "channel-sizes": "channels",
    "feature-size": "latent",
    "recurrent size": "recurrent_size",
    "recurrent layers": "layers",
    "nt": "sequence_length",
    "distribution size": "stochastic",
    "deterministic size": "deterministic",
    "embedding size": "embedding",
}
RENAMED = {
    ("RSSM-PPM", "recurrent size"): "hidden",
    ("RSSM-PPM", "transition size"): "belief",
    ("PredNet", "num-layers"): "layers",
}
"""Parameters with another name in some detectors."""
DETECTOR_NOTES = {
    ("RIQN", "num-quantile-sample"): "the public code scores with 8 samples, as we do",
    ("LSTM-DM", "lr"): "the public code has 0.0005, as we have",
    ("PredNet", "num-layers"): "the four channel sizes are of four layers, as ours",
}
"""Why a default of ours is another one."""


def table_10(_: RunResults) -> list[PublishedComparison]:
    """Compare the settings of TQC with those of our shipped policies; the most frequent one of a group of worlds."""
    lines = []
    for row in printed_values(PAPER, "table_10"):
        families = POLICY_WORLDS[row["env_group"]]
        cards = [expert_card(world, "tqc-0").settings for world in WORLDS if world.startswith(families)]
        setting = POLICY_SETTINGS.get(row["parameter"])
        ours = mode(tuple(_numbers(card.get(setting))) for card in cards) if setting else ()
        labels = {"worlds": row["env_group"], "parameter": row["parameter"]}
        lines += _lines(labels, ours, _printed(row["value"]), note=POLICY_NOTE)
    return lines


def table_11(_: RunResults) -> list[PublishedComparison]:
    """Compare the parameters of each detector with our defaults, where both are numbers."""
    lines = []
    for row in printed_values(PAPER, "table_11"):
        detector, parameter = row["detector"], row["parameter"]
        name = RENAMED.get((detector, parameter), DETECTOR_PARAMETERS.get(parameter, ""))
        defaults: Mapping[str, Any] = detectors.make(DETECTOR_IDS.get(detector, detector)).get_params()
        ours, note = tuple(_numbers(defaults.get(name))), DETECTOR_NOTES.get((detector, parameter), "")
        labels = {"detector": detector, "parameter": parameter}
        lines += _lines(labels, ours, _printed(row["value"]), note=note)
    return lines


def _lines(
    labels: Mapping[str, str], ours: tuple[float, ...], published: tuple[float, ...], *, note: str
) -> list[PublishedComparison]:
    """Return one line per number; a list of widths has several.

    A list of channels that double from layer to layer is given by its first width in our detectors.

    Args:
        labels: Row of the table.
        ours: Our numbers.
        published: The published numbers; none for words and formulas.
        note: Why ours are others.
    """
    if ours and len(ours) == 1 < len(published):
        published = published[:1]
    lines = []
    for index, value in enumerate(published):
        mine = ours[index] if index < len(ours) else None
        differs = mine is not None and mine != value
        part = {**labels, "parameter": f"{labels['parameter']} {index + 1}"} if len(published) > 1 else labels
        lines.append(
            PublishedComparison(
                part,
                Estimate(mine),
                value,
                protocol(PAPER).rule("setting"),
                note if differs else "",
            )
        )
    return lines


def _numbers(value: Any) -> list[float]:
    """Return a setting as numbers: none for None and for words."""
    values = value if isinstance(value, list | tuple) else [value]
    return [float(each) for each in values if isinstance(each, int | float)]


def _printed(value: str) -> tuple[float, ...]:
    """Return the numbers of a printed value such as ``0.001`` or ``512-256-128``; none for words.

    Example:
        >>> _printed("512-256-128"), _printed("1e6"), _printed("rbf")
        ((512.0, 256.0, 128.0), (1000000.0,), ())
    """
    try:
        return (float(value),)
    except ValueError:
        parts = value.split("-")
        return tuple(map(float, parts)) if all(part.isdigit() for part in parts) else ()
