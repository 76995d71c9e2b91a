"""Conversion to and from Minari, Farama's format for offline reinforcement learning.

Labels are stored as infos (one entry per observation; that of the reset is zero), faults as JSON in the metadata of
each episode. Frames are not converted.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete, Space

from offnominal.core.checks import positive_number
from offnominal.core.discrete_actions import n_discrete_actions
from offnominal.core.episode import Episode, Event
from offnominal.core.errors import (
    InvalidLog,
    InvalidParameter,
    MissingDependency,
    MissingFile,
    UnknownName,
    UnsupportedEnvironment,
)
from offnominal.core.files import file_errors, parse_json, read_json
from offnominal.core.printable import shown
from offnominal.core.types import Array
from offnominal.datasets.dataset import Dataset
from offnominal.datasets.frames import without_frames
from offnominal.datasets.hdf5_files import opened_hdf5
from offnominal.datasets.layout import arrays_of
from offnominal.datasets.logs.boundary import parsing
from offnominal.datasets.minari_folder import created_or_removed, hidden_folder, minari_writes_to
from offnominal.datasets.saving import save_dataset
from offnominal.datasets.split import Split
from offnominal.worlds.catalogue import gymnasium_id
from offnominal.worlds.world_source import build_world

KEY = "offnominal"
HOME = "https://github.com/offnominal/offnominal"
SHARES = {"train": 0.8, "validation": 0.1, "test": 0.1}
METADATA = "metadata.json"
SPACES = ("observation_space", "action_space")


def to_minari(source: Dataset | Split, id: str | None = None, *, splits: Iterable[str] | None = None) -> list[Any]:
    """Write splits as Minari datasets and return them.

    Frames are left out, and the description of the Minari dataset says so. If one split cannot be written, none is; a
    killed writer leaves no half-written one.

    Args:
        source: Split or dataset.
        id: Minari id of the split, such as ``"sap/train-v0"``; of a dataset, the namespace: ``"sap"`` gives
            ``"sap/train-v0"``, ``"sap/action-noise-tiny-v0"`` and so on. If None, the namespace is
            ``offnominal/<world>``.
        splits: Names of the splits of a dataset; all if None.

    Raises:
        InvalidParameter: The id is invalid, or such a dataset already exists; nothing was created.
    """
    namespace = f"offnominal/{id_part(source.world)}" if id is None else id
    if isinstance(source, Split):
        named = {f"{namespace}/{id_part(source.name)}-v0" if id is None else id: source}
    else:
        chosen = [source[name] for name in (source.splits if splits is None else splits)]
        named = {f"{namespace}/{id_part(split.name)}-v0": split for split in chosen}
        if len(named) < len(chosen):
            raise InvalidParameter(f"two splits would get one id; export them one by one: {', '.join(named)}.")
    for each in named:
        checked_id(each)
    minari = _library()
    with file_errors("the folder of Minari datasets"):
        root = Path(minari.storage.get_dataset_path())
    places = [root / each for each in named]
    for each, place in zip(named, places, strict=True):
        if place.exists():
            raise InvalidParameter(f"{each!r} already exists in {root}; choose another id, or `minari delete {each}`.")
    with created_or_removed(places, root):
        with hidden_folder(root) as hidden:
            with minari_writes_to(hidden):
                for each, split in named.items():
                    _write(minari, split, each)
            namespaces = {each.rpartition("/")[0] for each in named} - {""}
            for namespace in sorted(namespaces.difference(minari.namespace.list_local_namespaces())):
                minari.namespace.create_namespace(namespace)
            for each, place in zip(named, places, strict=True):
                (hidden / each).rename(place)
        return [minari.load_dataset(each) for each in named]


def from_minari(source: Any) -> list[Episode]:
    """Return the episodes of a Minari dataset with Box observations and Box or Discrete actions.

    The episodes are taken as nominal, unless :func:`to_minari` wrote them: then labels, events and all other signals
    are restored.

    Args:
        source: A ``MinariDataset``, or the id of one on this machine.
    """
    dataset = _opened(source)
    for side, kinds in (("observation_space", (Box,)), ("action_space", (Box, Discrete))):
        if not isinstance(getattr(dataset, side), kinds):
            expected = " or ".join(kind.__name__ for kind in kinds)
            raise UnsupportedEnvironment(f"{dataset.id} has the {side} {getattr(dataset, side)}; expected {expected}.")
    with parsing(dataset.id, "episodes"):
        ours = parse_json(dataset.storage.metadata.get(KEY, "null"), dataset.id)
        metadata = dataset.storage.get_episode_metadata(dataset.episode_indices)
        return [_episode(data, about, ours) for data, about in zip(dataset.iterate_episodes(), metadata, strict=True)]


def import_minari(
    source: Any, folder: Path | str, *, shares: Mapping[str, float] = SHARES, overwrite: bool = False
) -> Dataset:
    """Convert a Minari dataset into a :class:`Dataset`.

    Args:
        source: As for :func:`from_minari`.
        folder: As for :func:`save_dataset`.
        shares: Fraction of the episodes of each split, in their order.
        overwrite: As for :func:`save_dataset`.
    """
    for name, share in shares.items():
        positive_number(f"shares[{name!r}]", share)
    dataset = _opened(source)
    episodes = from_minari(dataset)
    total, passed = sum(shares.values()), 0.0
    splits: dict[str, list[Episode]] = {}
    for name, share in shares.items():
        first = round(len(episodes) * passed / total)
        passed += share
        splits[name] = episodes[first : round(len(episodes) * passed / total)]
    filled = {name: part for name, part in splits.items() if part}
    return save_dataset(folder, filled, world=dataset.id, source="minari", overwrite=overwrite)


def _library() -> Any:
    try:
        import h5py  # noqa: F401
        import minari
    except ImportError:
        raise MissingDependency("this needs Minari; install it with `pip install offnominal[minari]`.") from None
    return minari


def _opened(source: Any) -> Any:
    if not isinstance(source, str):
        if not hasattr(source, "observation_space") or not hasattr(source, "iterate_episodes"):
            raise InvalidParameter(f"source is {shown(source)}; expected a MinariDataset, or the id of one.")
        refuse_foreign_content(source.id, Path(source.storage.data_path))
        return source
    minari = _library()
    checked_id(source)
    with file_errors(source):
        folder = Path(minari.storage.get_dataset_path(source)) / "data"
        if not folder.exists():
            raise MissingFile(
                f"no Minari dataset {source!r} on this machine; `minari list local` lists them, "
                f"`minari download {source}` fetches it."
            )
    refuse_foreign_content(source, folder)
    with parsing(folder, "a Minari dataset"):
        return minari.load_dataset(source)


def _write(minari: Any, split: Split, id: str) -> None:
    episodes = [without_frames(episode) for episode in split]
    left_out = " Its frames were left out." if split.entry.frames else ""
    closed = [name for name, values in arrays_of(episodes[0]).items() if len(values) > len(episodes[0])]
    try:
        with warnings.catch_warnings():
            # Minari warns about every missing field of its metadata.
            warnings.simplefilter("ignore", UserWarning)
            dataset = minari.create_dataset_from_buffers(
                id,
                buffer=[_buffer(minari, episode) for episode in episodes],
                description=f"Split {split.name!r} of {split.world}, recorded by Offnominal.{left_out}",
                code_permalink=HOME,
                jpeg_encoding=False,
                **_setting(split, episodes),
            )
    except (ValueError, TypeError) as error:
        raise InvalidParameter(f"Minari rejects {id!r}: {error}") from None
    dataset.storage.update_metadata({KEY: json.dumps({"split": split.name, "world": split.world, "closed": closed})})
    dataset.storage.update_episode_metadata(
        [{KEY: json.dumps([event.to_dict() for event in episode.events])} for episode in episodes]
    )


def _setting(split: Split, episodes: list[Episode]) -> dict[str, Any]:
    """Return Minari's arguments for the world; for an unknown world, its spaces."""
    try:
        card = build_world(split.world, 1).card
        return {
            "env": gymnasium_id(split.world),
            "ref_min_score": card.random_return,
            "ref_max_score": card.expert_return,
        }
    except UnknownName:
        first, n_actions = episodes[0], n_discrete_actions(episodes)
        action_space = Discrete(n_actions) if n_actions else _unlimited(first.actions)
        return {"observation_space": _unlimited(first.observations), "action_space": action_space}


def _unlimited(values: Array) -> Space[Any]:
    return Box(-np.inf, np.inf, values.shape[1:], values.dtype.type)


def _buffer(minari: Any, episode: Episode) -> Any:
    last = np.zeros(len(episode), np.bool_)
    last[-1:] = True
    infos = {"active": episode.active, **episode.extras}
    return minari.data_collector.EpisodeBuffer(
        seed=episode.seed,
        observations=episode.observations,
        actions=episode.actions,
        rewards=episode.rewards,
        terminations=last & episode.terminated,
        truncations=last & (not episode.terminated),
        infos={name: _from_reset(values, len(episode)) for name, values in infos.items() if values[:1].size},
    )


def _from_reset(values: Array, length: int) -> Array:
    """Return a signal with an entry for the reset, which is added if it is missing."""
    return values if len(values) > length else np.concatenate([np.zeros_like(values[:1]), values])


def _episode(data: Any, about: Mapping[str, Any], ours: Mapping[str, Any] | None) -> Episode:
    extras: dict[str, Array] = {}
    if ours:
        extras = {name: values if name in ours["closed"] else values[1:] for name, values in sorted(data.infos.items())}
    events = [Event.from_dict(event) for event in parse_json(about.get(KEY, "[]"), "metadata of an episode")]
    return Episode(
        observations=data.observations,
        actions=data.actions,
        rewards=np.asarray(data.rewards, np.float64),
        active=extras.pop("active", np.zeros(len(data.rewards), np.bool_)),
        events=tuple(events),
        seed=int(about.get("seed", data.id)),
        terminated=bool(np.any(data.terminations)),
        extras=extras,
    )


def refuse_foreign_content(name: str, folder: Path) -> None:
    """Raise :class:`InvalidLog` if reading a dataset would read other files of the machine or run code that it names.

    HDF5 files may link to other files. Without its spaces in the metadata, Minari builds the environment that the
    metadata describe, and calls whatever function they name.

    Args:
        name: Id of the dataset, for error messages.
        folder: Folder of the data, with ``metadata.json``.
    """
    with file_errors(folder):
        if not (folder / METADATA).is_file():
            raise InvalidLog(f"{name!r} is not a Minari dataset: {folder} has no {METADATA}.")
    metadata = read_json(folder / METADATA)
    for space in SPACES:
        if not isinstance(metadata.get(space), str):
            raise InvalidLog(
                f"{folder / METADATA} has no {space!r}, and Minari would call the function that its 'env_spec' names. "
                f"Add the {space} of the environment, if you trust the dataset."
            )
    with file_errors(folder):
        files = sorted(folder.rglob("*.hdf5"))
    for file in files:
        with opened_hdf5(file):
            pass


ID = re.compile(r"(?:[-\w]+/)*[-\w]+-v\d{1,9}")
LONGEST = 200


def checked_id(id: Any) -> str:
    """Return the id of a Minari dataset; raise if it is invalid, such as an absolute path or ``..``.

    Example:
        >>> checked_id("sap/train-v0")
        'sap/train-v0'
        >>> checked_id("../../train-v0")
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: '../../train-v0' is not an id of a Minari dataset; expected letters...
    """
    if not isinstance(id, str) or len(id) > LONGEST or not ID.fullmatch(id):
        raise InvalidParameter(
            f"{id!r} is not an id of a Minari dataset; expected letters, digits, - and _ with / between namespaces and "
            f"a version at the end, such as 'sap/train-v0', of at most {LONGEST} characters."
        )
    return id


def id_part(name: str) -> str:
    """Return a name with hyphens in place of characters that an id cannot have.

    Example:
        >>> id_part("action/noise@tiny")
        'action-noise-tiny'
    """
    return re.sub(r"[^-_0-9a-zA-Z]", "-", name)
