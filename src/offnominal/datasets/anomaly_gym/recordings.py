"""The published recordings of one environment of Anomaly-Gym."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from offnominal.core.errors import (
    InvalidLog,
    InvalidParameter,
    MissingDependency,
    MissingFile,
    OffnominalError,
    UnknownName,
    did_you_mean,
)
from offnominal.core.files import file_errors, sha256_of
from offnominal.core.printable import shown
from offnominal.core.progress_bar import progress
from offnominal.datasets.anomaly_gym.defects import known_defects
from offnominal.datasets.anomaly_gym.published_names import ENVIRONMENTS, NOMINAL, environment_id, split_name
from offnominal.datasets.anomaly_gym.recorded_split import DATA, RecordedSplit, Widths, read_split
from offnominal.datasets.dataset import Dataset
from offnominal.datasets.generation import channels_of
from offnominal.datasets.logs.boundary import QuestionableLog
from offnominal.datasets.recipe import rank
from offnominal.datasets.saving import save_dataset
from offnominal.datasets.split import counted
from offnominal.worlds.world_source import build_world

SOURCES = "sources.json"
STATED = ("dataset_id", "minari_version", "algorithm_name", "seed", "anomaly_onset", "anomaly_param")


class AnomalyGymRecordings(Mapping[str, RecordedSplit]):
    """The splits of one environment by our names; see :func:`open_anomaly_gym`.

    Args:
        folder: Folder of the environment.
        env_id: Published id of the environment.
        splits: Its splits.
        problems: Why other splits could not be read.
    """

    def __init__(
        self,
        folder: Path,
        env_id: str,
        splits: Mapping[str, RecordedSplit],
        problems: Mapping[str, OffnominalError],
    ) -> None:
        self.folder, self.env_id = folder, env_id
        self._splits, self._problems = dict(splits), dict(problems)

    @property
    def world(self) -> str:
        """Our id of the world that is the counterpart of the environment."""
        return ENVIRONMENTS[self.env_id]

    @property
    def problems(self) -> dict[str, str]:
        """Why splits could not be read, by our names; by that of the folder if it is no name of a split."""
        return {name: str(error) for name, error in self._problems.items()}

    @property
    def onset_mode(self) -> str:
        """``"start"`` if faults act from the first transition on, else ``"random"``.

        The authors put it into the name of the folder.
        """
        return "start" if "onset_start" in self.folder.resolve().parent.name else "random"

    @property
    def files(self) -> dict[str, str]:
        """SHA-256 of every file that was read, by its path relative to the folder."""
        return {path: sha256 for split in self._splits.values() for path, sha256 in sorted(split.files.items())}

    @property
    def sha256(self) -> str:
        """SHA-256 of :attr:`files` as sorted JSON: one hash for all that was read."""
        return sha256_of(json.dumps(self.files, sort_keys=True))

    def defects(self, name: str) -> tuple[str, ...]:
        """Return what is known to be wrong in a split of the published data; see :func:`known_defects`."""
        return known_defects(self.world, self[name].name)

    def __getitem__(self, name: str) -> RecordedSplit:
        """Return a split; raise what is wrong with it if it could not be read."""
        if name in self._splits:
            return self._splits[name]
        if name in self._problems:
            problem = self._problems[name]
            raise type(problem)(str(problem))
        names = [*self._splits, *self._problems]
        published = split_name(name, self.world) if isinstance(name, str) else None
        hint = f" Did you mean {published!r}?" if published in names else did_you_mean(str(name), names)
        raise UnknownName(f"{self.folder} has no split {shown(name)}.{hint} It has {', '.join(self._splits)}.")

    def __contains__(self, name: object) -> bool:
        return name in self._splits

    def __iter__(self) -> Iterator[str]:
        return iter(self._splits)

    def __len__(self) -> int:
        return len(self._splits)

    def __repr__(self) -> str:
        episodes = counted(sum(map(len, self._splits.values())), "episode")
        unread = f", {len(self._problems)} unread" if self._problems else ""
        return f"AnomalyGymRecordings({self.env_id}, {counted(len(self), 'split')} with {episodes}{unread})"


def open_anomaly_gym(
    folder: Path | str, env_id: str | None = None, *, splits: Iterable[str] | None = None
) -> AnomalyGymRecordings:
    """Read the published recordings of one environment of Anomaly-Gym.

    Splits get our names: ``train``, ``validation`` (theirs: ``val``), ``test``, and ``observation/noise@tiny`` for
    ``obs_noise_tiny``. Observations of several parts are concatenated in the order of their sorted names. The label of
    a transition is ``is_anomaly`` of the observation after it. Videos are not read: the episodes have no frames.

    Every split is read and checked now. A split that cannot be read is left out with a warning; the others go on. The
    recordings have errors of their own, which do not depend on the reader: see :func:`known_defects`. One is corrected:
    in the Reach worlds `success`, which is recorded as false in every episode, is left out.

    Args:
        folder: Folder of one policy, which contains those of the environments; or that of one environment.
        env_id: Id of the environment, such as ``"Sape-Goal0"``, or our id of the world. It may be None if the folder is
            that of an environment, or contains only one.
        splits: Splits to read, by our or by the published names; all if None. They must be readable.

    Raises:
        MissingDependency: The package ``h5py`` is not installed.
        MissingFile: The folder has no such environment, or lacks a split of `splits`.
        InvalidLog: No split can be read.
    """
    place = _environment_folder(folder, env_id)
    world = ENVIRONMENTS[place.name]
    card = build_world(world, 1).card
    widths = Widths(len(card.observation), len(card.action))
    chosen = None if splits is None else _chosen(splits, place, world)
    found, problems = {}, dict(_missing(place))
    names = _split_folders(place, world, problems)
    with progress(f"Reading {place.name}", total=len(names)) as tick:
        for name, part in names.items():
            if chosen is None or name in chosen:
                try:
                    found[name] = read_split(part, name, world, widths)
                except MissingDependency:
                    raise
                except OffnominalError as error:
                    if chosen is not None:
                        raise
                    problems[name] = error
            tick(note=name)
    if chosen is not None:
        problems = {name: error for name, error in problems.items() if name in chosen}
    if not found:
        why = next(iter(problems.values()), f"it has no folder with {DATA}")
        raise InvalidLog(f"no split of {place} can be read: {why}")
    if problems:
        listed = " ".join(f"{name}: {str(error).rstrip('.')}." for name, error in problems.items())
        warnings.warn(f"{counted(len(problems), 'split')} of {place} left out. {listed}", QuestionableLog, stacklevel=2)
    return AnomalyGymRecordings(place, place.name, found, problems)


def import_anomaly_gym(
    source: AnomalyGymRecordings | Path | str,
    folder: Path | str,
    *,
    env_id: str | None = None,
    overwrite: bool = False,
) -> Dataset:
    """Convert published recordings of Anomaly-Gym into a :class:`Dataset`.

    Its world is ``AnomalyGym/<environment>``: the environments of the authors are not ours. The file ``sources.json``
    beside the manifest has the SHA-256 of every file that was read, what its metadata say, the splits that were left
    out, and the known defects of each split.

    Args:
        source: Recordings of :func:`open_anomaly_gym`, or a folder as there.
        folder: As for :func:`save_dataset`.
        env_id: As for :func:`open_anomaly_gym`.
        overwrite: As for :func:`save_dataset`.
    """
    if isinstance(source, AnomalyGymRecordings):
        if env_id is not None:
            raise InvalidParameter(f"env_id is {shown(env_id)}, the recordings are of {source.env_id}; leave it out.")
        recordings = source
    else:
        recordings = open_anomaly_gym(source, env_id)
    return save_dataset(
        folder,
        recordings,
        world=f"AnomalyGym/{recordings.env_id}",
        channels=channels_of(build_world(recordings.world, 1)),
        source="anomaly-gym",
        documents={SOURCES: json.dumps(_sources(recordings), indent=2) + "\n"},
        overwrite=overwrite,
    )


def _sources(recordings: AnomalyGymRecordings) -> dict[str, Any]:
    """Return what is recorded about the files that were read."""
    return {
        "environment": recordings.env_id,
        "onset_mode": recordings.onset_mode,
        "sha256": recordings.sha256,
        "splits": {
            name: {
                "published": split.published,
                "files": dict(split.files),
                "stated": {key: split.metadata[key] for key in STATED if key in split.metadata},
                "defects": list(recordings.defects(name)),
            }
            for name, split in recordings.items()
        },
        "left_out": recordings.problems,
    }


def _environment_folder(folder: Path | str, env_id: str | None) -> Path:
    """Return the folder of an environment, named after its published id."""
    if not isinstance(folder, Path | str) or not str(folder):
        raise InvalidParameter(f"folder is {shown(folder)}; give the path of the recordings.")
    if env_id is not None and not isinstance(env_id, str):
        raise InvalidParameter(f"env_id is {shown(env_id)}; expected an id, such as 'Sape-Goal0'.")
    path = Path(folder)
    wanted = None if env_id is None else environment_id(env_id)
    with file_errors(path):
        if not path.is_dir():
            raise MissingFile(f"{path} is not a folder; give the folder of a policy, with one folder per environment.")
        name = path.resolve().name
        inside = sorted(each.name for each in path.iterdir() if each.name in ENVIRONMENTS and each.is_dir())
        below = sorted(each.name for each in path.iterdir() if each.is_dir() and _has_environment(each))
    if name in ENVIRONMENTS and wanted in (None, name):
        return path if path.name == name else path.resolve()
    if wanted is None and len(inside) == 1:
        return path / inside[0]
    if wanted in inside:
        return path / str(wanted)
    if below and not inside:
        raise MissingFile(f"{path} has several recordings; give one of its folders: {', '.join(below)}.")
    has = f"it has {', '.join(inside)}" if inside else "it has none"
    if wanted is None and inside:
        raise InvalidParameter(f"{path} has {counted(len(inside), 'environment')}; give env_id: {', '.join(inside)}.")
    raise MissingFile(f"{path} has no folder of the environment {wanted or 'that was asked for'}; {has}.")


def _has_environment(folder: Path) -> bool:
    return any((folder / name).is_dir() for name in ENVIRONMENTS)


def _chosen(splits: Iterable[str], folder: Path, world: str) -> set[str]:
    """Return our names of splits, each of which has a folder."""
    with file_errors(folder):
        present = {split_name(each.name, world) for each in folder.iterdir() if each.is_dir()} - {None}
    chosen = set()
    for given in [splits] if isinstance(splits, str) else splits:
        name = given if given in present else split_name(given, world) if isinstance(given, str) else None
        if name not in present or name is None:
            names = sorted(map(str, present))
            raise MissingFile(
                f"{folder} has no split {shown(given)}.{did_you_mean(str(given), names)} It has {', '.join(names)}."
            )
        chosen.add(name)
    if not chosen:
        raise InvalidParameter("splits is empty; name at least one split, or leave it out for all.")
    return chosen


def _missing(folder: Path) -> Iterator[tuple[str, OffnominalError]]:
    """Yield the nominal splits that have no folder."""
    for published, name in NOMINAL.items():
        with file_errors(folder):
            if not (folder / published).is_dir():
                yield name, MissingFile(f"{folder / published} does not exist; the nominal split is missing.")


def _split_folders(folder: Path, world: str, problems: dict[str, OffnominalError]) -> dict[str, Path]:
    """Return the folders of the splits by our names: nominal ones, then faults by anomaly and level.

    Other folders with data are added to the problems.
    """
    found: dict[str, Path] = {}
    with file_errors(folder):
        folders = sorted(each for each in folder.iterdir() if each.is_dir())
        for each in folders:
            name = split_name(each.name, world)
            if name is not None:
                found[name] = each
            elif (each / DATA).is_dir():
                problems[each.name] = InvalidLog(
                    f"{each} is named after no split; expected train, val, test, or an anomaly with its strength, such "
                    "as obs_noise_tiny."
                )
    nominal = list(NOMINAL.values())

    def place(name: str) -> tuple[int, str, tuple[int, str]]:
        anomaly, _, level = name.partition("@")
        return (nominal.index(name) if name in nominal else len(nominal)), anomaly, rank(level)

    return {name: found[name] for name in sorted(found, key=place)}
