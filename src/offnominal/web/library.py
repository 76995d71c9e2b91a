"""The runs that the server shows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, TypeVar

from offnominal.core.errors import DamagedFile, InvalidParameter, MissingFile, OffnominalError, UnknownName
from offnominal.core.files import read_json, write_json
from offnominal.core.printable import one_line
from offnominal.reports.escape import printable_run
from offnominal.studies.kind import StudyKind
from offnominal.studies.kinds import study_kind
from offnominal.studies.results import RunResults
from offnominal.studies.run_manifest import FILE, labels_of, read_run
from offnominal.studies.runs import results_of
from offnominal.studies.store import Store
from offnominal.web.settings import Settings

T = TypeVar("T")
PACKAGES = ("evaluation", "kinds", "reports", "studies", "web")
"""Packages whose code decides what a page shows."""
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


def slug(text: str) -> str:
    """Return a name for addresses and files; two texts never share one.

    Example:
        >>> slug("anomaly-gym-smoke"), slug("SAP-Goal0-v0 action/noise")
        ('anomaly-gym-smoke', 'SAP-Goal0-v0-action-noise-8c6161')
    """
    plain = _UNSAFE.sub("-", text).strip("-")[:60]
    return plain if plain == text else f"{plain}-{sha256(text.encode('utf-8', 'replace')).hexdigest()[:6]}"


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A run of a study.

    Args:
        id: Name in addresses.
        folder: Folder of the run.
        manifest: Its manifest.
        store: Store of its results.
    """

    id: str
    folder: Path
    manifest: Mapping[str, Any]
    store: Store

    @property
    def title(self) -> str:
        """Title of the study."""
        return one_line(str(self.manifest.get("title") or self.manifest.get("study") or self.id))

    @property
    def study(self) -> str:
        """Name of the study, with the scale."""
        scale = self.manifest.get("scale")
        return one_line(f"{self.manifest.get('study', self.id)}" + (f" · {scale}" if scale else ""))

    @property
    def kind(self) -> StudyKind[Any, Any]:
        """Kind of the study."""
        config = self.manifest.get("config")
        return study_kind(str(config.get("kind", "study")) if isinstance(config, Mapping) else "study")

    @property
    def date(self) -> str:
        """Day on which it was finished, or started."""
        return str(self.manifest.get("finished") or self.manifest.get("started") or "").partition("T")[0]

    @property
    def commit(self) -> str:
        """Commit of the code that computed it; empty if it is unknown."""
        return str(self.manifest.get("commit") or "")

    @property
    def labels(self) -> dict[str, str]:
        """Labels of its cells by their keys."""
        return labels_of(self.manifest)

    @property
    def state(self) -> str:
        """A hash that changes when results are added."""
        present = [key for key in self.manifest["keys"] if self.store.path(key).exists()]
        text = json.dumps([str(self.folder.absolute()), self.manifest, present], sort_keys=True)
        return sha256(text.encode()).hexdigest()


class Library:
    """The runs in a folder, and what was computed from them; results that are added later are seen.

    Args:
        settings: Folders of runs, of the store and of computed files.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._temporary = TemporaryDirectory(prefix="offnominal-") if settings.cache is None else None
        self._computed: dict[tuple[str, str], tuple[str, Any]] = {}
        self._locks: dict[tuple[str, str], Lock] = {}

    @property
    def cache(self) -> Path:
        """Folder of files that are made on demand."""
        return Path(self._temporary.name) if self._temporary is not None else Path(self.settings.cache or "")

    def close(self) -> None:
        """Remove the temporary files."""
        if self._temporary is not None:
            self._temporary.cleanup()

    def runs(self) -> list[Run]:
        """Return all runs, the one that was started last first; folders that are no runs are left out."""
        found = [self._read(path.parent) for path in sorted(self.settings.runs.glob(f"*/{FILE}"))]
        present = [run for run in found if run is not None]
        return sorted(present, key=lambda run: str(run.manifest.get("started", "")), reverse=True)

    def run(self, id: str) -> Run:
        """Return a run by its id.

        Raises:
            UnknownName: There is no such run.
        """
        for run in self.runs():
            if run.id == id:
                return run
        raise UnknownName(f"no run {id!r} in {self.settings.runs}.")

    def run_of(self, key: str) -> Run:
        """Return the last run with a cell.

        Raises:
            UnknownName: There is no such cell.
        """
        for run in self.runs():
            if key in run.manifest["keys"]:
                return run
        raise UnknownName(f"no run in {self.settings.runs} has the cell {key!r}.")

    def results(self, run: Run) -> RunResults:
        """Return the results of a run.

        Raises:
            InvalidParameter: None of its cells has a result.
        """
        found = self.computed(run, "results", lambda: printable_run(results_of(run.manifest, run.store, run.folder)))
        if not found.cells:
            raise InvalidParameter(f"none of the cells of {run.id} has a result yet.")
        return found

    def computed(self, run: Run, name: str, compute: Callable[[], T], *, stored: bool = False) -> T:
        """Return what a function computes from a run; it is computed again only when results are added.

        Args:
            run: The run.
            name: Name of what is computed.
            compute: Function without arguments.
            stored: Whether it is plain data, to be stored for the next server.
        """
        key, state = (run.id, name), run.state
        with self._locks.setdefault(key, Lock()):
            known = self._computed.get(key)
            if known is None or known[0] != state:
                known = (state, self._stored(f"{state} {name}", compute) if stored else compute())
                self._computed[key] = known
        found: T = known[1]
        return found

    def _stored(self, identity: str, compute: Callable[[], T]) -> T:
        path = self.cache / "data" / f"{sha256(f'{code_version()} {identity}'.encode()).hexdigest()}.json"
        with suppress(MissingFile, DamagedFile):
            found: T = read_json(path)["content"]
            return found
        content = compute()
        with suppress(OffnominalError):
            write_json(path, {"content": content})
        return content

    def _read(self, folder: Path) -> Run | None:
        try:
            manifest = read_run(folder)
            store = Store(self.settings.store or self._store_of(folder, manifest))
        except OffnominalError:
            return None
        return Run(slug(folder.name), folder, manifest, store)

    @staticmethod
    def _store_of(folder: Path, manifest: Mapping[str, Any]) -> Path:
        """Return the store that a manifest names, or the one beside the run if that is missing."""
        named = Path(manifest["store"])
        return named if named.exists() else folder.parent / "store"


@cache
def code_version() -> str:
    """Return a hash of the code that computes what pages show."""
    found = sha256()
    for package in PACKAGES:
        for path in sorted((Path(__file__).parents[1] / package).rglob("*.py")):
            found.update(path.read_bytes())
    return found.hexdigest()
