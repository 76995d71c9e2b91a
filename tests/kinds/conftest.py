"""The small dataset of the tests of studies, and what three detectors make of it."""

from ..studies.conftest import data_folder, home, in_process, package, result, sources

__all__ = ["data_folder", "home", "in_process", "package", "result", "sources"]
