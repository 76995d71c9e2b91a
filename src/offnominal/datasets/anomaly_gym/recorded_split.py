"""One split of the published recordings of Anomaly-Gym: a Minari file of episodes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, overload

import numpy as np

from offnominal.anomalies.strengths import published_strengths
from offnominal.core.checks import NUMERIC
from offnominal.core.episode import Episode, Event
from offnominal.core.errors import InvalidEpisode, InvalidLog, MissingFile, UnsupportedFormat
from offnominal.core.files import file_errors, read_json, sha256_of
from offnominal.core.types import Array, BoolArray
from offnominal.datasets.anomaly_gym.published_names import NOMINAL
from offnominal.datasets.hdf5_files import opened_hdf5
from offnominal.datasets.logs.boundary import parsing, require_fits
from offnominal.datasets.split import counted

DATA, MAIN, METADATA = "data", "main_data.hdf5", "metadata.json"
LABEL = "is_anomaly"
EXTRAS: dict[str, tuple[str, type]] = {
    "is_success": ("success", np.bool_),
    "is_critical": ("critical", np.bool_),
    "cost": ("cost", np.float64),
}
"""Our name and type of the infos of a transition."""
NO_SUCCESS = ("URM-Reach", "URR-Reach")
"""Worlds whose published success is always false."""
MINARI = "0.5"


class Widths(NamedTuple):
    """Number of channels of a world."""

    observation: int
    action: int


@dataclass(frozen=True, repr=False)
class RecordedSplit(Sequence[Episode]):
    """The episodes of one published split.

    Args:
        name: Our name of the split, such as ``observation/noise@tiny``.
        published: Its published name, such as ``obs_noise_tiny``.
        episodes: Its episodes.
        metadata: Content of its ``metadata.json``: what Minari and the authors say about it.
        files: SHA-256 of the files that were read, by their path relative to the folder of the environment.
    """

    name: str
    published: str
    episodes: tuple[Episode, ...]
    metadata: Mapping[str, Any]
    files: Mapping[str, str]

    @overload
    def __getitem__(self, index: int) -> Episode: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Episode, ...]: ...
    def __getitem__(self, index: int | slice) -> Episode | tuple[Episode, ...]:
        return self.episodes[index]

    def __iter__(self) -> Iterator[Episode]:
        return iter(self.episodes)

    def __len__(self) -> int:
        return len(self.episodes)

    def __repr__(self) -> str:
        steps = sum(map(len, self.episodes))
        return f"RecordedSplit({self.name!r}, {counted(len(self), 'episode')}, {counted(steps, 'step')})"

    @property
    def faulty(self) -> BoolArray:
        """(n,): whether an episode has an active label."""
        return np.array([bool(episode.active.any()) for episode in self.episodes], np.bool_)


def read_split(folder: Path, name: str, world: str, widths: Widths) -> RecordedSplit:
    """Read a split, and check it.

    Args:
        folder: Folder of the split, with ``data/main_data.hdf5``.
        name: Our name of the split.
        world: Our id of the world.
        widths: Number of channels that every episode must have.

    Raises:
        MissingFile: A file is missing.
        UnsupportedFormat: It was written by another version of Minari than 0.5, or in another of its formats.
        DamagedFile: The metadata are no JSON object.
        InvalidLog: The file is damaged, is incomplete, has other channels or labels that contradict its name.
    """
    metadata_path, path = folder / DATA / METADATA, folder / DATA / MAIN
    metadata = _metadata(metadata_path, path)
    published = folder.name
    parameter = _parameter(metadata, world, name)
    reading = _Reading(name, world, widths, parameter, _seed(metadata.get("seed")))
    with opened_hdf5(path) as file:
        episodes = tuple(_episodes(file, path, reading))
    steps = sum(map(len, episodes))
    for field, found in (("total_episodes", len(episodes)), ("total_steps", steps)):
        stated = metadata.get(field)
        if stated is not None and stated != found:
            raise InvalidLog(f"{path} is incomplete: {field} is {stated} in {METADATA}, and the file has {found}.")
    labelled = any(episode.active.any() for episode in episodes)
    if labelled == (published in NOMINAL):
        said = "has labels of an anomaly" if labelled else "has no label of an anomaly in any episode"
        raise InvalidLog(f"{path} {said}, which contradicts the name of the split, {published!r}.")
    files = {f"{published}/{DATA}/{each.name}": sha256_of(each) for each in (metadata_path, path)}
    return RecordedSplit(name, published, episodes, metadata, files)


def _metadata(path: Path, data: Path) -> dict[str, Any]:
    with file_errors(path):
        has_data, has_metadata = data.is_file(), path.is_file()
    if not has_data:
        raise MissingFile(f"{data} does not exist; a split of Anomaly-Gym has {DATA}/{MAIN} and {DATA}/{METADATA}.")
    if not has_metadata:
        raise UnsupportedFormat(f"{data} has no {METADATA} beside it, as files before Minari {MINARI}; convert it.")
    metadata = read_json(path)
    kind, version = metadata.get("data_format", "hdf5"), metadata.get("minari_version", MINARI)
    if kind != "hdf5":
        raise UnsupportedFormat(f"{path} says data_format {kind!r}; expected 'hdf5'.")
    if not re.match(rf"{re.escape(MINARI)}(\.|$)", str(version)):
        raise UnsupportedFormat(f"{path} says minari_version {version!r}; expected {MINARI}.")
    return metadata


def _parameter(metadata: Mapping[str, Any], world: str, name: str) -> float | None:
    """Return the parameter of the fault: that in the metadata, else the published one; None if both are unknown."""
    if name in NOMINAL.values():
        return None
    stated = metadata.get("anomaly_param")
    if isinstance(stated, int | float) and not isinstance(stated, bool) and math.isfinite(stated):
        return float(stated)
    anomaly, _, level = name.partition("@")
    return published_strengths().get((world, anomaly, level))


def _seed(stated: Any) -> int | None:
    try:
        return int(stated)
    except (TypeError, ValueError, OverflowError):
        return None


class _Reading(NamedTuple):
    name: str
    world: str
    widths: Widths
    parameter: float | None
    seed: int | None


def _episodes(file: Any, path: Path, reading: _Reading) -> Iterator[Episode]:
    require_fits(path, sum(_sizes(file)), "the arrays of its episodes")
    names = {f"episode_{number}" for number in range(len(file))}
    missing, other = sorted(names.difference(file)), sorted(set(file).difference(names))
    if not len(file) or missing:
        instead = f", and has {other[0]!r}" if other else ""
        raise InvalidLog(f"{path} has no {missing[0] if missing else 'episode_0'!r}{instead}.")
    for number in range(len(file)):
        place = f"{path}, episode_{number}"
        with parsing(place, "an episode"):
            try:
                episode = _episode(file[f"episode_{number}"], number, place, reading)
            except InvalidEpisode as error:
                raise InvalidLog(f"{place}: {error}") from None
        yield episode


def _sizes(group: Any) -> Iterator[int]:
    """Yield the bytes of every array below a group, from its header."""
    for entry in group.values():
        if hasattr(entry, "values"):
            yield from _sizes(entry)
        else:
            yield entry.size * entry.dtype.itemsize


def _episode(group: Any, number: int, place: str, reading: _Reading) -> Episode:
    rewards = np.asarray(_numbers(group, "rewards", place), np.float64).reshape(-1)
    steps = len(rewards)
    observations, actions = _channels(group["observations"], place), _numbers(group, "actions", place)
    actions = actions.reshape(len(actions), -1)
    for what, values, width in (
        ("observations", observations, reading.widths.observation),
        ("actions", actions, reading.widths.action),
    ):
        if values.shape[1] != width:
            raise InvalidLog(f"{place}: {what} have {values.shape[1]} channels; those of {reading.world} have {width}.")
    terminations = _of_length(_numbers(group, "terminations", place), steps, "terminations", place)
    _of_length(_numbers(group, "truncations", place), steps, "truncations", place)
    infos = group.get("infos", {})
    if LABEL not in infos:
        raise InvalidLog(f"{place} has no labels, 'infos/{LABEL}'.")
    # The first entry of an info is that of the reset.
    of_steps = {
        name: _of_length(_numbers(infos, name, place), steps + 1, f"infos/{name}", place)[1:]
        for name in (LABEL, *EXTRAS)
        if name in infos and not (name == "is_success" and reading.world.startswith(NO_SUCCESS))
    }
    active = of_steps.pop(LABEL)
    episode = Episode(
        observations=observations,
        actions=actions,
        rewards=rewards,
        active=active,
        seed=_episode_seed(group, number, reading.seed),
        terminated=bool(terminations.any()),
        extras={EXTRAS[name][0]: values.astype(EXTRAS[name][1]) for name, values in of_steps.items()},
    )
    return replace(episode, events=_events(episode.active, reading))


def _events(active: BoolArray, reading: _Reading) -> tuple[Event, ...]:
    """Return the fault of an episode by its labels; none if it ended before the onset or the parameter is unknown."""
    if reading.parameter is None or not active.any():
        return ()
    onset, last = int(np.argmax(active)), len(active) - int(np.argmax(active[::-1]))
    end = last if last < len(active) else None
    return (Event(reading.name.partition("@")[0], reading.parameter, onset, end),)


def _episode_seed(group: Any, number: int, first: int | None) -> int:
    """Return the recorded seed of an episode; else that of the split plus its number."""
    recorded = _seed(group.attrs.get("seed"))
    return recorded if recorded is not None else (first or 0) + number


def _channels(entry: Any, place: str) -> Array:
    """Return observations as a matrix; those of a Dict space are concatenated by their sorted names, as Gymnasium."""
    if hasattr(entry, "keys"):
        return np.concatenate([_channels(entry[name], place) for name in sorted(entry)], axis=1)
    values = _checked(entry[()], "observations", place)
    return values.reshape(len(values), -1)


def _numbers(group: Any, name: str, place: str) -> Array:
    return _checked(group[name][()], name, place)


def _checked(values: Any, name: str, place: str) -> Array:
    if not isinstance(values, np.ndarray) or values.dtype.kind not in NUMERIC or not values.ndim:
        raise InvalidLog(f"{place}: {name} is not an array of numbers.")
    return values


def _of_length(values: Array, length: int, name: str, place: str) -> Array:
    flat = values.reshape(-1)
    if len(flat) != length:
        raise InvalidLog(f"{place}: {name} has {len(flat)} entries; expected {length}.")
    return flat
