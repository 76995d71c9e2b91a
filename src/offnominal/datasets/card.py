"""Card of a dataset: README.md, and a figure of the score under each fault."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from offnominal.anomalies.schedule import Schedule
from offnominal.core.errors import MissingDependency, UnknownName
from offnominal.core.files import write_text
from offnominal.core.plot_style import NOMINAL, RULE, STYLE, markers, matplotlib
from offnominal.core.rounding import fixed
from offnominal.datasets.layout import SINGULAR, Signal
from offnominal.datasets.manifest import Manifest, SplitEntry
from offnominal.datasets.parquet import EpisodeFile
from offnominal.datasets.recipe import Recipe, rank
from offnominal.worlds.world_source import build_world

README, SCORE_FIGURE = "README.md", "card.png"
MEANINGS = {
    "observations": "observation of the agent, faults included",
    "actions": "action of the agent",
    "rewards": "reward",
    "active": "label: a fault was active",
    "success": "the task was solved",
    "critical": "a safety violation",
    "cost": "cost, in addition to the reward",
    "clean_observations": "observation without faults",
    "executed_actions": "executed action, after faults and limits",
    "applied": "parameter of the fault",
}
READINGS = {
    "clean": "While an observation is faulty, the camera shows the true state.",
    "affected": "While an observation is faulty, the camera shows the state that the sensors report.",
}


class Reference(NamedTuple):
    """Summary of a world and the returns by which scores are normalised."""

    summary: str
    random: float | None
    expert: float | None

    def score(self, mean_return: float) -> float | None:
        """Return (return - random) / (expert - random), or None if the references are unknown."""
        if self.random is None or self.expert is None:
            return None
        return (mean_return - self.random) / (self.expert - self.random)


def reference_of(world: str) -> Reference:
    """Return the reference of a world; empty if the world is unknown."""
    try:
        card = build_world(world, 1).card
    except UnknownName:
        return Reference("", None, None)
    return Reference(card.summary, card.random_return, card.expert_return)


def describe(folder: Path, manifest: Manifest) -> None:
    """Write the card of a dataset into its folder, with a figure if matplotlib is installed and there are faults."""
    reference = reference_of(manifest.world)
    parts = [
        _head(manifest, reference, _score_figure(folder, manifest, reference)),
        _reading(manifest),
        _splits(manifest, reference),
        _columns(folder / next(iter(manifest.splits.values())).file),
        *_frames_section(manifest),
        *([_making(manifest, manifest.recipe)] if manifest.recipe else []),
    ]
    write_text(folder / README, "\n".join(parts))


def _score_figure(folder: Path, manifest: Manifest, reference: Reference) -> bool:
    scores = {name: reference.score(entry.statistics.mean_return) for name, entry in manifest.splits.items()}
    known = {name: score for name, score in scores.items() if score is not None}
    if not manifest.recipe or not manifest.recipe.cells or not known:
        return False
    try:
        draw_score_figure(folder / SCORE_FIGURE, manifest.recipe, known)
    except MissingDependency:
        return False
    return True


def _head(manifest: Manifest, reference: Reference, has_figure: bool) -> str:
    entries = manifest.splits.values()
    frames = sum(entry.frames.count for entry in entries if entry.frames)
    shown = f"{frames:,} frames, " if frames else ""
    size = _size(sum(entry.weight for entry in entries))
    about = f"Episodes of the task *{reference.summary}*" if reference.summary else "Episodes"
    faults = " with and without faults" if manifest.recipe and manifest.recipe.cells else ""
    figure = f"\n![Mean score under each fault]({SCORE_FIGURE})\n" if has_figure else ""
    return (
        f"# {manifest.world}\n\n{about}{faults}: {sum(entry.episodes for entry in entries):,} episodes, "
        f"{sum(entry.steps for entry in entries):,} transitions, {shown}{size}.\n{figure}"
    )


def _size(weight: int) -> str:
    return f"{weight / 1e6:.1f} MB" if weight >= 1e6 else f"{weight / 1e3:.0f} kB"


def _reading(manifest: Manifest) -> str:
    name, entry = next(iter(manifest.splits.items()))
    return f"""## Usage

```python
import offnominal as off

data = off.load_dataset("the path of this folder")
for episode in data["{name}"]:
    episode.observations, episode.actions, episode.rewards, episode.active, episode.events
frame = data["{name}"].to_pandas()
```

Any Parquet reader works: `SELECT avg(reward) FROM '{entry.file}'`. `offnominal verify` compares every file and every
episode with the hashes in `manifest.json`.
"""


def _splits(manifest: Manifest, reference: Reference) -> str:
    parameters = {cell.name: cell.parameter for cell in manifest.recipe.cells} if manifest.recipe else {}
    lines = [
        "| split | parameter | episodes | transitions | return | score | success | active | onset |",
        "| :-- | --: | --: | --: | --: | --: | --: | --: | --: |",
        *(_line(name, entry, parameters.get(name), reference) for name, entry in manifest.splits.items()),
    ]
    legend = "**parameter**: fault parameter. **return**: mean over the episodes, with its 95 % interval. "
    if reference.score(0.0) is not None:
        legend += (
            f"**score**: (return - random) / (expert - random), with the published returns {reference.random:g} of "
            f"random actions and {reference.expert:g} of an expert. "
        )
    legend += (
        "**success**: fraction of episodes. **active**: fraction of transitions with an active fault. **onset**: mean "
        "onset of the fault, over the episodes that last until then."
    )
    return "\n".join(["## Splits", "", *lines, "", legend, ""])


def _line(name: str, entry: SplitEntry, parameter: float | None, reference: Reference) -> str:
    statistics = entry.statistics
    score = reference.score(statistics.mean_return)
    cells = [
        f"`{name}`",
        "–" if parameter is None else f"{parameter:.4g}",
        f"{entry.episodes:,}",
        f"{entry.steps:,}",
        f"{fixed(statistics.mean_return, 2)} ± {fixed(statistics.return_interval, 2)}",
        "–" if score is None else fixed(score, 3),
        "–" if statistics.success is None else f"{fixed(100.0 * statistics.success, 0)}%",
        f"{fixed(100.0 * statistics.active, 0)}%",
        "–" if statistics.mean_onset is None else fixed(statistics.mean_onset, 1),
    ]
    return f"| {' | '.join(cells)} |"


def _columns(path: Path) -> str:
    file = EpisodeFile(path)
    lines = [
        "| column | type | meaning |",
        "| :-- | :-- | :-- |",
        "| `episode`, `seed`, `step` | int | index of the episode, its seed, index of the transition |",
        *(_column(signal, names) for signal, names in file.columns()),
    ]
    text = (
        "A row is one observation and the transition that starts there. The last row of an episode has no transition: "
        "its action, reward and labels are null. The faults of each episode are JSON in the metadata of the file "
        "under `offnominal`."
    )
    return "\n".join(["## Columns", "", text, "", *lines, ""])


def _column(signal: Signal, names: list[str]) -> str:
    stem = SINGULAR.get(signal.name, signal.name)
    shown = f"`{stem}`" if not signal.shape else f"`{stem}.*`"
    channels = ", ".join(name.removeprefix(f"{stem}.") for name in names) if signal.shape else ""
    meaning = MEANINGS.get(signal.name, "")
    return f"| {shown} | {np.dtype(signal.dtype).name} | {': '.join(filter(None, (meaning, channels)))} |"


def _frames_section(manifest: Manifest) -> list[str]:
    """Return the section on frames, if there are any."""
    frames = {name: entry.frames for name, entry in manifest.splits.items() if entry.frames}
    if not frames:
        return []
    name, first = next(iter(frames.items()))
    height, width, colours = first.shape
    size = _size(sum(entry.size for entry in frames.values()))
    reading = READINGS[manifest.recipe.camera] if manifest.recipe else ""
    text = f"""## Frames

A camera frame for every observation: {height} x {width} RGB, lossless, {size} in total. {reading}

```python
for episode in data["{name}"].images():
    episode.observations  # (T + 1, {colours}, {height}, {width}) bytes
```

A row of `{first.file}` is one frame, with the `episode`, `seed` and `step` of `{manifest.splits[name].file}`. Its
`frame` is {height * width * colours:,} bytes in row-major order, red, green and blue of each pixel.
"""
    return [text]


def _schedule_text(schedule: Schedule) -> dict[str, Any]:
    """Return the onset and all fields of a schedule that differ from their defaults."""
    default = Schedule(onset=schedule.onset).to_dict()
    return {name: value for name, value in schedule.to_dict().items() if name == "onset" or value != default.get(name)}


def _making(manifest: Manifest, recipe: Recipe) -> str:
    first = {plan.name: int(plan.seeds[0]) for plan in recipe.plans()}
    seeds = ", ".join(f"{name} {first[name]:,}" for name in ("train", "validation", "test"))
    faulty = f", faults {first[recipe.cells[0].name]:,}" if recipe.cells else ""
    versions = ", ".join(f"{name} {version}" for name, version in manifest.versions.items())
    lines = {
        "policy": recipe.policy + (f", weights {recipe.policy_sha256[:12]}…" if recipe.policy_sha256 else ""),
        "first seeds": seeds + faulty,
        "faults": ", ".join(f"{name} {value}" for name, value in _schedule_text(recipe.schedule).items()),
        "recipe": f"SHA-256 {manifest.recipe_sha256[:12]}…",
        "made with": f"{versions}; {manifest.platform}",
    }
    table = "\n".join(f"| {name} | {value} |" for name, value in lines.items())
    return f"""## Reproduction

| | |
| :-- | :-- |
{table}

The recipe in `manifest.json` is complete. On the same platform and versions it gives the same bytes again:

```python
off.generate(data.manifest.recipe, "another folder")
```
"""


LEVELS = ("#e9b872", "#d98c33", "#c34b0f", "#8a2f06", "#4d1a03")
"""Colours of strengths, from weak to strong; lighter to darker with any colour vision."""


def draw_score_figure(path: Path, recipe: Recipe, scores: Mapping[str, float]) -> None:
    """Draw a row per anomaly with a dot per strength; the vertical line is the nominal score.

    Args:
        path: File to write.
        recipe: Recipe of the dataset.
        scores: Normalised scores by split.
    """
    rc_context = matplotlib().rc_context
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.figure import Figure

    anomalies = sorted({cell.anomaly for cell in recipe.cells}, reverse=True)
    levels = sorted({cell.level for cell in recipe.cells}, key=rank)
    scale = LinearSegmentedColormap.from_list("strengths", LEVELS)
    styles: dict[str, dict[str, Any]] = {
        level: {"color": scale(number / max(len(levels) - 1, 1)), "marker": mark}
        for (number, level), mark in zip(enumerate(levels), markers(levels).values(), strict=True)
    }
    with rc_context(STYLE | {"axes.spines.left": False, "ytick.left": False}):
        figure = Figure(figsize=(6.6, 1.1 + 0.23 * len(anomalies)), dpi=150, layout="constrained")
        axes = figure.subplots()
        axes.grid(visible=False, axis="y")
        axes.axvline(scores["test"], color=NOMINAL, lw=1.2, label="nominal", zorder=1)
        lowest = [min(scores[cell.name] for cell in recipe.cells if cell.anomaly == anomaly) for anomaly in anomalies]
        axes.hlines(range(len(anomalies)), lowest, scores["test"], color=RULE, lw=1.0, zorder=0)
        for level, style in styles.items():
            cells = [cell for cell in recipe.cells if cell.level == level]
            rows = [anomalies.index(cell.anomaly) for cell in cells]
            axes.scatter([scores[cell.name] for cell in cells], rows, s=28, label=level, zorder=2, **style)
        axes.set_yticks(range(len(anomalies)), anomalies)
        axes.set_title(f"{recipe.world}: score under each fault")
        axes.set_xlabel("mean normalised score (1 = expert, 0 = random policy)")
        figure.legend(loc="outside lower center", ncols=len(levels) + 1)
        figure.savefig(path)
