"""PNG files with 8 bits per channel: written and read without an image library."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from offnominal.core.compilation import compiled
from offnominal.core.errors import DamagedFile, UnsupportedFormat
from offnominal.core.files import content_errors, read_bytes

SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}
"""Number of channels by colour type: grey, RGB, grey with alpha, RGBA."""
NONE, UP = 0, 2
MOST_PIXELS = 2**28


def encode_png(image: NDArray[np.uint8], *, level: int = 1, differences: bool = True) -> bytes:
    """Return an image as a PNG file.

    Args:
        image: (height, width) for grey values, or (height, width, 3) for red, green and blue.
        level: Level of compression, from 0 to 9.
        differences: Whether to store the differences to the row above. Images with textures that repeat are smaller
            without.
    """
    height, width = image.shape[:2]
    rows = np.empty((height, 1 + image[0].size), np.uint8)
    rows[:, 0] = UP if differences else NONE
    pixels = image.reshape(height, -1)
    if differences:
        rows[0, 1:] = pixels[0]
        np.subtract(pixels[1:], pixels[:-1], out=rows[1:, 1:])
    else:
        rows[:, 1:] = pixels
    head = struct.pack(">IIBBBBB", width, height, 8, 0 if image.ndim == 2 else 2, 0, 0, 0)
    parts = [(b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes(), level)), (b"IEND", b"")]
    return SIGNATURE + b"".join(_chunk(name, content) for name, content in parts)


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(content, zlib.crc32(name)))


def read_png(path: Path) -> NDArray[np.uint8]:
    """Read a PNG file: (height, width) for grey values, else (height, width, 3); transparency is left out.

    Raises:
        DamagedFile: The file is not a PNG file, or was changed.
        UnsupportedFormat: It has a palette, is interlaced, or does not have 8 bits per channel.
    """
    with content_errors(path, "a PNG image", zlib.error, struct.error):
        return decode_png(read_bytes(path))


def decode_png(content: bytes) -> NDArray[np.uint8]:
    """Return the image of a PNG file; see :func:`read_png`.

    Example:
        >>> image = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
        >>> bool((decode_png(encode_png(image)) == image).all())
        True
    """
    chunks = list(_chunks(content))
    head = dict(chunks).get(b"IHDR")
    if head is None:
        raise ValueError("there is no header")
    width, height, bits, colours, _, _, interlaced = struct.unpack(">IIBBBBB", head)
    if bits != 8 or colours not in CHANNELS or interlaced:
        raise UnsupportedFormat(
            f"a PNG image has {bits} bits and colour type {colours}; expected 8 bits of grey or RGB, not interlaced."
        )
    if not 0 < width * height <= MOST_PIXELS:
        raise ValueError(f"the size is {width} x {height}")
    channels = CHANNELS[colours]
    stride = 1 + width * channels
    unpacker = zlib.decompressobj()
    data = unpacker.decompress(b"".join(each for name, each in chunks if name == b"IDAT"), height * stride)
    rows = np.frombuffer(data, np.uint8).reshape(height, stride).copy()
    if rows[:, 0].any() and not unfilter(rows, channels):
        raise ValueError("a row has an unknown filter")
    image = rows[:, 1:].reshape(height, width, channels)
    return np.ascontiguousarray(image[..., 0] if channels < 3 else image[..., :3])


def _chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    if not content.startswith(SIGNATURE):
        raise ValueError("it does not begin like a PNG file")
    place = len(SIGNATURE)
    while place < len(content):
        size, name = struct.unpack_from(">I4s", content, place)
        part = content[place + 8 : place + 8 + size]
        (check,) = struct.unpack_from(">I", content, place + 8 + size)
        if zlib.crc32(part, zlib.crc32(name)) != check:
            raise DamagedFile(
                f"a PNG image was changed: its part {name.decode(errors='replace')} has another checksum."
            )
        yield name, part
        place += 12 + size


@compiled
def unfilter(rows: NDArray[np.uint8], channels: int) -> bool:
    """Undo the filters of rows in place; the first byte of a row is its filter. Return whether all are known."""
    height, stride = rows.shape
    for r in range(height):
        kind = rows[r, 0]
        if kind > 4:
            return False
        for k in range(1, stride):
            left = int(rows[r, k - channels]) if k > channels else 0
            up = int(rows[r - 1, k]) if r > 0 else 0
            corner = int(rows[r - 1, k - channels]) if r > 0 and k > channels else 0
            guess = 0
            if kind == 1:
                guess = left
            elif kind == 2:
                guess = up
            elif kind == 3:
                guess = (left + up) // 2
            elif kind == 4:
                base = left + up - corner
                a, b, c = abs(base - left), abs(base - up), abs(base - corner)
                guess = left if a <= b and a <= c else up if b <= c else corner
            rows[r, k] = np.uint8((int(rows[r, k]) + guess) & 255)
    return True
