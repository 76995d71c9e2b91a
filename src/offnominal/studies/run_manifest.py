"""The manifest of a run: study, cells, results, versions, hardware and cost."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from offnominal.agents.selection import EXPERTS_VERSION
from offnominal.core.checksum import read_checked_json, write_checked_json
from offnominal.core.errors import DamagedFile, MissingFile
from offnominal.datasets.manifest_file import installed
from offnominal.studies.base import BaseCell
from offnominal.studies.local import processors

FILE = "run.json"
GIGABYTE = 2**30


def write_manifest(
    folder: Path, about: Mapping[str, Any], cells: Sequence[BaseCell], keys: Sequence[str], store: Path, *, part: bool
) -> None:
    """Write the manifest at the start of a run.

    Args:
        folder: Folder of the run.
        about: Name, title, summary, scale and configuration of the study.
        cells: Cells of the run.
        keys: Keys of their results.
        store: Where the results are.
        part: Whether only some cells of the study were chosen; keys of an earlier manifest then stay.
    """
    earlier = labels_of(read_run(folder)) if part and (folder / FILE).exists() else {}
    labels = earlier | {key: cell.label for key, cell in zip(keys, cells, strict=True)}
    write_checked_json(
        folder / FILE,
        {
            **about,
            "keys": list(labels),
            "labels": list(labels.values()),
            "seeds": sorted({cell.seed for cell in cells}),
            "store": str(store),
            "versions": installed() | {"experts": str(EXPERTS_VERSION)},
            "commit": commit(),
            "hardware": hardware(),
            "started": now(),
            "finished": None,
        },
    )


def complete_manifest(folder: Path, found: Mapping[str, Any]) -> None:
    """Add the outcome of the run to the manifest."""
    write_checked_json(folder / FILE, {**read_run(folder), **found, "finished": now()})


def read_run(folder: Path) -> dict[str, Any]:
    """Read the manifest of a run, or raise an error if it is missing or invalid."""
    try:
        found = read_checked_json(folder / FILE)
    except MissingFile:
        raise MissingFile(f"{folder} is no run: it has no {FILE}. `offnominal run` makes one.") from None
    keys = found.get("keys")
    if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
        raise DamagedFile(f"{folder / FILE} does not list the keys of its cells; run the study again.")
    if not isinstance(found.get("store"), str):
        raise DamagedFile(f"{folder / FILE} does not say where its results are; run the study again.")
    return found


def labels_of(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return the label of each cell of a run by its key; the beginning of the key where the manifest has none."""
    keys, labels = manifest["keys"], manifest.get("labels")
    if not isinstance(labels, list) or len(labels) != len(keys):
        labels = [key[:12] for key in keys]
    return {key: str(label) for key, label in zip(keys, labels, strict=True)}


def now() -> str:
    """Return the time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def commit() -> str:
    """Return the commit of this package's source, with a ``+`` if files differ from it; empty if there is none."""
    package = Path(__file__).parents[1]

    def git(*words: str) -> str:
        done = subprocess.run(["git", "-C", str(package), *words], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    try:
        git("ls-files", "--error-unmatch", "__init__.py")
        return git("rev-parse", "HEAD") + ("+" if git("status", "--porcelain", "--", ".") else "")
    except (OSError, subprocess.CalledProcessError):
        return ""


def hardware() -> dict[str, Any]:
    """Return system, processor and memory of this machine."""
    model = platform.processor()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), model)
    except OSError:
        pass
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIGABYTE
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": model,
        "processors": processors(),
        "memory_gb": round(memory, 1),
    }
