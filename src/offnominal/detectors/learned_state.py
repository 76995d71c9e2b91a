"""Learned parameters of detectors as arrays: saved, and restored all or not at all."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from offnominal.core.errors import NotFitted
from offnominal.core.types import Array
from offnominal.detectors.state_arrays import StateArrays, all_or_nothing


class LearnedState(ABC):
    """Base of all kinds of detectors that learn.

    A kind of detectors implements :meth:`_shared_state` and :meth:`_load_shared_state` for what all its detectors
    learn. Each detector implements :meth:`_state_dict` and :meth:`_load_state_dict` for the rest.
    """

    LEARNED: ClassVar[str]
    """Name of an attribute that exists as soon as the detector is fitted."""

    @property
    def name(self) -> str:
        """Name of the algorithm, for messages and reports."""
        return type(self).__name__

    @property
    def fitted(self) -> bool:
        """Whether :meth:`fit` was called."""
        return hasattr(self, self.LEARNED)

    def state_dict(self) -> dict[str, Array]:
        """Return all learned parameters as arrays."""
        self._require_fitted()
        return self._shared_state() | self._state_dict()

    def load_state_dict(self, state: Mapping[str, Array]) -> None:
        """Restore the result of :meth:`state_dict`.

        Raises:
            DamagedFile: An array is missing or unknown, or does not fit to the parameters of this detector. The
                detector is not changed.
        """
        arrays = StateArrays(state, self.name)
        with all_or_nothing(self), arrays.damage_named():
            self._load_shared_state(arrays)
            self._load_state_dict(arrays)
            arrays.require_all_taken()

    @abstractmethod
    def _shared_state(self) -> dict[str, Array]:
        """Return what all detectors of this kind learn."""

    @abstractmethod
    def _load_shared_state(self, state: StateArrays) -> None:
        """Restore the result of :meth:`_shared_state`."""

    @abstractmethod
    def _state_dict(self) -> dict[str, Array]:
        """Return the learned parameters of this class as arrays."""

    @abstractmethod
    def _load_state_dict(self, state: StateArrays) -> None:
        """Restore the result of :meth:`_state_dict`."""

    def _require_fitted(self) -> None:
        if not self.fitted:
            raise NotFitted(f"{self.name} is not fitted; call fit first.")
