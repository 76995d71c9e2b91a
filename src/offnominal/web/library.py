"""The runs that the server shows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, TypeVar

from offnominal.core.errors import DamagedFile, InvalidParameter, MissingFile, OffnominalError, UnknownName
from offnominal.core.printable import one_line
from offnominal.reports.escape import printable_run
from offnominal.studies.kind import StudyKind
from offnominal.studies.kinds import study_kind
from offnominal.studies.results import RunResults
from offnominal.studies.run_manifest import FILE, read_run
from offnominal.studies.runs import results_of
from offnominal.studies.store import Store
from offnominal.web.settings import Settings

T = TypeVar("T")
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
    def state(self) -> tuple[object, ...]:
        """Changes when results are added."""
        return (
            self.id,
            json.dumps(self.manifest, sort_keys=True),
            sum(self.store.path(key).exists() for key in self.manifest["keys"]),
        )


class Library:
    """The runs in a folder, and what was computed from them; results that are added later are seen.

    Args:
        settings: Folders of runs and of the store.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._temporary = TemporaryDirectory(prefix="offnominal-") if settings.cache is None else None
        self._computed: dict[tuple[str, str], tuple[tuple[object, ...], Any]] = {}
        self._lock = Lock()

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

    def results(self, run: Run) -> RunResults:
        """Return the results of a run.

        Raises:
            InvalidParameter: None of its cells has a result.
        """
        found = self.computed(run, "results", lambda: printable_run(results_of(run.manifest, run.store, run.folder)))
        if not found.cells:
            raise InvalidParameter(f"none of the cells of {run.id} has a result yet.")
        return found

    def computed(self, run: Run, name: str, compute: Callable[[], T]) -> T:
        """Return what a function computes from a run; it is computed again only when results are added.

        Args:
            run: The run.
            name: Name of what is computed.
            compute: Function without arguments.
        """
        key, state = (run.id, name), run.state
        known = self._computed.get(key)
        if known is None or known[0] != state:
            known = (state, compute())
            with self._lock:
                self._computed[key] = known
        found: T = known[1]
        return found

    def _read(self, folder: Path) -> Run | None:
        try:
            manifest = read_run(folder)
            store = Store(self.settings.store or self._store_of(folder, manifest))
        except (MissingFile, DamagedFile, OffnominalError):
            return None
        return Run(slug(folder.name), folder, manifest, store)

    @staticmethod
    def _store_of(folder: Path, manifest: Mapping[str, Any]) -> Path:
        """Return the store that a manifest names, or the one beside the run if that is missing."""
        named = Path(manifest["store"])
        return named if named.exists() else folder.parent / "store"
