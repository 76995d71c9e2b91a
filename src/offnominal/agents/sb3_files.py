"""Import of agents saved by Stable-Baselines3. Only weights are read; no code of the file is run."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete

from offnominal.agents.network import Activation, NetworkPolicy
from offnominal.agents.observation_normaliser import ObservationNormaliser
from offnominal.agents.sb3_layers import Family, actor_layers, algorithm_of, family_of
from offnominal.agents.state_dicts import Layers, check_size, torch_tensors
from offnominal.core.checks import one_of
from offnominal.core.errors import DamagedFile, InvalidParameter
from offnominal.core.files import file_errors, parse_json
from offnominal.worlds.world_source import SpacesSource, spaces_of

LARGEST = {"policy.pth": 256 * 2**20, "data": 16 * 2**20}
"""Maximum size in bytes of the weights and of the description."""
PLAIN = ("seed", "n_envs", "learning_rate", "gamma", "tau", "batch_size", "buffer_size", "learning_starts")
"""Numeric settings that are imported from the description."""
ACTIVATIONS: dict[str, Activation] = {"ReLU": "relu", "Tanh": "tanh"}
FLAT = re.compile(r"\.(Box|Discrete|MultiDiscrete|MultiBinary|Dict)'")


@dataclass(frozen=True, eq=False)
class SB3Actor:
    """Actor network of an agent of Stable-Baselines3, with the plain-text part of its description.

    Args:
        algorithm: ``tqc``, ``sac``, ``td3``, ``ddpg``, ``ppo``, ``a2c`` or ``dqn``, derived from the networks.
        layers: (weight, bias) pairs; weights are (inputs, outputs).
        activation: Activation function of the hidden layers.
        squash: Whether continuous actions pass through tanh.
        limits: Lower and upper bound of the action per channel; None if unknown or discrete.
        steps: Number of training transitions; 0 if unknown.
        settings: Numeric settings of the training.
    """

    algorithm: str
    layers: Layers
    activation: Activation
    squash: bool = True
    limits: tuple[list[float], list[float]] | None = None
    steps: int = 0
    settings: dict[str, float] = field(default_factory=dict)

    def policy(self, env: SpacesSource, *, normaliser: ObservationNormaliser | None = None) -> NetworkPolicy:
        """Return the policy; raise if its spaces are not those of the environment.

        Args:
            env: As for :func:`import_sb3`.
            normaliser: Normalisation of the observations.
        """
        spaces = spaces_of(env)
        space = spaces.action
        takes, gives = len(self.layers[0][0]), len(self.layers[-1][1])
        inputs = int(np.prod(spaces.observation.shape))
        outputs = int(space.n) if isinstance(space, Discrete) else int(np.prod(space.shape))
        if (takes, gives) != (inputs, outputs):
            raise InvalidParameter(
                f"the agent maps {takes} observations to {gives} actions, {spaces.name} has {inputs} and {outputs}; "
                "name the world it was trained in."
            )
        if isinstance(space, Discrete) != (self.algorithm == "dqn") and self.algorithm not in ("ppo", "a2c"):
            raise InvalidParameter(f"the {self.algorithm} agent cannot act in {space} of {spaces.name}.")
        bounds = None if isinstance(space, Discrete) else [space.low.ravel().tolist(), space.high.ravel().tolist()]
        if self.limits is not None and bounds is not None and not np.allclose(self.limits, bounds):
            raise InvalidParameter(
                f"the agent's actions go from {self.limits[0]} to {self.limits[1]}, those of {spaces.name} from "
                f"{bounds[0]} to {bounds[1]}; train it with the limits of the world."
            )
        return NetworkPolicy(self.layers, space, activation=self.activation, squash=self.squash, normaliser=normaliser)


def import_sb3(
    path: str | Path,
    env: SpacesSource,
    *,
    activation: Activation | None = None,
    vecnormalize: ObservationNormaliser | Mapping[str, Any] | str | Path | None = None,
) -> NetworkPolicy:
    """Return the deterministic policy of an agent saved by Stable-Baselines3, which runs without that package.

    Agents of TQC, SAC, TD3, DDPG, PPO, A2C and DQN with fully connected ReLU or Tanh layers are supported. Only tensors
    are loaded; the pickled objects in the file are never unpickled.

    Args:
        path: File written by ``model.save``.
        env: Environment in which the agent was trained: the id of a world or of a Gymnasium environment, an
            environment, a function that makes one, or a pair of an observation space and an action space. Dict and
            Discrete observations are flattened as Gymnasium's ``flatten`` does.
        activation: Activation of the hidden layers, ``"relu"`` or ``"tanh"``; needed only if the file states none.
        vecnormalize: Statistics of the ``VecNormalize`` of the training, which are not in the file: a ``.npz`` or
            ``.safetensors`` file or a table with ``mean``, ``var``, ``clip_obs`` and ``epsilon``, or the wrapper
            itself.

    Example:
        >>> policy = import_sb3("best_model.zip", "SAP-Goal0-v0")  # doctest: +SKIP
    """
    normaliser = None if vecnormalize is None else ObservationNormaliser.of(vecnormalize)
    return read_sb3(path, activation=activation).policy(env, normaliser=normaliser)


def read_sb3(path: str | Path, *, activation: Activation | None = None) -> SB3Actor:
    """Return the actor in a file of Stable-Baselines3.

    Args:
        path: File written by ``model.save``.
        activation: Activation of the hidden layers; needed only if the file does not state it.

    Raises:
        DamagedFile: The file cannot be read, or does not state the activation.
        InvalidParameter: The agent cannot be imported, or has another activation.
    """
    if activation is not None:
        one_of("activation", activation, tuple(ACTIVATIONS.values()))
    path = Path(path)
    with file_errors(path):
        if not path.is_file():
            raise InvalidParameter(f"{path} is not a file; give the .zip that Stable-Baselines3's `model.save` wrote.")
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            content = {name: _content(archive, name) for name in LARGEST if name in names}
    except Exception as error:
        raise DamagedFile(
            f"{path} cannot be read as a zip archive ({type(error).__name__}: {error}); fetch it again, or give the "
            ".zip that Stable-Baselines3's `model.save` wrote."
        ) from None
    if "policy.pth" not in content:
        raise DamagedFile(
            f"{path} has no policy.pth, only {', '.join(names[:8]) or 'nothing'}; give the .zip that "
            "Stable-Baselines3's `model.save` wrote."
        )
    tensors = torch_tensors(content["policy.pth"], f"policy.pth in {path}", LARGEST["policy.pth"])
    about = _plain(content.get("data", b""), path)
    layers, family = actor_layers(tensors), family_of(tensors)
    return _described(
        layers,
        algorithm_of(tensors, _on_policy(about)),
        about,
        activation=_activation(about, family, activation, path),
        squash=family.squash or ("log_std" in tensors and _squashes(about)),
    )


def _content(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return the content of a member, at most as many bytes as its header states."""
    size = archive.getinfo(name).file_size
    check_size(name, size, LARGEST[name])
    with archive.open(name) as member:
        return member.read(size)


def _plain(content: bytes, path: Path) -> dict[str, Any]:
    """Return the description, or an empty dictionary if it is invalid. Pickled objects in it are not unpickled."""
    try:
        found = parse_json(content, path)
    except DamagedFile:
        return {}
    return found if isinstance(found, dict) else {}


def _on_policy(about: dict[str, Any]) -> str:
    """Return ``ppo`` or ``a2c``: only the description of PPO has a clip range."""
    return "a2c" if about and "clip_range" not in about else "ppo"


def _squashes(about: dict[str, Any]) -> bool:
    """Whether an agent of PPO or A2C with state-dependent exploration squashes its actions."""
    arguments = about.get("policy_kwargs")
    return isinstance(arguments, dict) and str(arguments.get("squash_output")) == "True"


def _activation(about: dict[str, Any], family: Family, stated: Activation | None, path: Path) -> Activation:
    """Return the activation that the file states or, if it states none, the given one.

    A valid description has the arguments of the policy. If they have no activation, it is the default of the algorithm:
    Tanh of PPO and A2C, ReLU of the others.
    """
    arguments = about.get("policy_kwargs")
    if not isinstance(arguments, dict):
        if stated is None:
            raise DamagedFile(
                f"{path} does not state the activation of the agent: the description is missing or cannot be read; "
                "fetch the file again, or state activation='relu' or activation='tanh'."
            )
        return stated
    default = {value: name for name, value in ACTIVATIONS.items()}[family.activation]
    function = _text(about, "policy_kwargs", "activation_fn") if "activation_fn" in arguments else default
    name = function.rstrip("'>").rpartition(".")[2]
    if name not in ACTIVATIONS:
        raise InvalidParameter(
            f"the agent's activation is {name or 'unreadable'}; only {' and '.join(ACTIVATIONS)} can be imported."
        )
    if stated not in (None, ACTIVATIONS[name]):
        raise InvalidParameter(f"activation is {stated!r}, but {path} says {name}; leave activation out.")
    return ACTIVATIONS[name]


def _described(
    layers: Layers, algorithm: str, about: dict[str, Any], *, activation: Activation, squash: bool
) -> SB3Actor:
    """Return the actor with the values of its description."""
    space = _text(about, "observation_space", ":type:")
    if space and not FLAT.search(space):
        raise InvalidParameter(
            f"the agent observes a {space}; only flat observations (Box, Discrete, MultiDiscrete, MultiBinary, Dict) "
            "can be imported."
        )
    low, high = (_numbers(_text(about, "action_space", side)) for side in ("low", "high"))
    steps = about.get("num_timesteps")
    return SB3Actor(
        algorithm=algorithm,
        layers=layers,
        activation=activation,
        squash=squash,
        limits=(low, high) if len(low) == len(high) == len(layers[-1][1]) else None,
        steps=steps if isinstance(steps, int) and 0 <= steps < 2**63 else 0,
        settings={name: about[name] for name in PLAIN if isinstance(about.get(name), int | float)},
    )


def _text(about: dict[str, Any], name: str, part: str) -> str:
    """Return one part of an object's description, or an empty text."""
    description = about.get(name)
    found = description.get(part) if isinstance(description, dict) else None
    return found if isinstance(found, str) else ""


def _numbers(text: str) -> list[float]:
    """Return the numbers of an array's text, or an empty list if it was abbreviated."""
    try:
        return [float(word) for word in text.strip("[]").split()]
    except ValueError:
        return []
