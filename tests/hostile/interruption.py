"""Where a program can be interrupted: half a compilation or half an import would break what comes after it."""

from types import FrameType


def can_be_interrupted(frame: FrameType | None) -> bool:
    """Return whether neither a compilation nor an import is under way."""
    while frame is not None:
        if "/numba/" in frame.f_code.co_filename or "<frozen importlib" in frame.f_code.co_filename:
            return False
        frame = frame.f_back
    return True
