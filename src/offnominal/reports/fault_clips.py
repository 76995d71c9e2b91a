"""Clips of the faults of a run: files beside its page, the first of them in the page itself."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from offnominal.anomalies.fault import Fault
from offnominal.anomalies.schedule import Schedule
from offnominal.anomalies.strengths import parameter_for
from offnominal.core.errors import InvalidParameter, MissingDependency, OffnominalError
from offnominal.core.progress_bar import progress
from offnominal.reports.clip import write_gallery
from offnominal.reports.payload import LEVEL_ORDER
from offnominal.studies.named_policy import acting_policy
from offnominal.studies.results import RunResults
from offnominal.studies.source_names import is_dataset

CLIPS = "clips"
"""Folder of the clips, beside the page."""
ONSET, STEPS, SIZE = 8, 40, 160
IN_PAGE = 3_000_000
"""Bytes of clips that a page carries itself; further ones stay files beside it."""

PLACE = ("world", "policy", "anomaly", "variant")


@dataclass(frozen=True, slots=True)
class FaultClips:
    """The clips of a run.

    Args:
        paths: Files of the clips.
        left_out: Why a world has no clips, by its name.
    """

    paths: list[Path]
    left_out: dict[str, str]


def write_fault_clips(results: RunResults, folder: Path) -> FaultClips:
    """Write one clip per world and anomaly of a run, at its strongest level beside the nominal twin.

    Datasets and faults without calibrated strengths have none. Clips that exist are kept.

    Args:
        results: A run of a study on faults.
        folder: Folder of the report; the clips go to ``clips/<world>/<kind>-<name>.webp`` in it.
    """
    clips = FaultClips([], {})
    places = _strongest(results)
    with progress("Clips", total=len(places)) as tick:
        for (world, policy), levels in places.items():
            tick(note=world)
            try:
                faults = [
                    Fault(name, parameter_for(world, name, level), Schedule(ONSET)) for name, level in levels.items()
                ]
                new = [fault for fault in faults if not clip_path(folder, world, fault.id).is_file()]
                write_gallery(folder / CLIPS / world, world, acting_policy(policy, world), new, steps=STEPS, size=SIZE)
            except MissingDependency:
                raise
            except OffnominalError as error:
                clips.left_out[world] = str(error)
            else:
                clips.paths.extend(clip_path(folder, world, fault.id) for fault in faults)
    return clips


def clip_path(folder: Path, world: str, anomaly: str) -> Path:
    """Return the path of a clip.

    Example:
        >>> clip_path(Path("run"), "SAP-Goal0-v0", "action/noise").as_posix()
        'run/clips/SAP-Goal0-v0/action-noise.webp'
    """
    return folder / CLIPS / world / f"{anomaly.replace('/', '-')}.webp"


def clip_sources(folder: Path, faults: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Return the address of the clip of each world and anomaly that has one: data of the page, or a file beside it.

    Args:
        folder: Folder of the report.
        faults: With ``world``, the label of a world, and ``anomaly``.
    """
    found: dict[str, str] = {}
    left = IN_PAGE
    for fault in faults:
        key = f"{fault['world']} {fault['anomaly']}"
        path = clip_path(folder, fault["world"].partition(" (")[0], fault["anomaly"])
        if key in found or not path.is_file():
            continue
        left -= path.stat().st_size
        if left >= 0:
            found[key] = f"data:image/webp;base64,{base64.b64encode(path.read_bytes()).decode()}"
        else:
            found[key] = path.relative_to(folder).as_posix()
    return found


def _strongest(results: RunResults) -> dict[tuple[str, str], dict[str, str]]:
    """Return the strongest level of each anomaly by world and policy."""
    if not set(PLACE) <= set(results.table.column_names):
        raise InvalidParameter(f"the run of {results.name} has no faults; clips are made for studies on faults.")
    columns = [results.table[name].to_pylist() for name in PLACE]
    found: dict[tuple[str, str], dict[str, str]] = {}
    for world, policy, anomaly, variant in dict.fromkeys(zip(*columns, strict=True)):
        if _rank(variant) >= 0 and not is_dataset(world):
            levels = found.setdefault((world, policy), {})
            levels[anomaly] = max(levels.get(anomaly, variant), variant, key=_rank)
    return found


def _rank(level: str) -> int:
    """Return the place of a level; a level may have a direction, such as ``strong-up``. -1 for other splits."""
    name = level.partition("-")[0]
    return LEVEL_ORDER.index(name) if name in LEVEL_ORDER else -1
