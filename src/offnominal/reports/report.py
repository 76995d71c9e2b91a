"""The report of a run of any study kind, in one folder."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pyarrow as pa

from offnominal.core.checks import instance_of
from offnominal.core.checksum import write_checked_json
from offnominal.core.errors import InvalidParameter
from offnominal.core.files import file_errors
from offnominal.reports.escape import printable_run
from offnominal.reports.fault_clips import CLIPS
from offnominal.reports.provenance import PRIVATE, check_provenance
from offnominal.studies.kind import Rows
from offnominal.studies.kinds import study_kind
from offnominal.studies.results import RunResults
from offnominal.studies.run_manifest import FILE as MANIFEST


def write_report(results: RunResults, folder: Path | str | None = None) -> Path:
    """Write page, tables and figures of a run of any study kind; return the page.

    Args:
        results: The run; see :func:`~offnominal.studies.runs.open_run`.
        folder: Gets ``page.html``, ``tables/*.md``, ``.tex`` and ``.csv``, ``figures/*.png`` and ``.svg``; the folder
            of the run if None.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     page = write_report(RunResults.example(), Path(folder))
        ...     page.name, sorted(path.name for path in (Path(folder) / "figures").glob("*.png"))
        ('page.html', ['by_kind.png', 'by_level.png', 'critical_difference.png', 'heat_map.png', 'leaderboard.png'])
    """
    kind, chosen = study_kind(results.kind), folder or results.folder
    if chosen is None:
        raise InvalidParameter("folder is None, but these results were not opened from a run; name a folder.")
    for name in ("table", "examples"):
        instance_of(name, getattr(results, name), pa.Table)
    place = Path(chosen)
    for part in ("tables", "figures"):
        with file_errors(place / part):
            (place / part).mkdir(parents=True, exist_ok=True)
    return kind.report(printable_run(results), place)


def publish_report(results: RunResults, folder: Path | str) -> Path:
    """Write the report of a run with its manifest into a folder of its own, to be published; return the page.

    The page names version, commit and scale, and links to the manifest ``run.json`` beside it. Paths of this machine
    are not in the manifest.

    Args:
        results: The run.
        folder: Gets the files of :func:`write_report`, ``run.json``, and the clips of the run if there are any.

    Raises:
        MissingProvenance: Version or commit of the results are unknown.
        InvalidParameter: The folder is that of the run itself, whose manifest would be overwritten.
    """
    check_provenance(results.manifest)
    place = Path(folder)
    if results.folder is not None and place.resolve() == results.folder.resolve():
        raise InvalidParameter(f"{place} is the folder of the run itself; publish into another one.")
    with file_errors(place):
        place.mkdir(parents=True, exist_ok=True)
    shown = {name: value for name, value in results.manifest.items() if name not in PRIVATE}
    write_checked_json(place / MANIFEST, shown)
    if results.folder is not None and (results.folder / CLIPS).is_dir():
        with file_errors(place / CLIPS):
            copytree(results.folder / CLIPS, place / CLIPS, dirs_exist_ok=True)
    return write_report(results, place)


def leading_rows(results: RunResults) -> Rows:
    """Return the leaderboard of a run of any study kind, best first."""
    return study_kind(results.kind).leaderboard(results)
