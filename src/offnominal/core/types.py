"""Array types shared by all packages."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
KeyArray: TypeAlias = NDArray[np.uint64]
Frame: TypeAlias = NDArray[np.uint8]
Frames: TypeAlias = NDArray[np.uint8]
Observation: TypeAlias = Array | dict[str, Array]
