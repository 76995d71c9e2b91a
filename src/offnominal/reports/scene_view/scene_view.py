"""A driving scene as a contact sheet or a clip: cameras, lidar, voxel truth and the scores of detectors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np

from offnominal.core.checks import integer_in, number_in
from offnominal.core.errors import InvalidParameter
from offnominal.core.files import write_bytes
from offnominal.core.printable import shown
from offnominal.detectors.scenes import SceneDetector, load_scene_detector
from offnominal.reports.clip_files import FORMATS, write_frames
from offnominal.reports.scene_view.frame_drawing import (
    FrameScoring,
    Panel,
    PanelSize,
    camera_names,
    draw_frame,
    draw_scoring,
    scoring_of,
)
from offnominal.reports.scene_view.frame_view import FrameView
from offnominal.reports.scene_view.pillow_font import require_pillow
from offnominal.reports.scene_view.score_views import ScoreScale
from offnominal.reports.scene_view.sheet import FrameBlock, PanelRow, Sheet, label_legend, score_legend
from offnominal.reports.scene_view.sources import SceneSource, open_scene_source
from offnominal.reports.scene_view.top_view import Image
from offnominal.worlds.road.rigs import Rig
from offnominal.worlds.road.town.snapshot import TICK_SECONDS

SHEET = ".png"
SHEET_FRAMES, CLIP_FRAMES = 4, 40
"""Frames of a sheet and of a clip if none are chosen."""
PACE = 10
SMALLEST, LARGEST = 32, 1024


@dataclass(frozen=True)
class SceneView:
    """What was drawn.

    Args:
        path: The written file.
        scene: Id of the scene.
        frames: Numbers of its frames.
        scales: Scale of the scores of each detector, with its threshold.
    """

    path: Path
    scene: str
    frames: tuple[int, ...]
    scales: Mapping[str, ScoreScale]


@dataclass(frozen=True, eq=False)
class _Drawn:
    """One frame, drawn up to its scores."""

    number: int
    tick: int
    active: bool
    panels: Sequence[Panel]
    cameras: Sequence[str]
    lidar: bool
    labels: frozenset[int]
    scorings: Mapping[str, FrameScoring]


def view_scene(
    source: Path | str | SceneSource,
    out: Path | str,
    *,
    scene: str | int | None = None,
    frames: str | Sequence[int] | None = None,
    detectors: Sequence[Path | str] | Mapping[str, SceneDetector] = (),
    cameras: Sequence[str] | None = None,
    rig: Rig | str | None = None,
    height: int = 180,
    false_alarm_rate: float = 0.01,
) -> SceneView:
    """Draw a driving scene.

    A contact sheet has one block per frame: the cameras with anomalies outlined in red, the points of the lidars and
    the voxel truth from above, and the voxels in three dimensions. Below them are, for each detector, its scores and
    the hits, misses and false alarms at a threshold. A clip shows one block at a time.

    Detectors with memory score all frames from the first one on, so scores do not depend on the chosen frames.

    Args:
        source: A scenario file, which is simulated; a folder of recorded scenes in the compact or published layout; or
            an open source.
        out: A contact sheet, ``.png``, or a clip, ``.webp``, ``.gif`` or ``.mp4``.
        scene: Id or position of the scene; see :func:`open_scene_source`.
        frames: Numbers of the frames, also as text: ``"0:200:40"``, ``"12"`` or ``"0,30,60"``. None for 4 of a sheet
            and 40 of a clip, at equal distances.
        detectors: Files of fitted scene detectors, or fitted detectors by name.
        cameras: Names of the cameras; None are all of them.
        rig: Sensor rig of a simulated scenario; None is that of the scenario.
        height: Height of each panel, pixels.
        false_alarm_rate: The threshold of a detector is the lowest score that at most this share of the normal voxels
            of the drawn frames exceeds.

    Raises:
        MissingFile: There is no such scene or detector.
        UnknownName: There is no such scene or camera.
        InvalidParameter: There are no such frames, or detectors cannot score the scene.
    """
    path = Path(out)
    if path.suffix not in (SHEET, *FORMATS):
        raise InvalidParameter(
            f"{path} ends in {path.suffix or 'nothing'}; a contact sheet ends in {SHEET}, a clip in "
            f"{' or '.join(FORMATS)}."
        )
    size = PanelSize(integer_in("height", height, SMALLEST, LARGEST))
    rate = float(number_in("false_alarm_rate", false_alarm_rate, 0.0, 1.0))
    fitted = _fitted(detectors)
    opened = source if isinstance(source, SceneSource) else open_scene_source(source, scene, rig=rig)
    numbers = frame_numbers(frames, len(opened), SHEET_FRAMES if path.suffix == SHEET else CLIP_FRAMES)
    require_pillow()
    drawn = list(_drawn(opened, numbers, fitted, cameras, size))
    scales = {name: _scale([each.scorings[name] for each in drawn], rate) for name in fitted}
    blocks = [_block(each, scales, size) for each in drawn]
    labels = frozenset[int]().union(*(each.labels for each in drawn))
    sheet = Sheet(f"Scene {opened.id}", "  ·  ".join(opened.facts), [label_legend(labels), score_legend(scales, rate)])
    if path.suffix == SHEET:
        write_bytes(path, _png(sheet.compose(blocks)))
    else:
        write_frames(path, [sheet.compose([block]) for block in blocks], PACE)
    return SceneView(path, opened.id, tuple(numbers), scales)


def _fitted(detectors: Sequence[Path | str] | Mapping[str, SceneDetector]) -> dict[str, SceneDetector]:
    """Return detectors by name; files may be named with or without their endings."""
    if isinstance(detectors, Mapping):
        return dict(detectors)
    paths = [Path(each) for each in detectors]
    stems = [path.with_suffix("") if path.suffix in (".json", ".safetensors") else path for path in paths]
    for stem in stems:
        if stems.count(stem) > 1:
            raise InvalidParameter(f"the detector {stem} is given twice.")
    names = [stem.name for stem in stems]
    return {
        str(stem) if names.count(name) > 1 else name: load_scene_detector(stem)
        for stem, name in zip(stems, names, strict=True)
    }


def _drawn(
    source: SceneSource,
    numbers: Sequence[int],
    detectors: Mapping[str, SceneDetector],
    cameras: Sequence[str] | None,
    size: PanelSize,
) -> Iterator[_Drawn]:
    """Yield the chosen frames; those before them are only scored, by detectors with memory."""
    states = {name: detector.start() for name, detector in detectors.items()}
    memory = [name for name, state in states.items() if state is not None]
    needed = range(max(numbers) + 1) if memory else numbers
    for view in source.scored_frames(needed) if detectors else source.frames(needed):
        shown = view.number in numbers
        scores = {}
        for name, detector in detectors.items():
            if shown or name in memory:
                assert view.driving is not None
                states[name], scores[name] = detector.update(states[name], view.driving)
        if shown:
            names = camera_names(view, cameras)
            scorings = {name: scoring_of(view, each, names, size) for name, each in scores.items()}
            panels = draw_frame(view, names, size)
            yield _Drawn(
                view.number, view.tick, view.active, panels, names, view.cloud is not None, _labels(view), scorings
            )


def _labels(view: FrameView) -> frozenset[int]:
    """Return the labels of points and voxels."""
    clouds = [each.label for each in (view.cloud, view.voxels) if each is not None and each.label is not None]
    return frozenset(int(label) for labels in clouds for label in np.unique(labels))


def _scale(scorings: Sequence[FrameScoring], rate: float) -> ScoreScale:
    scores = np.concatenate([each.elements.scores for each in scorings])
    return ScoreScale.of(scores, np.concatenate([each.elements.positive for each in scorings]), rate)


def _block(drawn: _Drawn, scales: Mapping[str, ScoreScale], size: PanelSize) -> FrameBlock:
    rows = [PanelRow("", drawn.panels)]
    for name, scoring in drawn.scorings.items():
        rows.append(PanelRow(name, draw_scoring(scoring, scales[name], drawn.cameras, size, lidar=drawn.lidar)))
    heading = f"frame {drawn.number}  ·  tick {drawn.tick}  ·  {drawn.tick * TICK_SECONDS:.1f} s"
    return FrameBlock(heading, drawn.active, rows)


def _png(image: Image) -> bytes:
    from PIL import Image as Pillow

    file = BytesIO()
    Pillow.fromarray(image).save(file, "PNG", optimize=True)
    return file.getvalue()


PART = r"-?\d{1,9}"
SLICE = re.compile(rf"\s*({PART})?\s*:\s*({PART})?\s*(?::\s*({PART})?\s*)?")
LIST = re.compile(rf"\s*{PART}\s*(?:,\s*{PART}\s*)*")
EXPECTED = "expected numbers such as 12 or 0,30,60, or a range such as 0:200:40"


def frame_numbers(chosen: str | Sequence[int] | None, n_frames: int, default: int) -> list[int]:
    """Return the numbers of chosen frames in rising order, without repetitions.

    Args:
        chosen: Numbers, a text such as ``"0:200:40"`` or ``"0,30,60"``, or None. Negative numbers count from the end.
        n_frames: Number of frames of the scene.
        default: How many frames to take at equal distances if none are chosen.

    Raises:
        InvalidParameter: The text is invalid, or the scene has no such frame.

    Example:
        >>> frame_numbers("0:200:40", 200, 4), frame_numbers("-1,3", 10, 4), frame_numbers(None, 200, 4)
        ([0, 40, 80, 120, 160], [3, 9], [25, 75, 125, 175])
    """
    if n_frames < 1:
        raise InvalidParameter("the scene has no frames.")
    if chosen is None:
        count = min(default, n_frames)
        return [(2 * k + 1) * n_frames // (2 * count) for k in range(count)]
    if isinstance(chosen, str) and (match := SLICE.fullmatch(chosen)):
        start, stop, step = (None if part is None else int(part) for part in match.groups())
        if step == 0:
            raise InvalidParameter(f"the frames are {chosen!r}; the step of a range is not 0.")
        numbers = list(range(n_frames)[start:stop:step])
        if not numbers:
            raise InvalidParameter(f"the frames {chosen!r} are none of the {n_frames} frames of the scene.")
        return sorted(numbers)
    if isinstance(chosen, str):
        if not LIST.fullmatch(chosen):
            raise InvalidParameter(f"the frames are {shown(chosen)}; {EXPECTED}.")
        chosen = [int(part) for part in chosen.split(",")]
    for number in chosen:
        if not -n_frames <= number < n_frames:
            raise InvalidParameter(f"no frame {number}; the scene has {n_frames}, from 0 to {n_frames - 1}.")
    if not chosen:
        raise InvalidParameter(f"no frames are chosen; {EXPECTED}.")
    return sorted({number % n_frames for number in chosen})
