"""Manifest of a folder of recorded data: a JSON file that states its format and its own hash."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, ClassVar, Self

from offnominal._version import __version__
from offnominal.core.config import Config
from offnominal.core.errors import DamagedFile, InvalidParameter, MissingFile, OffnominalError, UnsupportedFormat
from offnominal.core.files import read_json, write_json
from offnominal.core.printable import shown

PACKAGES = ("gymnasium", "mujoco", "numba", "numpy", "pyarrow")


class ManifestFile(Config):
    """Base class of manifests: each lists what a folder contains.

    A subclass is a dataclass. It sets the four attributes of the class, and has the fields `format` and `sha256`.
    """

    FILE: ClassVar[str]
    """Name of the file."""
    FORMAT: ClassVar[int]
    """Version of the format that is written and read."""
    NOUN: ClassVar[str]
    """What the folder is, such as ``"a dataset"``."""
    REMEDY: ClassVar[str]
    """What to do with a damaged manifest, for error messages."""

    format: int
    sha256: str

    def with_sha256(self) -> Self:
        """Return the manifest with its own hash."""
        return self.replace(sha256=self.replace(sha256="").digest())

    def write(self, folder: Path) -> None:
        """Write the manifest into a folder, with its own hash."""
        write_json(folder / self.FILE, self.with_sha256().to_dict())

    @classmethod
    def read(cls, folder: Path | str) -> Self:
        """Read the manifest of a folder.

        Raises:
            MissingFile: There is no manifest.
            UnsupportedFormat: It was written by another version.
            DamagedFile: It is invalid or was changed.
        """
        if not isinstance(folder, Path | str):
            raise InvalidParameter(f"folder is {shown(folder)}; give the path of {cls.NOUN}.")
        path = Path(folder) / cls.FILE
        data = cls._entries(path)
        with damage_named(path, cls.REMEDY):
            manifest = cls.from_dict(data)
            intact = manifest.sha256 == manifest.with_sha256().sha256
        if not intact:
            raise DamagedFile(
                f"{path} was changed: its content does not have the SHA-256 that it states; {cls.REMEDY}."
            )
        return manifest

    @classmethod
    def _entries(cls, path: Path) -> Mapping[str, Any]:
        """Return the content of a manifest of the supported format."""
        try:
            data = read_json(path)
        except MissingFile:
            raise MissingFile(f"{path} does not exist; {cls.NOUN} is a folder with a {cls.FILE}.") from None
        except DamagedFile as error:
            raise DamagedFile(f"{str(error).rstrip('.')}; {cls.REMEDY}.") from None
        if "format" not in data:
            raise DamagedFile(f"{path} is not the manifest of {cls.NOUN}; {cls.REMEDY}.")
        if data["format"] != cls.FORMAT:
            raise UnsupportedFormat(
                f"{path} has format {data['format']!r}; this version reads format {cls.FORMAT}; {cls.REMEDY}."
            )
        return data

    def is_begun(self, path: Path) -> bool:
        """Whether a file of an interrupted run has this manifest, with or without its hash."""
        try:
            return type(self).from_dict(read_json(path)).with_sha256() == self.with_sha256()
        except OffnominalError:
            return False


@contextmanager
def damage_named(path: Path, remedy: str) -> Iterator[None]:
    """Turn errors that the content of a JSON file causes into :class:`DamagedFile`.

    Args:
        path: The file.
        remedy: What to do about it, for the message.
    """
    try:
        yield
    except (OffnominalError, ValueError, TypeError, RecursionError, OverflowError) as error:
        raise DamagedFile(f"{path} is not valid ({str(error).rstrip('.')}); {remedy}.") from None


def this_platform() -> str:
    """Return the operating system and the processor of this machine."""
    return f"{platform.system()} {platform.machine()}"


def installed() -> dict[str, str]:
    """Return the versions of Python and of the packages that can affect the content."""
    found = {"python": platform.python_version(), "offnominal": __version__}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "none"
    return found
