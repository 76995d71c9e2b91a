"""Files of clips: frames as GIF, MP4 or WebP."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from offnominal.core.errors import InvalidParameter, MissingDependency
from offnominal.core.files import write_bytes
from offnominal.core.types import Array

FORMATS = (".webp", ".gif", ".mp4")
QUALITY = 60
"""Of a WebP, from 0 to 100."""


def check_clip_path(path: Path) -> None:
    """Raise :class:`InvalidParameter` unless a path ends like a clip."""
    if path.suffix not in FORMATS:
        raise InvalidParameter(f"{path} ends in {path.suffix or 'nothing'}; a clip ends in {' or '.join(FORMATS)}.")


def write_frames(path: Path, frames: list[Array], pace: float) -> None:
    """Write the frames of a clip.

    Args:
        path: Ends in one of :data:`FORMATS`.
        frames: Arrays of shape (height, width, 3), uint8.
        pace: Frames per second.

    Raises:
        InvalidParameter: The path ends otherwise.
        MissingDependency: The package that encodes the clip is not installed.
    """
    check_clip_path(path)
    write_bytes(path, encode_frames(path.suffix, frames, pace))


def encode_frames(suffix: str, frames: list[Array], pace: float) -> bytes:
    """Return the frames of a clip as bytes; arguments and errors are those of :func:`write_frames`."""
    if suffix not in FORMATS:
        raise InvalidParameter(f"suffix is {suffix!r}; expected one of {', '.join(FORMATS)}.")
    encode = {".gif": _gif, ".mp4": _mp4, ".webp": _webp}[suffix]
    try:
        return encode(frames, pace)
    except ModuleNotFoundError as error:
        extra = "video" if suffix == ".mp4" else "plot"
        raise MissingDependency(
            f'a {suffix} clip needs {error.name}; install it with `pip install "offnominal[{extra}]"`.'
        ) from None


def _gif(frames: list[Array], pace: float) -> bytes:
    from offnominal.reports.palette import with_palette

    first, *others = with_palette(frames)
    file = BytesIO()
    first.save(file, "GIF", save_all=True, append_images=others, duration=round(1000 / min(pace, 50)), loop=0)
    return file.getvalue()


def _webp(frames: list[Array], pace: float) -> bytes:
    from PIL import Image

    first, *others = map(Image.fromarray, frames)
    file = BytesIO()
    first.save(
        file,
        "WEBP",
        save_all=True,
        append_images=others,
        duration=round(1000 / pace),
        loop=0,
        quality=QUALITY,
        method=4,
    )
    return file.getvalue()


def _mp4(frames: list[Array], pace: float) -> bytes:
    from imageio_ffmpeg import write_frames as encoder

    height, width = frames[0].shape[:2]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "clip.mp4"
        stream = encoder(str(path), (width, height), fps=pace, macro_block_size=1, quality=8)
        stream.send(None)
        for frame in frames:
            stream.send(np.ascontiguousarray(frame))
        stream.close()
        return path.read_bytes()
