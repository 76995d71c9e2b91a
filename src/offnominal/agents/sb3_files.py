"""Import of agents saved by Stable-Baselines3. Only weights are read; no code of the file is run."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from offnominal.agents.network import NetworkPolicy
from offnominal.core.checks import one_of
from offnominal.core.errors import DamagedFile, InvalidParameter, MissingDependency
from offnominal.core.files import file_errors, parse_json
from offnominal.core.types import Array
from offnominal.worlds.catalogue import make_world
from offnominal.worlds.checks import continuous_action_space

Activation = Literal["relu", "tanh"]
Layers = list[tuple[Array, Array]]

LARGEST = {"policy.pth": 256 * 2**20, "data": 16 * 2**20}
"""Maximum size in bytes of the weights and of the description."""
PLAIN = ("seed", "n_envs", "learning_rate", "gamma", "tau", "batch_size", "buffer_size", "learning_starts")
"""Numeric settings that are imported from the description."""
ACTIVATIONS: dict[str, Activation] = {"ReLU": "relu", "Tanh": "tanh"}
STOCHASTIC = re.compile(r"actor\.(latent_pi\.\d+|mu|log_std)\.(weight|bias)")
DETERMINISTIC = re.compile(r"actor\.mu\.\d+\.(weight|bias)")


@dataclass(frozen=True, eq=False)
class SB3Actor:
    """Actor network of an agent of Stable-Baselines3, with the plain-text part of its description.

    Args:
        algorithm: ``tqc``, ``sac``, ``td3`` or ``ddpg``, derived from the shapes of the networks.
        layers: (weight, bias) pairs; weights are (inputs, outputs).
        activation: Activation function of the hidden layers.
        limits: Lower and upper bound of the action per channel; None if unknown.
        steps: Number of training transitions; 0 if unknown.
        settings: Numeric settings of the training.
    """

    algorithm: str
    layers: Layers
    activation: Activation
    limits: tuple[list[float], list[float]] | None = None
    steps: int = 0
    settings: dict[str, float] = field(default_factory=dict)

    def policy(self, world: str) -> NetworkPolicy:
        """Return the policy; raise if its spaces are not those of the world.

        Args:
            world: Id of the world.
        """
        spaces = make_world(world, 1)
        space = continuous_action_space(spaces)
        takes, gives = len(self.layers[0][0]), len(self.layers[-1][1])
        inputs, outputs = int(np.prod(spaces.observation_space.shape)), int(np.prod(space.shape))
        if (takes, gives) != (inputs, outputs):
            raise InvalidParameter(
                f"the agent maps {takes} observations to {gives} actions, {world} has {inputs} and {outputs}; "
                "name the world it was trained in."
            )
        if self.limits is not None and not np.allclose(self.limits, [space.low.ravel(), space.high.ravel()]):
            raise InvalidParameter(
                f"the agent's actions go from {self.limits[0]} to {self.limits[1]}, those of {world} from "
                f"{space.low.tolist()} to {space.high.tolist()}; train it with the limits of the world."
            )
        return NetworkPolicy(self.layers, space, activation=self.activation)


def import_sb3(path: str | Path, world: str, *, activation: Activation | None = None) -> NetworkPolicy:
    """Return the greedy policy of an agent saved by Stable-Baselines3, which runs without that package.

    Agents of TQC, SAC, TD3 and DDPG with flat observations and fully connected layers are supported. Only tensors are
    loaded; the pickled objects in the file are never unpickled. Statistics of a ``VecNormalize`` are not in the file,
    so an agent that was trained with one acts differently.

    Args:
        path: File written by ``model.save``.
        world: Id of the world in which the agent was trained.
        activation: Activation of the hidden layers, ``"relu"`` or ``"tanh"``; needed only if the file states none.

    Example:
        >>> policy = import_sb3("best_model.zip", "SAP-Goal0-v0")  # doctest: +SKIP
    """
    return read_sb3(path, activation=activation).policy(world)


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
    weights = _arrays(content["policy.pth"], path)
    about = _plain(content.get("data", b""), path)
    return _described(
        actor_layers(weights), _algorithm(weights), about, activation=_activation(about, activation, path)
    )


def actor_layers(weights: Mapping[str, Array]) -> Layers:
    """Return the (weight, bias) pairs from observation to greedy action, weights as (inputs, outputs).

    Args:
        weights: Tensors by their names in Stable-Baselines3; only those of the actor are used.
    """
    names = {name for name in weights if name.startswith("actor.")}
    stochastic = not names.isdisjoint({"actor.mu.weight", "actor.latent_pi.0.weight"})
    known = STOCHASTIC if stochastic else DETERMINISTIC
    unexpected = sorted(name for name in names if not known.fullmatch(name))
    stem, count = ("actor.latent_pi", len(names) // 2 - 2) if stochastic else ("actor.mu", len(names) // 2)
    path = [f"{stem}.{2 * index}" for index in range(count)] + ["actor.mu"] * stochastic
    ranks = {f"{step}.weight": 2 for step in path} | {f"{step}.bias": 1 for step in path}
    if unexpected or not path or any(name not in names or weights[name].ndim != rank for name, rank in ranks.items()):
        found = ", ".join((unexpected or sorted(names) or sorted(weights))[:4])
        raise InvalidParameter(
            f"the agent is built from {found or 'nothing'}; expected the plain layers of TQC, SAC, TD3 or DDPG "
            "(MlpPolicy, no images, no state-dependent exploration)."
        )
    if not all(np.isfinite(weights[name]).all() for name in ranks):
        raise InvalidParameter("the agent has weights that are not finite; train it again.")
    return [(weights[f"{step}.weight"].T, weights[f"{step}.bias"]) for step in path]


def _content(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return the content of a member, at most as many bytes as its header states."""
    size = archive.getinfo(name).file_size
    _check_size(name, size)
    with archive.open(name) as member:
        return member.read(size)


def _arrays(content: bytes, path: Path) -> dict[str, Array]:
    """Return the tensors of the weights as arrays; anything other than tensors is refused without running it."""
    try:
        import torch
    except ImportError:
        raise MissingDependency(
            "importing an agent needs torch; install it with `pip install offnominal[train]`."
        ) from None
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as inside:
            _check_size("policy.pth", sum(member.file_size for member in inside.infolist()))
        tensors = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
        _check_size("policy.pth", sum(4 * tensor.numel() for tensor in tensors.values()))
        return {str(name): tensor.detach().float().numpy() for name, tensor in tensors.items()}
    except Exception as error:
        reason = str(error).partition("\n")[0]
        raise DamagedFile(
            f"policy.pth in {path} is not a table of tensors ({type(error).__name__}: {reason}); nothing of it was run."
            " Fetch the file again, and do not open it with other tools unless you trust its source."
        ) from None


def _check_size(name: str, size: int) -> None:
    if size > LARGEST[name]:
        raise DamagedFile(f"{name} unpacks to {size:,} bytes; at most {LARGEST[name]:,} are read.")


def _algorithm(weights: Mapping[str, Array]) -> str:
    if "actor.mu.weight" not in weights:
        return "td3" if "critic.qf1.0.weight" in weights else "ddpg"
    outputs = [bias.size for name, bias in weights.items() if re.fullmatch(r"critic\.qf0\.\d+\.bias", name)]
    return "tqc" if outputs and outputs[-1] > 1 else "sac"


def _plain(content: bytes, path: Path) -> dict[str, Any]:
    """Return the description, or an empty dictionary if it is invalid. Pickled objects in it are not unpickled."""
    try:
        found = parse_json(content, path)
    except DamagedFile:
        return {}
    return found if isinstance(found, dict) else {}


def _activation(about: dict[str, Any], stated: Activation | None, path: Path) -> Activation:
    """Return the activation that the file states or, if it states none, the given one.

    A valid description has the arguments of the policy. If they have no activation, it is ReLU, the default of TQC,
    SAC, TD3 and DDPG.
    """
    arguments = about.get("policy_kwargs")
    if not isinstance(arguments, dict):
        if stated is None:
            raise DamagedFile(
                f"{path} does not state the activation of the agent: the description is missing or cannot be read; "
                "fetch the file again, or state activation='relu' or activation='tanh'."
            )
        return stated
    function = _text(about, "policy_kwargs", "activation_fn") if "activation_fn" in arguments else "ReLU"
    name = function.rstrip("'>").rpartition(".")[2]
    if name not in ACTIVATIONS:
        raise InvalidParameter(
            f"the agent's activation is {name or 'unreadable'}; only {' and '.join(ACTIVATIONS)} can be imported."
        )
    if stated not in (None, ACTIVATIONS[name]):
        raise InvalidParameter(f"activation is {stated!r}, but {path} says {name}; leave activation out.")
    return ACTIVATIONS[name]


def _described(layers: Layers, algorithm: str, about: dict[str, Any], *, activation: Activation) -> SB3Actor:
    """Return the actor with the values of its description."""
    space = _text(about, "observation_space", ":type:")
    if space and ".Box" not in space:
        raise InvalidParameter(f"the agent observes a {space}; only flat observations (Box) can be imported.")
    low, high = (_numbers(_text(about, "action_space", side)) for side in ("low", "high"))
    steps = about.get("num_timesteps")
    return SB3Actor(
        algorithm=algorithm,
        layers=layers,
        activation=activation,
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
