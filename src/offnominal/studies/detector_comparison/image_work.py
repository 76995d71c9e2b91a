"""Do a cell of a comparison on images: split the set, try the configurations, measure them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

import numpy as np

from offnominal.datasets.image_sets import ImagePart, ImageSet, leave_one_in, leave_one_out, load_images
from offnominal.datasets.tables import TableSplit
from offnominal.datasets.tables.split import Part
from offnominal.studies.code import Sources
from offnominal.studies.detector_comparison.deep_families import DeepFamily
from offnominal.studies.detector_comparison.encoders import EncoderFamily
from offnominal.studies.detector_comparison.family import Family
from offnominal.studies.detector_comparison.image_cell import ImageCell
from offnominal.studies.detector_comparison.image_families import SlicedSVMFamily, WideNeighboursFamily
from offnominal.studies.detector_comparison.image_rows import image_distances, measured_rows
from offnominal.studies.detector_comparison.image_spaces import CLASSICAL, NETWORKS, SECOND_STAGES, image_space_of
from offnominal.studies.detector_comparison.space import sample
from offnominal.studies.detector_comparison.tried import Tried
from offnominal.studies.finished import Finished, finished
from offnominal.studies.meter import Meter
from offnominal.studies.work import one_thread

PACKAGE = "offnominal.studies.detector_comparison"
JUDGE = (f"{PACKAGE}.image_work:work", "offnominal.datasets.image_sets:leave_one_out")
Found = tuple[str, list[Tried]]


def work(cell: ImageCell, *, sources: Sources | None = None) -> Finished:
    """Do a cell in this process, with one thread, on a GPU if there is one.

    Args:
        cell: What to do.
        sources: Code that was read before.
    """
    meter = Meter()
    code = code_of(cell, sources or Sources())
    images = _images(cell.images)
    parts, name = split_of(cell, images)
    rows, count = [], 0
    with one_thread():
        with meter("try"):
            found = list(_tried(cell, parts))
        with meter("evaluate"):
            distances = image_distances(parts)
            for method, tried in found:
                rows += measured_rows(cell, method, name, tried, parts, distances)
                count += len(tried)
    # Methods that share a network name its whole fit each; the cell has paid for it once.
    scored = sum(each.score_s for _, tried in found for each in tried)
    cost = {
        "fit_cpu_s": max(meter.cpu["try"] - scored, 0.0),
        "score_cpu_s": scored,
        "evaluate_cpu_s": meter.cpu["evaluate"],
        "wall_s": meter.wall,
        "peak_mb": meter.peak_mb(),
        "steps_scored": count * (len(parts.validation) + len(parts.test)),
    }
    return finished(cell, rows, cost, data=data_hash(images), code=code)


def split_of(cell: ImageCell, images: ImageSet) -> tuple[TableSplit, str]:
    """Return the parts of a cell, each point an image of channels × height × width, and the name of its class.

    Parts are shuffled, so the first images of a part stand for all of it.
    """
    chosen = (leave_one_out if cell.leave == "leave-one-out" else leave_one_in)(images, cell.class_index, cell.seed)
    train, validation, test = (
        _part(part, most)
        for part, most in ((chosen.train, cell.train), (chosen.validation, cell.judged), (chosen.test, cell.judged))
    )
    return TableSplit(train, validation, test), images.classes[images.order[cell.class_index]]


def _part(part: ImagePart, most: int | None) -> Part:
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
    return Part(fewer.images, fewer.anomalous, fewer.rows)  # type: ignore[arg-type]


def flat(parts: TableSplit) -> TableSplit:
    """Return the same parts with a row of numbers per image."""
    return TableSplit(_flat(parts.train), _flat(parts.validation), _flat(parts.test))


def _flat(part: Part) -> Part:
    return Part(part.points.reshape(len(part), -1).astype(np.float64), part.anomalous, part.rows)


def _tried(cell: ImageCell, parts: TableSplit) -> Iterator[Found]:
    """Yield what came of every method of a cell."""
    if cell.methods[0] in CLASSICAL:
        (method,) = cell.methods
        yield method, _classical(cell, method, flat(parts), cell.configurations)
    elif cell.methods[0] in NETWORKS and cell.methods[0] != "vae":
        (method,) = cell.methods
        space, scores = image_space_of(method)
        drawn = sample(space, cell.configurations, seed=cell.search)
        each = [network | cell.fixed | ({"by": by} if by else {}) for network in drawn for by in scores or ("",)]
        yield method, DeepFamily(method).run(each, parts, cell.seed)
    else:
        yield from _coded(cell, parts)


def _classical(cell: ImageCell, method: str, parts: TableSplit, count: int, search: int = 0) -> list[Tried]:
    """Try configurations of a method without a network."""
    base = SECOND_STAGES.get(method, method)
    family: Family
    told = {}
    if base == "osvm":
        family = SlicedSVMFamily(base, cell.machines, cell.machine_rows)
        told = {"machines": cell.machines, "rows": next(s.stop for s in family.slices(len(parts.train)))}
    else:
        family = WideNeighboursFamily(base)
    fixed = cell.fixed if method in CLASSICAL else {}
    drawn = sample(image_space_of(method)[0], count, seed=cell.search + search)
    tried = family.run([each | fixed for each in drawn], parts, cell.seed)
    return [replace(each, configuration=each.configuration | told) for each in tried]


def _coded(cell: ImageCell, parts: TableSplit) -> Iterator[Found]:
    """Train networks one after the other; while the codes of one are there, try every second stage on them."""
    found: dict[str, list[Tried]] = {method: [] for method in cell.methods}
    space, scores = image_space_of("vae")
    family = EncoderFamily("vae")
    for number, drawn in enumerate(sample(space, cell.configurations, seed=cell.search)):
        network = drawn | cell.fixed
        tried = family.run([network | {"by": by} for by in scores], parts, cell.seed)
        fit_s = sum(each.fit_s for each in tried)
        for method in cell.methods:
            if method == "vae":
                found[method] += tried
            elif family.codes is not None:
                seconds = _classical(cell, method, family.codes, cell.second, search=number)
                found[method] += [
                    replace(each, configuration=network | each.configuration, fit_s=fit_s + each.fit_s)
                    for each in seconds
                ]
            else:
                found[method].append(Tried(network, failure=tried[0].failure))
    yield from found.items()


def prepare(cell: ImageCell) -> str:
    """Fetch the image set of a cell and return its hash."""
    return data_hash(_images(cell.images))


def code_of(cell: ImageCell, sources: Sources) -> str:
    """Return the version of the code that a cell uses: of its methods, and of what searches and judges."""
    spaces = [image_space_of(method) for method in cell.methods]
    version = sources.version(*JUDGE, *(space.detector for space, _ in spaces))
    told = [[method, dict(space.grid), scores] for method, (space, scores) in zip(cell.methods, spaces, strict=True)]
    return hashlib.sha256(json.dumps([version, told], sort_keys=True).encode()).hexdigest()


def data_hash(images: ImageSet) -> str:
    """Return a hash over the images and labels of a set.

    Example:
        >>> data_hash(ImageSet("mine", np.zeros((2, 3, 3, 1), np.uint8), [0, 1], ("a", "b")))[:8]
        'bba52eaa'
    """
    text = hashlib.sha256(json.dumps([images.images.shape, images.classes]).encode())
    text.update(np.ascontiguousarray(images.images).tobytes())
    text.update(images.labels.astype("<i8").tobytes())
    return text.hexdigest()


@lru_cache(maxsize=1)
def _images(name: str) -> ImageSet:
    return load_images(name)
