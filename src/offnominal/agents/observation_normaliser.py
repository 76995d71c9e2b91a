"""Normalisation of observations before a network, as VecNormalize of Stable-Baselines3 and Gymnasium do it."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load as load_tensors

from offnominal.core.checks import numeric_array, positive_number, require_shape
from offnominal.core.errors import DamagedFile, InvalidParameter
from offnominal.core.files import content_errors, read_bytes
from offnominal.core.printable import shown
from offnominal.core.types import Array, FloatArray

CLIP, EPSILON = 10.0, 1e-8
SAFE_FILES = (".npz", ".safetensors")
EXPORT = (
    'np.savez("statistics.npz", mean=envs.obs_rms.mean, var=envs.obs_rms.var, clip_obs=envs.clip_obs, '
    "epsilon=envs.epsilon)"
)
"""Line that saves the statistics of a ``VecNormalize`` without pickle."""


class ObservationNormaliser:
    """Standardises observations with fixed statistics: clip((o - mean) / sqrt(var + epsilon)).

    Args:
        mean: Mean of every channel of the flattened observation.
        var: Variance of every channel.
        clip_obs: Largest absolute value of the result; infinity for no limit.
        epsilon: Number that is added to the variance.

    Example:
        >>> ObservationNormaliser([1.0, 0.0], [4.0, 1.0])(np.array([[3.0, 99.0]]))
        array([[ 1., 10.]], dtype=float32)
    """

    def __init__(self, mean: Any, var: Any, *, clip_obs: float = CLIP, epsilon: float = EPSILON) -> None:
        self.mean, self.var = (_vector(name, values) for name, values in (("mean", mean), ("var", var)))
        if self.mean.shape != self.var.shape:
            raise InvalidParameter(
                f"the statistics have {self.mean.size} means and {self.var.size} variances; expected one per channel."
            )
        if (self.var < 0.0).any():
            raise InvalidParameter(f"the variance of channel {int(np.argmin(self.var))} is negative.")
        self.clip_obs = np.inf if clip_obs == np.inf else positive_number("clip_obs", clip_obs)
        self.epsilon = positive_number("epsilon", epsilon)
        self._deviation = np.sqrt(self.var + self.epsilon)

    @classmethod
    def of(cls, source: ObservationNormaliser | Mapping[str, Any] | str | Path | Any) -> ObservationNormaliser:
        """Return the normaliser of a file, a table of arrays or a ``VecNormalize``.

        Args:
            source: A ``.npz`` or ``.safetensors`` file or a table with ``mean`` and ``var``, optionally ``clip_obs``
                and ``epsilon``; or an object with ``obs_rms``, such as a ``VecNormalize`` or Gymnasium's
                ``NormalizeObservation``. A pickle is refused.
        """
        if isinstance(source, cls):
            return source
        if isinstance(source, str | Path):
            return cls.of(_read(Path(source)))
        if isinstance(source, Mapping):
            unknown = sorted(set(source) - {"mean", "var", "clip_obs", "epsilon"})
            if unknown or not {"mean", "var"} <= set(source):
                raise InvalidParameter(
                    f"the statistics have {', '.join(map(str, source)) or 'nothing'}; expected mean and var, and "
                    "optionally clip_obs and epsilon."
                )
            numbers = {name: float(np.asarray(source[name])) for name in ("clip_obs", "epsilon") if name in source}
            return cls(source["mean"], source["var"], **numbers)
        if hasattr(source, "obs_rms"):
            return cls._of_running(source)
        raise InvalidParameter(
            f"vecnormalize is {shown(source)}; expected a .npz or .safetensors file, a table of arrays with mean and "
            "var, or a VecNormalize."
        )

    @classmethod
    def _of_running(cls, source: Any) -> ObservationNormaliser:
        """Return the normaliser of a wrapper with running statistics."""
        statistics = source.obs_rms
        if isinstance(statistics, Mapping):
            raise InvalidParameter(
                "the statistics of a Dict observation are one table per key; concatenate them in the order of the keys "
                "and give mean and var as arrays."
            )
        return cls(
            statistics.mean,
            statistics.var,
            clip_obs=getattr(source, "clip_obs", np.inf),
            epsilon=getattr(source, "epsilon", EPSILON),
        )

    def __call__(self, observations: Array) -> Array:
        """Return the normalised observations, (n, channels) in float32."""
        require_shape("observations", observations, "n", len(self.mean))
        return np.clip((observations - self.mean) / self._deviation, -self.clip_obs, self.clip_obs).astype(np.float32)

    def to_arrays(self) -> dict[str, FloatArray]:
        """Return the statistics as arrays; :meth:`of` reads them."""
        return {
            "mean": self.mean,
            "var": self.var,
            "clip_obs": np.array(self.clip_obs),
            "epsilon": np.array(self.epsilon),
        }


def _vector(name: str, values: Any) -> FloatArray:
    vector = np.array(numeric_array(f"statistics {name}", values), np.float64).ravel()
    if not vector.size or not np.isfinite(vector).all():
        raise InvalidParameter(f"the statistics {name} are {shown(values)}; expected one finite number per channel.")
    return vector


def _read(path: Path) -> Mapping[str, Any]:
    """Return the arrays of a file; a file of pickled objects is refused and never unpickled."""
    if path.suffix not in SAFE_FILES:
        raise InvalidParameter(
            f"{path} is not a {' or '.join(SAFE_FILES)} file; VecNormalize.save writes a pickle, which can run any "
            f"code. Save the statistics where you trust it: {EXPORT}"
        )
    content = read_bytes(path)
    with content_errors(path, "arrays of statistics", Exception):
        if path.suffix == ".safetensors":
            return load_tensors(content)
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            if not isinstance(archive, np.lib.npyio.NpzFile):
                raise DamagedFile(f"{path} has one array; expected mean and var.")
            return {name: archive[name] for name in archive.files}
