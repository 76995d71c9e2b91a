"""State tuples as structures behind one pointer, for the compiled kernels.

A tuple of arrays is passed to a compiled function as one argument per array and dimension, which makes every call
expensive to compile. A structure is one argument. It refers to the same arrays, so changes are visible in both.
"""

from __future__ import annotations

from typing import Any, TypeVar

from numba.core import config as numba_config
from numba.core import types as numba_types
from numba.experimental import structref as numba_structref

from offnominal.core.compilation import compiled
from offnominal.worlds.road.town.network import Network
from offnominal.worlds.road.town.traffic_state import Control, Occupancy, Vehicles, Walkers

# These modules have no types.
structref: Any = numba_structref
types: Any = numba_types
config: Any = numba_config


class _Structure(types.StructRef):  # type: ignore[misc]
    """Type of a structure; its fields have no literal types."""

    def preprocess_fields(self, fields: Any) -> Any:
        """Return the fields with general types."""
        return tuple((name, types.unliteral(kind)) for name, kind in fields)


@structref.register
class NetworkType(_Structure):
    """Type of a :class:`Network` in compiled code."""


@structref.register
class VehiclesType(_Structure):
    """Type of :class:`Vehicles` in compiled code."""


@structref.register
class WalkersType(_Structure):
    """Type of :class:`Walkers` in compiled code."""


@structref.register
class ControlType(_Structure):
    """Type of a :class:`Control` in compiled code."""


@structref.register
class OccupancyType(_Structure):
    """Type of an :class:`Occupancy` in compiled code."""


class NetworkStructure(structref.StructRefProxy):  # type: ignore[misc]
    """A :class:`Network` behind a pointer."""


class VehiclesStructure(structref.StructRefProxy):  # type: ignore[misc]
    """:class:`Vehicles` behind a pointer."""


class WalkersStructure(structref.StructRefProxy):  # type: ignore[misc]
    """:class:`Walkers` behind a pointer."""


class ControlStructure(structref.StructRefProxy):  # type: ignore[misc]
    """A :class:`Control` behind a pointer."""


class OccupancyStructure(structref.StructRefProxy):  # type: ignore[misc]
    """An :class:`Occupancy` behind a pointer."""


structref.define_proxy(NetworkStructure, NetworkType, list(Network._fields))
structref.define_proxy(VehiclesStructure, VehiclesType, list(Vehicles._fields))
structref.define_proxy(WalkersStructure, WalkersType, list(Walkers._fields))
structref.define_proxy(ControlStructure, ControlType, list(Control._fields))
structref.define_proxy(OccupancyStructure, OccupancyType, list(Occupancy._fields))


@compiled
def _network(state: Network) -> Any:
    return NetworkStructure(*state)


@compiled
def _vehicles(state: Vehicles) -> Any:
    return VehiclesStructure(*state)


@compiled
def _walkers(state: Walkers) -> Any:
    return WalkersStructure(*state)


@compiled
def _control(state: Control) -> Any:
    return ControlStructure(*state)


@compiled
def _occupancy(state: Occupancy) -> Any:
    return OccupancyStructure(*state)


T = TypeVar("T")
_MAKERS: dict[type, Any] = {
    Network: _network,
    Vehicles: _vehicles,
    Walkers: _walkers,
    Control: _control,
    Occupancy: _occupancy,
}


def structure(state: T) -> T:
    """Return a state tuple as a structure for the compiled kernels; without compilation, the tuple itself.

    It has the same fields, so that compiled functions are typed with the tuple.
    """
    result: T = state if config.DISABLE_JIT else _MAKERS[type(state)](state)
    return result
