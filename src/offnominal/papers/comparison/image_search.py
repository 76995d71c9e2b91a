"""Run a cell of a comparison on images: split the set, fit the configurations, evaluate them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

from offnominal.datasets.image_sets import ImagePart, ImageSet, leave_one_in, leave_one_out, load_images
from offnominal.datasets.tables import TableSplit
from offnominal.datasets.tables.table_split import TablePart
from offnominal.papers.comparison.cells import ImageCell
from offnominal.papers.comparison.configuration_results import ConfigurationResult, count_cost, search_rows
from offnominal.papers.comparison.finished_fits import FinishedFits
from offnominal.papers.comparison.metrics import image_distances
from offnominal.papers.comparison.runners.deep_runners import DeepRunner, EncoderRunner
from offnominal.papers.comparison.runners.neighbour_runners import WideNeighboursRunner
from offnominal.papers.comparison.runners.runner import ConfigurationRunner
from offnominal.papers.comparison.runners.svm_runners import SlicedSVMRunner
from offnominal.papers.comparison.search_spaces import (
    CLASSICAL,
    NETWORKS,
    SECOND_STAGES,
    Configuration,
    image_search_space_of,
    sample_configurations,
)
from offnominal.studies.cell_result import CellRows
from offnominal.studies.code import Sources
from offnominal.studies.resource_meter import ResourceMeter

CODE_TARGETS = (
    "offnominal.papers.comparison.image_search:run_search",
    "offnominal.datasets.image_sets:leave_one_out",
)
Found = tuple[str, list[ConfigurationResult]]


def run_search(cell: ImageCell, images: ImageSet, meter: ResourceMeter, *, code: str) -> CellRows:
    """Fit and evaluate all configurations of a cell, on a GPU if there is one.

    Args:
        cell: The cell.
        images: Its image set.
        meter: Measures the cost.
        code: Hash of the code; finished fits are kept under it until the cell is finished.
    """
    parts, name = split_of(cell, images)
    fits = FinishedFits(cell.digest(), code, data_hash(images))
    with meter("try"):
        found = list(_results(cell, parts, fits))
    with meter("evaluate"):
        distances = image_distances(parts)
        rows = [
            row | {"kind": cell.leave, "variant": name}
            for method, results in found
            for row in search_rows(method, cell.images, cell.seed, results, parts, distances)
        ]
    # Methods that share a network report its whole fit each; the cell has paid for it once.
    score_s = sum(each.score_s for _, results in found for each in results)
    fit_s = max(meter.cpu["try"] + fits.saved_s - score_s, 0.0)
    count_cost(meter, fit_s, score_s, sum(len(results) for _, results in found), parts)
    fits.remove()
    return CellRows(rows)


def split_of(cell: ImageCell, images: ImageSet) -> tuple[TableSplit, str]:
    """Return the parts of a cell, each point an image of channels × height × width, and the name of its class.

    Parts are shuffled, so the first images of a part are a random sample.
    """
    chosen = (leave_one_out if cell.leave == "leave-one-out" else leave_one_in)(images, cell.class_index, cell.seed)
    train, validation, test = (
        _part(part, most)
        for part, most in ((chosen.train, cell.n_train), (chosen.validation, cell.n_test), (chosen.test, cell.n_test))
    )
    return TableSplit(train, validation, test), images.classes[images.order[cell.class_index]]


def _part(part: ImagePart, most: int | None) -> TablePart:
    """Return the first images of a part; both labels keep their share."""
    keep = np.arange(len(part))
    if most is not None and most < len(part):
        share = most / len(part)
        keep = np.sort(
            np.concatenate(
                [
                    np.flatnonzero(part.anomalous == label)[: round(share * (part.anomalous == label).sum())]
                    for label in (False, True)
                ]
            )
        )
    fewer = ImagePart(part.source, part.rows[keep], part.anomalous[keep])
    return TablePart(fewer.images, fewer.anomalous, fewer.rows)  # type: ignore[arg-type]


def flat(parts: TableSplit) -> TableSplit:
    """Return the same parts with a row of numbers per image."""
    return TableSplit(_flat(parts.train), _flat(parts.validation), _flat(parts.test))


def _flat(part: TablePart) -> TablePart:
    return TablePart(part.points.reshape(len(part), -1).astype(np.float64), part.anomalous, part.rows)


def _results(cell: ImageCell, parts: TableSplit, fits: FinishedFits) -> Iterator[Found]:
    """Yield the results of every method of a cell."""
    if cell.methods[0] in CLASSICAL:
        (method,) = cell.methods
        yield method, _classical(cell, method, flat(parts), cell.configurations)
    elif cell.methods[0] in NETWORKS and cell.methods[0] != "vae":
        (method,) = cell.methods
        space, scores = image_search_space_of(method)
        drawn = sample_configurations(space, cell.configurations, seed=cell.search)
        each = [
            network | cell.fixed | ({"score_name": by} if by else {}) for network in drawn for by in scores or ("",)
        ]
        yield method, DeepRunner(method).run(each, parts, cell.seed, fits=fits)
    else:
        yield from _coded(cell, parts, fits)


def _classical(
    cell: ImageCell, method: str, parts: TableSplit, count: int, search: int = 0
) -> list[ConfigurationResult]:
    """Fit configurations of a method without a network."""
    base = SECOND_STAGES.get(method, method)
    runner: ConfigurationRunner
    details = {}
    if base == "osvm":
        runner = SlicedSVMRunner(base, cell.machines, cell.machine_rows)
        details = {"machines": cell.machines, "rows": next(s.stop for s in runner.slices(len(parts.train)))}
    else:
        runner = WideNeighboursRunner(base)
    fixed = cell.fixed if method in CLASSICAL else {}
    drawn = sample_configurations(image_search_space_of(method)[0], count, seed=cell.search + search)
    results = runner.run([each | fixed for each in drawn], parts, cell.seed)
    return [replace(each, configuration=each.configuration | details) for each in results]


def _coded(cell: ImageCell, parts: TableSplit, fits: FinishedFits) -> Iterator[Found]:
    """Train networks one after the other, and fit the second stages on the codes of each."""
    found: dict[str, list[ConfigurationResult]] = {method: [] for method in cell.methods}
    space, _ = image_search_space_of("vae")
    for number, drawn in enumerate(sample_configurations(space, cell.configurations, seed=cell.search)):
        network = drawn | cell.fixed
        results = fits.computed(f"network {number}", partial(_with_second_stages, cell, number, network, parts))
        for method in cell.methods:
            found[method] += results[method]
    yield from found.items()


def _with_second_stages(
    cell: ImageCell, number: int, network: Configuration, parts: TableSplit
) -> dict[str, list[ConfigurationResult]]:
    """Train one network, and fit the second stages on its codes."""
    runner = EncoderRunner("vae")
    _, scores = image_search_space_of("vae")
    results = runner.run([network | {"score_name": by} for by in scores], parts, cell.seed)
    fit_s = sum(each.fit_s for each in results)
    found: dict[str, list[ConfigurationResult]] = {}
    for method in cell.methods:
        if method == "vae":
            found[method] = results
        elif runner.codes is not None:
            seconds = _classical(cell, method, runner.codes, cell.n_second_stage, search=number)
            found[method] = [
                replace(each, configuration=network | each.configuration, fit_s=fit_s + each.fit_s) for each in seconds
            ]
        else:
            found[method] = [ConfigurationResult(network, failure=results[0].failure)]
    return found


def method_code(cell: ImageCell, sources: Sources) -> list[Any]:
    """Return a hash of the code of the methods, and their search spaces.

    The methods are classes, not registered objects: they have no version.
    """
    spaces = [image_search_space_of(method) for method in cell.methods]
    details = [[method, dict(space.grid), scores] for method, (space, scores) in zip(cell.methods, spaces, strict=True)]
    return [sources.version(*(space.detector for space, _ in spaces)), details]


def data_hash(images: ImageSet) -> str:
    """Return a hash of the images and labels of a set.

    Example:
        >>> data_hash(ImageSet("mine", np.zeros((2, 3, 3, 1), np.uint8), [0, 1], ("a", "b")))[:8]
        'bba52eaa'
    """
    text = hashlib.sha256(json.dumps([images.images.shape, images.classes]).encode())
    text.update(np.ascontiguousarray(images.images).tobytes())
    text.update(images.labels.astype("<i8").tobytes())
    return text.hexdigest()


@lru_cache(maxsize=1)
def open_images(name: str) -> ImageSet:
    """Return an image set, downloaded if it is missing."""
    return load_images(name)
