"""Files of one episode: an archive with all its frames, or a folder in the published layout.

An archive is an ordinary ZIP file with ``<frame>.png`` and ``<frame>.json``; unpacked, it is a folder in the published
layout. A set has hundreds of archives instead of tens of thousands of small files.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterable
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Protocol

from offnominal.core.errors import DamagedFile, MissingFile
from offnominal.core.files import content_errors, read_bytes

ARCHIVE = ".zip"
IMAGE, SENSED = "png", "json"
JSON_LEVEL = 1
FIXED_TIME = (1980, 1, 1, 0, 0, 0)
LOCAL_HEADER = 30
LARGEST = 2**26
"""Most bytes of a member; a longer one is damaged."""


class EpisodeFiles(Protocol):
    """Source of the frames of an episode."""

    path: Path

    @property
    def frame_ids(self) -> tuple[int, ...]:
        """Ids of the frames, in increasing order."""

    def read(self, frame: int, kind: str) -> bytes:
        """Return the image (``png``) or the sensed data (``json``) of a frame."""


class EpisodeFolder:
    """Frames of an episode in a folder: ``<frame>.png`` and ``<frame>.json``.

    Args:
        path: Folder of the episode.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def frame_ids(self) -> tuple[int, ...]:
        """Ids of the frames with an image, in increasing order."""
        return tuple(sorted(int(file.stem) for file in self.path.glob(f"*.{IMAGE}") if file.stem.isdecimal()))

    def read(self, frame: int, kind: str) -> bytes:
        """Return a file of a frame."""
        return read_bytes(self.path / f"{frame}.{kind}")


class EpisodeArchive:
    """Frames of an episode in a ZIP file. Only its table of contents is kept in memory.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def _members(self) -> dict[str, tuple[int, int, int, int]]:
        """Offset, stored size, method and checksum of each member."""
        if not self.path.exists():
            raise MissingFile(f"{self.path} does not exist.")
        with content_errors(self.path, "an archive of frames", zipfile.BadZipFile), zipfile.ZipFile(self.path) as file:
            return {
                each.filename: (each.header_offset, each.compress_size, each.compress_type, each.CRC)
                for each in file.infolist()
            }

    @cached_property
    def frame_ids(self) -> tuple[int, ...]:
        """Ids of the frames, in increasing order."""
        stems = (name.removesuffix(f".{IMAGE}") for name in self._members if name.endswith(f".{IMAGE}"))
        return tuple(sorted(int(stem) for stem in stems if stem.isdecimal()))

    def read(self, frame: int, kind: str) -> bytes:
        """Return a member of the archive."""
        name = f"{frame}.{kind}"
        if name not in self._members:
            raise MissingFile(f"{self.path} has no {name}.")
        offset, size, method, check = self._members[name]
        with content_errors(self.path, "an archive of frames", zlib.error), self.path.open("rb") as file:
            file.seek(offset)
            header = file.read(LOCAL_HEADER)
            skipped = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
            content = file.read(skipped + size)[skipped:]
            if method == zipfile.ZIP_DEFLATED:
                content = zlib.decompressobj(-zlib.MAX_WBITS).decompress(content, LARGEST)
        if zlib.crc32(content) != check:
            raise DamagedFile(f"{self.path} was changed: {name} does not have its checksum.")
        return content


def archive_of(members: Iterable[tuple[str, bytes]]) -> bytes:
    """Return an archive whose bytes depend only on its members: images stored as they are, other files compressed."""
    content = BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, data in members:
            about = zipfile.ZipInfo(name, FIXED_TIME)
            about.create_system = 3
            about.external_attr = 0o644 << 16
            about.compress_type = zipfile.ZIP_STORED if name.endswith(IMAGE) else zipfile.ZIP_DEFLATED
            archive.writestr(about, data, compresslevel=JSON_LEVEL)
    return content.getvalue()
