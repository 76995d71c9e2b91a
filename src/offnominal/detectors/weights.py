"""Checks of weights from a file before they are loaded into a network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

import numpy as np
import torch
from torch import nn

from offnominal.core.errors import DamagedFile
from offnominal.core.types import Array

Network = TypeVar("Network", bound=nn.Module)
COUNTER = "num_batches_tracked"


def require_fitting(weights: Mapping[str, Array], build: Callable[[], nn.Module], owner: str) -> None:
    """Raise :class:`DamagedFile` unless arrays are the weights of a network: names, shapes, types, finite numbers.

    The network is built without memory for its weights, so that very large sizes cost nothing.

    Args:
        weights: Arrays by name.
        build: Returns the network.
        owner: Class of the detector, for errors.

    Example:
        >>> require_fitting({"weight": np.zeros((1, 9), np.float32)}, lambda: nn.Linear(10**6, 10**6), "MLPDM")
        Traceback (most recent call last):
            ...
        offnominal.core.errors.DamagedFile: MLPDM with its parameters has 2 arrays of weights; missing or ...
    """
    with torch.device("meta"):
        expected = build().state_dict()
    if weights.keys() != expected.keys():
        apart = sorted(weights.keys() ^ expected.keys())
        raise DamagedFile(
            f"{owner} with its parameters has {len(expected)} arrays of weights; missing or unknown are {_some(apart)}."
        )
    for name, wanted in expected.items():
        given = weights[name]
        kind = str(given.dtype)
        if given.shape != tuple(wanted.shape) or f"torch.{kind}" != str(wanted.dtype):
            raise DamagedFile(
                f"the weights {name} are {kind} of shape {given.shape}; {owner} with its parameters expects "
                f"{str(wanted.dtype).removeprefix('torch.')} of shape {tuple(wanted.shape)}."
            )
        if given.dtype.kind == "f" and not np.isfinite(given).all():
            raise DamagedFile(f"the weights {name} are not all finite; {owner} expects finite numbers.")


def with_weights(network: Network, weights: Mapping[str, Array]) -> Network:
    """Return a network with checked weights.

    Integer arrays are part of the architecture, such as the columns of a layer; they must equal those of the network.
    """
    for name, own in network.state_dict().items():
        fixed = not own.is_floating_point() and not name.endswith(COUNTER)
        if fixed and not np.array_equal(own.cpu().numpy(), weights[name]):
            raise DamagedFile(f"the weights {name} are not those of this network.")
    network.load_state_dict({name: torch.tensor(values) for name, values in weights.items()})
    return network


def _some(names: list[str]) -> str:
    return ", ".join(names[:4]) + (", …" if len(names) > 4 else "")
