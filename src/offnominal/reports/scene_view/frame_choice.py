"""Choice of the frames of a scene."""

from __future__ import annotations

import re
from collections.abc import Sequence

from offnominal.core.errors import InvalidParameter
from offnominal.core.printable import shown

PART = r"-?\d{1,9}"
SLICE = re.compile(rf"\s*({PART})?\s*:\s*({PART})?\s*(?::\s*({PART})?\s*)?")
LIST = re.compile(rf"\s*{PART}\s*(?:,\s*{PART}\s*)*")
EXPECTED = "expected numbers such as 12 or 0,30,60, or a range such as 0:200:40"


def frame_numbers(chosen: str | Sequence[int] | None, n_frames: int, default: int) -> list[int]:
    """Return the numbers of chosen frames in rising order, without repetitions.

    Args:
        chosen: Numbers, a text such as ``"0:200:40"`` or ``"0,30,60"``, or None. Negative numbers count from the end.
        n_frames: Number of frames of the scene.
        default: How many frames to take at equal distances if none are chosen.

    Raises:
        InvalidParameter: The text is invalid, or the scene has no such frame.

    Example:
        >>> frame_numbers("0:200:40", 200, 4), frame_numbers("-1,3", 10, 4), frame_numbers(None, 200, 4)
        ([0, 40, 80, 120, 160], [3, 9], [25, 75, 125, 175])
    """
    if n_frames < 1:
        raise InvalidParameter("the scene has no frames.")
    if chosen is None:
        count = min(default, n_frames)
        return [(2 * k + 1) * n_frames // (2 * count) for k in range(count)]
    if isinstance(chosen, str) and (match := SLICE.fullmatch(chosen)):
        start, stop, step = (None if part is None else int(part) for part in match.groups())
        if step == 0:
            raise InvalidParameter(f"the frames are {chosen!r}; the step of a range is not 0.")
        numbers = list(range(n_frames)[start:stop:step])
        if not numbers:
            raise InvalidParameter(f"the frames {chosen!r} are none of the {n_frames} frames of the scene.")
        return sorted(numbers)
    if isinstance(chosen, str):
        if not LIST.fullmatch(chosen):
            raise InvalidParameter(f"the frames are {shown(chosen)}; {EXPECTED}.")
        chosen = [int(part) for part in chosen.split(",")]
    for number in chosen:
        if not -n_frames <= number < n_frames:
            raise InvalidParameter(f"no frame {number}; the scene has {n_frames}, from 0 to {n_frames - 1}.")
    if not chosen:
        raise InvalidParameter(f"no frames are chosen; {EXPECTED}.")
    return sorted({number % n_frames for number in chosen})
