"""Linear layers in the state dict of a torch module, read without unpickling."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete
from safetensors.numpy import load as load_safetensors

from offnominal.core.errors import DamagedFile, InvalidParameter, MissingDependency
from offnominal.core.files import read_bytes
from offnominal.core.printable import shown
from offnominal.core.types import Array

Layers = list[tuple[Array, Array]]
LARGEST = 256 * 2**20
"""Maximum size in bytes of the tensors of a file."""


def read_state_dict(source: Mapping[str, Any] | str | Path) -> dict[str, Array]:
    """Return tensors by name as float32 arrays.

    Args:
        source: Tensors or arrays by name, or a file of them. Of a file with a tuple of state dicts the first is taken,
            because CleanRL saves the actor first.
    """
    if isinstance(source, str | Path):
        path = Path(source)
        content = read_bytes(path)
        if path.suffix == ".safetensors":
            try:
                loaded = load_safetensors(content)
            except Exception as error:
                raise DamagedFile(f"{path} is not a safetensors file ({error}); fetch it again.") from None
            # safetensors does not keep the order of the tensors.
            return read_state_dict({name: loaded[name] for name in sorted(loaded, key=_natural)})
        return torch_tensors(content, str(path))
    if not isinstance(source, Mapping):
        raise InvalidParameter(f"the state dict is {shown(source)}; expected tensors by name, or a file of them.")
    return {str(name): _array(str(name), value) for name, value in source.items()}


def torch_tensors(content: bytes, name: str, largest: int = LARGEST) -> dict[str, Array]:
    """Return the tensors of a file by ``torch.save``; anything other than tensors is refused without running it.

    Args:
        content: Content of the file.
        name: Name of the file, for error messages.
        largest: Maximum number of bytes that the tensors may have.
    """
    try:
        import torch
    except ImportError:
        raise MissingDependency(
            "importing an agent needs torch; install it with `pip install offnominal[train]`."
        ) from None
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as inside:
            check_size(name, sum(member.file_size for member in inside.infolist()), largest)
        tensors = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
        if isinstance(tensors, tuple | list) and tensors and isinstance(tensors[0], Mapping):
            tensors = tensors[0]
        check_size(name, sum(4 * tensor.numel() for tensor in tensors.values()), largest)
        return {str(key): tensor.detach().float().numpy() for key, tensor in tensors.items()}
    except Exception as error:
        reason = str(error).partition("\n")[0]
        raise DamagedFile(
            f"{name} is not a table of tensors ({type(error).__name__}: {reason}); nothing of it was run."
            " Fetch the file again, and do not open it with other tools unless you trust its source."
        ) from None


def check_size(name: str, size: int, largest: int) -> None:
    """Raise :class:`DamagedFile` if a part of a file unpacks to too many bytes."""
    if size > largest:
        raise DamagedFile(f"{name} unpacks to {size:,} bytes; at most {largest:,} are read.")


def linear_layers(tensors: Mapping[str, Array], names: Sequence[str] | str | None = None) -> Layers:
    """Return (weight, bias) pairs in order, weights as (inputs, outputs).

    Args:
        tensors: Tensors by name, weights as (outputs, inputs).
        names: Names of the layers in order, or their common prefix; None takes all layers in the order of the table.
    """
    found = [name.removesuffix(".weight") for name in tensors if name.endswith(".weight")]
    if isinstance(names, str):
        prefix = names.rstrip(".")
        chosen = [name for name in found if name == prefix or name.startswith(f"{prefix}.")]
    else:
        chosen = found if names is None else list(names)
    for name in chosen:
        if name not in found or np.ndim(tensors[f"{name}.weight"]) != 2 or f"{name}.bias" not in tensors:
            raise InvalidParameter(
                f"{name} is not a linear layer with a weight and a bias; the state dict has {_listed(tensors, found)}."
            )
    layers = [(tensors[f"{name}.weight"].T, tensors[f"{name}.bias"]) for name in chosen]
    widths_fit = all(before[0].shape[1] == after[0].shape[0] for before, after in pairwise(layers))
    if not layers or not widths_fit:
        raise InvalidParameter(
            f"the layers {', '.join(chosen) or '(none)'} do not follow each other; name those from observation to "
            f"action, as in layers=['fc1', 'fc2', 'fc_mean'], or their prefix. The state dict has "
            f"{_listed(tensors, found)}."
        )
    if not all(np.isfinite(part).all() for layer in layers for part in layer):
        raise InvalidParameter("the agent has weights that are not finite; train it again.")
    return layers


def check_action_scale(tensors: Mapping[str, Array], space: Box | Discrete) -> None:
    """Raise :class:`InvalidParameter` if the table states other bounds of the actions, as those of CleanRL do."""
    if not isinstance(space, Box) or not {"action_scale", "action_bias"} <= set(tensors):
        return
    scale, bias = (np.ravel(tensors[name]) for name in ("action_scale", "action_bias"))
    low, high = bias - scale, bias + scale
    if low.shape != space.low.ravel().shape or not np.allclose([low, high], [space.low.ravel(), space.high.ravel()]):
        raise InvalidParameter(
            f"the agent's actions go from {low.tolist()} to {high.tolist()}, those of the space from "
            f"{space.low.ravel().tolist()} to {space.high.ravel().tolist()}; give the space it was trained with."
        )


def _natural(name: str) -> list[tuple[int, str]]:
    """Return a sort key in which layer 10 comes after layer 2."""
    return [(int(word), "") if word.isdecimal() else (-1, word) for word in name.split(".")]


def _array(name: str, value: Any) -> Array:
    """Return a tensor or an array as float32."""
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    try:
        return np.asarray(value).astype(np.float32)
    except (TypeError, ValueError):
        raise InvalidParameter(f"{name} in the state dict is {shown(value)}; expected a tensor or an array.") from None


def _listed(tensors: Mapping[str, Array], names: Sequence[str]) -> str:
    """Return the layers with their shapes, for error messages."""
    shapes = [f"{name} {tuple(np.shape(tensors[f'{name}.weight']))}" for name in names[:8]]
    return ", ".join(shapes) + ", …" * (len(names) > 8) or "no layers"
