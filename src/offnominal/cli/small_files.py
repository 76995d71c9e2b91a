"""The kinds of small files that carry a checksum: how each is recognised, read and given a new checksum."""

from __future__ import annotations

import csv
from collections.abc import Callable, Set
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from offnominal.core.checksum import (
    LINE,
    read_checked_json,
    renew_checksum_of_json,
    renew_checksum_of_text,
)
from offnominal.core.errors import DamagedFile, InvalidParameter, MissingFile
from offnominal.core.files import content_errors, read_bytes, read_json, write_bytes

PARQUET = b"PAR1"
ALIKE = 0.5
"""Fraction of the names of a kind and of those in a file that are in both, from which on the file is of this kind."""


@dataclass(frozen=True)
class SmallFile:
    """A kind of small file.

    Args:
        name: What the file is.
        entries: Names of the entries of a JSON object, or of the columns of a table.
        load: Reads the file as its users do, so that every check of a reader is made.
        renew: Writes the checksum of the present content.
    """

    name: str
    entries: frozenset[str]
    load: Callable[[Path], object]
    renew: Callable[[Path], None] = renew_checksum_of_json


def small_file(path: Path) -> SmallFile:
    """Return the kind of a small file, also of a damaged one that can still be parsed.

    Raises:
        DamagedFile: It is neither a JSON object nor a table.
        InvalidParameter: It is of no known kind.
    """
    content = read_bytes(path)
    if content.startswith(PARQUET):
        return RESULT_TABLE
    names = set(read_json(path)) if content.lstrip().startswith(b"{") else set(_columns(content))
    kind = max(SMALL_FILES, key=lambda each: _similarity(names, each.entries))
    if _similarity(names, kind.entries) < ALIKE:
        known = ", ".join(each.name for each in (*SMALL_FILES, RESULT_TABLE))
        raise InvalidParameter(f"{path} is no file that can be verified; expected a folder, or one of: {known}.")
    return kind


def renew(path: Path, kind: SmallFile) -> None:
    """Write the checksum of the present content into a file; if it then cannot be read, the file stays as it was.

    Raises:
        OffnominalError: The content is not that of such a file.
    """
    before = read_bytes(path)
    try:
        kind.renew(path)
        kind.load(path)
    except BaseException:
        write_bytes(path, before)
        raise


def _similarity(names: Set[str], entries: Set[str]) -> float:
    return len(names & entries) / len(names | entries)


def _columns(content: bytes) -> list[str]:
    """Return the names of the columns of a table, which begins below the line of a checksum if there is one."""
    lines = content[:10_000].decode("utf-8", "replace").splitlines()
    header = [line for line in lines[:2] if LINE.strip("# ") not in line][:1]
    try:
        return next(csv.reader(header), [])
    except csv.Error:
        return []


def _load_alarm(path: Path) -> object:
    from offnominal.alarms import load_alarm

    return load_alarm(path)


def _load_detector(path: Path) -> object:
    """Read a detector of any kind; the weights are beside the card. Detectors of two kinds may have the same id."""
    from offnominal.detectors import detectors, load_detector
    from offnominal.detectors.classifiers.catalogue import class_detectors, load_class_detector
    from offnominal.detectors.files import read_detector_card
    from offnominal.detectors.scenes.catalogue import load_scene_detector, scene_detectors

    id, stem = read_detector_card(path).detector, path.with_suffix("")
    readers: list[Callable[[Path], object]] = [load_class_detector] if id in class_detectors else []
    readers += [load_scene_detector] if id in scene_detectors else []
    readers += [load_detector] if id in detectors or not readers else []
    for read in readers[:-1]:
        with suppress(DamagedFile):
            return read(stem)
    return readers[-1](stem)


def _load_training_record(path: Path) -> object:
    from offnominal.detectors.scenes.network_record import read_record

    return read_record(path.with_name(path.name.removesuffix(".training.json")))


def _load_policy(path: Path) -> object:
    """Read a policy; weights of the package that are not beside their card are read from where they are."""
    from offnominal.agents.files import load_weights, read_card
    from offnominal.agents.weights import shipped_card, shipped_names, shipped_policy

    card, weights = read_card(path), path.with_suffix(".safetensors")
    if not weights.exists() and path.stem in shipped_names() and card == shipped_card(path.stem):
        return shipped_policy(path.stem), card
    if not weights.exists():
        raise MissingFile(f"{weights} does not exist; the weights of a policy are beside its card.")
    return load_weights(weights, card), card


def _renew_policy(path: Path) -> None:
    from offnominal.agents.files import renew_card

    renew_card(path)


def _load_fault_library(path: Path) -> object:
    from offnominal.detectors.diagnosis import FaultLibrary

    return FaultLibrary.load(path)


def _load_strengths(path: Path) -> object:
    from offnominal.anomalies.strengths import read_strengths

    return read_strengths(path)


def _load_matched_strengths(path: Path) -> object:
    from offnominal.anomalies.matched_strengths import read_matched_strengths

    return read_matched_strengths(path)


def _load_published_strengths(path: Path) -> object:
    from offnominal.anomalies.strengths import read_published_strengths

    return read_published_strengths(path)


def _load_generation(path: Path) -> object:
    from offnominal.studies.generation import read_generation

    return read_generation(path.parent)


def _load_failure(path: Path) -> object:
    from offnominal.studies.failure import Failure

    with content_errors(path, "the failure of a cell"):
        return Failure.from_dict(read_checked_json(path))


def _load_scenarios(path: Path) -> object:
    from offnominal.worlds.road.scenarios import read_scenario_file

    return read_scenario_file(path)


def _load_result_table(path: Path) -> object:
    from offnominal.studies.files import hash_in, read_table

    if hash_in(read_bytes(path)) is None:
        raise InvalidParameter(f"{path} carries no SHA-256; verify the folder that it belongs to.")
    return read_table(path)


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


SMALL_FILES = (
    SmallFile("alarm", _names("checksum format alarm options learned"), _load_alarm),
    SmallFile("card of a detector", _names("checksum detector parameters sha256 format"), _load_detector),
    SmallFile(
        "record of a training",
        _names(
            "checksum detector sha256 scenes frames scenes_sha256 towns weathers seed device torch minutes updates "
            "validation_loss metrics"
        ),
        _load_training_record,
    ),
    SmallFile(
        "card of a policy",
        _names(
            "world algorithm low high n_actions activation squash uncertainty probability passes discount command "
            "settings steps episodes mean_return return_interval success mean_length sha256 card_sha256 format"
        ),
        _load_policy,
        _renew_policy,
    ),
    SmallFile(
        "library of faults",
        _names("checksum format detector channels n_neighbors quantile faults"),
        _load_fault_library,
    ),
    SmallFile("generation of a store", _names("checksum store number cells"), _load_generation),
    SmallFile("failure of a cell", _names("checksum key label error message traceback cell time"), _load_failure),
    SmallFile("scenario file", _names("checksum scenario_definition"), _load_scenarios),
    SmallFile(
        "table of strengths",
        _names(
            "world anomaly direction level target attainable parameter score low high deviation population_low "
            "population_high dataset_score dataset_low dataset_high signal largest_signal limit onset episodes fresh "
            "policies note"
        ),
        _load_strengths,
        renew_checksum_of_text,
    ),
    SmallFile(
        "table of equally detectable strengths",
        _names(
            "world anomaly direction level target attainable parameter auroc low high limit episodes fresh policies "
            "note"
        ),
        _load_matched_strengths,
        renew_checksum_of_text,
    ),
    SmallFile(
        "table of published strengths",
        _names("world anomaly level parameter score"),
        _load_published_strengths,
        renew_checksum_of_text,
    ),
)


def _keep_checksum(path: Path) -> None:
    raise InvalidParameter(f"{path} gets its SHA-256 when a study writes it; it cannot be renewed.")


RESULT_TABLE = SmallFile("table of results", frozenset(), _load_result_table, _keep_checksum)
