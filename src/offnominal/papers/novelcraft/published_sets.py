"""The published sizes of the set: Tables 1, 2, A.2 and D.1 beside ours and beside the released labels."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from offnominal.core.directories import find_data_home
from offnominal.datasets.novelcraft import NovelCraft, class_sizes, open_novelcraft, split_sizes
from offnominal.datasets.novelcraft.classes import CLASSES, PLUS_EPISODES
from offnominal.datasets.novelcraft.craft_tables import TARGETS
from offnominal.evaluation.estimate import Estimate
from offnominal.papers.novelcraft.novelty_data import NoveltyData
from offnominal.papers.novelcraft.novelty_sets import DIGITS, FOLDER
from offnominal.papers.novelcraft.published import PAPER
from offnominal.papers.printed_values import erratum_about, printed_values
from offnominal.papers.protocol import protocol
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults

RELEASED = Path("novelcraft")
"""Folder of the released labels in the data home."""
NOT_RECORDED = "our set is not recorded; a run at scale `large` or `paper` records it"
OTHER_SET = "another set: the number of copies of an item and the length of episodes are not published"
OBJECT, GAMEPLAY = "n_classes_object", "n_classes_gameplay"
SPLIT_FIELDS = {"n_images_raw": "images", "n_images_filtered": "kept_images"}
CLASS_FIELDS = {"modified_episodes": "kept_episodes", "filtered_frames": "kept_images"}
NAMES = {"Fence": "fence", "Tree": "tree_easy"}
"""Our names of modifications that are not inserted items."""
IMAGE_FIELDS = {"n_images_train": "train", "n_images_val": "valid", "n_images_test": "test"}
"""Split of each number of images of Table D.1; those of NovelCraft+ do not count."""


class _Sizes(NamedTuple):
    """Sizes of a set by split and by class; empty if the set is not there."""

    splits: Mapping[str, Mapping[str, int]]
    classes: Mapping[str, Mapping[str, int]]


def table_1(results: RunResults) -> list[PublishedComparison]:
    """Compare the number of novel classes; the other rows are about sets of other papers."""
    (row,) = (
        row
        for row in printed_values(PAPER, "table_1")
        if (row["dataset"], row["field"]) == ("NovelCraft", "n_novel_classes")
    )
    return [_line({"number": "novel classes"}, float(len(_modifications())), float(row["value"]))]


def table_2(results: RunResults) -> list[PublishedComparison]:
    """Compare the sizes of the splits."""
    ours, released = _ours(), _released()
    lines = []
    for row in printed_values(PAPER, "table_2"):
        part, field, value = f"{row['split']} {row['type']}", row["field"], float(row["value"])
        if not value:
            continue
        labels = {"split": part, "number": field.removeprefix("n_").replace("_", " ")}
        labels |= {"released labels": _shown(_split_value(released, part, field))}
        fixed = _recipe_value(part, field)
        found = _split_value(ours, part, field) if fixed is None else fixed
        line = _line(labels, found, value, images=field in SPLIT_FIELDS)
        erratum = erratum_about(PAPER, "table_2", [part], field)
        lines.append(line if erratum is None else replace(line, flaw="impossible", note=erratum.problem))
    return lines


def table_a2(results: RunResults) -> list[PublishedComparison]:
    """Compare the episodes and images of every modification after the filter."""
    ours, released = _ours(), _released()
    lines = []
    for row in printed_values(PAPER, "table_A2"):
        name, column = _class_name(row["modification"]), CLASS_FIELDS[row["field"]]
        labels = {"modification": row["modification"], "number": row["field"].replace("_", " ")}
        labels |= {"released labels": _shown(released.classes.get(name, {}).get(column))}
        line = _line(labels, ours.classes.get(name, {}).get(column), float(row["value"]), images=True)
        erratum = erratum_about(PAPER, "table_A2", [row["modification"]], row["field"])
        lines.append(line if erratum is None else replace(line, note=erratum.problem))
    return lines


def table_d1(results: RunResults) -> list[PublishedComparison]:
    """Compare the numbers of NovelCraft; the other rows are about sets of other papers."""
    ours = _ours()
    inserted = sum(name.startswith("item_") for name in _modifications())
    found: dict[str, float | None] = {
        "n_object_classes_inserted": inserted,
        "n_object_classes_gameplay": len(_modifications()) - inserted,
    }
    for field, split in IMAGE_FIELDS.items():
        parts = [
            ours.splits[part]["kept_images"] for part in (f"{split} Normal", f"{split} Novel") if part in ours.splits
        ]
        found[field] = sum(parts) if parts else None
    rows = [
        row for row in printed_values(PAPER, "table_D1") if row["dataset"] == "NovelCraft" and row["field"] in found
    ]
    return [
        _line(
            {"number": row["field"].removeprefix("n_").replace("_", " ")},
            found[row["field"]],
            float(row["value"]),
            images=row["field"] in IMAGE_FIELDS,
        )
        for row in rows
    ]


def _line(
    labels: Mapping[str, str], ours: float | None, published: float, *, images: bool = False
) -> PublishedComparison:
    """Return a comparison of counts; those of images are of another set, those of classes and episodes are exact."""
    known = protocol(PAPER)
    rule = known.rule("images").scaled(published, least=1.0) if images else known.rule("size")
    if ours is None:
        return PublishedComparison(labels, Estimate(None), published, rule, NOT_RECORDED)
    line = PublishedComparison(labels, Estimate(float(ours)), published, rule)
    return replace(line, note=OTHER_SET) if images and line.verdict == "differs" else line


def _shown(count: float | None) -> str:
    return "–" if count is None else f"{count:,.0f}"


def _class_name(modification: str) -> str:
    """Return our name of a modification, such as ``item_brewing_stand`` for BrewingStand."""
    return NAMES.get(modification) or "item_" + re.sub(r"(?<=[a-z])(?=[A-Z])", "_", modification).lower()


def _modifications() -> list[str]:
    """Return the classes with a novelty; the two that are only used as whole episodes are not counted in the paper."""
    return [kind.name for kind in CLASSES.values() if kind.novelty and kind.role != "episodes"]


def _recipe_value(part: str, field: str) -> float | None:
    """Return a number of Table 2 that the recipe of the set decides; None for others."""
    split, type_ = part.split()
    if type_ == "Normal+":
        return {"episodes": PLUS_EPISODES, GAMEPLAY: 1}.get(field)
    kinds = [kind for kind in CLASSES.values() if kind.role == (split if type_ == "Novel" else "normal")]
    if field in (OBJECT, GAMEPLAY):
        items = sum(kind.name.startswith("item_") for kind in kinds)
        return items if field == OBJECT else len(kinds) - items
    return sum(kind.episodes for kind in kinds) if (field, type_) == ("episodes", "Novel") else None


def _split_value(sizes: _Sizes, part: str, field: str) -> float | None:
    return sizes.splits.get(part, {}).get(SPLIT_FIELDS.get(field, field))


def _released() -> _Sizes:
    home = find_data_home()
    return _sizes(None if home is None else home / RELEASED)


def _ours() -> _Sizes:
    """Return the sizes of our set with the published number of episodes, if it is recorded."""
    home = find_data_home()
    for plus in (True, False):
        folder = None if home is None else home / FOLDER / NoveltyData(plus=plus).recipe().digest()[:DIGITS]
        if (found := _sizes(folder)).splits:
            return found
    return _Sizes({}, {})


def _sizes(folder: Path | None) -> _Sizes:
    return _counted(open_novelcraft(folder)) if folder is not None and (folder / TARGETS).exists() else _Sizes({}, {})


def _counted(data: NovelCraft) -> _Sizes:
    splits, classes = (
        {size.part: size._asdict() for size in sizes} for sizes in (split_sizes(data), class_sizes(data))
    )
    return _Sizes(splits, classes)
