"""Whether a deployable folder is intact, and gives on this computer the scores and alarms that it gave when written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from offnominal.core.array_text import array_from_plain
from offnominal.core.episode import Episode
from offnominal.core.errors import DamagedFile, InvalidEpisode, OffnominalError
from offnominal.core.types import BoolArray, FloatArray
from offnominal.detectors.export.replay import difference
from offnominal.watch.deployment import MANIFEST, REPLAY, Deployment, damaged_files, read_entries, read_manifest


def verify_deployment(folder: Path | str) -> dict[str, str]:
    """Compare the files of a deployable folder with their hashes, and replay the transitions in it.

    Returns:
        By file, what is wrong; an empty text if nothing is.

    Raises:
        MissingFile: It is no deployable folder.
        DamagedFile: Its manifest is damaged.
    """
    place = Path(folder)
    problems = {MANIFEST: "", **damaged_files(place, manifest := read_manifest(place))}
    if any(problems.values()):
        return problems
    try:
        deployment = Deployment.load(place)
        problems[REPLAY] = _replay_problem(deployment, manifest.tolerance)
    except OffnominalError as error:
        problems[MANIFEST] = str(error)
    return problems


def _replay_problem(deployment: Deployment, tolerance: float) -> str:
    found, expected = [], []
    for number, (episode, scores, alarms) in enumerate(_recorded(deployment.folder / REPLAY)):
        outputs = deployment.model.outputs(episode)
        found.append(outputs.scores)
        expected.append(scores)
        raised = deployment.alarm.alarm([outputs.scores])[0]
        # Where rounding decides about an alarm, the score says more.
        if (raised != alarms).any() and not difference([scores], [outputs.scores], 0.0):
            return f"the alarms of episode {number} differ"
    return difference(found, expected, tolerance)


def _recorded(path: Path) -> Iterator[tuple[Episode, FloatArray, BoolArray]]:
    for each in read_entries(path, dict, "a replay").get("episodes", ()):
        try:
            arrays: dict[str, Any] = {name: array_from_plain(value) for name, value in dict(each).items()}
            n = len(arrays["scores"])
            episode = Episode(arrays["observations"], arrays["actions"], np.zeros(n), np.zeros(n, bool))
            yield episode, arrays["scores"], arrays["alarms"]
        except (KeyError, TypeError, ValueError, InvalidEpisode) as error:
            raise DamagedFile(f"{path} is not the replay of a deployment ({error}); get the folder again.") from None
