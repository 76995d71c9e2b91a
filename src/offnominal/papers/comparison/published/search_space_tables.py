"""Tables A.1 to A.3: our search spaces beside the published ones, parameter by parameter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from offnominal.papers.comparison.published.comparison_lines import compared, rule
from offnominal.papers.comparison.published.printed_cells import PAPER
from offnominal.papers.comparison.search_spaces import NETWORKS, image_search_space_of, search_space_of
from offnominal.papers.printed_values import Row, printed_values
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults

Place = tuple[tuple[str, ...], str]
"""Our methods, and their name of the parameter."""
PARAMETERS: dict[str, dict[str, Place]] = {
    "ABOD": {"n": (("abod",), "n_neighbors")},
    "HBOS": {
        "no. bins": (("hbos",), "n_bins"),
        "alpha": (("hbos",), "alpha"),
        "tolerance": (("hbos",), "tol"),
    },
    "IF": {
        "no. estimators": (("if",), "n_estimators"),
        "max samples": (("if",), "max_samples"),
        "max features": (("if",), "max_features"),
    },
    "kNN": {"n": (("knn",), "n_neighbors")},
    "LODA": {"no. bins": (("loda",), "n_bins"), "no. cuts": (("loda",), "n_random_cuts")},
    "LOF": {"n": (("lof",), "n_neighbors")},
    "OC-SVM": {name: (("osvm",), name) for name in ("gamma", "nu", "kernel")},
    "PIDForest": {
        "max depth": (("pidf",), "max_depth"),
        "no. trees": (("pidf",), "n_estimators"),
        "max samples": (("pidf",), "max_samples"),
        "max buckets": (("pidf",), "max_buckets"),
        "epsilon": (("pidf",), "epsilon"),
    },
    "MAF + RealNVP": {
        "h": (("maf", "rnvp"), "hidden"),
        "no. flows": (("maf", "rnvp"), "n_flows"),
        "eta": (("maf", "rnvp"), "learning_rate"),
        "batch size": (("maf", "rnvp"), "batch_size"),
        "no. layers": (("maf", "rnvp"), "layers"),
        "activation": (("maf",), "activation"),
        "batch norm.": (("maf", "rnvp"), "batch_norm"),
        "init. identity": (("maf", "rnvp"), "zero_last"),
        "L2 reg.": (("maf", "rnvp"), "weight_decay"),
    },
    "MAF": {"ordering": (("maf",), "order")},
    "RealNVP": {"tanh scaling": (("rnvp",), "squashed")},
    "SPTN": {
        "no. components": (("sptn",), "n_components"),
        "batch size": (("sptn",), "batch_size"),
        "no. flows": (("sptn",), "layers"),
        "sharing": (("sptn",), "sharing"),
        "first dense": (("sptn",), "first_dense"),
    },
    "common": {
        "dim(z)": (("vae",), "latent"),
        "h": (("vae",), "hidden"),
        "eta": (("vae",), "learning_rate"),
        "batch size": (("vae",), "batch_size"),
        "activation": (("vae",), "activation"),
        "no. dense layers": (("vae",), "layers"),
        "no. conv layers": (("vae-images",), "convolutions"),
        "channels": (("vae-images",), "channels"),
        "kernelsizes": (("vae-images",), "kernels"),
        "scalings": (("vae-images",), "scalings"),
    },
    "WAE": {
        "lambda": (("wae",), "weight"),
        "prior": (("wae",), "prior"),
        "K": (("wae",), "n_components"),
        "kernel": (("wae",), "kernel"),
        "sigma_k": (("wae",), "width"),
    },
    "AAE": {
        "lambda": (("aae",), "weight"),
        "prior": (("aae",), "prior"),
        "K": (("aae",), "n_components"),
        "no. discriminator layers": (("aae-images",), "critic_layers"),
        "alpha": (("aae",), "shares"),
    },
    "adVAE": {
        "dim(z)": (("avae",), "latent"),
        "batch size": (("avae",), "batch_size"),
        "gamma": (("avae",), "gamma"),
        "lambda": (("avae",), "lam"),
        "m_x": (("avae",), "margin_x"),
        "m_z": (("avae",), "margin_z"),
        "decay": (("avae",), "weight_decay"),
    },
    "(skip)GANomaly": {
        "decay": (("gano",), "weight_decay"),
        "w_adv": (("gano",), "adversarial"),
        "w_con": (("gano",), "contextual"),
        "w_enc": (("gano",), "coding"),
        "lambda": (("skip-images",), "shares"),
        "R(x)": (("skip-images",), "errors"),
        "L(x)": (("skip-images",), "errors"),
        "no. conv layers": (("gano-images",), "extra_layers"),
        "no. channels": (("gano-images", "skip-images"), "channels"),
    },
    "(fm)GAN": {
        "dim(z)": (("gan", "fmgn"), "latent"),
        "no. dense layers": (("gan", "fmgn"), "layers"),
        "alpha": (("fmgn",), "weight"),
    },
    "DeepSVDD": {
        "batch size": (("dsvd",), "batch_size"),
        "objective": (("dsvd",), "objective"),
        "nu": (("dsvd",), "nu"),
        "batch norm.": (("dsvd-images",), "batch_norm"),
        "eta_AE": (("dsvd",), "pretrain_learning_rate"),
        "decay": (("dsvd",), "weight_decay"),
    },
    "fAnoGAN": {
        "eta_E": (("fano-images",), "encoder_learning_rate"),
        "weight clip": (("fano-images",), "clip_value"),
        "n_critic": (("fano-images",), "critic_steps"),
        "no. generator iterations": (("fano-images",), "max_iter"),
    },
}
"""Where the published parameters are in our spaces, by model."""
ERRORS_AND_SHARE = 3
"""Parts of the name of a score that mixes two errors."""
NOT_SEARCHED = "not a parameter of our search"
NOTES = {
    ("(fm)GAN", "dim(z)"): "the public code ends at 64 on tables, as ours does",
    ("(skip)GANomaly", "w_adv"): "the public code ends at 90, as ours does",
    ("(skip)GANomaly", "w_con"): "the public code ends at 90, as ours does",
    ("(skip)GANomaly", "w_enc"): "the public code ends at 90, as ours does",
}
WITHOUT_EFFECT = {
    ("ABOD", "n", "abod"): "one neighbour has no angle, and the angle of two no variance: all scores are equal",
    ("MAF + RealNVP", "init. identity", "rnvp"): "the public code ignores it: RealNVP always begins as the identity",
}
"""Why some published values of a parameter of a method have no meaning."""
EXTRA = "the public code has 0 to 3 besides those with strides, as ours does"
OTHER_CHOICES = {("(skip)GANomaly", "no. conv layers", "gano-images"): EXTRA}
"""What we search otherwise."""


def space_table(_: RunResults, *, item: str) -> list[PublishedComparison]:
    """Compare the number of values of each parameter, and the smallest and the largest if they are numbers.

    Args:
        _: Not used; spaces need no run.
        item: ``"table_A1"``, ``"table_A2"`` or ``"table_A3"``.
    """
    return [line for row in printed_values(PAPER, item) for line in _lines(row)]


def _lines(row: Row) -> list[PublishedComparison]:
    methods, parameter = PARAMETERS.get(row["model"], {}).get(row["parameter"], (("–",), ""))
    printed = _quantities(row["values"].split(";"))
    found = []
    for method in methods:
        ours = _quantities(_grid(method)[parameter]) if parameter else {}
        note = NOTES.get((row["model"], row["parameter"]), "") if parameter else NOT_SEARCHED
        for quantity, value in printed.items():
            labels = {"model": row["model"], "parameter": row["parameter"], "method": method, "quantity": quantity}
            line = compared(labels, ours.get(quantity), value, "space", note=note)
            line = replace(line, rule=rule("space").scaled(value))
            found.append(_with_remark(line, (row["model"], row["parameter"], method)))
    return found


def _with_remark(line: PublishedComparison, place: tuple[str, str, str]) -> PublishedComparison:
    """Return a line with what is known about its difference."""
    if line.verdict != "differs":
        return line
    if place in WITHOUT_EFFECT:
        return replace(line, flaw="artefact", note=WITHOUT_EFFECT[place])
    if place in OTHER_CHOICES:
        return replace(line, note=OTHER_CHOICES[place])
    return line


def _grid(method: str) -> Mapping[str, Sequence[Any]]:
    """Return the grid of a method, with what follows from it."""
    name = method.removesuffix("-images")
    if name == method or name not in NETWORKS:
        grid = search_space_of(name).grid
        return {**grid, **_of_scores(grid.get("score_name", ()))}
    space, scores = image_search_space_of(name)
    return {**space.grid, **_of_scores(scores), **_convolutions(space.grid)}


def _of_scores(names: Sequence[str]) -> dict[str, Sequence[Any]]:
    """Return the shares and the errors in the names of scores.

    Example:
        >>> _of_scores(["sampled", "mixed-0.0", "mixed-0.5"]), _of_scores(["mae-mse-0.1"])
        ({'shares': ['0.0', '0.5'], 'errors': []}, {'shares': ['0.1'], 'errors': ['mae']})
    """
    parts = [name.split("-") for name in names if "-" in name]
    errors = dict.fromkeys(part[0] for part in parts if len(part) == ERRORS_AND_SHARE)
    return {"shares": list(dict.fromkeys(part[-1] for part in parts)), "errors": list(errors)}


def _convolutions(grid: Mapping[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
    """Return numbers of convolutions, and the channels, kernels and scalings of the deepest network, sorted.

    The layers of a network with max pooling are its convolutions, whose number of channels and kernel size fall by
    halves and by two, and a dense layer.
    """
    if "pool" not in grid.get("downsampling", ()):
        return {}
    convolutions = [layers - 1 for layers in grid["layers"]]
    depths = range(max(convolutions))
    return {
        "convolutions": convolutions,
        "channels": [grid["channels"][0] << depth for depth in depths],
        "kernels": [2 * depth + 3 for depth in depths],
        "scalings": [1 if depth == 0 else 2 for depth in depths],
    }


def _quantities(values: Sequence[Any]) -> dict[str, float]:
    """Return the number of values and, of numbers, the smallest and the largest; a single number is only itself.

    Example:
        >>> _quantities(["1", "3", "5"]), _quantities(["relu", "tanh"]), _quantities([0.1])
        ({'values': 3.0, 'smallest': 1.0, 'largest': 5.0}, {'values': 2.0}, {'value': 0.1})
    """
    count = {"values": float(len(values))}
    try:
        numbers = [float(value) for value in values if not isinstance(value, bool)]
    except ValueError:
        return count
    if len(numbers) < len(values):
        return count
    ends = {"smallest": min(numbers), "largest": max(numbers)}
    return {**count, **ends} if len(numbers) > 1 else {"value": numbers[0]}
