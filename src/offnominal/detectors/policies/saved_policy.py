"""Restores the policy of a saved detector, with checks of every layer."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete

from offnominal.agents.uncertainty import UncertainPolicy
from offnominal.agents.uncertainty.convolution import NATURE_CNN
from offnominal.agents.uncertainty.files import CRITIC, from_tensors
from offnominal.agents.uncertainty.policy import UNCERTAINTY_KINDS
from offnominal.core.checks import integer_in, number_in, one_of
from offnominal.core.errors import DamagedFile
from offnominal.core.files import parse_json
from offnominal.core.types import Array
from offnominal.detectors.state_arrays import StateArrays

MOST_PASSES = 10_000
ABOUT = {"kind", "probability", "passes", "discount", "space"}
MAX_BYTES = 2**20
"""Largest size of the description of a policy."""


def load_saved_policy(state: StateArrays, prefix: str) -> UncertainPolicy:
    """Return a policy from its description and the arrays whose names have a prefix.

    Raises:
        DamagedFile: Layers do not match each other or the action space, or the description is invalid.
    """
    text = state.take("about", ("bytes",), np.uint8)
    about = parse_json(text.tobytes()[:MAX_BYTES], "the description of the policy")
    if not isinstance(about, dict) or about.keys() != ABOUT:
        raise DamagedFile(f"the description of the policy has invalid keys; expected {', '.join(sorted(ABOUT))}.")
    about["kind"] = one_of("kind", about["kind"], UNCERTAINTY_KINDS)
    about["probability"] = number_in("probability", about["probability"], 0.0, 1.0, open_high=True)
    about["discount"] = number_in("discount", about["discount"], 0.0, 1.0)
    about["passes"] = integer_in("passes", about["passes"], 1, MOST_PASSES)
    space = _space(about.pop("space"))
    tensors = _layers(state, prefix, "")
    if not tensors:
        raise DamagedFile("the policy has no layers.")
    critic = _layers(state, prefix, CRITIC)
    policy = from_tensors(tensors | critic, space, **about)
    if critic and policy.critic is not None:
        inputs = int(np.prod(policy.network.inputs)) + policy.network.outputs
        if policy.critic.inputs != (inputs,) or policy.critic.outputs != 1:
            raise DamagedFile(f"the critic has inputs {policy.critic.inputs}; expected {inputs}, and one output.")
    return policy


def _space(limits: Any) -> Box | Discrete:
    """Return the action space from the number of discrete actions, or from the lower and upper bounds."""
    if isinstance(limits, list) and len(limits) == 1:
        return Discrete(integer_in("the number of actions", limits[0], 1, 10**6))
    bounds = np.array(limits, np.float32)
    if bounds.ndim < 2 or len(bounds) != 2 or not (bounds[0] <= bounds[1]).all():
        raise DamagedFile(f"the actions of the policy go from {bounds[:1]} to {bounds[1:2]}; expected two bounds.")
    return Box(*bounds)


def _layers(state: StateArrays, prefix: str, part: str) -> dict[str, Array]:
    """Return the weights of all layers of a network; the widths of consecutive layers must match."""
    tensors: dict[str, Array] = {}
    index = 0
    images = state.dimensions(f"{prefix}{part}0.weight") == 5
    dtype = np.float16 if images else np.float32
    while f"{prefix}{part}{index}.weight" in state:
        stem, inputs, outputs = f"{part}{index}", f"{part}{index} units", f"{part}{index + 1} units"
        filters = images and index < len(NATURE_CNN)
        sides: tuple[int | str, ...] = (NATURE_CNN[index].side,) * 2 if filters else ()
        if images and index == len(NATURE_CNN):
            inputs = "features"
        shape = (f"{part}members", inputs, *sides, outputs)
        tensors[f"{stem}.weight"] = state.take(f"{prefix}{stem}.weight", shape, dtype)
        tensors[f"{stem}.bias"] = state.take(f"{prefix}{stem}.bias", (f"{part}members", outputs), dtype)
        index += 1
    return tensors
