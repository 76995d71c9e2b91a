"""Weights in the published files: safetensors, torch, and members of archives. Code in them is never executed."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import safe_open
from torch import Tensor

from offnominal.core.errors import DamagedFile
from offnominal.detectors.images.features.array_pickle import arrays_in_pickle

LARGEST = 1 << 30
"""Largest size of a member of an archive in bytes."""
ARRAYS = ".ckpt"
"""End of the names of files with pickled dictionaries of arrays."""


def read_weights(file: Path, member: str = "", prefix: str = "") -> dict[str, Tensor]:
    """Return weights by name.

    Args:
        file: The file, or an archive with it.
        member: Path of the file in the archive; empty if it is no archive.
        prefix: Prefix of the names of the weights; others are left out.
    """
    if not member and file.suffix == ".safetensors":
        with safe_open(file, framework="pt") as content:
            names = [name for name in content.keys() if name.startswith(prefix)]  # noqa: SIM118
            return {name.removeprefix(prefix): content.get_tensor(name).float() for name in names}
    content_of_member = archive_member(file, member) if member else b""
    if member.endswith(ARRAYS):
        arrays = arrays_in_pickle(content_of_member, f"{file}: {member}")
        read: Mapping[str, Tensor] = {name: torch.from_numpy(array) for name, array in arrays.items()}
    else:
        read = torch.load(io.BytesIO(content_of_member) if member else file, map_location="cpu", weights_only=True)
    return {name.removeprefix(prefix): value for name, value in read.items() if name.startswith(prefix)}


def archive_member(file: Path, member: str, largest: int = LARGEST) -> bytes:
    """Return the content of a member of a ZIP or TAR archive, which is not unpacked to a folder.

    Args:
        file: The archive.
        member: Path in it.
        largest: Largest size of the member in bytes.

    Raises:
        DamagedFile: It is no archive, is damaged, has no such member, or the member is larger.
    """
    try:
        if zipfile.is_zipfile(file):
            with zipfile.ZipFile(file) as archive:
                _check_size(file, member, archive.getinfo(member).file_size, largest)
                return archive.read(member)
        with tarfile.open(file) as unpacked:
            about = unpacked.getmember(member)
            _check_size(file, member, about.size, largest)
            content = unpacked.extractfile(about)
            if content is None:
                raise KeyError(f"{member} is no file")
            return content.read()
    except (zipfile.BadZipFile, tarfile.TarError, gzip.BadGzipFile, KeyError, EOFError, zlib.error) as error:
        raise DamagedFile(
            f"{file} has no readable member {member} ({error}); delete it, and it is downloaded again."
        ) from None


def _check_size(file: Path, member: str, size: int, largest: int) -> None:
    if size > largest:
        raise DamagedFile(f"{member} in {file} has {size:,} bytes; at most {largest:,} are read.")
